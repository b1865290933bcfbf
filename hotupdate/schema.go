package hotupdate

import (
	"encoding/json"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/crd"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// Schema describes a configuration's type: its fields, their classes, and how their values are
// compared. A Schema is immutable and safe for concurrent use.
type Schema compiled

// compiled is the form to which the packages of this module convert a Schema to call its internal
// methods.
type compiled = schemabridge.Schema

// Option changes how [SchemaOf] and [SchemaOfCRD] read a type.
type Option struct{ override fieldplan.Override }

// WithTag gives the field at path a struct tag, CLASS[,OPTION...], as in "false,set". It is for
// types that the adopter cannot edit.
//
//   - The class replaces the class of the field.
//   - Options other than as and sensitive replace the options of the field. Without any, the field
//     keeps its options. The option as replaces only as.
//   - An override can make a field sensitive. It cannot make a sensitive field visible.
//
// The override is parsed and checked like a struct tag. Its errors have path as their Path.
//
// The path consists of JSON names separated by dots, with [] for the elements of a list or map:
// nodeTemplate.virtualCapacity, dataVolumes[].iops. A name with other characters is written
// ["name"]. A path that matches no field is an error.
//
// A path may end at a key of a map, metadata.labels["team"], or at a prefix of keys,
// metadata.labels["billing.example.com/*"], always with brackets and quotes. The tag of a key is a
// class without options, for the whole value under it, as with the option keyclass, and wins over a
// keyclass in a struct tag. Parts of the value have the paths of the map's elements: pools[].size.
func WithTag(path, tag string) Option { return Option{fieldplan.Override{Path: path, Tag: tag}} }

// SchemaOf compiles the Schema of T, a struct whose fields have JSON names, or a pointer to one.
//
// A type is compiled once for each set of options and stays in memory. All mistakes in struct tags
// and types are returned, joined. Later calls return the same Schema or error.
func SchemaOf[T any](options ...Option) (*Schema, error) {
	return schemaOf(fieldplan.Compile(reflect.TypeFor[T](), overridesIn(options), rawjson.ReadPart))
}

func overridesIn(options []Option) []fieldplan.Override {
	overrides := make([]fieldplan.Override, len(options))
	for i, o := range options {
		overrides[i] = o.override
	}
	return overrides
}

func schemaOf(plan *fieldplan.Plan, err error) (*Schema, error) {
	if err != nil {
		return nil, err
	}
	return (*Schema)(schemabridge.New(plan)), nil
}

// bridge converts s to the form that has the internal methods.
func (s *Schema) bridge() *schemabridge.Schema { return (*schemabridge.Schema)(s) }

// isMissing reports whether s does not come from SchemaOf.
func (s *Schema) isMissing() bool { return s.bridge().IsMissing() }

func (s *Schema) plan() *fieldplan.Plan { return s.bridge().Plan() }

// value checks that config has the Schema's type.
func (s *Schema) value(config any) (reflect.Value, error) { return s.bridge().Value(config) }

func noSchema() error { return schemabridge.Missing() }

// Decode reads raw JSON into a pointer to a new value of the Schema's type. It is as strict as
// Kubernetes: names are case-sensitive, integers are exact, unknown members (see
// [Schema.AdmitUnknown]) and duplicate members are errors. Empty input, white space and null are
// the empty configuration.
//
// The result is a *T for the T of SchemaOf. It is not generic, because a Schema has no type
// parameter: one list can hold the Schemas of all providers, and those that were loaded from JSON.
func (s *Schema) Decode(raw []byte) (any, error) {
	if s.isMissing() {
		return nil, noSchema()
	}
	config, err := rawjson.Decode(s.plan(), raw)
	return config.Interface(), err
}

// read reads raw JSON into a value for comparison and writing: free JSON is kept as bytes.
func (s *Schema) read(raw []byte) (reflect.Value, error) {
	if s.isMissing() {
		return reflect.Value{}, noSchema()
	}
	return rawjson.Read(s.plan(), raw)
}

// MarshalJSON returns the Schema in JSON, for programs without the Go type and for later releases.
// [LoadSchema] reads it.
func (s *Schema) MarshalJSON() ([]byte, error) {
	exported, err := s.export()
	if err != nil {
		return nil, err
	}
	return json.Marshal(exported)
}

func (s *Schema) export() (*schemajson.Document, error) {
	if s.isMissing() {
		return nil, noSchema()
	}
	return schemajson.Export(s.plan())
}

// Fingerprint identifies the meaning of the Schema: two Schemas with the same fingerprint give
// every configuration the same hash. It does not depend on the names of Go types and fields. Its
// text is "s1:" and 64 hexadecimal digits.
func (s *Schema) Fingerprint() (string, error) {
	exported, err := s.export()
	if err != nil {
		return "", err
	}
	return exported.Fingerprint, nil
}

// AdmitUnknown returns a Schema like s under which unknown members of raw JSON are Immutable fields
// instead of errors. It serves programs that compare configurations newer than their Schema: every
// change of an unknown member replaces machines.
//
//   - Its fingerprint differs from the fingerprint of s, unless s admits unknown members already.
//     Configurations without unknown members hash as under s.
//   - Unknown members hold free JSON; null counts as absent. A [Change] does not show their values,
//     which may be secret; its origin is unknown member.
//   - Unknown members are Immutable within Hot and Ignored objects, too. They remain an error where
//     only one class is allowed: below a positional list that is Hot or Ignored, and below a set.
//   - The Schema reads raw JSON only. Types that marshal themselves have their own decoders, unless s was
//     loaded. There is no such Schema of a type that contains itself.
//
// It is compiled once for each Schema. Later calls, from any goroutine, are cheap and return the
// same Schema or error.
func (s *Schema) AdmitUnknown() (*Schema, error) {
	if s.isMissing() {
		return nil, noSchema()
	}
	return schemaOf(schemajson.AdmitUnknown(s.plan()))
}

// LoadSchema reads a Schema from its JSON, without the Go type. It gives raw JSON the same hash as
// the exported Schema forever, so an old Schema can keep naming its worker pools.
//
// Types that marshal themselves were exported as opaque: their raw JSON is compared as given. A
// type that contains itself cannot be loaded, nor can an array of fixed length of a type that
// marshals itself. All problems are returned, joined; the Path of each is a JSON pointer into data.
func LoadSchema(data []byte) (*Schema, error) {
	return schemaOf(schemajson.Load(data))
}

// SchemaOfCRD reads the Schema of the spec of a custom resource without its Go type, from a version
// of its CustomResourceDefinition (apiextensions.k8s.io/v1) in JSON. Like a Schema from
// [LoadSchema], it reads raw JSON only. Options give fields their classes; a field without one is
// Immutable.
//
//   - x-kubernetes-list-type set is the option set; map is key=, or set if there are several keys
//     or the key may be left out.
//   - A field that is not required, may be null or has a default is a pointer: absent and zero
//     differ. A default is the option default=. What an API server fills in below free JSON cannot
//     count as unset; Compatibility reports it.
//   - Integers, x-kubernetes-int-or-string, quantities (by format, or by the pattern that
//     controller-gen writes), and strings of format byte, date-time and duration mean what Go's
//     types do. Format password is sensitive.
//   - The API server also admits other texts where a format says quantity, date-time or duration,
//     or where as=quantity is given to an x-kubernetes-int-or-string. Such a text is compared
//     literally, and counts as present even if it is empty.
//   - A string has the option as=duration or as=quantity if its pattern admits only durations of Go
//     or only quantities, beside words such as Never. A pattern of durations must admit hours or
//     seconds, and one of quantities a binary unit, since 5m is both. Other formats only validate.
//   - The option as of a field wins over its format and pattern: as=quantity where the CRD does not
//     say it, as=text to take it back. An x-kubernetes-int-or-string allows only these two. The
//     command hotupdate explain tells what was recognized.
//   - The default of the spec itself is not read: a missing spec is the empty configuration.
//   - additionalProperties are a map; x-kubernetes-preserve-unknown-fields and
//     x-kubernetes-embedded-resource are free JSON. A spec that preserves unknown fields is opened
//     as by [Schema.AdmitUnknown].
//   - A validation rule self == oldSelf or self.a == oldSelf.a makes a field Immutable, whatever
//     class it would inherit. It is an error to make the field, or one below it, Hot or InPlace.
//
// All problems are returned, joined; their Path begins in the spec. A CRD does not distinguish a Go
// pointer from a value with omitempty: [Compatibility] lists where the Go type has another meaning.
func SchemaOfCRD(definition []byte, version string, options ...Option) (*Schema, error) {
	return schemaOf(crd.Compile(definition, version, overridesIn(options)))
}
