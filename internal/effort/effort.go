// Package effort says how much tests try: a tenth on the machine of a developer, so that
// go test ./... is not slow, and all of it in CI.
//
// It owns that choice. It is for tests only, and must not know what they test.
package effort

import "os"

// All reports whether tests try all that they can: DRAWS=all is in the environment, as in each
// step of .ci/run but the one that runs the command of the README.
func All() bool { return os.Getenv("DRAWS") == "all" }

// Of returns n, a number of values or of objects, if tests try all that they can, and a tenth of
// it otherwise.
func Of(n int) int {
	if All() {
		return n
	}
	return n / 10
}

// Takes reports whether tests try the i-th row of a table whose rows take seconds: every tenth, or
// all.
func Takes(i int) bool { return All() || i%10 == 0 }
