package machineupdate

import (
	"bytes"
	"cmp"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MachineClass is a class of machines.
type MachineClass struct {
	// as the cache returned it, anything that is shaped like a MachineClass; without it the class
	// has no name
	Object       metav1.Object
	ProviderSpec []byte // raw
}

// class is what hot updates read of a [MachineClass].
type class struct {
	MachineClass

	key, name        string // the key is that of client-go's caches
	version          string // empty unless UID and resourceVersion are known
	deleting, paused bool
}

func (c MachineClass) read() class {
	if c.Object == nil {
		return class{MachineClass: c}
	}
	read := class{
		MachineClass: c, name: c.Object.GetName(),
		key:      strings.TrimPrefix(c.Object.GetNamespace()+"/"+c.Object.GetName(), "/"),
		deleting: c.Object.GetDeletionTimestamp() != nil, paused: isPaused(c.Object.GetAnnotations()),
	}
	if uid, version := c.Object.GetUID(), c.Object.GetResourceVersion(); uid != "" && version != "" {
		read.version = string(uid) + "/" + version
	}
	return read
}

// Classes prepares every class once for each resourceVersion, reports changes outside of the hot
// part, and remembers for which classes the driver cannot update. A process needs only one. The
// zero value is ready for use, and safe for concurrent use.
type Classes struct {
	mutex    sync.Mutex
	prepared map[string]*preparation // by namespace/name

	described string // the last description of a driver, and what it says
	schema    *hotupdate.Schema
	driver    Driver
}

// ability is what a process has learned about a driver from a lane of a class.
type ability struct {
	unable   atomic.Pointer[time.Time] // when the driver last returned Unimplemented
	reported atomic.Bool               // an event has reported that it cannot update
}

// preparation is the prepared state of a class.
type preparation struct {
	version  string // of the class
	schema   *hotupdate.Schema
	driver   Driver
	prepared *Prepared
	err      error
	rest     string            // that of the last version that could be read
	restOf   *hotupdate.Schema // the Schema by which it was read
}

// Prepare reads a class, once per UID, resourceVersion, Schema and driver. Errors are cached as
// well. Schemas are compared by meaning, so each call may pass a new one. Classes without UID or
// resourceVersion, as in fake clients, are read each time. Machines of a class with an error are
// not updated, but they are created. The error is a [*fault.Error] with the code
//
//   - unusable-class, if the provider spec does not belong to the Schema or there is none. Members
//     that the Schema does not know are not an error but Immutable, since an extension may be
//     rolled out before its driver. A member that differs from a known one only in case is an
//     error, since drivers would read it as the known one.
//   - large-hot-part, if no record can hold the hot part.
//   - invalid-lane, if a [Lane] of the driver does not fit the Schema or the other lanes.
//
// With the nil Schema and the zero Driver, Prepare is for a driver without hot updates: no machine
// of the class is recorded, updated or delayed, and an event says so once.
//
// Beyond is true for one caller after each change of the class outside of its hot part. Labels,
// images and subnets change a class without changing its name, and running machines keep theirs.
// Report it.
func (c *Classes) Prepare(
	class MachineClass, schema *hotupdate.Schema, driver Driver,
) (prepared *Prepared, beyond bool, err error) {
	read := class.read()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last := c.prepared[read.key]
	if last.answers(read.version, schema, driver) {
		return last.prepared, false, last.err
	}
	prepared, err = prepare(read, schema, driver)
	next := &preparation{version: read.version, schema: schema, driver: driver, prepared: prepared, err: err}
	if prepared != nil {
		last.passAbilities(next)
		next.rest, next.restOf = prepared.rest, schema
		beyond = last != nil && last.restOf != nil && same(last.restOf, schema) && last.rest != prepared.rest
	} else if last != nil {
		next.rest, next.restOf = last.rest, last.restOf
	}
	if read.version != "" || read.key != "" {
		if c.prepared == nil {
			c.prepared = map[string]*preparation{}
		}
		c.prepared[read.key] = next
	}
	return prepared, beyond, err
}

func (p *preparation) answers(version string, schema *hotupdate.Schema, driver Driver) bool {
	return p != nil && version != "" && p.version == version &&
		reflect.DeepEqual(p.driver, driver) && same(p.schema, schema)
}

// passAbilities keeps what is known of the driver until the provider spec, the Schema or the driver
// changes.
func (p *preparation) passAbilities(next *preparation) {
	if p == nil || p.prepared == nil || !bytes.Equal(p.prepared.class.ProviderSpec, next.prepared.class.ProviderSpec) ||
		!reflect.DeepEqual(p.driver, next.driver) || !same(p.schema, next.schema) {
		return
	}
	for i := range next.prepared.lanes {
		next.prepared.lanes[i].ability = p.prepared.lanes[i].ability
	}
}

// same reports whether two Schemas mean the same. Schemas of one type share their plan, and need no
// fingerprint.
func same(a, b *hotupdate.Schema) bool {
	if a == b || a != nil && b != nil && *a == *b {
		return true
	}
	one, err := a.Fingerprint()
	other, otherErr := b.Fingerprint()
	return err == nil && otherErr == nil && one == other
}

// Forget drops a deleted class. The key, namespace/name, is that of client-go's
// cache.DeletionHandlingMetaNamespaceKeyFunc, which handles tombstones.
func (c *Classes) Forget(key string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.prepared, key)
}

