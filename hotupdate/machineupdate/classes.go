package machineupdate

import (
	"bytes"
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

// nameless stands for the object of a class that has none. It is never changed.
var nameless metav1.Object = &metav1.ObjectMeta{}

func (c *MachineClass) meta() metav1.Object {
	if c.Object == nil {
		return nameless
	}
	return c.Object
}

// key is the key of the class in client-go's caches.
func (c *MachineClass) key() string {
	return strings.TrimPrefix(c.meta().GetNamespace()+"/"+c.meta().GetName(), "/")
}

// version identifies the content of the class; empty unless UID and resourceVersion are known.
func (c *MachineClass) version() string {
	uid := c.meta().GetUID()
	version := c.meta().GetResourceVersion()
	if uid == "" || version == "" {
		return ""
	}
	return string(uid) + "/" + version
}

// Classes prepares every class once for each resourceVersion, reports changes outside of the hot
// part, and remembers for which classes the driver cannot update. A process needs only one. The
// zero value is ready for use, and safe for concurrent use.
type Classes struct {
	// OnNonHotChange is called with the Object of a class, once for each change of the class outside
	// of its hot part: labels, images and subnets change a class without changing its name, and
	// running machines keep theirs. Report it. Set it before the first use. It may be nil.
	OnNonHotChange func(class metav1.Object)

	mutex    sync.Mutex
	prepared map[string]preparation // by namespace/name

	described string // the last description of a driver, and what it says
	driver    Driver
}

// ability is what a process has learned about a driver from a lane of a class, and reported.
type ability struct {
	unable   atomic.Pointer[time.Time] // when the driver last returned Unimplemented
	reported atomic.Bool               // an event has reported that it cannot update
	writers  writers
	told     sync.Map // the messages about the class that were reported
}

// once returns a function that reports each message once; nil without a function that reports.
func (a *ability) once(tell func(message string)) func(message string) {
	if tell == nil {
		return nil
	}
	return func(message string) {
		if _, isKnown := a.told.LoadOrStore(message, true); !isKnown {
			tell(message)
		}
	}
}

// preparation is the prepared state of a class.
type preparation struct {
	version  string // see MachineClass.version
	driver   Driver
	readable *PreparedClass // the last version that could be read
	err      error          // of this version
}

// Prepare reads a class, once per UID, resourceVersion and driver. Errors are also cached. Classes
// without UID or resourceVersion, as in fake clients, are read each time. Machines of a class with
// an error are not updated, but they are created. The error is a [*fault.Error] with the code
//
//   - unusable-class, if the provider spec does not fit the Schema, or if it has no members: it is
//     nil, empty, null or {}. Members that the Schema does not know are Immutable, since an
//     extension may be rolled out before its driver. A member whose name differs from a known name
//     only in case is an error, since drivers would read it as the known member. It is also an
//     error if a list with key= repeats the key of an element that is Hot or InPlace or has such a
//     part.
//   - large-hot-part, if no record can hold the hot part.
//   - unusable-schema or invalid-lane, as in [Driver.Validate].
func (c *Classes) Prepare(class MachineClass, driver Driver) (*PreparedClass, error) {
	if driver.Schema == nil {
		return nil, driver.validateSchema()
	}
	prepared, isChanged, err := c.prepare(class, driver)
	if isChanged && c.OnNonHotChange != nil {
		c.OnNonHotChange(class.Object)
	}
	return prepared, err
}

// PrepareUnsupported prepares a class of a driver without hot updates. The class is not read. No
// machine of the class is recorded, updated or delayed, and an event says so once.
func (c *Classes) PrepareUnsupported(class MachineClass) *PreparedClass {
	prepared, _, _ := c.prepare(class, Driver{}) // no provider spec is read that could be unusable
	return prepared
}

// prepare reads a class, and reports whether it has changed outside of its hot part.
func (c *Classes) prepare(class MachineClass, driver Driver) (prepared *PreparedClass, isChanged bool, err error) {
	key := class.key()
	version := class.version()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last := c.prepared[key]
	isSameDriver := last.driver.equals(&driver)
	isKnown := version != "" && version == last.version && isSameDriver
	if isKnown && last.err != nil {
		return nil, false, last.err
	}
	if isKnown {
		return last.readable, false, nil
	}
	prepared, err = prepare(class, driver)
	next := preparation{version: version, driver: driver, readable: prepared, err: err}
	former := last.readable
	if prepared == nil {
		next.readable = former
	}
	if prepared != nil && former != nil {
		isChanged = same(former.driver.Schema, driver.Schema) && former.rest != prepared.rest
		isSameSpec := bytes.Equal(former.class.ProviderSpec, class.ProviderSpec)
		if isSameDriver && last.err == nil && isSameSpec {
			prepared.learn(former)
		}
	}
	c.keep(key, next)
	return prepared, isChanged, err
}

// keep remembers how a class was prepared. Objects without identity are not remembered.
func (c *Classes) keep(key string, p preparation) {
	if p.version == "" && key == "" {
		return
	}
	if c.prepared == nil {
		c.prepared = map[string]preparation{}
	}
	c.prepared[key] = p
}

// learn copies what the process has learned about the driver from the previous version of a class.
// Call it if provider spec, Schema and driver are the same.
func (p *PreparedClass) learn(former *PreparedClass) {
	for i := range p.lanes {
		p.lanes[i].ability = former.lanes[i].ability
	}
}

// same reports whether two Schemas mean the same. Schemas of one type share their plan, so their
// fingerprints need not be compared.
func same(a, b *hotupdate.Schema) bool {
	switch {
	case a == b:
		return true
	case a != nil && b != nil && *a == *b:
		return true
	}
	one, err := a.Fingerprint()
	other, otherErr := b.Fingerprint()
	return err == nil && otherErr == nil && one == other
}

// Forget drops a deleted class. The key is namespace/name; client-go's
// cache.DeletionHandlingMetaNamespaceKeyFunc returns it, also for tombstones.
func (c *Classes) Forget(key string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.prepared, key)
}
