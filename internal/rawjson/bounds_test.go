package rawjson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// selfReading reads itself through a type without its methods, as adopters' types do.
type selfReading struct {
	Size *resource.Quantity `json:"size"`
}

func (s *selfReading) UnmarshalJSON(raw []byte) error {
	type plain selfReading
	return json.Unmarshal(raw, (*plain)(s))
}

// sized writes itself, and so is read by the decoder, which reads its quantities.
type sized struct {
	Sizes []resource.Quantity `json:"sizes"`
	Name  string              `json:"name"`
}

func (s sized) MarshalJSON() ([]byte, error) { return json.Marshal(s.Name) }

// allocatedBy counts work of which each step allocates, such as every copy of a text.
func allocatedBy(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestQuantitiesAreBounded: no text of a quantity keeps Kubernetes' parser busy, wherever the quantity stands. The
// parser writes out all digits, so what is allocated counts them.
func TestQuantitiesAreBounded(t *testing.T) {
	p := build(t, reflect.TypeFor[struct {
		Quantity resource.Quantity            `json:"quantity"`
		Pointer  **resource.Quantity          `json:"pointer"`
		Map      map[string]resource.Quantity `json:"map"`
		Words    map[word]*resource.Quantity  `json:"words"`
		List     []resource.Quantity          `json:"list"`
		Self     selfReading                  `json:"self"`
		Sized    []*sized                     `json:"sized"`
	}]())
	for _, text := range []string{
		`"1e-1000000"`, `"1e-100000000"`, `"1e2147483647"`, `" -10E+2147483647 "`, `"` + strings.Repeat("9", 1<<20) + `"`,
		strings.Repeat("9", 1<<20),
	} {
		for path, raw := range map[string]string{
			"quantity": `{"quantity":%s}`, "pointer": `{"pointer":%s}`, "map[k]": `{"map":{"k":%s}}`, "words[k]": `{"words":{"k":%s}}`,
			"list[1]": `{"list":["1",%s]}`,
			"self":    `{"self":{"size":%s}}`, "sized[0]": `{"sized":[{"sizes":["1",%s]}]}`,
		} {
			document := fmt.Appendf(nil, raw, text)
			var err error
			allocated := allocatedBy(func() { _, err = rawjson.Decode(p, document) })
			require.Less(t, allocated, uint64(64<<10+8*len(document)))
			require.Len(t, problems(err), 1)
			assert.Contains(t, []string{"number-range " + path, "wrong-json-type " + path}, problems(err)[0])
		}
	}
	_, err := rawjson.Decode(p, []byte(`{"quantity":"1e999","list":["1e-999"],"sized":[{"sizes":["12e6"],"name":"1ef-12345"}]}`))
	require.NoError(t, err, "within the bounds all is as before")
}

// TestUnknownMembersAreBounded: beyond the problems that are reported, no similar name is sought for an unknown member.
func TestUnknownMembersAreBounded(t *testing.T) {
	var fields []reflect.StructField
	for i := range 50 {
		fields = append(
			fields,
			reflect.StructField{
				Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[string](), Tag: reflect.StructTag(fmt.Sprintf(`json:"field%02d"`, i)),
			},
		)
	}
	p := build(t, reflect.StructOf(fields))
	reading := func(n int) float64 {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"other%02d":""`, i))
		}
		raw := []byte("{" + strings.Join(members, ",") + "}")
		return testing.AllocsPerRun(1, func() { _, _ = rawjson.Decode(p, raw) })
	}
	const more = 1000
	assert.Less(t, reading(2*more)-reading(more), 5.0*more)
}

// deepConfig is a configuration of any depth, with free JSON on each level.
type deepConfig struct {
	Next *deepConfig     `json:"next"`
	Text string          `json:"text"`
	Any  any             `json:"any"`
	Last *countedReading `json:"last"`
}

// countedReading is a text whose type counts how often it is read.
type countedReading string

var readings int

func (*countedReading) UnmarshalJSON([]byte) error {
	readings++
	return nil
}

// TestDeepConfigurationsAreReadOnce: each level used to be read once more for every level around it, where a type has
// free JSON anywhere. Then the last one is read, and its text is copied, as often as there are levels.
func TestDeepConfigurationsAreReadOnce(t *testing.T) {
	const (
		levels = 900
		size   = 1 << 20
	)
	p := build(t, reflect.TypeFor[deepConfig]())
	raw := []byte(strings.Repeat(
		`{"any":[1],"next":`, levels,
	) + `{"text":"` + strings.Repeat("x", size) + `","any":1,"last":"x"}` + strings.Repeat("}", levels))
	for _, read := range []func(*fieldplan.Plan, []byte) (reflect.Value, error){rawjson.Decode, rawjson.Read} {
		readings = 0
		allocated := allocatedBy(func() {
			_, err := read(p, raw)
			require.NoError(t, err)
		})
		assert.Equal(t, 1, readings)
		assert.Less(t, allocated, uint64(8*len(raw)))
	}
}

// TestFreeJSONIsReadOnce: 52 MiB took seventeen seconds where a type has free JSON. Every copy of a text is allocated, so what is allocated
// counts the copies: they are as few for a long text below many levels as for many short ones.
func TestFreeJSONIsReadOnce(t *testing.T) {
	const (
		size   = 8 << 20
		levels = 900
	)
	p := build(t, reflect.TypeFor[wide]())
	for name, free := range map[string]string{
		"list":   `["` + strings.Repeat(`a short text","`, size/15) + `"]`,
		"levels": strings.Repeat(`[{"a":`, levels/2) + `"` + strings.Repeat("x", size) + `"` + strings.Repeat("}]", levels/2),
		"spaces": `[` + strings.Repeat(" ", size) + `]`,
	} {
		raw := []byte(`{"any":` + free + `}`)
		allocated := allocatedBy(func() {
			_, err := rawjson.Read(p, raw)
			require.NoError(t, err, name)
		})
		assert.Less(t, allocated, uint64(8*len(raw)), name)
	}
}
