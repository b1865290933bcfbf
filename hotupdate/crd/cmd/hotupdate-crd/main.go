// Command hotupdate-crd asks the API server's own code whether it takes a custom resource: whether the
// definition of its kind permits it, and which updates of a stored one are refused. hotupdate plan and
// hotupdate audit find the command in the PATH and ask it; by hand it reads questions as JSON from its
// standard input.
//
//	go install github.com/hotupdate/providerconfig/hotupdate/crd/cmd/hotupdate-crd@latest
//
// Package crdplugin has the format of input and output.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/apiserver"
	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/crdplugin"
)

func main() {
	klog.SetOutput(io.Discard) // the answers have all that the API server says
	klog.LogToStderr(false)
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, crdplugin.Command+":", err)
			os.Exit(1)
		}
	}
}

const usage = `Reads questions about custom resources as JSON from standard input, one a line, and writes the
answers of the API server's own code, one a line. hotupdate calls this command if it is in the
PATH. The first line of the input is the setup:

  {"formatVersion":1,"definitions":[{"apiVersion":"apiextensions.k8s.io/v1",…}]}
  {"old":{"apiVersion":"karpenter.sh/v1","kind":"NodePool",…},"new":{…}}

Flags:
`

func run(arguments []string, input io.Reader, output io.Writer) error {
	flags := flag.NewFlagSet(crdplugin.Command, flag.ContinueOnError)
	version := flags.Bool("version", false, "print the version of Kubernetes and end")
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
		_, err := fmt.Fprintf(output, "Kubernetes %s, format version %d\n",
			apiserver.Version(), crdplugin.FormatVersion)
		return err
	}
	return apiserver.Serve(input, output)
}
