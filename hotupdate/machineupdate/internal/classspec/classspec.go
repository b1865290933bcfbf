// Package classspec reads the provider spec of a MachineClass for the update flow: into the canonical
// documents of its Hot, InPlace and other fields.
//
// The package owns the rules for members that the Schema does not know. A driver ignores them, so
// they do not make a class unusable. Package hotupdate reads everything else, and package
// machineupdate uses the documents.
package classspec

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Names says whether a driver's decoder distinguishes the case of member names.
type Names uint8

// The ways.
const (
	// Folded: case does not count, as in encoding/json, which most drivers use. A name that differs
	// from a field's name only in case means the field.
	Folded Names = iota
	// Exact: case counts, as in the codecs of Kubernetes. A name that differs from a field's name
	// only in case is a mistake.
	Exact
)

// Documents are the canonical documents of a provider spec.
type Documents struct {
	Hot, InPlace []byte
	Rest         []byte // the fields that no update applies, and the unknown members
}

// Read reads a provider spec as a driver reads it, and as strictly as Schema.Decode where a driver
// would fail, too.
//
//   - Unknown members are Immutable. The documents of the known ones are the same without them.
//   - With [Folded], a spec in which names differ from field names only in case is decoded by
//     encoding/json, like in the driver. A name that could mean several fields is an error.
//   - With [Exact], each such name is an error.
func Read(schema *hotupdate.Schema, spec []byte, names Names) (Documents, error) {
	config, err := schema.Decode(spec)
	if err == nil {
		return documents(schema, config)
	}
	isOther := func(problem *fault.Error) bool { return problem.Code != fault.UnknownMember }
	if slices.ContainsFunc(fault.All(err), isOther) {
		return Documents{}, err
	}
	found := unknown(schema, spec)
	switch {
	case !found.isFolded:
		return readOpen(schema, spec, err)
	case found.isAmbiguous || names == Exact:
		return Documents{}, err
	default:
		return readFolded(schema, spec, found.entries)
	}
}

// readOpen reads a spec by a copy of the Schema that admits unknown members.
func readOpen(schema *hotupdate.Schema, spec []byte, refused error) (Documents, error) {
	open, err := schema.AdmitUnknown()
	if err != nil {
		return Documents{}, refused
	}
	config, err := open.Decode(spec)
	if err != nil {
		return Documents{}, err
	}
	return documents(open, config)
}

// readFolded reads a spec by encoding/json. The documents of its value do not have the unknown
// members, which are added to the rest.
func readFolded(schema *hotupdate.Schema, spec []byte, unknown []string) (Documents, error) {
	config, err := schema.Decode(nil)
	if err != nil {
		return Documents{}, err
	}
	if err := json.Unmarshal(spec, config); err != nil {
		return Documents{}, unreadable(err)
	}
	d, err := documents(schema, config)
	if len(unknown) > 0 {
		d.Rest = append(d.Rest, "\n"+strings.Join(unknown, "\n")...)
	}
	return d, err
}

// unreadable says where encoding/json failed. The text of its error may quote a value.
func unreadable(err error) error {
	problem := &fault.Error{
		Kind: fault.Invalid, Code: "malformed-value", What: "cannot be read into the driver's type",
		Hint: "write a value of the field's type",
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		problem.Path = wrong.Field
		problem.Type = wrong.Type.String()
	}
	return problem
}

// documents returns the documents of a value of the Schema's type.
func documents(schema *hotupdate.Schema, config any) (d Documents, err error) {
	parts := (*schemabridge.Schema)(schema)
	d.Hot, err = parts.HotPart(config)
	if err != nil {
		return Documents{}, err
	}
	d.InPlace, err = parts.InPlacePart(config)
	if err != nil {
		return Documents{}, err
	}
	d.Rest, err = schema.Document(config)
	if err != nil {
		return Documents{}, err
	}
	return d, nil
}
