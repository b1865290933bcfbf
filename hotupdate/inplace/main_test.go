package inplace_test

import (
	"flag"
	"os"
	"testing"

	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var long = flag.Bool("long", false, "explore the models with more faults, in minutes")

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }
