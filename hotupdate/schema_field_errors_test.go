package hotupdate_test

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/testdata/badtags"
)

// absentFieldRows are struct tags on fields that are not in JSON, and fields without a JSON name.
func absentFieldRows() []schemaErrorRow {
	type internal struct {
		metav1.TypeMeta
		Volume *struct{ IOPS *int64 }
		Tags   map[string]string
	}
	type inlined struct {
		Common optionItem `json:",inline" hotupdatable:"true"`
		Name   string     `json:"name"`
	}
	return []schemaErrorRow{
		{
			"unexported field", errorOf(hotupdate.SchemaOf[badtags.Unexported]()), at("ineffective-tag", "badtags.Unexported", "tags"),
			"JSON does not see it",
		},
		{"unexported field alone", errorOf(hotupdate.SchemaOf[badtags.UnexportedAlone]()), slices.Concat(
			at("opaque-struct", "badtags", "UnexportedAlone"), at("ineffective-tag", "badtags.UnexportedAlone", "tags"),
		), "the type has nothing in JSON either"},
		{
			"embedded text that is unexported", errorOf(hotupdate.SchemaOf[badtags.EmbeddedText]()),
			at("ineffective-tag", "badtags.EmbeddedText", "text"), "only structs promote fields",
		},
		{"omitted fields", errorOf(hotupdate.SchemaOf[struct {
			Name       string `json:"name"`
			Tags       string `json:"-"    hotupdatable:"true"`
			optionItem `json:"-"    hotupdatable:"true"`
		}]()), at("ineffective-tag", "config", "Tags", "optionItem"), `json:"-" leaves them out`},
		{
			"internal type", errorOf(hotupdate.SchemaOf[internal]()), at("no-json-name", "hotupdate_test.internal", "Tags", "Volume"),
			"Gardener's internal types have no JSON names; every field says so",
		},
		{"no usable JSON name", errorOf(hotupdate.SchemaOf[struct {
			Bad       string `json:"a'b"`
			Empty     string `json:""`
			Interface `json:",omitempty"`
			Omitempty string     `json:",omitempty" hotupdatable:"true"`
			Inline    optionItem `json:",inline"`
			Text
		}]()), at(
			"no-json-name", "config", "Bad", "Empty", "Inline", "Interface", "Omitempty", "Text",
		), "encoding/json would use the Go name, which is no contract"},
		{
			"named inline field", errorOf(hotupdate.SchemaOf[inlined]()), at("inline-named-field", "hotupdate_test.inlined", "Common"),
			"encoding/json nests it under its Go name",
		},
	}
}

// Interface and Text are embedded without promoting fields.
type (
	Interface interface{ Do() }
	Text      string
)

// shadowedFieldRows are struct tags that a name conflict drops.
func shadowedFieldRows() []schemaErrorRow {
	type inner struct {
		Name string `json:"name" hotupdatable:"true"`
		Zone string `json:"zone" hotupdatable:"true"`
	}
	type outer struct {
		inner
		Name string `json:"name"`
	}
	type both struct {
		inner `hotupdatable:"inplace"`
		Name  string `json:"name"`
		Zone  string `json:"zone"`
	}
	type nothing struct{}
	return []schemaErrorRow{
		{
			"shadowed by a shallower field", errorOf(hotupdate.SchemaOf[outer]()), at("ineffective-tag", "hotupdate_test.inner", "Name"),
			"the shallower field wins",
		},
		{
			"same name at one level", errorOf(hotupdate.SchemaOf[badtags.SameLevel]()),
			at("duplicate-json-name", "badtags.SameLevel", "A", "B"), "both are dropped",
		},
		{
			"same name at one level, one struct tag", errorOf(hotupdate.SchemaOf[badtags.OneTagged]()),
			at("duplicate-json-name", "badtags.OneTagged", "A", "B"), "both are dropped, one says something",
		},
		{
			"same name at one level, no struct tag", errorOf(hotupdate.SchemaOf[badtags.Untagged]()),
			at("duplicate-json-name", "badtags.Untagged", "A", "B"), "both are dropped from JSON without a word",
		},
		{"same name in two embedded structs", errorOf(hotupdate.SchemaOf[badtags.Siblings]()), slices.Concat(
			at("ineffective-tag", "badtags.Left", "Name"), at("ineffective-tag", "badtags.Right", "Name"),
		), "both are dropped, the other fields stay"},
		{"one struct embedded by two ways", errorOf(hotupdate.SchemaOf[badtags.Diamond]()), slices.Concat(
			at("ineffective-tag", "badtags.Base", "Base"), at("ineffective-tag", "badtags.North", "Base"),
		), "its fields drop each other, each is reported once"},
		{"embedded struct with every field shadowed", errorOf(hotupdate.SchemaOf[both]()), slices.Concat(
			at("ineffective-tag", "hotupdate_test.both", "inner"), at("ineffective-tag", "hotupdate_test.inner", "Name", "Zone"),
		), "the struct tag of the embedded struct is handed down to nobody"},
		{"embedded struct without fields", errorOf(hotupdate.SchemaOf[struct {
			nothing `hotupdatable:"true"`
			Name    string `json:"name"`
		}]()), at("ineffective-tag", "config", "nothing"), "there is nobody to hand it down to"},
		{"TypeMeta of the root", errorOf(hotupdate.SchemaOf[struct {
			metav1.TypeMeta `json:",inline" hotupdatable:"true"`
			Name            string `json:"name"`
		}]()), at("ineffective-tag", "config", "TypeMeta"), "it is neither hashed nor compared"},
		{"pointer to TypeMeta of the root", errorOf(hotupdate.SchemaOf[struct {
			*metav1.TypeMeta `json:",inline" hotupdatable:"false"`
			Name             string `json:"name"`
		}]()), at("ineffective-tag", "config", "TypeMeta"), "it is neither hashed nor compared"},
	}
}

