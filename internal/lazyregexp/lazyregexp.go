// Package lazyregexp compiles regular expressions when they are first used, so that the start of a program does not pay
// for those that it never uses. It knows no expression.
package lazyregexp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// New returns a function that compiles an expression at its first call, and returns the same one from then on. It
// panics like [regexp.MustCompile]: in a test already here, so that no broken expression waits for its first use.
func New(expression string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	if isTest() {
		compiled()
	}
	return compiled
}

// isTest reports whether this program is one that go test builds.
func isTest() bool {
	if len(os.Args) == 0 {
		return false
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	return strings.HasSuffix(name, ".test")
}
