//go:build !race

package hotupdate_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// nested is a type whose values nest as deeply as a config may.
type nested struct {
	Next *nested           `json:"next,omitempty"`
	List []nested          `json:"list,omitempty"`
	Tags map[string]string `json:"tags,omitempty"`
	Hot  map[string]string `json:"hot,omitempty"  hotupdatable:"true"`
}

// TestDiffsOfNestedValuesAllocateLinearly: a difference of many keys below many levels takes memory in proportion to
// the config and to what is reported. Each change had a copy of all steps above it.
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
					return []byte(strings.Repeat(
						wrap[0], levels,
					) + `{"` + name + `":{` + strings.Join(entries, ",") + "}}" + strings.Repeat(wrap[1], levels))
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

// TestKeysThatMarshalThemselvesAllocateLittle: a key that its type reads from a text needs no decoder of its own, and
// so no memory but for the value.
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

// grown contains itself in every way, and has every kind of collection on each level.
type grown struct {
	Name    string                `json:"name,omitempty"`
	Next    *grown                `json:"next,omitempty"`
	Present *grown                `json:"present,omitempty" hotupdatable:"false,presence"`
	List    []grown               `json:"list,omitempty"`
	Array   [1]*grown             `json:"array"`
	Keyed   []grown               `json:"keyed,omitempty"   hotupdatable:"false,key=name"`
	Map     map[string]grown      `json:"map,omitempty"`
	ByHost  map[netip.Addr]*grown `json:"byHost,omitempty"`

	Tags     map[string]string     `json:"tags,omitempty"`
	Hot      map[string]string     `json:"hot,omitempty"      hotupdatable:"true"`
	Mixed    map[string]string     `json:"mixed,omitempty"    hotupdatable:"false,keyclass=true:'k*'"`
	Hosts    map[netip.Addr]string `json:"hosts,omitempty"`
	HotHosts map[netip.Addr]string `json:"hotHosts,omitempty" hotupdatable:"true"`
	Disks    []grownDisk           `json:"disks,omitempty"    hotupdatable:"false,key=name"`
	HotDisks []grownDisk           `json:"hotDisks,omitempty" hotupdatable:"true,key=name"`
	Zones    []string              `json:"zones,omitempty"    hotupdatable:"false,set"`
	Args     []string              `json:"args,omitempty"`
	Free     any                   `json:"free,omitempty"`
}

