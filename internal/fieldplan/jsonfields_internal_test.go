package fieldplan

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNameToWrite(t *testing.T) {
	internal := "use the versioned type (v1alpha1), or write "
	for _, tt := range []struct{ field, name, want, reason string }{
		{"apis.WorkerConfig.Volume", "Volume", internal + "`json:\"volume\"`", "Gardener's internal types have no JSON names"},
		{"apis.Volume.IOPS", "IOPS", internal + "`json:\"iops\"`", "the name is an initialism"},
		{"apis.Spec.APIVersion", "APIVersion", internal + "`json:\"apiVersion\"`", "it begins with an initialism"},
		{"apis.Spec.ID", "ID", internal + "`json:\"id\"`", "a short one"},
		{"apis.Spec.X", "X", internal + "`json:\"x\"`", "one letter"},
		{
			"v1alpha1.GCPProviderSpec.APIVersion", "APIVersion", "write `json:\"APIVersion\"`, its name in JSON today",
			"the driver for GCP reads this type: its versioned type is this one, and another name changes what it writes",
		},
		{"v1.Spec.Zone", "Zone", "write `json:\"Zone\"`, its name in JSON today", "the version has no further letters"},
		{"v1beta2.Spec.Zone", "Zone", "write `json:\"Zone\"`, its name in JSON today", "a beta"},
		{"vm1.Spec.Zone", "Zone", internal + "`json:\"zone\"`", "a package that only looks like a version"},
	} {
		t.Run(tt.field, func(t *testing.T) {
			problem := unnamed(tt.field, reflect.StructField{Name: tt.name}, "", &taggedField{})
			assert.Equal(t, tt.want+", or `json:\"-\"` to leave it out", problem.Hint, tt.reason)
		})
	}
}
