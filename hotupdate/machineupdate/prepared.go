package machineupdate

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// PreparedClass is the class side of a decision, computed once for all machines of the class. It is
// immutable and safe for concurrent use.
type PreparedClass struct {
	class  MachineClass
	driver Driver
	lanes  []lane // the wanted parts; there is always a first lane

	// canonical documents of the class
	hot       HotSpec // the Hot fields
	drained   string  // the InPlace fields
	uncovered string  // the InPlace leaves that belong to no lane
	rest      string  // the fields that no hot update touches

	beside bool // the Schema has InPlace leaves that belong to no lane
}

// unsupported prepares a class of a driver without hot updates. It is not read.
func unsupported(class MachineClass) *PreparedClass {
	return &PreparedClass{class: class, lanes: []lane{{annotation: AnnotationRecord, ability: &ability{}}}}
}

// isUnsupported reports whether the driver has no hot updates: it has no Schema.
func (p *PreparedClass) isUnsupported() bool { return p != nil && p.driver.Schema == nil }

// of prepares another class of the same driver.
func (p *PreparedClass) of(class MachineClass) (*PreparedClass, error) {
	if class.key() == p.class.key() && bytes.Equal(class.ProviderSpec, p.class.ProviderSpec) {
		return p, nil
	}
	return prepare(class, p.driver)
}

// lanesOf returns the lanes of a class; without a class, an empty first lane.
func lanesOf(class *PreparedClass) []lane {
	if class == nil {
		return []lane{{annotation: AnnotationRecord}}
	}
	return class.lanes
}

// prepare prepares a class. Only a driver without hot updates has no Schema.
func prepare(class MachineClass, driver Driver) (*PreparedClass, error) {
	schema := driver.Schema
	if schema == nil {
		return unsupported(class), nil
	}
	if err := driver.validateSchema(); err != nil {
		return nil, err
	}
	if isEmpty(class.ProviderSpec) {
		return nil, &fault.Error{
			Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.meta().GetName(),
			What: "has an empty provider spec, which would remove everything that is ours from its machines",
			Hint: "pass the raw provider spec",
		}
	}
	read, err := readDocuments(class.ProviderSpec, schema)
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.meta().GetName(),
			What: "its provider spec cannot be read", Cause: err,
		}
	}
	layout, err := layoutOf(&driver)
	if err != nil {
		return nil, err
	}
	parts := map[hotupdate.Class][]byte{hotupdate.Hot: read.hot, hotupdate.InPlace: read.inPlace}
	if err := layout.setTargets(parts, read.fingerprint+"?"+driver.text(), class.meta().GetName()); err != nil {
		return nil, err
	}
	return &PreparedClass{
		class:     class,
		driver:    driver,
		lanes:     layout.lanes,
		hot:       HotSpec(read.hot),
		drained:   string(read.inPlace),
		uncovered: record.Filter(string(read.inPlace), layout.lanes[0].holds),
		rest:      string(read.rest),
		beside:    layout.leavesOutInPlace(),
	}, nil
}

// documents are the canonical documents of a provider spec, with the fingerprint of its Schema.
type documents struct {
	fingerprint        string
	hot, inPlace, rest []byte
}

// readDocuments reads a provider spec. An error in the spec takes precedence over an error of the
// Schema.
func readDocuments(spec []byte, schema *hotupdate.Schema) (d documents, err error) {
	readable, config, err := decode(spec, schema)
	if err != nil {
		return documents{}, err
	}
	d.fingerprint, err = schema.Fingerprint()
	if err != nil {
		return documents{}, err
	}
	parts := (*schemabridge.Schema)(readable)
	d.hot, err = parts.HotPart(config)
	if err != nil {
		return documents{}, err
	}
	d.inPlace, err = parts.InPlacePart(config)
	if err != nil {
		return documents{}, err
	}
	d.rest, err = readable.Document(config)
	if err != nil {
		return documents{}, err
	}
	return d, nil
}

// decode reads a provider spec by the Schema or, if the spec has members that the Schema does not
// know, by a copy of the Schema that admits them.
func decode(spec []byte, schema *hotupdate.Schema) (*hotupdate.Schema, any, error) {
	config, err := schema.Decode(spec)
	if err == nil {
		return schema, config, nil
	}
	open, openErr := schema.AdmitUnknown()
	isOther := func(problem *fault.Error) bool {
		return problem.Code != "unknown-member" || problem.Cause != nil // it differs from a field in case only
	}
	if openErr != nil || slices.ContainsFunc(fault.All(err), isOther) {
		return schema, config, err
	}
	config, err = open.Decode(spec)
	return open, config, err
}

// isEmpty reports whether a provider spec has no members. No VM can be created by such a spec, so
// the caller has passed the wrong bytes.
func isEmpty(spec []byte) bool {
	var members map[string]json.RawMessage
	text := bytes.TrimSpace(spec)
	if len(text) == 0 {
		return true
	}
	return json.Unmarshal(text, &members) == nil && len(members) == 0
}
