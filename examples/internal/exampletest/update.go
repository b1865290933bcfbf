package exampletest

import (
	"flag"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

var update = flag.String("update", "", "write golden files anew: harmless if no pool gets another name, rolling in any case")

// Update says whether golden files are written anew, as the flag -update says.
func Update() hotupdatetest.Option {
	switch *update {
	case "harmless":
		return hotupdatetest.WithUpdate(hotupdatetest.UpdateHarmless)
	case "rolling":
		return hotupdatetest.WithUpdate(hotupdatetest.UpdateRolling)
	}
	return hotupdatetest.WithUpdate(hotupdatetest.Verify)
}
