package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// fleetV1 is the provider config of a fleet.
type fleetV1 struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int32 `json:"iops,omitempty"`
		Type string `json:"type,omitempty"`
	} `json:"volume,omitempty"`
	Disks []diskV1          `json:"disks,omitempty"  hotupdatable:"false,key=name"`
	Zones []string          `json:"zones,omitempty"`
	Token string            `json:"token,omitempty"  hotupdatable:"false,sensitive"`
	Tags  map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

type diskV1 struct {
	Name string `json:"name"`
	Size int32  `json:"size,omitempty"`
}

// fleetV2 is the config of the next release, with harmless and harmful changes.
type fleetV2 struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int64  `json:"iops,omitempty" hotupdatable:"true"`
		Type *string `json:"type,omitempty"`
	} `json:"volume,omitempty"`
	Disks  []diskV2          `json:"disks,omitempty"  hotupdatable:"false,key=name"`
	Zones  []string          `json:"zones,omitempty"  hotupdatable:"false,set"`
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

type diskV2 struct {
	Name string `json:"name"`
	GB   int32  `json:"sizeGB,omitempty"`
}

// fleetV1b has a hot field more than fleetV1.
type fleetV1b struct {
	fleetV1 `json:",inline"`

	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

// fleetV3 renames pools and refuses none.
type fleetV3 struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
		Type string `json:"type,omitempty" hotupdatable:"false,default=gp3"`
	} `json:"volume,omitempty"`
	Disks []diskV1          `json:"disks,omitempty"  hotupdatable:"false,key=name"`
	Zones []string          `json:"zones,omitempty"  hotupdatable:"false,set"`
	Token string            `json:"token,omitempty"  hotupdatable:"true,sensitive"`
	Tags  map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

// writeSchema writes the Schema of C into a file.
func writeSchema[C any](file string) error {
	schema, err := hotupdate.SchemaOf[C]()
	if err != nil {
		return err
	}
	written, err := schema.MarshalJSON()
	if err != nil {
		return err
	}
	return os.WriteFile(file, written, 0o600)
}

// TestAuditScripts runs audit and schema diff like a user. The Schemas are $V1, $V1B, $V2 and $V3.
func TestAuditScripts(t *testing.T) {
	params := scripts(t, "testdata/audit")
	params.Setup = func(env *testscript.Env) error {
		for name, write := range map[string]func(
			string,
		) error{"V1": writeSchema[fleetV1], "V1B": writeSchema[fleetV1b], "V2": writeSchema[fleetV2], "V3": writeSchema[fleetV3]} {
			file := strings.ToLower(name) + ".json"
			if err := write(filepath.Join(env.WorkDir, file)); err != nil {
				return err
			}
			env.Setenv(name, file)
		}
		return nil
	}
	testscript.Run(t, params)
}
