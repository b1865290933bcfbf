package machineupdate

import (
	"bytes"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
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
