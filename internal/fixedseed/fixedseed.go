// Package fixedseed makes property tests draw the same values in every run, so that a failure is never new to whoever meets it. A step of
// .ci/run draws fresh ones.
//
// It owns the seed. It is for tests only, and must not know what they test.
package fixedseed

import (
	"flag"
	"strconv"
	"testing"
)

// seed is what rapid starts from, unless the command line says something else.
const seed = 1

// Run runs the tests of a package with the fixed seed, and returns the exit code. It is the whole of a TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }
//
// The flag -rapid.seed of go test takes another seed, and 0 a new one in every run.
func Run(m *testing.M) int {
	Set()
	return m.Run()
}

// Set fixes the seed for a TestMain that has more to do. The TestMain registers its own flags before.
func Set() {
	if !flag.Parsed() {
		flag.Parse()
	}
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == seedFlag })
	if !given && flag.Lookup(seedFlag) != nil {
		_ = flag.Set(seedFlag, strconv.Itoa(seed)) // a number, which the flag takes
	}
}

const seedFlag = "rapid.seed"
