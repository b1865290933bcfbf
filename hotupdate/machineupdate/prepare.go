package machineupdate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

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
	*ability

	// A settled record of a machine that is up to date: head, provider ID, middle, 20 bytes of time, tail.
	middle, tail string
}

// settledHead begins every record of a machine that has a VM.
const settledHead = `{"v":1,"providerID":"`

// prepare reads the class.
func prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	fingerprint, fingerprintErr := schema.Fingerprint()
	schema, config, err := decode(class.ProviderSpec, schema)
	hot, hotErr := schema.HotDocument(config)
	rest, restErr := schema.Document(config)
	if err = cmp.Or(err, fingerprintErr, hotErr, restErr); err != nil {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "class " + class.Name, What: "its provider spec cannot be read", Cause: err}
	}
	if what := tooLarge(Hot(hot)); what != "" {
		return nil, &fault.Error{Kind: fault.Limit, Code: "large-hot-part", Where: "class " + class.Name, What: what, Hint: "make fewer or shorter fields hot"}
	}
	p := &Prepared{class: class, driver: driver, hot: Hot(hot), schema: fingerprint, rest: string(rest), ability: &ability{}}
	if driver.Revision != "" {
		p.schema += "/" + driver.Revision
	}
	example := record{Schema: p.schema, Applied: p.hot}
	p.middle, p.tail, _ = strings.Cut(strings.TrimPrefix(example.Annotation(), settledHead), example.Since.Format(sinceLayout))
	return p, nil
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
