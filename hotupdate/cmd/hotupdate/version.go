package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
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
