package hash_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hash"
)

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
