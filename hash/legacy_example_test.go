package hash_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// An era in which raw bytes are hashed. With tags or without, and whatever they are, the pool has one name.
func ExampleLegacy() {
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
		cut, err := hash.Legacy(schema, []byte(raw), hotupdate.KeepNulls)
		fmt.Println(string(cut), err)
	}
	// Output:
	// {"kind": "WorkerConfig", "volume": {"iops": 3000}} <nil>
	// {"kind": "WorkerConfig", "volume": {"iops": 3000}} <nil>
}

// A configuration of which the cut leaves nothing but TypeMeta may be hashed as if there was none.
func ExampleOnlyTypeMeta() {
	fmt.Println(hash.OnlyTypeMeta([]byte(`{ "kind": "WorkerConfig" }`)))
	fmt.Println(hash.OnlyTypeMeta([]byte(`{"kind":"WorkerConfig","volume":{}}`)))
	fmt.Println(hash.OnlyTypeMeta(nil))
	// Output:
	// true
	// false
	// true
}
