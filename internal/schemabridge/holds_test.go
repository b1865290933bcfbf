package schemabridge_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

func schemaOf[T any](t *testing.T) *schemabridge.Schema {
	t.Helper()
	plan, err := fieldplan.Compile(reflect.TypeFor[T](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	return schemabridge.New(plan)
}

const (
	anything = fieldplan.AnyShape
	scalar   = fieldplan.ScalarShape
	object   = fieldplan.ObjectShape
	list     = fieldplan.ListShape
)

// TestHolds: a leaf of a record is Hot exactly if the Schema has a Hot field there that can hold it.
func TestHolds(t *testing.T) {
	type disk struct {
		Name string `json:"name"`
		IOPS int    `json:"iops,omitempty" hotupdatable:"true"`
	}
	type label struct {
		Name  string `json:"name"`
		Value string `json:"value"`
		Roll  bool   `json:"roll"`
	}
	type fixedLabel struct {
		Value string `json:"value"`
		Roll  bool   `json:"roll"  hotupdatable:"false"`
		Since string `json:"since" hotupdatable:"false"`
	}
	type hotLabel struct {
		Value string `json:"value" hotupdatable:"true"`
		Roll  bool   `json:"roll"`
	}
	type volume struct {
		Size resource.Quantity `json:"size"`
		IOPS *int              `json:"iops,omitempty" hotupdatable:"true"`
		Hot  *struct{}         `json:"hot,omitempty"  hotupdatable:"true,presence"`
	}
	type tree struct {
		Value string           `json:"value,omitempty" hotupdatable:"true"`
		Fixed string           `json:"fixed,omitempty"`
		Below map[string]*tree `json:"below,omitempty"`
	}
	type shapes struct {
		Image  string                       `json:"image,omitempty"`
		Tags   map[string]string            `json:"tags,omitempty"   hotupdatable:"true"`
		Kinds  map[string]map[string]string `json:"kinds,omitempty"  hotupdatable:"true"`
		Keys   []string                     `json:"keys,omitempty"   hotupdatable:"true,set"`
		Disks  []disk                       `json:"disks,omitempty"  hotupdatable:"false,key=name"`
		Labels []label                      `json:"labels,omitempty" hotupdatable:"false,key=name,hotwhen=roll:false"`
		Volume *volume                      `json:"volume,omitempty"`
		Free   json.RawMessage              `json:"free,omitempty"   hotupdatable:"true"`
		Tree   *tree                        `json:"tree,omitempty"`
		Fixed  map[string]string            `json:"fixed,omitempty"`
		Marked map[string]label             `json:"marked,omitempty" hotupdatable:"false,hotwhen=roll:false"`
		Chosen map[string]fixedLabel        `json:"chosen,omitempty" hotupdatable:"false,hotwhen=roll:false"`
		Ruled  map[string]hotLabel          `json:"ruled,omitempty"  hotupdatable:"false,hotwhen=roll:false"`
		Slash  *string                      `json:"a/b~c,omitempty"  hotupdatable:"true"`
	}
	schema := schemaOf[shapes](t)
	for _, tc := range []struct {
		pointer string
		shape   fieldplan.Shape
		want    bool
		reason  string
	}{
		{"/tags/k", scalar, true, "an entry of a hot map"},
		{"/tags/k", anything, true, "its absence"},
		{"/tags", object, true, "an empty map"},
		{"/tags", scalar, false, "a map holds no text"},
		{"/tags/k", object, false, "an entry is a text"},
		{"/tags/k/l", scalar, false, "a text has no members"},
		{"/kinds/vm/k", scalar, true, "a map of maps"},
		{"/keys", list, true, "an element of a list"},
		{"/keys", scalar, false, "a list is no text"},
		{"/keys/0", scalar, false, "elements have no pointers of their own"},
		{"/disks", list, true, "elements have a hot field"},
		{"/labels", list, true, "elements may be hot"},
		{"/marked/k/value", scalar, true, "in an element of a map that may be hot"},
		{"/marked/k", anything, true, "and its absence"},
		{"/marked/k/roll", scalar, true, "the selector of an element that may be hot"},
		{"/chosen/k/roll", scalar, true, "the selector, which stands in the hot part with its element whatever its class"},
		{"/chosen/k/roll", anything, true, "and its absence"},
		{"/chosen/k/roll", object, false, "the selector is no object"},
		{"/chosen/k/since", scalar, false, "another immutable field of the element"},
		{"/ruled/k/roll", scalar, true, "the selector of an element with something hot in it"},
		{"/volume/iops", scalar, true, "a hot number in an immutable object"},
		{"/volume/hot", object, true, "an empty object"},
		{"/volume/size", scalar, false, "immutable"},
		{"/volume", object, true, "the object with something hot in it"},
		{"/free", list, true, "free JSON"},
		{"/free/a/b", scalar, true, "below free JSON"},
		{"/tree/value", scalar, true, "in a type that contains itself"},
		{"/tree/below/x/below/y/value", scalar, true, "deep in it"},
		{"/tree/below/x/fixed", scalar, false, "what is immutable in it"},
		{"/tree/below/x/below", object, true, "something hot may be below"},
		{"/image", scalar, false, "immutable"},
		{"/fixed/k", scalar, false, "an entry of an immutable map"},
		{"/fixed/k", anything, false, "and its absence"},
		{"/gone", scalar, false, "no field"},
		{"", object, true, "the root"},
		{"/a~1b~0c", scalar, true, "a name with escapes"},
	} {
		assert.Equal(t, tc.want, schema.HoldsShape(structtag.Hot, tc.pointer, tc.shape), "%s %d: %s", tc.pointer, tc.shape, tc.reason)
	}
	var missing *schemabridge.Schema
	assert.False(t, missing.Holds(structtag.Hot, ""))
	for class, want := range map[structtag.Class]string{structtag.Hot: "/volume/iops", structtag.Immutable: "/image"} {
		for _, pointer := range []string{"/volume/iops", "/image"} {
			assert.Equal(t, pointer == want, schema.Holds(class, pointer), pointer)
			assert.Equal(t, pointer == want, schema.HoldsShape(class, pointer, scalar), pointer)
		}
	}
	assert.False(t, schema.Holds(structtag.InPlace, ""))
}

// TestHoldsNull: an entry of an InPlace map may be null, whatever shape other entries have.
func TestHoldsNull(t *testing.T) {
	schema := schemaOf[struct {
		Roles map[string]*[]string `json:"roles,omitempty" hotupdatable:"inplace"`
	}](t)
	for _, text := range []string{`null`, `["a"]`} {
		assert.True(t, schema.HoldsJSON(structtag.InPlace, "/roles/k", text), text)
	}
	assert.False(t, schema.HoldsJSON(structtag.InPlace, "/roles/k", `"a"`))
}

// TestHoldsSelectors: a part for a drained node has the selector of an element with an InPlace field.
func TestHoldsSelectors(t *testing.T) {
	type label struct {
		Size  int  `json:"size"  hotupdatable:"inplace"`
		Roll  bool `json:"roll"`
		Fixed bool `json:"fixed" hotupdatable:"false"`
	}
	schema := schemaOf[struct {
		Labels map[string]label `json:"labels" hotupdatable:"false,hotwhen=roll:false"`
	}](t)
	for pointer, want := range map[string]bool{"/labels/k/size": true, "/labels/k/roll": true, "/labels/k/fixed": false} {
		assert.Equal(t, want, schema.HoldsShape(structtag.InPlace, pointer, scalar), pointer)
	}
}

// TestHoldsJSON: a leaf of another release counts only if the Schema can read it.
func TestHoldsJSON(t *testing.T) {
	type disk struct {
		Name string `json:"name"`
		IOPS int    `json:"iops,omitempty" hotupdatable:"true"`
	}
	schema := schemaOf[struct {
		Tags   map[string]string `json:"tags,omitempty"  hotupdatable:"true"`
		Ports  map[int]string    `json:"ports,omitempty" hotupdatable:"true"`
		Size   int               `json:"size,omitempty"  hotupdatable:"true"`
		Quoted int               `json:"quoted,string"   hotupdatable:"true"`
		Zones  []string          `json:"zones,omitempty" hotupdatable:"true,set"`
		Disks  []disk            `json:"disks,omitempty" hotupdatable:"false,key=name"`
		Free   limits            `json:"free"            hotupdatable:"true"`
		Image  string            `json:"image,omitempty"`
		Slash  string            `json:"a/b~c,omitempty" hotupdatable:"true"`
	}](t)
	for _, tc := range []struct {
		pointer, text string
		want          bool
		reason        string
	}{
		{"/tags/k", `"1"`, true, "a text"},
		{"/tags/k", ``, true, "its absence"},
		{"/tags/k", `1`, false, "a number instead of a text"},
		{"/tags", `{}`, true, "an empty map"},
		{"/ports/80", `"http"`, true, "an integer key"},
		{"/ports/http", `"80"`, false, "a key that is no integer"},
		{"/size", `3`, true, "a number"},
		{"/size", `"3"`, false, "a text instead of a number"},
		{"/quoted", `"3"`, true, "a number in quotes"},
		{"/zones", `["a"]`, true, "an element of a list"},
		{"/zones", `[1]`, false, "a number in a list of texts"},
		{"/disks", `[{"iops":1,"name":"a"}]`, true, "elements of a list"},
		{"/disks", `[{"iops":1,"name":"a","throughput":2}]`, false, "a member that is no field"},
		{"/free/low", `1`, true, "a part of a value that reads itself"},
		{"/image", `"i"`, false, "immutable"},
		{"/gone", `1`, false, "no field"},
		{"/a~1b~0c", `"1"`, true, "a name with escapes"},
	} {
		assert.Equal(t, tc.want, schema.HoldsJSON(structtag.Hot, tc.pointer, tc.text), "%s %s: %s", tc.pointer, tc.text, tc.reason)
	}
}

// limits reads itself, and only as a whole.
type limits struct{ low, high int }

func (l limits) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int{"low": l.low, "high": l.high})
}

