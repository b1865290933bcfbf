// Command hotupdate-gardener asks Gardener's own code what a change of a Shoot does: whether it is
// refused, by which field, and which pools get new keys. hotupdate plan finds the command in the PATH
// and asks it; by hand it reads questions as JSON from its standard input.
//
//	go install github.com/hotupdate/providerconfig/hotupdate/gardener/cmd/hotupdate-gardener@latest
//
// Package gardenerplugin has the format of input and output.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

func main() {
	klog.SetLogger(logr.Discard()) // the answers have all that Gardener says
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, gardenerplugin.Command+":", err)
			os.Exit(1)
		}
	}
}

const usage = `Reads questions about changes of Shoots as JSON from standard input, one a line, and writes
the answers of Gardener's own code, one a line. hotupdate plan calls this command if it is in the
PATH. The first line of the input is the setup:

  {"formatVersion":1,"objects":[…]}
  {"id":"1","old":{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot",…},"new":{…}}

Flags:
`

func run(arguments []string, input io.Reader, output io.Writer) error {
	flags := flag.NewFlagSet(gardenerplugin.Command, flag.ContinueOnError)
	version := flags.Bool("version", false, "print the version of Gardener and end")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("takes no arguments, but got %q", flags.Args())
	}
	if *version {
		_, err := fmt.Fprintf(output, "Gardener %s, format version %d\n",
			gardener.Version(), gardenerplugin.FormatVersion)
		return err
	}
	return gardener.Serve(input, output)
}
