package machineupdate

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MachineClass is what hot updates need to know of one.
type MachineClass struct {
	Name            string
	UID             types.UID
	ResourceVersion string
	// Deleting says that the class has a deletion timestamp. Machines that were updated in place keep their old class, which the
	// extension deletes and a finalizer of MCM holds.
	Deleting     bool
	ProviderSpec []byte // raw
}

// Driver says what the driver at hand can do. The zero value cannot update machines.
type Driver struct {
	CanUpdate bool // it implements UpdateMachine
	// Revision names what the driver applies, in the words of the driver. When it changes, as when the driver has learned to update
	// disks, every machine is updated once.
	Revision string
}

// Prepared is the class side of a decision, computed once for all machines of the class. It is immutable and safe for concurrent use.
type Prepared struct {
	class  MachineClass
	driver Driver
	hot    Hot    // what the machines of the class should have
	schema string // identifies the Schema and the driver's revision in a record
	rest   string // canonical document: the fields that no hot update touches

	// A settled record of a machine that is up to date: head, provider ID, middle, 20 bytes of time, tail.
	middle, tail string
}

// settledHead begins every record of a machine that has a VM.
const settledHead = `{"v":1,"providerID":"`

// prepare reads the class.
func prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	config, err := schema.Decode(class.ProviderSpec)
	fingerprint, fingerprintErr := schema.Fingerprint()
	hot, hotErr := schema.HotDocument(config)
	rest, restErr := schema.Document(config)
	if err = cmp.Or(err, fingerprintErr, hotErr, restErr); err != nil {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.Name, What: "its provider spec cannot be read", Cause: err}
	}
	if what := tooLarge(Hot(hot)); what != "" {
		return nil, &fault.Error{Kind: fault.Limit, Code: "large-hot-part", Where: "class " + class.Name, What: what, Hint: "make fewer or shorter fields hot"}
	}
	p := &Prepared{class: class, driver: driver, hot: Hot(hot), schema: fingerprint, rest: string(rest)}
	if driver.Revision != "" {
		p.schema += "/" + driver.Revision
	}
	example := record{Schema: p.schema, Applied: p.hot}
	p.middle, p.tail, _ = strings.Cut(strings.TrimPrefix(example.Annotation(), settledHead), example.Since.Format(sinceLayout))
	return p, nil
}

// settledSince reports whether the annotation is that of a machine that is up to date, and since when. It allocates nothing.
func (p *Prepared) settledSince(annotation, providerID string) (since time.Time, ok bool) {
	rest := annotation
	for _, part := range [...]string{settledHead, providerID, p.middle} {
		if rest, ok = strings.CutPrefix(rest, part); !ok {
			return since, false
		}
	}
	if len(rest) != len(sinceLayout)+len(p.tail) || rest[len(sinceLayout):] != p.tail || !isPlain(providerID) {
		return since, false
	}
	return parseSince(rest[:len(sinceLayout)])
}

// isPlain reports whether JSON spells the text as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return text != ""
}

// Classes prepares every class once for each resourceVersion, and reports changes beside the hot part. The zero value is ready for
// use, and safe for concurrent use.
type Classes struct {
	mutex    sync.Mutex
	prepared map[types.UID]preparation
}

type preparation struct {
	resourceVersion string
	schema          *hotupdate.Schema
	driver          Driver
	prepared        *Prepared
	err             error
}

// Prepare reads a class, once per UID, resourceVersion, Schema and driver. Errors are cached as well. The error is a [*fault.Error] with the
// code unusable-class if the provider spec does not belong to the Schema or there is none, and large-hot-part if no record can hold the hot
// part. No machine of such a class is updated.
//
// Beyond is true for one caller after each change of the class that goes beyond its hot part. Labels, images and subnets change a class
// without changing its name; running machines keep those that they were made with. Report it.
func (c *Classes) Prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (prepared *Prepared, beyond bool, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last, known := c.prepared[class.UID]
	if known && last.resourceVersion == class.ResourceVersion && last.schema == schema && last.driver == driver {
		return last.prepared, false, last.err
	}
	prepared, err = prepare(class, schema, driver)
	if c.prepared == nil {
		c.prepared = map[types.UID]preparation{}
	}
	c.prepared[class.UID] = preparation{class.ResourceVersion, schema, driver, prepared, err}
	beyond = prepared != nil && last.prepared != nil && last.schema == schema && prepared.rest != last.prepared.rest
	return prepared, beyond, err
}

// Forget drops a class that is gone.
func (c *Classes) Forget(uid types.UID) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.prepared, uid)
}
