//go:build !race

package hotupdate_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nested is a type whose values nest as deeply as a config may.
type nested struct {
	Next *nested           `json:"next,omitempty"`
	List []nested          `json:"list,omitempty"`
	Tags map[string]string `json:"tags,omitempty"`
	Hot  map[string]string `json:"hot,omitempty"  hotupdatable:"true"`
}

// TestDiffsOfNestedValuesAllocateLinearly: a difference of many keys below many levels takes memory in proportion to the config and to what is reported. Each
// change had a copy of all steps above it.
func TestDiffsOfNestedValuesAllocateLinearly(t *testing.T) {
	schema := schemaFor[nested](t)
	for _, wrap := range [][2]string{{`{"next":`, `}`}, {`{"list":[`, `]}`}} {
		for _, name := range []string{"tags", "hot"} {
			for _, keys := range []int{100, 400} {
				config := func(value string) []byte {
					entries := make([]string, keys)
					for i := range entries {
						entries[i] = fmt.Sprintf(`"k%04d":%q`, i, value)
					}
					const levels = 200
					return []byte(strings.Repeat(wrap[0], levels) + `{"` + name + `":{` + strings.Join(entries, ",") + "}}" + strings.Repeat(wrap[1], levels))
				}
				old := config("a")
				updated := config("b")
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				changes, err := schema.DiffRaw(old, updated)
				runtime.ReadMemStats(&after)
				require.NoError(t, err)
				require.Len(t, changes, keys)
				written := bytes.Count(old, nil)
				for _, c := range changes {
					written += len(c.Path) + len(c.Pointer)
				}
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*written+1<<18), "%s %d keys", name, keys)
			}
		}
	}
}

// TestKeysThatMarshalThemselvesAllocateLittle: a key that its type reads from a text needs no decoder of its own, and so no memory but for the value.
func TestKeysThatMarshalThemselvesAllocateLittle(t *testing.T) {
	type config struct {
		Hosts map[netip.Addr]string `json:"hosts,omitempty"`
		Ports map[uint16]string     `json:"ports,omitempty"`
	}
	schema := schemaFor[config](t)
	const keys = 1000
	for name, key := range map[string]func(i int) string{
		"hosts": func(i int) string { return fmt.Sprintf("10.0.%d.%d", i/256, i%256) }, "ports": strconv.Itoa,
	} {
		entries := make([]string, keys)
		for i := range entries {
			entries[i] = fmt.Sprintf("%q:%q", key(i), "value")
		}
		raw := []byte(`{"` + name + `":{` + strings.Join(entries, ",") + "}}")
		perKey := testing.AllocsPerRun(5, func() {
			_, err := schema.HashRaw(raw)
			require.NoError(t, err)
		}) / keys
		require.Less(t, perKey, 12.0, name)
	}
}
