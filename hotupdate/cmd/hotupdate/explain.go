package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

func explainCommand() command {
	return command{
		name:     "explain",
		synopsis: "[--document] FILE",
		help:     "Writes every field that is set, with its value, its class and where the class comes from.",
		flags: func(flags *pflag.FlagSet) action {
			e := &explainer{}
			flags.BoolVar(&e.document, "document", false, "write the exact bytes that are hashed instead, without a newline;\nsha256sum of them is the hash")
			return e.run
		},
	}
}

type explainer struct{ document bool }

func (e *explainer) run(args []string, in io.Reader, out io.Writer) (int, error) {
	if err := want(1, args); err != nil {
		return 0, err
	}
	m, err := readManifest(args[0], in)
	if err != nil {
		return 0, err
	}
	if e.document {
		document, err := hash.Document(m.kind.schema, m.config)
		if err != nil {
			return 0, inFile(m.file, err)
		}
		_, err = out.Write(document)
		return exitOK, err
	}
	fields, err := m.kind.schema.Diff(nil, m.config)
	if err != nil {
		return 0, inFile(m.file, err)
	}
	writeFields(out, fields)
	return exitOK, nil
}

// writeFields writes a line for each field that is set, which is what sets the configuration apart from the empty one.
func writeFields(out io.Writer, fields hotupdate.Changes) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range fields {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable(f.Path), values(f), f.Class, origin(f))
	}
	_ = table.Flush() // out is a buffer
}
