// Command goreleaser checks a configuration of goreleaser like goreleaser itself: against the types
// of its published JSON schema. An unknown member is an error. The whole goreleaser takes minutes
// to build; this command takes seconds.
package main

import (
	"fmt"
	"os"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	if _, err := config.Load(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