func (l *limits) UnmarshalJSON(text []byte) error {
	var read struct{ Low, High *int }
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.Low == nil || read.High == nil {
		return errors.New("both limits are required")
	}
	*l = limits{*read.Low, *read.High}
	return nil
}

// TestShapeOf: a shape is told by the first byte of JSON; without a byte there is nothing.
func TestShapeOf(t *testing.T) {
	for first, want := range map[byte]fieldplan.Shape{
		0: anything, '{': object, '[': list, '"': scalar, '-': scalar, '7': scalar, 't': scalar, 'f': scalar, 'n': anything,
	} {
		assert.Equal(t, want, fieldplan.ShapeOf(first), "%c", first)
	}
}

// TestHoldsOutside: a pointer to a member of the configuration excludes everything below; any other pointer excludes nothing.
func TestHoldsOutside(t *testing.T) {
	type options struct {
		Tokens string `json:"tokens,omitempty" hotupdatable:"inplace"`
	}
	type config struct {
		Image   string  `json:"image,omitempty"`
		Options options `json:"options,omitempty"`
		Slash   string  `json:"a/b~c,omitempty"   hotupdatable:"inplace"`
	}
	schema := schemaOf[config](t)
	for _, tc := range []struct {
		pointers []string
		want     bool
	}{
		{nil, true},
		{[]string{"/options"}, true},
		{[]string{"/options", "/a~1b~0c"}, false},
		{[]string{"/a~1b~0c", "/image", "/options"}, false},
		{[]string{"/options/tokens", "/a~1b~0c"}, true},
		{[]string{"/options", "/a~1b~0c/d"}, true},
	} {
		assert.Equal(t, tc.want, schema.HoldsOutside(structtag.InPlace, tc.pointers), "%v", tc.pointers)
	}
	assert.False(t, schema.HoldsOutside(structtag.Hot, nil))
	assert.False(t, (*schemabridge.Schema)(nil).HoldsOutside(structtag.InPlace, nil))
}
