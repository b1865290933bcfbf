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
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// Driver says what the driver at hand can do. The zero value cannot update machines. Where Kinds, Revision or Epoch change, every machine is
// updated once.
type Driver struct {
	// Kinds are the kinds of resources that UpdateMachine covers, in the words of the driver, such as vm, network and disk. Names must stay: what
	// a record holds for a kind is found by its name. Without kinds the driver cannot update machines.
	Kinds []string
	// Revision names what the driver applies to these kinds.
	Revision string
	// Epoch is the operator's: a new one makes records that a backup brought back be looked at once. See "Restored backups" in the package
	// documentation.
	Epoch string
	// ReadsFirst says that the driver calls BeforeWrite of the request. Then machines that are right cost reads of the cloud and no marker.
	ReadsFirst bool
}

func (d *Driver) canUpdate() bool { return len(d.Kinds) > 0 }

// text is what a record remembers of the driver.
func (d *Driver) text() string {
	values := url.Values{"kind": slices.Compact(slices.Sorted(slices.Values(d.Kinds)))}
	for name, value := range map[string]string{"revision": d.Revision, "epoch": d.Epoch} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

func (d *Driver) equal(other *Driver) bool {
	return slices.Equal(d.Kinds, other.Kinds) && d.Revision == other.Revision && d.Epoch == other.Epoch && d.ReadsFirst == other.ReadsFirst
}

// Prepared is the class side of a decision, computed once for all machines of the class. It is immutable and safe for concurrent use.
type Prepared struct {
	class  MachineClass
	driver Driver
	target *record.Target // what the machines of the class should have
	rest   string         // canonical document: the fields that no hot update touches
	*ability
}

// prepare reads the class.
func prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	fingerprint, fingerprintErr := schema.Fingerprint()
	paths, pathsErr := hotPathsOf(schema)
	schema, config, err := decode(class.ProviderSpec, schema)
	hot, hotErr := schema.HotDocument(config)
	rest, restErr := schema.Document(config)
	if err = cmp.Or(err, fingerprintErr, pathsErr, hotErr, restErr); err != nil {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.Name, What: "its provider spec cannot be read", Cause: err}
	}
	target := record.NewTarget(string(hot), fingerprint+"?"+driver.text(), driver.Kinds, paths.has, 0)
	if what := target.TooLarge(); what != "" {
		return nil, &fault.Error{Kind: fault.Limit, Code: "large-hot-part", Where: "class " + class.Name, What: what, Hint: "make fewer or shorter fields hot"}
	}
	return &Prepared{class: class, driver: driver, target: target, rest: string(rest), ability: &ability{}}, nil
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