// selfMarshaled has a field with a struct tag that nobody reads, since it marshals itself.
type selfMarshaled struct{ text string }

func (s selfMarshaled) MarshalJSON() ([]byte, error) { return json.Marshal(s.text) }

// taggedMarshaler, taggedText and taggedList have struct tags below their own marshalers, the first by value, the others by pointer.
type taggedMarshaler struct {
	Name  string             `json:"name"  hotupdatable:"true"`
	Inner *taggedInMarshaler `json:"inner"`
}

type taggedInMarshaler struct {
	Deep string `json:"deep" hotupdatable:"false"`
}

func (taggedMarshaler) MarshalJSON() ([]byte, error) { return []byte(`"opaque"`), nil }

type taggedText struct {
	Name string `json:"name" hotupdatable:"true"`
}

func (*taggedText) MarshalText() ([]byte, error) { return []byte("opaque"), nil }

type taggedList []taggedInList

type taggedInList struct {
	Name string `json:"name" hotUpdatable:"true"`
}

func (*taggedList) MarshalJSON() ([]byte, error) { return []byte(`[]`), nil }

// taggedKey is a map key with a struct tag.
type taggedKey struct {
	Name string `json:"name" hotupdatable:"true"`
}

func (k taggedKey) MarshalText() ([]byte, error) { return []byte(k.Name), nil }

// promotedMarshaler has its marshaler from the embedded time, which writes the whole value.
type promotedMarshaler struct {
	metav1.Time
	Name string `json:"name" hotupdatable:"true"`
}

// marshalerRows are struct tags that a marshaler or an interface makes ineffective.
func marshalerRows() []schemaErrorRow {
	type twoMarshalers struct {
		metav1.Duration
		intstr.IntOrString
		Name string `json:"name"`
	}
	below := func(typ string, fields ...string) []problem {
		return at("below-marshaler", "hotupdate_test."+typ, fields...)
	}
	return []schemaErrorRow{
		{"below a marshaler", errorOf(hotupdate.SchemaOf[struct {
			A taggedMarshaler `json:"a"`
		}]()), slices.Concat(below("taggedInMarshaler", "Deep"), below("taggedMarshaler", "Name")), "what it writes is its own"},
		{"below a marshaler in a list in a map", errorOf(hotupdate.SchemaOf[struct {
			A map[string][]*taggedText `json:"a"`
		}]()), below("taggedText", "Name"), "a pointer receiver counts"},
		{"below a list with a marshaler", errorOf(hotupdate.SchemaOf[struct {
			A *taggedList `json:"a"`
		}]()), below("taggedInList", "Name"), "misspelled, and without effect in any case"},
		{"below a map key", errorOf(hotupdate.SchemaOf[struct {
			A map[taggedKey]string `json:"a"`
		}]()), below("taggedKey", "Name"), "a map key is its text"},
		{"beside a promoted marshaler", errorOf(hotupdate.SchemaOf[struct {
			A promotedMarshaler `json:"a"`
		}]()), at("below-marshaler", "hotupdate_test.promotedMarshaler", "Name"), "the embedded time speaks for all of it"},
		{
			"two embedded marshalers", errorOf(hotupdate.SchemaOf[twoMarshalers]()),
			at("promoted-marshaler", "hotupdate_test.twoMarshalers", "Duration", "IntOrString"),
			"they hide each other's marshaler, so their values are not in JSON",
		},
		{"below an interface", hashing(withAny{Any: []any{map[string]any{"a": &badSubInAny{}}}}), []problem{
			{"below-interface", "hotupdate_test.badSubInAny.Type", "any"},
		}, "found when a value is walked: types do not tell what interfaces hold"},
	}
}

type badSubInAny struct {
	Type string `json:"type" hotupdatable:"false"`
}

type withAny struct {
	Any any `json:"any"`
}

// hashing returns the errors of hashing a value of a type without errors.
func hashing(config withAny) error {
	s, err := hotupdate.SchemaOf[withAny]()
	if err != nil {
		return err
	}
	_, err = s.Hash(config)
	return err
}
