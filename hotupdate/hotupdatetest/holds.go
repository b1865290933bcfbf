package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// repetitions is how often one value is hashed to see whether its marshalers are steady.
const repetitions = 8

// oneHash: a configuration has one hash, and hashing changes nothing.
func (s *subject) oneHash(t trial) *breach {
	c := t.configs[0]
	if b := s.changesItself(c); b != nil {
		return b
	}
	first, err := s.document(c.value())
	if err != nil {
		return s.failed("cannot be hashed", err, c)
	}
	if s.isSteady(c, first) {
		return nil
	}
	return &breach{
		what: "one configuration has several hashes", path: s.unsteady(c),
		cure:  "its marshaler must write the same for the same value: sort maps, and use neither time, randomness nor addresses",
		shown: s.show(c),
	}
}

// isSteady hashes copies of a configuration, one after the other and at the same time.
func (s *subject) isSteady(c config, document []byte) bool {
	same := make([]bool, 2*repetitions)
	one := c.value()
	var all sync.WaitGroup
	for i := range same {
		if i < repetitions {
			again, err := s.document(one)
			same[i] = err == nil && bytes.Equal(again, document)
			continue
		}
		all.Go(func() {
			again, err := s.document(c.value())
			same[i] = err == nil && bytes.Equal(again, document)
		})
	}
	all.Wait()
	for _, ok := range same {
		if !ok {
			return false
		}
	}
	return true
}

// unsteady finds the leaf in the hash whose text differs from call to call.
func (s *subject) unsteady(c config) string {
	blamed := ""
	c.root.visit(nil, func(p *part, path fieldpath.Path) {
		texts := map[string]bool{}
		for range 32 * repetitions {
			texts[string(p.text())] = true
		}
		if len(texts) > 1 && blamed == "" && fieldplan.IsKept(p.node.Class) {
			blamed = path.String()
		}
	})
	return blamed
}

// changesItself finds a leaf that is another one after its marshaler was called.
func (s *subject) changesItself(c config) (b *breach) {
	c.root.visit(nil, func(p *part, path fieldpath.Path) {
		v, twin := reflect.New(p.node.Type), p.make()
		if b != nil || !p.node.Leaf.MarshalsItself() || !reflect.DeepEqual(twin.Interface(), p.make().Interface()) {
			return
		}
		v.Elem().Set(p.make())
		if _, problem := leaf.Append(nil, p.node.Leaf, v.Elem()); problem != nil || reflect.DeepEqual(v.Elem().Interface(), twin.Interface()) {
			return
		}
		b = &breach{
			what: p.node.Type.String() + " is changed by its own marshaler", path: path.String(),
			cure: "the marshaler must only read: configurations are hashed by several goroutines", shown: s.show(c),
		}
	})
	return b
}

// marshalersAgree: what a type writes it reads, as the same.
func (s *subject) marshalersAgree(t trial) (b *breach) {
	c := t.configs[0]
	c.root.visit(nil, func(p *part, path fieldpath.Path) {
		if b != nil || !p.node.Leaf.MarshalsItself() {
			return
		}
		if what, cure := s.roundTrip(p); what != "" {
			b = &breach{what: p.node.Type.String() + " " + what, cure: cure, path: path.String(), shown: append(s.show(c), p.inGo())}
		}
	})
	return b
}

// roundTrip sends a leaf through its JSON and says what is wrong with what comes back.
func (s *subject) roundTrip(p *part) (what, cure string) {
	v := p.make()
	text := p.text()
	if text == nil {
		return "cannot write one of its values", "mend MarshalJSON or MarshalText, or give the values that it writes with WithValuesOf"
	}
	back := reflect.New(p.node.Type)
	_, problem := leaf.Call(func() ([]byte, error) { return nil, json.Unmarshal(text, back.Interface()) })
	if problem != nil {
		return "does not read what it writes", "let UnmarshalJSON or UnmarshalText read what MarshalJSON or MarshalText writes"
	}
	again := part{node: p.node, make: fixed(back.Elem())}
	if !bytes.Equal(again.text(), text) && bytes.Equal(p.text(), text) {
		return "reads what it wrote as something else", "let its marshaler and its unmarshaler agree"
	}
	if s.normalizes[p.node.Type] {
		return "", ""
	}
	same := false
	if _, problem := leaf.Call(func() ([]byte, error) { same = sameValue(v, back.Elem()); return nil, nil }); problem != nil {
		return "panics when it is compared", "let its method Equal or Cmp take every value that its unmarshaler returns, and the zero value"
	}
	if !same {
		return "loses something between its marshaler and its unmarshaler, so that two different values have one hash",
			"write all of it; or, if what is lost means nothing, say WithNormalizing[" + p.node.Type.String() + "]()"
	}
	return "", ""
}

