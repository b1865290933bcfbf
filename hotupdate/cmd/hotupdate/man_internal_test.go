//go:build man

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestManPages writes the manual pages of a release.
func TestManPages(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/man",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}
