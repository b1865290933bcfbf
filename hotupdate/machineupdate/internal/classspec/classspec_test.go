package classspec_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/classspec"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

type disk struct {
	Name string            `json:"name"`
	Size *int32            `json:"size,omitempty"`
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

type image struct {
	URN                      string `json:"urn,omitempty"`
	SkipMarketplaceAgreement bool   `json:"skipMarketplaceAgreement,omitempty"`
}

type spec struct {
	metav1.TypeMeta `json:",inline"`

	Image   image             `json:"image"`
	Disks   []disk            `json:"disks,omitempty"   hotupdatable:"false,key=name"`
	Zones   []string          `json:"zones,omitempty"`
	Nested  []image           `json:"nested,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	Groups  []string          `json:"groups,omitempty"  hotupdatable:"true"`
	Version string            `json:"version,omitempty" hotupdatable:"inplace"`
}

func schemaOf[T any](t require.TestingT) *hotupdate.Schema {
	schema, err := hotupdate.SchemaOf[T]()
	require.NoError(t, err)
	return schema
}

// loaded returns the Schema as a controller has it that does not know the driver's type.
func loaded(t require.TestingT, schema *hotupdate.Schema) *hotupdate.Schema {
	exported, err := json.Marshal(schema)
	require.NoError(t, err)
	schema, err = hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	return schema
}

// drawing draws a provider spec.
type drawing struct {
	*rapid.T
	unknown     string // the name of members that are nobody's; none if it is empty
	isOtherCase bool   // a name differs from that of its field
}

// object draws an object with names in any case, several spellings of one name, and unknown members.
func (d *drawing) object(members map[string]func() string) string {
	var all []string
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(d.T, name) {
			spellings := []string{name, name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]}
			spelled := rapid.SampledFrom(spellings).Draw(d.T, "spelling")
			if used[spelled] {
				continue
			}
			used[spelled] = true
			d.isOtherCase = d.isOtherCase || spelled != name
			all = append(all, fmt.Sprintf("%q:%s", spelled, members[name]()))
		}
	}
	if d.unknown != "" && rapid.Bool().Draw(d.T, "unknown") {
		all = append(all, fmt.Sprintf("%q:%s", d.unknown, d.one("1", "null", `{"a":[]}`)()))
	}
	return "{" + strings.Join(rapid.Permutation(all).Draw(d.T, "order"), ",") + "}"
}

func (d *drawing) one(values ...string) func() string {
	return func() string { return rapid.SampledFrom(values).Draw(d.T, "value") }
}

func (d *drawing) list(element func() string) func() string {
	return func() string {
		elements := make([]string, rapid.IntRange(0, 3).Draw(d.T, "length"))
		for i := range elements {
			elements[i] = element()
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
}

func (d *drawing) spec() string {
	tags := d.one(`{}`, `{"a":"1"}`, `{"A":"1","b":"2"}`, `null`)
	images := func() string {
		return d.object(map[string]func() string{"urn": d.one(`"a"`, `"b"`, `""`), "skipMarketplaceAgreement": d.one("true", "false")})
	}
	disks := func() string {
		return d.object(map[string]func() string{"name": d.one(`"x"`, `"y"`, `"z"`), "size": d.one("1", "0", "null"), "tags": tags})
	}
	return d.object(map[string]func() string{
		"image": images, "disks": d.list(disks), "zones": d.list(d.one(`"1"`, `"2"`)), "nested": d.list(images), "tags": tags,
		"groups": d.list(d.one(`"g"`, `"h"`)), "version": d.one(`"1"`, `"2"`),
	})
}

// TestReadsAsDriversRead: whatever case and however often a name has, the documents are those of the
// value that the driver has. A list that repeats a key is no part of an update: then both have an error.
func TestReadsAsDriversRead(t *testing.T) {
	schema := schemaOf[spec](t)
	for _, read := range []*hotupdate.Schema{schema, loaded(t, schema)} {
		var usable, all int
		rapid.Check(t, func(t *rapid.T) {
			raw := (&drawing{T: t}).spec()
			value := &spec{}
			require.NoError(t, json.Unmarshal([]byte(raw), value), raw)
			rest, err := schema.Document(value)
			require.NoError(t, err)
			inPlace, err := (*schemabridge.Schema)(schema).InPlacePart(value)
			require.NoError(t, err)
			hot, wantErr := (*schemabridge.Schema)(schema).HotPart(value)

			got, err := classspec.Read(read, []byte(raw), classspec.Folded)
			all++
			require.Equal(t, wantErr == nil, err == nil, "%s: %v", raw, err)
			if err != nil {
				return
			}
			usable++
			assert.Equal(
				t, []string{string(hot), string(inPlace), string(rest)}, []string{string(got.Hot), string(got.InPlace), string(got.Rest)},
				raw,
			)
		})
		assert.Greater(t, 2*usable, all, "most draws are read")
	}
}

// TestExactNames: a driver with a codec of Kubernetes does not read what another case spells.
func TestExactNames(t *testing.T) {
	schema := schemaOf[spec](t)
	rapid.Check(t, func(t *rapid.T) {
		drawn := &drawing{T: t, unknown: "unknownMember"}
		raw := drawn.spec()
		folded, foldedErr := classspec.Read(schema, []byte(raw), classspec.Folded)
		exact, err := classspec.Read(schema, []byte(raw), classspec.Exact)
		if drawn.isOtherCase {
			require.Error(t, err, raw)
			return
		}
		require.Equal(t, foldedErr == nil, err == nil, raw)
		assert.Equal(t, folded, exact, raw)
	})
}

// TestUnknownMembersAreImmutable: they change only the rest, and that in each case.
func TestUnknownMembersAreImmutable(t *testing.T) {
	schema := schemaOf[spec](t)
	rapid.Check(t, func(t *rapid.T) {
		raw := (&drawing{T: t, unknown: "unknownMember"}).spec()
		added := strings.Replace(strings.Replace(raw, "{", `{"anotherUnknown":{"b":1},`, 1), ",}", "}", 1)
		old, err := classspec.Read(schema, []byte(raw), classspec.Folded)
		changed, changedErr := classspec.Read(schema, []byte(added), classspec.Folded)
		require.Equal(t, err == nil, changedErr == nil, "%s: %v %v", raw, err, changedErr)
		if err != nil {
			return
		}
		assert.Equal(t, string(old.Hot), string(changed.Hot))
		assert.Equal(t, string(old.InPlace), string(changed.InPlace))
		assert.NotEqual(t, string(old.Rest), string(changed.Rest), "%s", added)

		respelled, err := classspec.Read(schema, []byte(strings.ReplaceAll(added, `{"b":1}`, `{ "b" : 1 }`)), classspec.Folded)
		require.NoError(t, err)
		assert.Equal(t, changed, respelled)
	})
}

// TestRestOfFoldedSpecs: what makes the rest differ, and what does not.
func TestRestOfFoldedSpecs(t *testing.T) {
	schema := schemaOf[spec](t)
	rest := func(raw string) string {
		read, err := classspec.Read(schema, []byte(raw), classspec.Folded)
		require.NoError(t, err, raw)
		return string(read.Rest)
	}
	const folded = `{"Image":{},`
	for name, tc := range map[string]struct {
		one, other string
		isSame     bool
	}{
		"order of a keyed list": {
			`"disks":[{"name":"a","new":1},{"name":"b"}]}`, `"disks":[{"name":"b"},{"name":"a","new":1}]}`, true,
		},
		"an unknown member elsewhere": {
			`"disks":[{"name":"a","new":1},{"name":"b"}]}`, `"disks":[{"name":"a"},{"name":"b","new":1}]}`, false,
		},
		"a key in another case":           {`"disks":[{"Name":"a","new":1}]}`, `"disks":[{"name":"a","new":1}]}`, true},
		"a position":                      {`"nested":[{"new":1},{}]}`, `"nested":[{},{"new":1}]}`, false},
		"null":                            {`"new":null}`, `"version":""}`, true},
		"a number":                        {`"new":1.0}`, `"new":1}`, true},
		"names that hold a separator":     {`"a/b":1}`, `"a":{"b":1}}`, false},
		"a value that holds a line break": {`"a":"1\n\"b\"=2"}`, `"a":"1","b":2}`, false},
		"metadata":                        {`"kind":"a"}`, `"kind":"b"}`, true},
		"a hot field":                     {`"TAGS":{"a":"1"}}`, `"Tags":{"a":"2"}}`, true},
	} {
		assert.Equal(t, tc.isSame, rest(folded+tc.one) == rest(folded+tc.other), name)
	}
}

// TestUnusable: a driver would fail, or nobody knows what it reads.
func TestUnusable(t *testing.T) {
	type both struct {
		One   string `json:"both,omitempty"`
		Other string `json:"bOth,omitempty"`
	}
	for raw, isUsable := range map[string]bool{
		`{"both":"a","bOth":"b"}`: true, `{"BOTH":"a"}`: false, `{"both":"a","new":1}`: true, `{"both":"a","both":"b"}`: false,
		`{"both":1,"new":1}`: false,
	} {
		_, err := classspec.Read(schemaOf[both](t), []byte(raw), classspec.Folded)
		assert.Equal(t, isUsable, err == nil, "%s: %v", raw, err)
	}
	for _, raw := range []string{
		`{"Image":70707}`, `{"Image":{},"tags":{"a":70707}}`, `{"Image":{"urn":"70707"}`, `{"Disks":[{"Size":70707.5}]}`,
		`{"Disks":[{"Size":7070742949672960}]}`,
	} {
		_, err := classspec.Read(schemaOf[spec](t), []byte(raw), classspec.Folded)
		assert.NotEmpty(t, fault.All(err), raw)
		assert.NotContains(t, err.Error(), "70707", "a value may be a secret")
	}
}
