//go:build man

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestManPages writes the manual pages of a release.
func TestManPages(t *testing.T) {
	testscript.Run(t, scripts(t, "testdata/man"))
}
