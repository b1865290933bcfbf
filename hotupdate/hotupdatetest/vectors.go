package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// samples are JSON texts of which the first that a leaf takes, and that says something, is its sample.
var samples = []string{
	`"sample"`, `7`, `true`, `"7Gi"`, `"1h7m"`, `"2023-11-14T22:13:20Z"`, `"c2FtcGxl"`, `"7"`, `"10.7.0.1"`, `"10.7.0.0/16"`, `"1.2.7"`, `"https://example.org/sample"`,
	`"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, `{"sample":"a"}`, `["sample"]`,
}

// singles are configurations that say one thing each, in the order of the fields, and the empty one. They depend on nothing but the type.
func (s *subject) singles() []vector {
	empty := vector{Name: "empty", Config: json.RawMessage("{}")}
	return append([]vector{empty}, s.vectorsBelow(s.plan.Root, "", map[*fieldplan.Node]bool{})...)
}

// vectorsBelow makes a vector for each place at and below a node that can have a value, as JSON of the node. It does not enter cycles.
func (s *subject) vectorsBelow(n *fieldplan.Node, path string, open map[*fieldplan.Node]bool) (all []vector) {
	if open[n] {
		return nil
	}
	open[n] = true
	defer delete(open, n)
	switch n.Kind {
	case fieldplan.Leaf:
		if sample, ok := s.sample(n, path); ok {
			all = append(all, vector{Name: path, Config: sample})
		}
	case fieldplan.Object:
		if len(n.Fields) == 0 && path != "" {
			all = append(all, vector{Name: path, Config: json.RawMessage("{}")})
		}
		for _, f := range n.Fields {
			for _, v := range s.vectorsBelow(f.Node, fieldpath.Join(path, f.Name), open) {
				if f.Quoted {
					v.Config = quotedAgain(v.Config)
				}
				all = append(all, vector{Name: v.Name, Config: member(f.Name, v.Config)})
			}
		}
	case fieldplan.List, fieldplan.Array:
		for _, v := range s.vectorsBelow(n.Elem, path+"[]", open) {
			all = append(all, vector{Name: v.Name, Config: slices.Concat([]byte("["), s.identified(n, v.Config), []byte("]"))})
		}
	case fieldplan.Map:
		for _, v := range s.vectorsBelow(n.Elem, path+"[]", open) {
			all = append(all, vector{Name: v.Name, Config: member(sampleKey(n), v.Config)})
		}
	}
	return all
}

func member(name string, value json.RawMessage) json.RawMessage {
	quoted, _ := json.Marshal(name) // a string
	return slices.Concat([]byte("{"), quoted, []byte(":"), value, []byte("}"))
}

// quotedAgain spells a scalar as the option string of json struct tags does.
func quotedAgain(scalar json.RawMessage) json.RawMessage {
	quoted, _ := json.Marshal(string(scalar)) // a string
	return quoted
}

// identified gives an element of a keyed list its key, if it does not have it.
func (s *subject) identified(n *fieldplan.Node, elem json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if n.Key == nil || json.Unmarshal(elem, &members) != nil {
		return elem
	}
	if members[n.Key.Name] == nil {
		key, _ := s.sample(n.Key.Node, "")
		if n.Key.Quoted {
			key = quotedAgain(key)
		}
		members[n.Key.Name] = key
	}
	written, _ := json.Marshal(members) // was just read
	return written
}

func sampleKey(n *fieldplan.Node) string {
	keys := []string{"sample", "7", "10.7.0.1", "1h7m"}
	i := slices.IndexFunc(keys, func(text string) bool { _, ok := readKey(n.Type.Key(), text); return ok })
	return keys[max(0, i)]
}

// sample is a value that a leaf takes and that is not its zero value: one that the tester gave, unless it may be secret.
func (s *subject) sample(n *fieldplan.Node, path string) (json.RawMessage, bool) {
	last := slices.Clone(s.given[path])
	slices.Reverse(last)
	for _, given := range slices.Concat(last, s.byType[n.Type]) {
		if written, err := json.Marshal(leaf.Addressable(given).Addr().Interface()); err == nil && !n.HidesValues() && string(written) != leaf.Null {
			return written, true
		}
	}
	for _, text := range samples {
		v := reflect.New(n.Type)
		if survives(func() error { return json.Unmarshal([]byte(text), v.Interface()) }) == nil && !v.Elem().IsZero() {
			return json.RawMessage(text), true
		}
	}
	return nil, false
}
