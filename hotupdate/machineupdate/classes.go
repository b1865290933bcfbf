package machineupdate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MachineClass is what hot updates need to know of one.
type MachineClass struct {
	Namespace       string
	Name            string
	UID             types.UID
	ResourceVersion string
	Deleting        bool   // it has a deletion timestamp, as the old class that machines keep which were updated in place
	Paused          bool   // it has AnnotationPause
	ProviderSpec    []byte // raw
	// Object is the class as the caller has it, for the driver; nothing here reads it.
	Object metav1.Object
}

// ClassOf reads anything that is shaped like a MachineClass: ClassOf(class, class.ProviderSpec.Raw).
func ClassOf(class metav1.Object, providerSpec []byte) MachineClass {
	return MachineClass{
		Namespace: class.GetNamespace(), Name: class.GetName(), UID: class.GetUID(), ResourceVersion: class.GetResourceVersion(),
		Deleting: class.GetDeletionTimestamp() != nil, Paused: isPaused(class.GetAnnotations()), ProviderSpec: providerSpec, Object: class,
	}
}

// Classes prepares every class once for each resourceVersion, reports changes beside the hot part, and remembers drivers that turned out to be
// unable to update. One serves a process. The zero value is ready for use, and safe for concurrent use.
type Classes struct {
	mutex     sync.Mutex
	prepared  map[string]*preparation // by namespace/name
	abilities sync.Map                // *ability by what the driver says of itself, and the lane
}

// ability is what a process found out about a driver and a lane.
type ability struct {
	unable   atomic.Bool // it returned Unimplemented
	reported atomic.Bool // an event has told so
}

// preparation is what is known of a class.
type preparation struct {
	class    MachineClass
	schema   *hotupdate.Schema
	driver   Driver
	prepared *Prepared
	err      error
	rest     string            // of the last version that could be read
	restOf   *hotupdate.Schema // under which it was read
}

// Prepare reads a class, once per UID, resourceVersion, Schema and driver. Errors are cached as well. Schemas are told apart by what they mean:
// each call may bring a new one. Classes without UID or resourceVersion, as fake clients have them, are read each time. No machine of a class with an error
// is updated; machines are created all the same. The error is a [*fault.Error] with the code
//
//   - unusable-class, if the provider spec does not belong to the Schema or there is none. Members that the Schema does not know are no error: an
//     extension may be rolled out before its driver. They are Immutable. One that differs from a known one in case only is an error, as drivers would
//     take it for that.
//   - large-hot-part, if no record can hold the hot part.
//   - invalid-lane, if a [Lane] of the driver does not fit the Schema or the other lanes.
//
// Beyond is true for one caller after each change of the class that goes beyond its hot part. Labels, images and subnets change a class
// without changing its name; running machines keep those that they were made with. Report it.
func (c *Classes) Prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (prepared *Prepared, beyond bool, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last := c.prepared[class.key()]
	if last.answers(&class, schema, driver) {
		return last.prepared, false, last.err
	}
	prepared, err = prepare(class, schema, driver)
	next := &preparation{class: class, schema: schema, driver: driver, prepared: prepared, err: err}
	if prepared != nil {
		for i := range prepared.lanes {
			known, _ := c.abilities.LoadOrStore(driver.text()+prepared.lanes[i].where(), &ability{})
			prepared.lanes[i].ability, _ = known.(*ability)
		}
		next.rest, next.restOf = prepared.rest, schema
		beyond = last != nil && last.restOf != nil && same(last.restOf, schema) && last.rest != prepared.rest
	} else if last != nil {
		next.rest, next.restOf = last.rest, last.restOf
	}
	if class.UID != "" && class.ResourceVersion != "" {
		if c.prepared == nil {
			c.prepared = map[string]*preparation{}
		}
		c.prepared[class.key()] = next
	}
	return prepared, beyond, err
}

func (p *preparation) answers(class *MachineClass, schema *hotupdate.Schema, driver Driver) bool {
	return p != nil && p.class.UID == class.UID && p.class.ResourceVersion == class.ResourceVersion && reflect.DeepEqual(p.driver, driver) && same(p.schema, schema)
}

// same reports whether two Schemas mean the same. Those of one type share what they point to, and need no fingerprint.
func same(a, b *hotupdate.Schema) bool {
	if a == b || a != nil && b != nil && *a == *b {
		return true
	}
	one, err := a.Fingerprint()
	other, otherErr := b.Fingerprint()
	return err == nil && otherErr == nil && one == other
}

// Forget drops a class that is gone. The key is that of client-go's cache.DeletionHandlingMetaNamespaceKeyFunc, which knows tombstones:
// namespace/name.
func (c *Classes) Forget(key string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.prepared, key)
}

// key names the class as client-go's caches do.
func (c *MachineClass) key() string { return strings.TrimPrefix(c.Namespace+"/"+c.Name, "/") }

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

	beside    bool   // the Schema has InPlace leaves outside of members that have a lane
	uncovered string // those of the class
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
		beside: schema.HoldsBeside(hotupdate.InPlace, slices.Collect(maps.Keys(layout.owner))), uncovered: layout.part(inPlace, 0),
	}, nil
}

// decode reads a provider spec under the Schema, or with members that the Schema does not know under one that admits them.
func decode(spec []byte, schema *hotupdate.Schema) (*hotupdate.Schema, any, error) {
	config, err := schema.Decode(spec)
	if err == nil {
		return schema, config, nil
	}
	exported, exportErr := json.Marshal(schema)
	open, openErr := schema.AdmitUnknown()
	isOther := func(problem *fault.Error) bool {
		return problem.Code != "unknown-member" || respells(exported, problem.Path)
	}
	if exportErr != nil || openErr != nil || slices.ContainsFunc(fault.All(err), isOther) {
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
