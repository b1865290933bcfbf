package machineupdate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Driver says what the driver at hand can do. The zero value cannot update machines. Where Kinds, Lanes, Revision or Epoch change, every machine
// is updated once.
type Driver struct {
	// Kinds are the kinds of resources that UpdateMachine covers, in the words of the driver, such as vm, network and disk. Names must stay: what
	// a record holds for a kind is found by its name. Without kinds the driver cannot update machines.
	Kinds []string
	// Lanes are what is applied beside the rest of what is Hot, each by a call of its own.
	Lanes []Lane
	// Revision names what the driver applies to these kinds.
	Revision string
	// Epoch is the operator's: a new one makes records that a backup brought back be looked at once. See "Restored backups" in the package
	// documentation.
	Epoch string
	// ReadsFirst says that the driver calls BeforeWrite of the request. Then machines that are right cost reads of the cloud and no marker.
	ReadsFirst bool
}

// text is what a record remembers of the driver.
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

// Prepared is the class side of a decision, computed once for all machines of the class. It is immutable and safe for concurrent use.
type Prepared struct {
	class  MachineClass
	driver Driver
	lanes  []lane // what the machines of the class should have; there is always a first one
	rest   string // canonical document: the fields that no hot update touches

	hasInPlace bool   // the Schema has InPlace leaves
	uncovered  string // those of the class without a lane
}

// lanesOf returns the lanes of a class; without a class it is the first one, of which nothing is known.
func lanesOf(class *Prepared) []lane {
	if class == nil {
		return []lane{{annotation: AnnotationRecord}}
	}
	return class.lanes
}

func prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	fingerprint, fingerprintErr := schema.Fingerprint()
	readable, config, err := decode(class.ProviderSpec, schema)
	hot, hotErr := readable.HotDocument(config)
	inPlace, inPlaceErr := readable.InPlaceDocument(config)
	rest, restErr := readable.Document(config)
	if err = cmp.Or(err, fingerprintErr, hotErr, inPlaceErr, restErr); err != nil {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.Name, What: "its provider spec cannot be read", Cause: err}
	}
	layout, err := layoutOf(&driver, schema)
	if err != nil {
		return nil, err
	}
	documents := map[hotupdate.Class][]byte{hotupdate.Hot: hot, hotupdate.InPlace: inPlace}
	if err := layout.aim(documents, fingerprint+"?"+driver.text(), class.Name); err != nil {
		return nil, err
	}
	return &Prepared{
		class: class, driver: driver, lanes: layout.lanes, rest: string(rest),
		hasInPlace: schema.Holds(hotupdate.InPlace, "", 0), uncovered: layout.part(inPlace, 0),
	}, nil
}

// decode reads a provider spec under the Schema, or with members that the Schema does not know under one that admits them.
func decode(spec []byte, schema *hotupdate.Schema) (*hotupdate.Schema, any, error) {
	config, err := schema.Decode(spec)
	if err == nil {
		return schema, config, nil
	}
	exported, exportErr := json.Marshal(schema)
	for _, problem := range fault.All(err) {
		if problem.Code != "unknown-member" || exportErr != nil || respells(exported, problem.Path) {
			return schema, config, err
		}
	}
	open, openErr := schema.AdmitUnknown()
	if openErr != nil {
		return schema, config, err
	}
	config, err = open.Decode(spec)
	return open, config, err
}

// respells reports whether the last name of a path differs from one of the Schema in case only.
func respells(exported []byte, path string) bool {
	name := []byte(`"` + path[strings.LastIndexByte(path, '.')+1:] + `"`)
	return !bytes.Contains(exported, name) && bytes.Contains(bytes.ToLower(exported), bytes.ToLower(name))
}