type grownDisk struct {
	Name   string            `json:"name"`
	Size   string            `json:"size,omitempty"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

// growths are the ways in which a grown contains itself, as the JSON before and behind the part.
var growths = map[string][2]string{
	"object": {`{"next":`, `}`}, "object with presence": {`{"present":`, `}`}, "list": {`{"list":[`, `]}`}, "array": {`{"array":[`, `]}`},
	"keyed list": {`{"name":"a","keyed":[{"name":"b"},`, `]}`}, "map": {`{"map":{"key":`, `}}`},
	"map by host":            {`{"byHost":{"10.0.0.1":`, `}}`},
	"members of every level": {`{"hot":{"a":"VALUE"},"next":`, `,"args":["a"]}`},
}

// grownKeys write an element of each collection of a grown.
var grownKeys = map[string]func(i int, value string) string{
	"tags": grownEntry, "hot": grownEntry, "mixed": grownEntry, "free": grownEntry, "hosts": grownHost, "hotHosts": grownHost,
	"disks": grownElement, "hotDisks": grownElement,
	"zones": func(i int, value string) string { return fmt.Sprintf(`"%s%04d"`, value, i) },
	"args":  func(i int, value string) string { return fmt.Sprintf(`"%s%04d"`, value, i) },
}

func grownEntry(i int, value string) string { return fmt.Sprintf(`"k%04d":%q`, i, value) }

func grownHost(i int, value string) string {
	return fmt.Sprintf(`"10.0.%d.%d":%q`, i/256, i%256, value)
}

func grownElement(i int, value string) string {
	return fmt.Sprintf(`{"name":"k%04d","size":%q,"labels":{"a":%q}}`, i, value, value)
}

// grownConfig is JSON with so many levels, and in the innermost one a collection of as many elements, the last of which has another value.
func grownConfig(growth, collection string, size int, value, last string) []byte {
	elements := make([]string, size)
	for i := range elements {
		elements[i] = grownKeys[collection](i, value)
	}
	elements[size-1] = grownKeys[collection](size-1, last)
	brackets := "{}"
	if strings.HasPrefix(elements[0], "{") || !strings.Contains(elements[0], ":") {
		brackets = "[]"
	}
	inner := `{"name":"a","` + collection + `":` + brackets[:1] + strings.Join(elements, ",") + brackets[1:] + "}"
	opening := strings.ReplaceAll(growths[growth][0], "VALUE", value)
	return []byte(strings.Repeat(opening, size) + inner + strings.Repeat(growths[growth][1], size))
}

// sizeOf is what is written of changes.
func sizeOf(changes hotupdate.Changes) (size int) {
	for _, c := range changes {
		size += len(c.Path) + len(c.Pointer) + len(c.Old) + len(c.New)
	}
	return size
}

// operations are the functions that read a config, or two. Each returns the size of its result.
func operations(t *testing.T, schema *hotupdate.Schema, old, updated []byte) map[string]func() (int, error) {
	t.Helper()
	decode := func(raw []byte) *grown {
		config, err := schema.Decode(raw)
		require.NoError(t, err)
		return config.(*grown)
	}
	before := decode(old)
	after := decode(updated)
	document := func(raw []byte, err error) (int, error) { return len(raw), err }
	changes := func(c hotupdate.Changes, err error) (int, error) { return sizeOf(c), err }
	coverage := func(c hotupdate.Coverage, err error) (int, error) {
		return len(c.Patch) + sizeOf(c.Covered) + sizeOf(c.Left), err
	}
	validate := func(strategy hotupdate.Strategy) func() (int, error) {
		return func() (size int, err error) {
			for _, problem := range schema.ValidateUpdateRaw(old, updated, strategy, nil) {
				size += len(problem.Field) + len(problem.Detail)
			}
			return size, nil
		}
	}
	return map[string]func() (int, error){
		"Hash":        func() (int, error) { _, err := schema.Hash(before); return 0, err },
		"HashRaw":     func() (int, error) { _, err := schema.HashRaw(old); return 0, err },
		"Document":    func() (int, error) { return document(schema.Document(before)) },
		"DocumentRaw": func() (int, error) { return document(schema.DocumentRaw(old)) },
		"Decode":      func() (int, error) { _, err := schema.Decode(old); return 0, err },
		"StripRaw":    func() (int, error) { return document(schema.StripRaw(old)) },
		"HotPart":     func() (int, error) { return document((*schemabridge.Schema)(schema).HotPart(before)) },
		"InPlacePart": func() (int, error) { return document((*schemabridge.Schema)(schema).InPlacePart(before)) },
		"Diff":        func() (int, error) { return changes(schema.Diff(before, after)) },
		"DiffRaw":     func() (int, error) { return changes(schema.DiffRaw(old, updated)) },
		"added":       func() (int, error) { return changes(schema.DiffRaw(nil, updated)) },
		"Cover":       func() (int, error) { return coverage(schema.Cover(old, updated, "")) },
		"Cover added": func() (int, error) { return coverage(schema.Cover(nil, updated, "")) },
		"Cover removed": func() (int, error) {
			return coverage(schema.Cover(old, nil, ""))
		},
		"ValidateUpdate, rolled":   validate(hotupdate.AutoRollingUpdate),
		"ValidateUpdate, in place": validate(hotupdate.AutoInPlaceUpdate),
		"Split and Merge": func() (int, error) {
			immutable, hot, err := hotupdate.Split(schema, before)
			require.NoError(t, err)
			_, err = hotupdate.Merge(schema, immutable, hot)
			return 0, err
		},
	}
}

// TestOperationsAllocateLinearly: whatever reads a config of a type that contains itself takes memory in proportion to
// what is read and written, also if it has hundreds of levels around hundreds of keys. Five times the levels and keys
// have at least five times as many bytes, and take no more for each byte, apart from memory that is pooled for small
// values only.
func TestOperationsAllocateLinearly(t *testing.T) {
	schema := schemaFor[grown](t)
	const size = 40
	row := 0
	for _, growth := range slices.Sorted(maps.Keys(growths)) {
		for _, collection := range slices.Sorted(maps.Keys(grownKeys)) {
			row++
			if !effort.Takes(row) {
				continue
			}
			for about, value := range map[string]string{"one differs": "a", "all differ": "b"} {
				var perByte [2]map[string]float64
				for i, times := range []int{1, 5} {
					perByte[i] = map[string]float64{}
					old := grownConfig(growth, collection, times*size, "a", "a")
					updated := grownConfig(growth, collection, times*size, value, "z")
					for name, operation := range operations(t, schema, old, updated) {
						perByte[i][name] = allocatedPerByte(t, len(old)+len(updated), operation)
					}
				}
				for name, once := range perByte[0] {
					most := 2 * max(once, usual)
					require.Less(t, perByte[1][name], most, "%s: %s around %s, %s", name, growth, collection, about)
				}
			}
		}
	}
}

// usual is how much memory is allocated for each byte that is read or written, where little is: small inputs need only
// memory that is pooled.
const usual = 30

// allocatedPerByte runs an operation that reads so many bytes.
func allocatedPerByte(t *testing.T, read int, operation func() (int, error)) float64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	written, err := operation()
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(read+written)
}

// TestKeyTextsAllocateLittle: a key that its type reads from a text is written by the type, without JSON around it.
func TestKeyTextsAllocateLittle(t *testing.T) {
	type config struct {
		Hosts map[netip.Addr]string `json:"hosts,omitempty" hotupdatable:"false,keyclass=true:'10.*'"`
	}
	schema := schemaFor[config](t)
	const keys = 1000
	entries := make([]string, keys)
	for i := range entries {
		entries[i] = grownHost(i, "value")
	}
	raw := []byte(`{"hosts":{` + strings.Join(entries, ",") + "}}")
	perKey := testing.AllocsPerRun(5, func() {
		_, err := schema.StripRaw(raw)
		require.NoError(t, err)
	}) / keys
	require.Less(t, perKey, 10.0)
}
