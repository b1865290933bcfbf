// Package fixedseed makes property tests draw the same values in every run, so that nobody meets a
// new failure by chance. A step of .ci/run draws fresh values.
//
// It owns the seed, and how often tests collect garbage. It is for tests only, and must not know
// what they test.
package fixedseed

import (
	"flag"
	"math"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/hotupdate/providerconfig/internal/effort"
)

// checks is how many values rapid draws for a property unless a flag says otherwise.
const checks = 100

// Run runs the tests of a package with the fixed seed, and returns the exit code. It is the whole
// of a TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }
//
// The flag -rapid.seed of go test, which is read later, takes another seed, and 0 a new one in
// every run. A property draws as many values as package effort says, and -rapid.checks another
// number of them.
func Run(m *testing.M) int { return run(m, effort.Of(checks)) }

// RunAll is [Run] for a package that needs all draws: its tests find faults by chance, as in the
// order of a Go map.
func RunAll(m *testing.M) int { return run(m, checks) }

func run(m *testing.M, checks int) int {
	_ = flag.Set("rapid.seed", "1") // fails only where rapid is not linked
	_ = flag.Set("rapid.checks", strconv.Itoa(checks))
	flag.Parse()
	if isBenchmark := flag.Lookup("test.bench").Value.String() != ""; !isBenchmark {
		collectSeldom()
	}
	return m.Run()
}

// collectSeldom lets a heap grow to five times of what is in use, or to a gigabyte, before garbage is collected: tests
// drop most that they allocate, and collecting took a fifth of their time. GOGC and GOMEMLIMIT take precedence.
// Benchmarks keep what programs have.
func collectSeldom() {
	const usual = 100
	if given := debug.SetGCPercent(4 * usual); given != usual {
		debug.SetGCPercent(given)
	}
	if isUnlimited := debug.SetMemoryLimit(-1) == math.MaxInt64; isUnlimited {
		debug.SetMemoryLimit(1 << 30)
	}
}
