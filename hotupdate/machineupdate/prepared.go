package machineupdate

import (
	"bytes"
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/classspec"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
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

// of prepares another class for the same driver.
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
			Kind: fault.Invalid, Code: "unusable-class", Where: "class " + class.meta().GetName(),
			What: "has an empty provider spec, which would remove everything that is ours from its machines",
			Hint: "pass the raw provider spec",
		}
	}
	read, err := classspec.Read(schema, class.ProviderSpec, driver.names())
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Invalid, Code: "unusable-class", Where: "class " + class.meta().GetName(),
			What: "its provider spec cannot be read", Cause: err,
		}
	}
	fingerprint, err := schema.Fingerprint()
	if err != nil {
		return nil, err
	}
	layout, err := layoutOf(&driver)
	if err != nil {
		return nil, err
	}
	parts := map[hotupdate.Class][]byte{hotupdate.Hot: read.Hot, hotupdate.InPlace: read.InPlace}
	if err := layout.setTargets(parts, fingerprint+"?"+driver.text(), class.meta().GetName()); err != nil {
		return nil, err
	}
	return &PreparedClass{
		class:     class,
		driver:    driver,
		lanes:     layout.lanes,
		hot:       HotSpec(read.Hot),
		drained:   string(read.InPlace),
		uncovered: record.Filter(string(read.InPlace), layout.lanes[0].holds),
		rest:      string(read.Rest),
		beside:    layout.leavesOutInPlace(),
	}, nil
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
