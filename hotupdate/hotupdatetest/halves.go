package hotupdatetest

import (
	"bytes"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

const copyCure = "a DeepCopy must allocate everything anew; generate it"

// halvesMerge: the halves of Split are apart, hash as they should, and merge to the whole.
func (s *subject) halvesMerge(t trial) *breach {
	c := t.configs[0]
	if c.root == nil {
		return nil
	}
	whole := c.value()
	kept, hot, err := engine.Split(s.plan, whole)
	if err != nil {
		return s.failed("cannot be split", err, c)
	}
	for _, pair := range [][2]reflect.Value{{whole, kept}, {whole, hot}, {kept, hot}} {
		if path, shared := sharedMemory(pair[0], pair[1], c.value()); shared {
			return &breach{what: "a half shares memory with its configuration or with the other half", path: path, cure: copyCure, shown: s.show(c)}
		}
	}
	return s.halvesSay(c, whole, kept, hot)
}

// halvesSay compares what the halves say with what the whole says.
func (s *subject) halvesSay(c config, whole, kept, hot reflect.Value) *breach {
	want, err := s.document(whole)
	if err != nil {
		return s.failed("cannot be hashed", err, c)
	}
	immutable, err := s.document(kept)
	if err != nil {
		return s.failed("has an immutable half that cannot be hashed", err, c)
	}
	if !bytes.Equal(want, immutable) {
		return &breach{what: "a configuration and its immutable half have different hashes", path: s.blame(want, immutable), cure: copyCure, shown: s.show(c)}
	}
	merged, err := engine.Merge(s.plan, kept, hot)
	if err != nil {
		return s.failed("has halves that do not merge", err, c)
	}
	if before, after := canonical(whole.Interface()), canonical(merged.Interface()); !bytes.Equal(before, after) {
		return &breach{what: "the merged halves are another configuration", path: s.blame(before, after), cure: copyCure, shown: s.show(c)}
	}
	return nil
}

// copiesAreDeep: the type's own DeepCopy, if it has one, makes an equal value that shares no memory with it.
func (s *subject) copiesAreDeep(t trial) *breach {
	c := t.configs[0]
	method := reflect.Value{}
	whole := c.value()
	if c.root != nil {
		method = whole.MethodByName("DeepCopy")
	}
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 || method.Type().Out(0) != whole.Type() {
		return nil
	}
	copied := whole
	if _, problem := leaf.Call(func() ([]byte, error) { copied = method.Call(nil)[0]; return nil, nil }); problem != nil {
		return &breach{what: "DeepCopy panics", cure: copyCure, shown: s.show(c)}
	}
	if path, shared := sharedMemory(whole, copied, c.value()); shared {
		return &breach{what: "DeepCopy returns a copy that shares memory with its original", path: path, cure: copyCure, shown: s.show(c)}
	}
	if before, after := canonical(whole.Interface()), canonical(copied.Interface()); !bytes.Equal(before, after) {
		return &breach{what: "DeepCopy returns another configuration", path: s.blame(before, after), cure: copyCure, shown: s.show(c)}
	}
	return nil
}
