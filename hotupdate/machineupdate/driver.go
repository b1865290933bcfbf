package machineupdate

import (
	"net/url"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/classspec"
)

// Driver describes a driver: its provider spec and its abilities. If the meaning of the Schema,
// Kinds, Lanes, Revision or Epoch change, every machine is updated once.
type Driver struct {
	// Schema is the Schema of the provider spec. It is required. Schemas are compared by meaning, so
	// each call may pass a new one.
	Schema *hotupdate.Schema `json:"-"`
	// Kinds are the kinds of resources that UpdateMachine covers, by the driver's names, such as
	// vm, network and disk. Names must never change: a record identifies a kind by its name.
	// Without kinds the driver cannot update machines.
	Kinds []string
	// Lanes are the parts of the spec that are applied by separate calls, besides the first lane.
	Lanes []Lane
	// Revision names what the driver applies to these kinds.
	Revision string
	// Epoch is set by the operator. After records were restored from a backup, a new Epoch makes
	// every machine be checked once. See "Rolled-back drivers and restored backups" in FLOW.md.
	Epoch string
	// ReadsFirst says that the driver calls BeforeWrite of the request. Then machines in the
	// desired state cost reads of the cloud and no marker.
	ReadsFirst bool
	// CaseSensitive says that the driver decodes provider specs with a codec of Kubernetes. A
	// member whose name differs from a field's name only in case is then a mistake that makes the
	// class unusable. Otherwise the driver decodes with encoding/json, which reads such a member
	// into the field.
	CaseSensitive bool
}

// Annotations returns the names of the annotations of a Machine that an adoption writes: the record of
// the first lane, and the records of the Lanes with Hot leaves, in their order. The record of a lane that
// is InPlace comes with the first drain, and is not among them. The driver must be valid: see
// [Classes.Prepare].
func (d *Driver) Annotations() []string {
	names := []string{AnnotationRecord}
	described, _ := layoutOf(d) // Prepare reports the error
	for _, declared := range described.lanes[1:] {
		if declared.class == hotupdate.Hot {
			names = append(names, declared.annotation)
		}
	}
	return names
}

// names says whether the driver's decoder ignores the case of member names.
func (d *Driver) names() classspec.Names {
	if d.CaseSensitive {
		return classspec.Exact
	}
	return classspec.Folded
}

// equals reports whether two drivers describe the same.
func (d *Driver) equals(other *Driver) bool {
	one := *d
	two := *other
	one.Schema = nil
	two.Schema = nil
	return reflect.DeepEqual(one, two) && same(d.Schema, other.Schema)
}

// text identifies the driver in a record.
func (d *Driver) text() string {
	values := url.Values{"kind": slices.Compact(slices.Sorted(slices.Values(d.Kinds)))}
	for name, value := range map[string]string{"revision": d.Revision, "epoch": d.Epoch} {
		if value != "" {
			values.Set(name, value)
		}
	}
	for _, lane := range d.Lanes {
		values.Add("lane", lane.text())
	}
	slices.Sort(values["lane"])
	return values.Encode()
}
