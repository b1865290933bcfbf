package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Hints of several guarantees.
const (
	steadyHint = "a marshaler that writes one value in two ways is the usual reason"
	copyHint   = "a DeepCopy must allocate everything anew; generate it"
	readHint   = "let marshaler and unmarshaler agree, with value receivers on marshalers; encoding/json does not " +
		"call those of a pointer in a map"
)

// repetitions is how often one value is hashed to check that its marshalers are deterministic.
const repetitions = 8

// oneHash: a configuration has one hash, and hashing changes nothing.
func (s *subject) oneHash(t trial) *breach {
	c := t.first
	hashed := c()
	twin := c()
	isComparable := reflect.DeepEqual(twin.Interface(), c().Interface())
	first, err := s.document(hashed)
	switch {
	case err != nil:
		return failed("cannot be hashed", err)
	case isComparable && !reflect.DeepEqual(hashed.Interface(), twin.Interface()):
		return broken("a configuration is changed when it is hashed",
			"its marshalers must only read: configurations are hashed by several goroutines")
	case s.isSteady(c, first):
		return nil
	}
	return broken("one configuration has several hashes", "its marshaler must write the same for the same value: "+
		"sort maps, and use neither time, randomness nor addresses").at(unsteady(t.leaves))
}

// isSteady hashes copies of a configuration, one after the other and at the same time.
func (s *subject) isSteady(c maker, document []byte) bool {
	var differs atomic.Bool
	hash := func(v reflect.Value) {
		if again, err := s.document(v); err != nil || !bytes.Equal(again, document) {
			differs.Store(true)
		}
	}
	one := c()
	var all sync.WaitGroup
	for range repetitions {
		hash(one)
		all.Go(func() { hash(c()) })
	}
	all.Wait()
	return !differs.Load()
}

// unsteady returns the path of the first hashed leaf whose text differs from call to call.
func unsteady(leaves []chosen) string {
	for _, l := range leaves {
		text := l.text()
		for range 32 * repetitions {
			if fieldplan.IsProjected(l.node.Class) && !bytes.Equal(l.text(), text) {
				return l.pattern
			}
		}
	}
	return ""
}

// checkMarshalers reports each type that does not read its own output as the same value, with the
// first path and value that show it. It tries all values, so that chance hides nothing.
func (s *subject) checkMarshalers(t rapid.TB) {
	t.Helper()
	reported := map[reflect.Type]bool{}
	visitValues(s.plan.Root, "", func(n *fieldplan.Node, typ reflect.Type, pattern string) {
		for _, m := range s.values(pattern, typ) {
			if reported[typ] || n.Kind != fieldplan.Leaf || !n.Leaf.MarshalsItself() {
				return
			}
			if b := (chosen{node: n, make: m}).roundTrip(); b != nil {
				reported[typ] = true
				b.what = typ.String() + " " + b.what
				b.inGo = fieldpath.Hidden // JSON does not show the value
				if !n.HidesValues() {
					b.inGo = fmt.Sprintf("%+v", m())
				}
				t.Errorf("%s", s.report("MarshalersReadWhatTheyWrite", b.at(pattern), trial{}, ""))
			}
		}
	})
}

// roundTrip encodes and decodes a leaf, and returns the breach in the result, if any.
func (l chosen) roundTrip() *breach {
	text := l.text()
	if text == nil {
		return broken("cannot write one of its values",
			"mend MarshalJSON or MarshalText, or give the values that it writes with WithValues")
	}
	back := reflect.New(l.node.Type)
	if fails(func() error { return json.Unmarshal(text, back.Interface()) }) {
		return broken("does not read what it writes",
			"let UnmarshalJSON or UnmarshalText read what MarshalJSON or MarshalText writes")
	}
	if !bytes.Equal(textOf(l.node.Leaf, back.Elem()), text) && bytes.Equal(l.text(), text) {
		return broken("reads what it wrote as something else", "let its marshaler and its unmarshaler agree")
	}
	same := false
	if fails(func() error { same = sameValue(l.make(), back.Elem()); return nil }) {
		return broken("panics when it is compared",
			"let its method Equal take every value that its unmarshaler returns, and the zero value")
	}
	if same {
		return nil
	}
	return broken("loses something between its marshaler and its unmarshaler, so that two values have one hash",
		"write all of it; or, if what is lost means nothing, let a method Equal say so, or give other values "+
			"with WithValues")
}

