package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/strictjson"
)

// explain finds every reason for which a well-formed document could not be decoded. The decoder itself names only the first wrong
// type, and no path where a type unmarshals itself.
func explain(p *fieldplan.Plan, raw []byte) error {
	e := &explainer{}
	e.root(p, raw)
	if !e.trail.Failed() {
		e.trail.Report(&fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", Type: p.Type.String(), What: "cannot be decoded", Hint: "check it against the type's documentation"})
	}
	return e.trail.Err()
}

// lost finds what the decoder drops without a word, so that documents which differ only there would have one hash: digits of numbers
// that an interface cannot hold exactly, and all but one of the map keys that mean the same.
func lost(p *fieldplan.Plan, raw []byte) error {
	e := &explainer{}
	e.root(p, raw)
	return e.trail.Err()
}

type explainer struct{ trail engine.Trail }

func (e *explainer) root(p *fieldplan.Plan, raw []byte) {
	root := *p.Root
	root.Fields = slices.Concat(p.Root.Fields, p.Meta)
	e.value(&root, raw)
}

func (e *explainer) value(n *fieldplan.Node, raw []byte) {
	raw = bytes.TrimSpace(raw)
	switch {
	case string(raw) == "null":
	case n.Kind == fieldplan.Leaf:
		e.leaf(n, raw)
	case (n.Kind == fieldplan.Object || n.Kind == fieldplan.Map) && raw[0] != '{':
		e.wrong(n, raw, "an object")
	case (n.Kind == fieldplan.List || n.Kind == fieldplan.Array) && raw[0] != '[':
		e.wrong(n, raw, "a list")
	case n.Kind == fieldplan.Object:
		e.members(raw, fieldpath.Step{Kind: fieldpath.Member}, func(name string, value []byte) { e.member(n, name, value) })
	case n.Kind == fieldplan.Map:
		names := map[string]string{}
		e.members(raw, fieldpath.Step{Kind: fieldpath.MapKey, Hidden: n.HidesKeys()}, func(name string, value []byte) { e.entry(n, names, name, value) })
	default:
		e.elements(n, raw)
	}
}

func (e *explainer) wrong(n *fieldplan.Node, raw []byte, want string) {
	e.trail.Report(&fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", Type: n.TypeName(), What: "is " + jsonType(raw) + " where " + want + " is expected", Hint: "write " + want})
}

// jsonType names the type of a JSON value without quoting it.
func jsonType(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string of " + strconv.Itoa(len(raw)-2) + " bytes"
	case 't', 'f':
		return "a bool"
	default:
		return "a number"
	}
}

func (e *explainer) leaf(n *fieldplan.Node, raw []byte) {
	if _, problem := canonjson.AppendValue(nil, raw); problem != nil {
		e.trail.Report(problem)
		return
	}
	target := reflect.New(n.Type)
	if !strictjson.Read(raw, target.Interface()) {
		e.trail.Report(&fault.Error{
			Kind: fault.WrongType, Code: "wrong-json-type", Type: n.TypeName(),
			What: "is " + jsonType(raw) + " that is no " + n.TypeName(), Hint: "write a value of that type",
		})
		return
	}
	if n.Leaf.HoldsInterface(n.Type) && !isExact(raw) {
		e.trail.Report(&fault.Error{
			Kind: fault.Limit, Code: "number-range", Type: n.TypeName(),
			What: "holds a number that " + n.TypeName() + " cannot hold exactly", Hint: "use json.RawMessage as the field's type, or fewer digits",
		})
	}
}

// isExact reports whether raw means the same when it has been read into an interface.
func isExact(raw []byte) bool {
	var decoded any
	if !strictjson.Read(raw, &decoded) {
		return false
	}
	got, problem := leaf.Append(nil, leaf.Interface, reflect.ValueOf(&decoded).Elem())
	if problem != nil {
		return false
	}
	want, problem := canonjson.AppendValue(nil, raw)
	return problem == nil && bytes.Equal(got, want)
}

// members calls visit for each member of an object that is well-formed JSON, a step further on the trail, and reports names that stand
// there twice.
func (e *explainer) members(raw []byte, step fieldpath.Step, visit func(name string, value []byte)) {
	seen := map[string]bool{}
	for dec := openValue(raw); dec.More(); {
		token, err := dec.Token()
		name, _ := token.(string)
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return
		}
		step.Name = name
		e.trail.Enter(step)
		if seen[name] {
			e.trail.Report(&fault.Error{Kind: fault.Duplicate, Code: "duplicate-member", What: "stands twice in its object", Hint: "remove one of the members"})
		}
		seen[name] = true
		visit(name, value)
		e.trail.Leave()
	}
}

func openValue(raw []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the bracket, which the caller has seen
	return dec
}

func (e *explainer) member(n *fieldplan.Node, name string, value []byte) {
	f := n.Lookup(name)
	if f == nil && n.Rest != nil {
		return
	}
	if f == nil {
		e.trail.Report(&fault.Error{Kind: fault.Unknown, Code: "unknown-member", What: "is no field of " + n.TypeName(), Hint: "check the name's spelling and case, and the apiVersion"})
		return
	}
	if f.Quoted {
		e.quoted(f.Node, value)
		return
	}
	e.value(f.Node, value)
}

// quoted checks a value that is spelled as a string.
func (e *explainer) quoted(n *fieldplan.Node, raw []byte) {
	var inner string
	if string(raw) != "null" && (json.Unmarshal(raw, &inner) != nil || !strictjson.Read([]byte(inner), reflect.New(n.Type).Interface())) {
		e.wrong(n, raw, "a string that holds a "+n.Type.String())
	}
}

// entry checks an entry of map n. Names are those of the entries before it, by what they mean.
func (e *explainer) entry(n *fieldplan.Node, names map[string]string, name string, value []byte) {
	encoded, err := json.Marshal(map[string]bool{name: true})
	decoded := reflect.New(reflect.MapOf(n.Type.Key(), reflect.TypeFor[bool]()))
	if err != nil || !strictjson.Read(encoded, decoded.Interface()) {
		e.trail.Report(&fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", Type: n.TypeName(), What: "has a key that is no " + n.Type.Key().String(), Hint: "correct the key"})
	}
	for _, key := range decoded.Elem().MapKeys() {
		text := engine.KeyStep(n, key).Name
		if earlier, ok := names[text]; ok && earlier != name {
			e.trail.Report(&fault.Error{Kind: fault.Duplicate, Code: "duplicate-map-key", Type: n.TypeName(), What: "means the same key as another name", Hint: "remove one of them"})
		}
		names[text] = name
	}
	e.value(n.Elem, value)
}

func (e *explainer) elements(n *fieldplan.Node, raw []byte) {
	dec := openValue(raw)
	for i := 0; dec.More(); i++ {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		e.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		e.value(n.Elem, value)
		e.trail.Leave()
	}
}