// inGo shows a leaf with what its JSON does not say.
func (p *part) inGo() shown {
	if p.node.HidesValues() {
		return shown{"value in Go", fieldpath.Hidden}
	}
	return shown{"value in Go", fmt.Sprintf("%+v", p.make())}
}

// sameValue asks the type itself, if it knows: Equal or Cmp.
func sameValue(a, b reflect.Value) bool {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return true
	}
	for _, recv := range []reflect.Value{addressed(a), addressed(a).Elem()} {
		for _, arg := range []reflect.Value{addressed(b), addressed(b).Elem()} {
			if same, known := asks(recv, arg); known {
				return same
			}
		}
	}
	return false
}

// asks calls the method Equal or Cmp if there is one that takes the argument.
func asks(recv, arg reflect.Value) (same, known bool) {
	for _, name := range []string{"Equal", "Cmp"} {
		m := recv.MethodByName(name)
		if !m.IsValid() || m.Type().NumIn() != 1 || m.Type().NumOut() != 1 || !arg.Type().AssignableTo(m.Type().In(0)) {
			continue
		}
		switch out := m.Call([]reflect.Value{arg})[0]; {
		case out.Kind() == reflect.Bool:
			return out.Bool(), true
		case out.CanInt():
			return out.Int() == 0, true
		}
	}
	return false, false
}