// fails calls code of the adopter, and reports whether it returns an error or panics.
func fails(call func() error) bool {
	_, problem := leaf.Call(func() ([]byte, error) { return nil, call() })
	return problem != nil
}

// sameValue compares two values by their method Equal, or by all fields if there is none.
func sameValue(a, b reflect.Value) bool {
	everything := gocmp.Exporter(func(reflect.Type) bool { return true })
	return gocmp.Equal(leaf.Addressable(a).Addr().Interface(), leaf.Addressable(b).Addr().Interface(), everything)
}

// pairAgrees: hash, document and Diff agree about two configurations, and with the expectation of
// the trial.
func (s *subject) pairAgrees(t trial) *breach {
	if t.second == nil {
		return nil
	}
	first := t.first()
	second := t.second()
	before, err := s.document(first)
	if err != nil {
		return failed("cannot be hashed", err)
	}
	after, err := s.document(second)
	if err != nil {
		return failed("cannot be hashed", err)
	}
	changes, err := s.schema.Diff(first.Interface(), second.Interface())
	if err != nil {
		return failed("cannot be compared", err)
	}
	return s.agrees(t, before, after, changes)
}

// agrees is pairAgrees for two documents and the changes that Diff lists.
func (s *subject) agrees(t trial, before, after []byte, changes hotupdate.Changes) *breach {
	sameHash := bytes.Equal(before, after)
	hashed := slices.IndexFunc(changes, isHashed)
	path := s.blame(before, after)
	if hashed >= 0 {
		path = changes[hashed].Path
	}
	switch {
	case t.changed != "" && (sameHash || hashed < 0):
		return broken("a field that is immutable or in-place changed, and the hash did not",
			"its marshaler must write everything that means something").at(t.changed)
	case t.oneHash && !sameHash:
		const what = "configurations that differ in hot and ignored parts only, or in spelling, have different hashes"
		return broken(what, steadyHint).at(path)
	case t.oneMeaning && len(changes) > 0:
		return broken("two spellings of one configuration differ", steadyHint).at(changes[0].Path)
	case sameHash != (hashed < 0):
		const what = "hash and Diff disagree about whether two configurations differ in what is hashed"
		return broken(what, steadyHint).at(path)
	}
	return nil
}

// rawAgrees: the JSON of a configuration has its hash, also under the exported Schema and in
// another spelling, and is read strictly.
func (s *subject) rawAgrees(t trial) *breach {
	want, err := s.document(t.first())
	if err != nil {
		return failed("cannot be hashed", err)
	}
	raw, err := json.Marshal(t.first().Interface())
	if err != nil {
		return broken("a configuration cannot be written as JSON", "mend the marshaler")
	}
	respelled, _ := json.MarshalIndent(decoded(raw), "", "\t") // was just written
	for _, schema := range []*hotupdate.Schema{s.schema, s.loaded} {
		if schema == nil {
			continue
		}
		switch got, err := schema.DocumentRaw(respelled); {
		case err != nil:
			return failed("is written as JSON that is not read again", err)
		case !bytes.Equal(got, want):
			return broken("a configuration and its JSON have different hashes", readHint).at(s.blame(want, got))
		case acceptsUnknown(schema, raw):
			return broken("JSON with a member that the type does not have is accepted",
				"do not override how the type is read, or refuse unknown members")
		}
	}
	return nil
}

func acceptsUnknown(schema *hotupdate.Schema, raw []byte) bool {
	members, hasSome := bytes.CutPrefix(raw, []byte(`{"`))
	_, err := schema.HashRaw(append([]byte(`{"hotupdatetest-unknown":1,"`), members...))
	return hasSome && err == nil
}

