package main

import (
	"cmp"
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

func (p *process) versionCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "version",
		Short: "which build of the command this is",
		Long: `Writes the version of the module, the Go version and the platform; in JSON also the modules,
settings and commit that the command was built from.`,
		Args: cobra.NoArgs,
	}, func(c *call) (int, error) {
		if c.output == jsonOutput {
			return exitOK, writeJSON(c, ownBuild())
		}
		fmt.Fprintln(&c.out, "hotupdate", version())
		return exitOK, nil
	}, func(c *call, command *cobra.Command) { c.addOutput(command, textOutput, jsonOutput) })
}

// manCommand writes manual pages, for packages of the command.
func (p *process) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIRECTORY",
		Short: "write manual pages",
		Long: `Writes a manual page for every command into a directory that exists. SOURCE_DATE_EPOCH is the time
in their headings, if it is set.`,
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			p.began = true
			return doc.GenManTree(command.Root(), &doc.GenManHeader{Section: "1", Source: "hotupdate"}, args[0])
		},
	}
}
