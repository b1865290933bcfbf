// Command goreleaser checks a configuration of goreleaser as goreleaser itself does when it loads one: against the types from which its
// published JSON schema is made. A member that it does not know is an error. goreleaser as a whole takes minutes to build; this takes seconds.
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
