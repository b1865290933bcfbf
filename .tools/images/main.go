// Command images builds the images of a configuration of goreleaser by ko, as goreleaser does, and checks them. It
// needs no network: the base image is empty, and the registry is in memory.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	project, err := config.Load(os.Args[1])
	if err == nil {
		err = checkImages(context.Background(), &project, filepath.Dir(os.Args[1]))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