// defaultsKeepHash: a defaulting function changes no hash.
func (s *subject) defaultsKeepHash(t trial) *breach {
	for _, d := range s.defaulters {
		config := t.first()
		if fails(func() error { d(config.Interface()); return nil }) {
			return broken("the defaulting function panics", "mend it")
		}
		changes, err := s.schema.Diff(t.first().Interface(), config.Interface())
		if err != nil {
			return failed("cannot be compared after defaulting", err)
		}
		if i := slices.IndexFunc(changes, isHashed); i >= 0 {
			return undeclared(changes[i])
		}
	}
	return nil
}

// undeclared explains a change that a defaulting function made. One change does not tell whether
// the default is always the same.
func undeclared(c hotupdate.Change) *breach {
	if c.Op != hotupdate.OpAdd {
		return broken("the defaulting function changes what was set, and with it the hash",
			"let it fill in only what is not set").at(c.Path)
	}
	return broken("the defaulting function changes the hash", "if it fills in the same scalar wherever the field is "+
		"not set, declare that by the option default of the field's struct tag; if not, let the code that reads the "+
		"field apply the default, or hash what was there before defaulting and leave WithDefaulter out").at(c.Path)
}

// splitMerges: the projections of Split share no memory, have the right hashes, and merge to the
// whole.
func (s *subject) splitMerges(t trial) *breach {
	whole := t.first()
	immutable, hot, err := engine.Split(s.plan, whole)
	if err != nil {
		return failed("cannot be split", err)
	}
	for _, pair := range [][2]reflect.Value{{whole, immutable}, {whole, hot}, {immutable, hot}} {
		if path, shared := sharedMemory(pair[0], pair[1], t.first()); shared {
			const what = "a projection of Split shares memory with its configuration or with the other one"
			return broken(what, copyHint).at(path)
		}
	}
	want, err := s.document(whole)
	if err != nil {
		return failed("cannot be hashed", err)
	}
	switch got, err := s.document(immutable); {
	case err != nil:
		return failed("has an immutable projection that cannot be hashed", err)
	case !bytes.Equal(want, got):
		const what = "a configuration and its immutable projection have different hashes"
		return broken(what, copyHint).at(s.blame(want, got))
	}
	merged, err := engine.Merge(s.plan, immutable, hot)
	if err != nil {
		return failed("has projections that do not merge", err)
	}
	return s.sameJSON(whole, merged, "the merged projections are another configuration")
}

func (s *subject) sameJSON(whole, other reflect.Value, otherwise string) *breach {
	before := canonical(whole.Interface())
	after := canonical(other.Interface())
	if bytes.Equal(before, after) {
		return nil
	}
	return broken(otherwise, copyHint).at(s.blame(before, after))
}

// copiesAreDeep: the type's own DeepCopy, if it has one, makes an equal value that shares no memory
// with it.
func (s *subject) copiesAreDeep(t trial) *breach {
	whole := t.first()
	method := whole.MethodByName("DeepCopy")
	if !method.IsValid() || method.Type() != reflect.FuncOf(nil, []reflect.Type{whole.Type()}, false) {
		return nil
	}
	copied := whole
	if fails(func() error { copied = method.Call(nil)[0]; return nil }) {
		return broken("DeepCopy panics", copyHint)
	}
	if path, shared := sharedMemory(whole, copied, t.first()); shared {
		return broken("DeepCopy returns a copy that shares memory with its original", copyHint).at(path)
	}
	return s.sameJSON(whole, copied, "DeepCopy returns another configuration")
}

func isHashed(c hotupdate.Change) bool {
	return c.Class == hotupdate.Immutable || c.Class == hotupdate.InPlace
}

func (s *subject) document(v reflect.Value) ([]byte, error) {
	return s.schema.Document(v.Interface())
}

func canonical(v any) []byte {
	raw, _ := json.Marshal(v)
	text, _ := canonjson.AppendValue(nil, raw) // nothing if v cannot be written
	return text
}

func failed(what string, err error) *breach {
	b := broken("a configuration "+what+": "+err.Error(),
		"mend the type, or give the values that it can have with WithValues")
	if all := fault.All(err); len(all) > 0 {
		b.path = all[0].Path
	}
	return b
}
