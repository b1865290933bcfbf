package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// ownBuild returns the build information in the binary.
func ownBuild() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

// version returns the version of the module, which contains the commit between releases, and the
// platform.
func version() string {
	return fmt.Sprintf("%s, %s, %s/%s", cmp.Or(ownBuild().Main.Version, "(devel)"), runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
}

func (c *call) versionCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "version",
		Short: "which build of the command this is",
		Args:  cobra.NoArgs,
	}, func() (int, error) {
		return c.show("hotupdate "+version()+"\n", ownBuild())
	}, c.addOutput(textOutput, jsonOutput))
}

// manCommand writes manual pages, for packages of the command.
func (c *call) manCommand() (man *cobra.Command) {
	man = c.command(&cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "write manual pages",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
	}, func() (int, error) {
		const source = "hotupdate"
		problems := []error{doc.GenManTree(man.Root(), &doc.GenManHeader{Section: "1", Source: source}, c.args[0])}
		for _, topic := range topicsOf(man.Root()) {
			header := &doc.GenManHeader{Section: "7", Source: source}
			problems = append(problems, doc.GenManTree(topic, header, c.args[0]))
		}
		return exitOK, errors.Join(problems...)
	})
	return man
}
