// Package schemabridge answers questions about a hotupdate.Schema that only other packages of this
// repository ask: whether a part of a configuration may hold a class, what its Hot and InPlace parts
// are, and how a value is read and shown.
//
// It owns what a hotupdate.Schema consists of. That type is defined by [Schema], so a pointer to one
// converts into a pointer to the other: (*schemabridge.Schema)(schema). Adopters cannot import this
// package, and the methods of [Schema] are not methods of a hotupdate.Schema. It must not know what
// machineupdate, updater and the command do with the answers.
package schemabridge

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Schema is what a hotupdate.Schema consists of. A nil or zero Schema is missing: it holds nothing
// and shows nothing, and what needs a Schema returns an error.
type Schema struct {
	plan    *fieldplan.Plan
	pointer reflect.Type // to the configuration's type
}

// New returns the Schema of a plan.
func New(plan *fieldplan.Plan) *Schema { return &Schema{plan, reflect.PointerTo(plan.Type)} }

// IsMissing reports whether s is nil or zero.
func (s *Schema) IsMissing() bool { return s == nil || s.plan == nil }

// Plan returns the plan, or nil if s is missing.
func (s *Schema) Plan() *fieldplan.Plan {
	if s == nil {
		return nil
	}
	return s.plan
}

// Missing returns the error for a Schema that is missing.
func Missing() error {
	return &fault.Error{
		Kind: fault.Misuse, Code: "no-schema", What: "there is no Schema",
		Hint: "use the one that SchemaOf returned without an error",
	}
}

// Value checks that config is a value of the Schema's type or a pointer to one, or nil.
func (s *Schema) Value(config any) (reflect.Value, error) {
	if s.IsMissing() {
		return reflect.Value{}, Missing()
	}
	v := reflect.ValueOf(config)
	if !v.IsValid() || v.Type() == s.pointer {
		return v, nil
	}
	if typ := fieldplan.Deref(v.Type()); typ != s.plan.Type {
		return v, &fault.Error{
			Kind: fault.Misuse, Code: fault.TypeMismatch, Type: typ.String(),
			What: "is not the Schema's type",
			Hint: "use the Schema of this type, or raw JSON with a Schema that was loaded",
		}
	}
	return v, nil
}

// Examine reads raw JSON as the Schema's DiffRaw does, and returns findings beside the errors, see
// [rawjson.Examine]: unknown members, and repeated keys of lists. No method refuses a repeated key, and
// those that compare or hash refuse an unknown member unless the Schema admits it.
func (s *Schema) Examine(raw []byte) ([]rawjson.Finding, error) {
	if s.IsMissing() {
		return nil, Missing()
	}
	return rawjson.Examine(s.plan, raw)
}

// RepeatedKeys returns the findings of [Schema.Examine] about repeated keys. There are none of a configuration that
// the Schema cannot read.
func (s *Schema) RepeatedKeys(raw []byte) (problems fault.List) {
	findings, _ := s.Examine(raw)
	for _, found := range findings {
		if found.IsRepeatedKey() {
			problems.Add(found.Problem)
		}
	}
	return problems
}

// Holds reports whether values of the class can occur at or below an RFC 6901 pointer into a
// configuration. Elements of lists have no pointers: a list holds what its elements hold.
func (s *Schema) Holds(class structtag.Class, pointer string) bool {
	return s.HoldsShape(class, pointer, fieldplan.AnyShape)
}

// HoldsShape is [Schema.Holds] for JSON of a shape at the pointer.
func (s *Schema) HoldsShape(class structtag.Class, pointer string, shape fieldplan.Shape) bool {
	return !s.IsMissing() && s.plan.At(pointer, shape).Any(fieldplan.Of(class))
}

// HoldsJSON is [Schema.Holds] for JSON at the pointer, which the Schema must also be able to read. It is for
// programs that keep parts of configurations longer than a Schema, as package machineupdate does in
// records: a part may be older or newer than the Schema, and have other members in the elements of a list,
// or texts instead of numbers. An empty text stands for nothing.
func (s *Schema) HoldsJSON(class structtag.Class, pointer, text string) bool {
	if text == "" {
		return s.HoldsShape(class, pointer, fieldplan.AnyShape)
	}
	return s.HoldsShape(class, pointer, fieldplan.ShapeOf(text[0])) && s.reads(pointer, text)
}

// reads reports whether the value at a pointer can be read from JSON. Free values can: the JSON may be a
// part of one.
func (s *Schema) reads(pointer, text string) bool {
	if s.plan.Find(pointer).IsFree() {
		return true
	}
	config := []byte(text)
	for _, name := range slices.Backward(fieldpath.Names(pointer)) {
		member, _ := canonjson.AppendString([]byte{'{'}, name) // it was read from JSON
		config = slices.Concat(member, []byte{':'}, config, []byte{'}'})
	}
	_, err := rawjson.Decode(s.plan, config)
	return err == nil
}

// HoldsOutside reports whether values of the class can occur outside of the RFC 6901 pointers.
// Pointers that do not lead to a member of the configuration are ignored.
func (s *Schema) HoldsOutside(class structtag.Class, pointers []string) bool {
	return !s.IsMissing() && s.plan.Beside(pointers).Any(fieldplan.Of(class))
}

// HotPart returns the Hot fields of config, as JSON that can be decoded into the Schema's type. An
// update applies them, and a record of the update holds them.
//
//   - The document is canonical: configurations that differ only in spelling have the same bytes. A
//     change that touches no Immutable and no InPlace field changes the bytes exactly if Diff lists a
//     Hot change.
//   - It holds no fields of other classes and no TypeMeta. It is {} if nothing is Hot.
//   - An element of a collection of another class is in the document if something in it is Hot, with
//     its key and selector, or at its position. In an Ignored collection, the selector of an element
//     that is not selected is replaced by a value that does not select, or left out.
func (s *Schema) HotPart(config any) ([]byte, error) { return s.part(structtag.Hot, config) }

// InPlacePart is [Schema.HotPart] for the InPlace fields, which a drained node gets.
func (s *Schema) InPlacePart(config any) ([]byte, error) { return s.part(structtag.InPlace, config) }

func (s *Schema) part(class structtag.Class, config any) ([]byte, error) {
	v, err := s.Value(config)
	if err != nil {
		return nil, err
	}
	return engine.Of(s.plan).AppendReadable(nil, class, v)
}
