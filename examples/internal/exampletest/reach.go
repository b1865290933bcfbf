package exampletest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// CheckReach changes the values of a config one by one. It checks that each change reaches the
// provider spec as a change of the same class: otherwise no machine gets the change, or the driver
// does not apply a hot change. Values whose path begins with one of except are not checked.
//
// It also compares each object of the config, when it is empty, with an absent one. The canonical
// hash must differ exactly if the machines do: then the code tests the pointer for nil, and the
// field needs the option presence. An unreadable provider spec counts as different.
func (p *Provider) CheckReach(t *testing.T, filled any, except ...string) {
	t.Helper()
	p.checkEmptyObjects(t, filled)
	data, err := json.Marshal(filled)
	fatal(t, err)
	var config map[string]any
	fatal(t, json.Unmarshal(data, &config))
	for _, l := range leavesOf("", config) {
		if slices.ContainsFunc(except, func(e string) bool { return strings.HasPrefix(l.path, e) }) {
			continue
		}
		old := l.get()
		l.set(changed(old))
		updated, err := json.Marshal(config)
		fatal(t, err)
		l.set(old)
		p.checkSameClass(t, l.path, data, updated)
	}
}

func (p *Provider) checkEmptyObjects(t *testing.T, filled any) {
	t.Helper()
	data, err := json.Marshal(filled)
	fatal(t, err)
	var config map[string]any
	fatal(t, json.Unmarshal(data, &config))
	schema, err := p.Schema()
	fatal(t, err)
	specSchema, err := p.SpecSchema()
	fatal(t, err)
	for _, o := range objectsOf("", config) {
		old := o.get()
		o.set(map[string]any{})
		empty, err := json.Marshal(config)
		fatal(t, err)
		o.set(nil)
		none, err := json.Marshal(config)
		fatal(t, err)
		o.set(old)
		changes, err := schema.DiffRaw(empty, none)
		fatal(t, err)
		specChanges, err := specSchema.Diff(p.specOf(t, empty), p.specOf(t, none))
		if means := err != nil || len(specChanges) > 0; means != (len(changes) > 0) {
			t.Errorf("%s: an empty object changes %q in the config, and %q in the provider spec (%v)", o.path,
				paths(changes), paths(specChanges), err)
		}
	}
}

// objectsOf lists the objects that are members of others.
func objectsOf(path string, value any) []leaf {
	var all []leaf
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			here := strings.TrimPrefix(path+"."+name, ".")
			if _, ok := member.(map[string]any); ok {
				all = append(all, leaf{here, func() any { return v[name] }, func(to any) { v[name] = to }})
			}
			all = append(all, objectsOf(here, member)...)
		}
	case []any:
		for i, element := range v {
			all = append(all, objectsOf(fmt.Sprintf("%s[%d]", path, i), element)...)
		}
	}
	return all
}

func (p *Provider) checkSameClass(t *testing.T, path string, before, after []byte) {
	t.Helper()
	schema, err := p.Schema()
	fatal(t, err)
	changes, err := schema.DiffRaw(before, after)
	fatal(t, err)
	want, ok := changes.Strictest()
	if !ok {
		t.Errorf("%s: a change of it is none", path)
		return
	}
	specSchema, err := p.SpecSchema()
	fatal(t, err)
	specChanges, err := specSchema.Diff(p.specOf(t, before), p.specOf(t, after))
	fatal(t, err)
	got, ok := specChanges.Strictest()
	switch {
	case !ok:
		t.Errorf("%s does not reach the provider spec", path)
	case got != want:
		t.Errorf("%s is %s, but in the provider spec %q changes, which is %s", path, want, paths(specChanges), got)
	}
}

func (p *Provider) specOf(t *testing.T, raw []byte) any {
	t.Helper()
	pool := Pool(Canonical, raw)
	pool.DataVolumes = []gardener.DataVolume{{Name: "kubelet-dir", Size: "30Gi"}, {Name: "b", Size: "40Gi"}}
	spec, err := p.Spec(pool)
	fatal(t, err)
	return spec
}

// leaf is a value in a JSON document.
type leaf struct {
	path string
	get  func() any
	set  func(any)
}

func leavesOf(path string, value any) []leaf {
	var all []leaf
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			here := leaf{
				strings.TrimPrefix(path+"."+name, "."), func() any { return v[name] }, func(to any) { v[name] = to },
			}
			all = append(all, orBelow(here, member)...)
		}
	case []any:
		for i, element := range v {
			here := leaf{fmt.Sprintf("%s[%d]", path, i), func() any { return v[i] }, func(to any) { v[i] = to }}
			all = append(all, orBelow(here, element)...)
		}
	}
	return all
}

func orBelow(here leaf, value any) []leaf {
	switch value.(type) {
	case map[string]any, []any:
		return leavesOf(here.path, value)
	}
	return []leaf{here}
}

func changed(value any) any {
	switch v := value.(type) {
	case string:
		return v + "x"
	case float64:
		return v + 1
	case bool:
		return !v
	}
	return nil
}
