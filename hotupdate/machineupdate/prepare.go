package machineupdate

import (
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Class is what hot updates need to know of a MachineClass.
type Class struct {
	Name            string
	UID             types.UID
	ResourceVersion string
	// Deleting says that the class has a deletion timestamp. Machines that were updated in place keep their old class, which the
	// extension deletes and a finalizer of MCM holds.
	Deleting bool
	// ProviderSpec is the raw provider spec.
	ProviderSpec []byte
}

// Driver says what the driver at hand can do. The zero value cannot update machines.
type Driver struct {
	// Ability says whether the driver implements UpdateMachine.
	Ability Ability
	// Revision names what the driver applies, in the words of the driver. When it changes, as when the driver has learned to update
	// disks, every machine is updated once.
	Revision string
}

// Ability says whether a driver implements UpdateMachine. The zero value is CannotUpdate.
type Ability uint8

// The abilities.
const (
	CannotUpdate Ability = iota
	CanUpdate
)

// String returns the ability's name.
func (a Ability) String() string {
	switch a {
	case CannotUpdate:
		return "CannotUpdate"
	case CanUpdate:
		return "CanUpdate"
	}
	return "Ability(" + strconv.Itoa(int(a)) + ")"
}

// Prepared is the class side of a decision, computed once for all machines of the class. It is immutable and safe for concurrent use.
type Prepared struct {
	class  Class
	driver Driver
	hot    Hot
	schema string // what identifies the Schema and the driver's revision in a record
	kept   string // canonical document: what a hot update does not touch

	// A settled record of a machine that is up to date: head, provider ID, middle, 20 bytes of time, tail.
	middle, tail string
}

// settledHead begins every record of a machine that has a VM.
const settledHead = `{"v":1,"providerID":"`

// Prepare reads the class. The error is a [*fault.Error] with the code unusable-class if the provider spec does not belong to the Schema or the
// Schema is missing, and LargeHotPart if the hot part is larger than what can be recorded. No machine of such a class is updated.
func Prepare(class Class, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	config, err := schema.Decode(class.ProviderSpec)
	if err != nil {
		return nil, unusable(class, err)
	}
	fingerprint, err := schema.Fingerprint()
	if err != nil {
		return nil, unusable(class, err)
	}
	hot, err := schema.AppendHot(nil, config)
	if err != nil {
		return nil, unusable(class, err)
	}
	kept, err := schema.AppendDocument(nil, config)
	if err != nil {
		return nil, unusable(class, err)
	}
	if what := tooLarge(Hot(hot)); what != "" {
		return nil, &fault.Error{Kind: fault.Limit, Code: "large-hot-part", Where: "class " + class.Name, What: what, Hint: "make fewer or shorter fields hot"}
	}
	p := &Prepared{class: class, driver: driver, hot: Hot(hot), schema: fingerprint, kept: string(kept)}
	if driver.Revision != "" {
		p.schema += "/" + driver.Revision
	}
	p.middle = string(append(appendSchema([]byte{'"'}, p.schema), sinceMember...))
	p.tail = string(append(appendApplied([]byte{'"'}, p.hot), '}'))
	return p, nil
}

func unusable(class Class, err error) *fault.Error {
	return &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.Name, What: "its provider spec cannot be read", Cause: err}
}

// Class returns the class.
func (p *Prepared) Class() Class { return p.class }

// Hot returns the hot part of the class's provider spec: what its machines should have.
func (p *Prepared) Hot() Hot { return p.hot }

// Schema returns the text that stands for the Schema and the driver's revision in records.
func (p *Prepared) Schema() string { return p.schema }

// KeptAlike reports whether both provider specs agree in all that a hot update does not touch. Labels, images and subnets change a
// class without changing its name; running machines keep what they were made with.
func (p *Prepared) KeptAlike(other *Prepared) bool { return p.kept == other.kept }

// settledSince reports whether the annotation is that of a machine that is up to date, and since when. It allocates nothing.
func (p *Prepared) settledSince(annotation, providerID string) (since time.Time, ok bool) {
	rest, ok := cut(annotation, settledHead)
	if !ok || !isPlain(providerID) {
		return since, false
	}
	if rest, ok = cut(rest, providerID); !ok {
		return since, false
	}
	if rest, ok = cut(rest, p.middle); !ok || len(rest) != len(sinceLayout)+len(p.tail) || rest[len(sinceLayout):] != p.tail {
		return since, false
	}
	return parseSince(rest[:len(sinceLayout)])
}

func cut(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

// isPlain reports whether text is written in JSON as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return text != ""
}

// Classes prepares every class once for each resourceVersion, and says what changed beside the hot part. The zero value is ready for
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

// KeptChange says whether a class changed in what a hot update does not touch. The zero value is KeptAlike.
type KeptChange uint8

// The changes.
const (
	KeptAlike   KeptChange = iota // it did not
	KeptChanged                   // running machines keep what they were made with; report it
)

// String returns the change's name.
func (k KeptChange) String() string {
	switch k {
	case KeptAlike:
		return "KeptAlike"
	case KeptChanged:
		return "KeptChanged"
	}
	return "KeptChange(" + strconv.Itoa(int(k)) + ")"
}

// Prepare is [Prepare], computed once per UID and resourceVersion, Schema and driver. An error is kept as well.
//
// The change is KeptChanged for one caller after each change of the class that concerns more than its hot part: report it once.
func (c *Classes) Prepare(class Class, schema *hotupdate.Schema, driver Driver) (*Prepared, KeptChange, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last, known := c.prepared[class.UID]
	if known && last.resourceVersion == class.ResourceVersion && last.schema == schema && last.driver == driver {
		return last.prepared, KeptAlike, last.err
	}
	prepared, err := Prepare(class, schema, driver)
	if c.prepared == nil {
		c.prepared = map[types.UID]preparation{}
	}
	c.prepared[class.UID] = preparation{class.ResourceVersion, schema, driver, prepared, err}
	if prepared != nil && last.prepared != nil && last.schema == schema && !prepared.KeptAlike(last.prepared) {
		return prepared, KeptChanged, err
	}
	return prepared, KeptAlike, err
}

// Forget drops a class that is gone.
func (c *Classes) Forget(uid types.UID) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.prepared, uid)
}
