package hotupdatetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

func (s *subject) report(guarantee string, b *breach, t trial, reproduce string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "hotupdatetest: %v: ", s.typ)
	if b.path != "" {
		text.WriteString(b.path + ": ")
	}
	fmt.Fprintf(&text, "%s; %s\nguarantee: %s", b.what, b.hint, guarantee)
	if t.first != nil {
		show(&text, "configuration", s.shown(t.first(), s.plan.Root, nil))
	}
	if t.second != nil {
		show(&text, "second configuration", s.shown(t.second(), s.plan.Root, nil))
	}
	if b.inGo != "" {
		show(&text, "value in Go", b.inGo)
	}
	if reproduce != "" {
		text.WriteString("\n" + reproduce)
	}
	text.WriteString("\nIf no configuration has such values, give those that it can have with WithValues.")
	return text.String()
}

func show(text *strings.Builder, label string, tree any) {
	written, _ := yaml.Marshal(tree) // of JSON
	fmt.Fprintf(text, "\n%s:\n  %s", label, strings.ReplaceAll(strings.TrimRight(string(written), "\n"), "\n", "\n  "))
}

// shown is a value in the form of its JSON, without what is sensitive and what is not set.
func (s *subject) shown(v reflect.Value, n *fieldplan.Node, f *fieldplan.Field) any {
	v, isThere := engine.Deref(v)
	if !isThere {
		return nil
	}
	object := map[string]any{}
	switch n.Kind {
	case fieldplan.Leaf:
		if n.HidesValues() {
			return fieldpath.Hidden
		}
		return leafTree(v, f)
	case fieldplan.Object:
		for _, f := range n.Fields {
			if m := engine.Member(v, f); m.IsValid() && !m.IsZero() {
				object[f.Name] = s.shown(m, f.Node, f)
			}
		}
		return object
	case fieldplan.Map:
		for i, e := range engine.Entries(&engine.Trail{}, n, v) {
			node := engine.Of(s.plan).ElementNode(n, e.Key, e.Value)
			if n.HidesKeys() {
				e.Key = fmt.Sprintf("%s %d", fieldpath.Hidden, i+1)
			}
			object[e.Key] = s.shown(e.Value, node, nil)
		}
		return object
	case fieldplan.List, fieldplan.Array:
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = s.shown(v.Index(i), engine.Of(s.plan).ElementNode(n, "", v.Index(i)), nil)
	}
	return list
}

// leafTree is the JSON of a leaf, of a member if there is one.
func leafTree(v reflect.Value, member *fieldplan.Field) any {
	value := leaf.Addressable(v).Addr().Interface()
	written, problem := leaf.Call(func() ([]byte, error) { return json.Marshal(value) })
	switch {
	case problem != nil:
		return "(not in JSON)"
	case member != nil && member.Quoted:
		return string(written)
	}
	return decoded(written)
}

// blame names the first field in which two documents differ; empty if it cannot be determined.
func (s *subject) blame(first, second []byte) string {
	// a loaded Schema does not call the type's own methods
	changes, err := cmp.Or(s.loaded, s.schema).DiffRaw(first, second)
	if err != nil || len(changes) == 0 {
		return ""
	}
	return changes[max(0, slices.IndexFunc(changes, isHashed))].Path
}

// decoded decodes canonical JSON for cmp to list.
func decoded(text []byte) (tree any) {
	tree, err := jsonpatch.Parse(text)
	if err != nil {
		return string(text)
	}
	return tree
}
