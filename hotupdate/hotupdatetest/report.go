package hotupdatetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

func (s *subject) report(g guarantee, b *breach, t trial, reproduce string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "hotupdatetest: %v: ", s.typ)
	if b.path != "" {
		text.WriteString(b.path + ": ")
	}
	fmt.Fprintf(&text, "%s; %s\nguarantee: %s", b.what, b.hint, g.name)
	show(&text, "configuration", printer{hidesSecrets: true}.tree(t.first))
	if t.second != nil {
		show(&text, "second configuration", printer{hidesSecrets: true}.tree(t.second))
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

// printer shows parts in the form of their JSON.
type printer struct{ hidesSecrets bool }

func (w printer) tree(p *part) any {
	if p == nil || p.null {
		return nil
	}
	object := map[string]any{}
	switch p.node.Kind {
	case fieldplan.Leaf:
		return w.leaf(p)
	case fieldplan.Object:
		for i, m := range p.members {
			if m != nil {
				object[p.node.Fields[i].Name] = w.tree(m)
			}
		}
		return object
	case fieldplan.Map:
		for i, e := range p.elems {
			key := p.keyText(e)
			if w.hidesSecrets && p.node.HidesKeys() {
				key = fmt.Sprintf("%s %d", fieldpath.Hidden, i+1)
			}
			object[key] = w.tree(e)
		}
		return object
	case fieldplan.List, fieldplan.Array:
	}
	list := make([]any, len(p.elems))
	for i, e := range p.elems {
		list[i] = w.tree(e)
	}
	return list
}

func (w printer) leaf(p *part) any {
	if w.hidesSecrets && p.node.HidesValues() {
		return fieldpath.Hidden
	}
	v := p.make()
	if !v.IsValid() {
		return nil
	}
	var written []byte
	isUnwritten := fails(func() (err error) {
		written, err = json.Marshal(leaf.Addressable(v).Addr().Interface())
		return err
	})
	switch {
	case isUnwritten:
		return "(not in JSON)"
	case p.field != nil && p.field.Quoted:
		return string(written)
	}
	return decoded(written)
}

// blame names the first field in which two documents differ; empty if it cannot be determined.
func (s *subject) blame(first, second []byte) string {
	schema := s.schema
	if s.loaded != nil {
		schema = s.loaded // without the type's own methods
	}
	changes, err := schema.DiffRaw(first, second)
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
