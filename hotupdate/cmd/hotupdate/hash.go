package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hash"
)

func hashCommand() command {
	return command{
		name:     "hash",
		synopsis: "FILE",
		help:     "Writes v1: and the SHA-256 of the provider config's canonical document: its fields without the hot and ignored ones.",
		flags:    func(*pflag.FlagSet) action { return writeHash },
	}
}

func writeHash(args []string, in io.Reader, out io.Writer) (int, error) {
	if err := want(1, args); err != nil {
		return 0, err
	}
	m, err := readManifest(args[0], in)
	if err != nil {
		return 0, err
	}
	sum, err := hash.Of(m.kind.schema, m.config)
	if err != nil {
		return 0, inFile(m.file, err)
	}
	fmt.Fprintln(out, sum)
	return exitOK, nil
}