// Driver describes the abilities of a driver. The zero value cannot update machines. If Kinds,
// Lanes, Revision or Epoch change, every machine is updated once.
type Driver struct {
	// Kinds are the kinds of resources that UpdateMachine covers, by the driver's names, such as
	// vm, network and disk. Names must never change: a record identifies a kind by its name.
	// Without kinds the driver cannot update machines.
	Kinds []string
	// Lanes are the parts of the spec that are applied by calls of their own, besides the first
	// lane.
	Lanes []Lane
	// Revision names what the driver applies to these kinds.
	Revision string
	// Epoch is set by the operator. After records were restored from a backup, a new Epoch makes
	// every machine be checked once. See "Rolled-back drivers and restored backups" in the package
	// documentation.
	Epoch string
	// ReadsFirst says that the driver calls BeforeWrite of the request. Then machines in the
	// desired state cost reads of the cloud and no marker.
	ReadsFirst bool
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

// Prepared is the class side of a decision, computed once for all machines of the class. It is
// immutable and safe for concurrent use.
type Prepared struct {
	class  class
	schema *hotupdate.Schema
	driver Driver
	lanes  []lane // the wanted parts; there is always a first lane
	hot    Hot    // the Hot fields of all lanes
	rest   string // canonical document: the fields that no hot update touches

	beside    bool   // the Schema has InPlace leaves that belong to no lane
	uncovered string // those leaves of the class
}

// isAbsent reports whether the driver has no hot updates: it has no Schema.
func (p *Prepared) isAbsent() bool { return p != nil && p.schema == nil }

// of prepares another class of the same driver.
func (p *Prepared) of(class MachineClass) (*Prepared, error) {
	read := class.read()
	if read.key == p.class.key && bytes.Equal(read.ProviderSpec, p.class.ProviderSpec) {
		return p, nil
	}
	return prepare(read, p.schema, p.driver)
}

// lanesOf returns the lanes of a class; without a class, an empty first lane.
func lanesOf(class *Prepared) []lane {
	if class == nil {
		return []lane{{annotation: AnnotationRecord}}
	}
	return class.lanes
}

func prepare(class class, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	if schema == nil && len(driver.Kinds)+len(driver.Lanes) == 0 {
		return &Prepared{class: class, lanes: []lane{{annotation: AnnotationRecord, ability: &ability{}}}}, nil
	}
	fingerprint, fingerprintErr := schema.Fingerprint()
	readable, config, err := decode(class.ProviderSpec, schema)
	hot, hotErr := readable.PartDocument(hotupdate.Hot, config)
	inPlace, inPlaceErr := readable.PartDocument(hotupdate.InPlace, config)
	rest, restErr := readable.Document(config)
	if err = cmp.Or(err, fingerprintErr, hotErr, inPlaceErr, restErr); err != nil {
		return nil, &fault.Error{
			Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.name,
			What: "its provider spec cannot be read", Cause: err,
		}
	}
	layout, err := layoutOf(&driver, schema)
	if err != nil {
		return nil, err
	}
	documents := map[hotupdate.Class][]byte{hotupdate.Hot: hot, hotupdate.InPlace: inPlace}
	if err := layout.setTargets(documents, fingerprint+"?"+driver.text(), class.name); err != nil {
		return nil, err
	}
	return &Prepared{
		class: class, schema: schema, driver: driver, lanes: layout.lanes, hot: Hot(hot), rest: string(rest),
		beside:    schema.HoldsBeside(hotupdate.InPlace, slices.Collect(maps.Keys(layout.owner))),
		uncovered: layout.part(inPlace, 0),
	}, nil
}

// decode reads a provider spec by the Schema or, if it has members that the Schema does not know,
// by one that admits them.
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
