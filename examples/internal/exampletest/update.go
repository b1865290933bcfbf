package exampletest

import (
	"flag"
	"testing"

	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

// Main runs the tests of a package, with the flag -update for golden files.
func Main(m *testing.M, update flag.Value) {
	flag.Var(update, "update", "write golden files anew if no pool gets another name; -update=roll does so in any case")
	fixedseed.Run(m)
}
