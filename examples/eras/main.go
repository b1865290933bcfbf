// Command eras is the program that the example extensions provide for hotupdate audit. It hashes
// pools with the functions of one extension: those after adoption, or those of the released
// extension.
//
//	hotupdate audit --old-exec "eras aws released" --new-exec "eras aws" shoots.json
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hotupdate/providerconfig/internal/extensions"
)

func main() {
	if err := serve(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eras:", err)
		os.Exit(1)
	}
}

func serve(args []string, in io.Reader, out io.Writer) error {
	for _, p := range extensions.All() {
		switch {
		case slices.Equal(args, []string{p.Name}):
			return p.Serve(in, out)
		case slices.Equal(args, []string{p.Name, "released"}) && !p.Ignores:
			return p.ServeReleased(in, out)
		}
	}
	return errors.New("usage: eras PROVIDER [released]")
}
