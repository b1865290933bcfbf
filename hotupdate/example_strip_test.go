package hotupdate_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// An era in which raw bytes are hashed. With tags or without, and whatever they are, the pool has one name.
func ExampleSchema_StripRaw() {
	type workerConfig struct {
		Volume *struct {
			IOPS *int32 `json:"iops,omitempty"`
		} `json:"volume,omitempty"`
		Tags map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[workerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, raw := range []string{
		`{"kind": "WorkerConfig", "volume": {"iops": 3000}}`,
		`{"kind": "WorkerConfig", "tags": {"team": "a"}, "volume": {"iops": 3000}}`,
	} {
		stripped, err := schema.StripRaw([]byte(raw))
		fmt.Println(string(stripped), err)
	}
	// Output:
	// {"kind": "WorkerConfig", "volume": {"iops": 3000}} <nil>
	// {"kind": "WorkerConfig", "volume": {"iops": 3000}} <nil>
}