func addressed(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

// agree: one hash, one document, no kept change.
func (s *subject) agree(t trial) *breach {
	if len(t.configs) < 2 {
		return nil
	}
	a, b := t.configs[0], t.configs[1]
	first, second, err := s.documents(a, b)
	if err != nil {
		return s.failed("cannot be hashed", err, a, b)
	}
	changes, err := s.schema.Diff(a.value().Interface(), b.value().Interface())
	if err != nil {
		return s.failed("cannot be compared", err, a, b)
	}
	kept := keptPaths(changes)
	switch same := bytes.Equal(first, second); {
	case same && len(kept) > 0:
		return &breach{what: "two configurations have one hash, and Diff lists an immutable or in-place change", path: kept[0], cure: steadyCure, shown: s.show(a, b)}
	case !same && len(kept) == 0:
		return &breach{what: "two configurations have different hashes, and Diff lists no immutable or in-place change", path: s.blame(first, second), cure: steadyCure, shown: s.show(a, b)}
	}
	return nil
}

const steadyCure = "a marshaler that writes one value in two ways is the usual reason"

// sameHash: the second configuration differs in hot and ignored parts, and in spelling.
func (s *subject) sameHash(t trial) *breach {
	a, b := t.configs[0], t.configs[1]
	first, second, err := s.documents(a, b)
	if err != nil {
		return s.failed("cannot be hashed", err, a, b)
	}
	if !bytes.Equal(first, second) {
		return &breach{
			what: "two configurations that differ in hot and ignored parts only, or in spelling, have different hashes", path: s.blame(first, second), cure: steadyCure, shown: s.show(a, b),
		}
	}
	return nil
}

// sameMeaning: the second configuration differs in spelling only.
func (s *subject) sameMeaning(t trial) *breach {
	if b := s.sameHash(t); b != nil {
		return b
	}
	changes, err := s.schema.Diff(t.configs[0].value().Interface(), t.configs[1].value().Interface())
	switch {
	case err != nil:
		return s.failed("cannot be compared", err, t.configs...)
	case len(changes) > 0:
		return &breach{what: "two spellings of one configuration differ", path: changes[0].Path, cure: steadyCure, shown: s.show(t.configs...)}
	}
	return nil
}

// otherHash: the second configuration differs in one leaf that is hashed.
func (s *subject) otherHash(t trial) *breach {
	if t.spot == nil {
		return nil
	}
	a, b := t.configs[0], t.configs[1]
	first, second, err := s.documents(a, b)
	if err != nil {
		return s.failed("cannot be hashed", err, a, b)
	}
	changes, err := s.schema.Diff(a.value().Interface(), b.value().Interface())
	if err != nil {
		return s.failed("cannot be compared", err, a, b)
	}
	if bytes.Equal(first, second) || len(keptPaths(changes)) == 0 {
		return &breach{
			what: "a field that is immutable or in-place changed, and the hash did not", path: t.spot.path.String(), cure: "its marshaler must write everything that means something", shown: s.show(a, b),
		}
	}
	return nil
}

// rawAgrees: the JSON of a configuration hashes like it, also under the exported Schema, and is read strictly.
func (s *subject) rawAgrees(t trial) *breach {
	c := t.configs[0]
	want, err := s.document(c.value())
	if err != nil {
		return s.failed("cannot be hashed", err, c)
	}
	if t.raw == nil {
		return &breach{what: "a configuration cannot be written as JSON", cure: "mend the marshaler", shown: s.show(c)}
	}
	for _, schema := range []*hotupdate.Schema{s.schema, s.loaded} {
		if schema == nil {
			continue
		}
		got, err := hash.DocumentRaw(schema, t.raw)
		switch {
		case err != nil:
			return s.failed("is written as JSON that is not read again", err, c)
		case !bytes.Equal(got, want):
			return &breach{
				what: "a configuration and its JSON have different hashes", path: s.blame(want, got),
				cure: "let marshaler and unmarshaler agree, with value receivers on marshalers; encoding/json does not call those of a pointer in a map", shown: s.show(c),
			}
		}
		if object := bytes.TrimSuffix(bytes.TrimSpace(t.raw), []byte("}")); len(object) < len(bytes.TrimSpace(t.raw)) {
			if b := s.refuses(schema, object, c); b != nil {
				return b
			}
		}
	}
	return nil
}

// refuses adds a member that the type does not have.
func (s *subject) refuses(schema *hotupdate.Schema, object []byte, c config) *breach {
	separator := ","
	if len(bytes.TrimSpace(object)) == 1 {
		separator = ""
	}
	if _, err := hash.OfRaw(schema, fmt.Appendf(nil, `%s%s"hotupdatetest-unknown":1}`, object, separator)); err == nil {
		return &breach{what: "JSON with a member that the type does not have is accepted", cure: "do not override how the type is read, or refuse unknown members", shown: s.show(c)}
	}
	return nil
}

func keptPaths(changes hotupdate.Changes) (paths []string) {
	for _, c := range changes {
		if isKept(c) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// isKept reports whether a change is in the hash.
func isKept(c hotupdate.Change) bool {
	return c.Class == hotupdate.Immutable || c.Class == hotupdate.InPlace
}

func (s *subject) document(v reflect.Value) ([]byte, error) {
	return hash.Document(s.schema, v.Interface())
}

func (s *subject) documents(a, b config) (first, second []byte, err error) {
	if first, err = s.document(a.value()); err != nil {
		return nil, nil, err
	}
	second, err = s.document(b.value())
	return first, second, err
}

// canonical is JSON in one spelling, or nil.
func canonical(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	text, problem := canonjson.AppendValue(nil, raw)
	if problem != nil {
		return nil
	}
	return text
}

// failed is the breach of a function that returned an error.
func (s *subject) failed(what string, err error, configs ...config) *breach {
	b := &breach{what: "a configuration " + what + ": " + err.Error(), cure: "mend the type, or give the values that it can have with WithValues or WithValuesOf", shown: s.show(configs...)}
	for _, e := range fault.All(err) {
		b.path = e.Path
		break
	}
	return b
}
