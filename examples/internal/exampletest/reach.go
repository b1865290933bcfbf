package exampletest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// testReach changes the values of a config one by one. It checks that each change reaches the
// provider spec as a change of the same class: otherwise no machine gets the change, or the driver
// does not apply a hot change.
func (p *Provider[C, I, S]) testReach(t *testing.T) {
	data, config := p.reachConfig(t)
	unreached := map[string]bool{}
	for _, l := range leavesOf("", config) {
		if i := slices.IndexFunc(p.Unreached, l.isBelow); i >= 0 {
			unreached[p.Unreached[i]] = true
			continue
		}
		old := l.get()
		l.set(changed(old))
		updated, err := json.Marshal(config)
		fatal(t, err)
		l.set(old)
		p.checkSameClass(t, l.path, data, updated)
	}
	for _, path := range p.Unreached {
		if !unreached[path] {
			t.Errorf("%s of Unreached is not a path of the config", path)
		}
	}
}

// testEmptyObjects compares each object of a config, when it is empty, with an absent one. The
// canonical hash must differ exactly if the provider spec does: then the code tests the pointer for
// nil, and the field needs the option presence. A config from which no provider spec can be made
// counts as different.
func (p *Provider[C, I, S]) testEmptyObjects(t *testing.T) {
	_, config := p.reachConfig(t)
	schema := p.schema(t)
	specSchema := p.specSchema(t)
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
		specChanges, err := specSchema.Diff(p.reachSpec(t, empty), p.reachSpec(t, none))
		if means := err != nil || len(specChanges) > 0; means != (len(changes) > 0) {
			t.Errorf("%s: an empty object changes %q in the config, and %q in the provider spec (%v)", o.path,
				paths(changes), paths(specChanges), err)
		}
	}
}

// reachConfig returns a config with all fields set, as JSON and decoded. Its data volumes have the
// names of the pool's data volumes, see reachSpec.
func (p *Provider[C, I, S]) reachConfig(t *testing.T) ([]byte, map[string]any) {
	t.Helper()
	typed := filled[C](t)
	if p.AdjustReach != nil {
		p.AdjustReach(typed)
	}
	data, err := json.Marshal(typed)
	fatal(t, err)
	var config map[string]any
	fatal(t, json.Unmarshal(data, &config))
	volumes, _ := config["dataVolumes"].([]any) // not every WorkerConfig has them
	for i, volume := range volumes {
		volume.(map[string]any)["name"] = reachVolumes[i].Name
	}
	data, err = json.Marshal(config)
	fatal(t, err)
	return data, config
}

// reachVolumes are the pool's data volumes, one for each data volume of a config with all fields
// set.
var reachVolumes = []gardener.DataVolume{{Name: "kubelet-dir", Size: "30Gi"}, {Name: "b", Size: "40Gi"}}

// reachSpec returns the provider spec of a pool with the data volumes of reachConfig.
func (p *Provider[C, I, S]) reachSpec(t *testing.T, raw []byte) *S {
	t.Helper()
	pool := Pool(Canonical, raw)
	pool.DataVolumes = slices.Clone(reachVolumes)
	spec, err := p.Spec(pool)
	fatal(t, err)
	return spec
}

// objectsOf lists the objects below a value.
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

func (p *Provider[C, I, S]) checkSameClass(t *testing.T, path string, before, after []byte) {
	t.Helper()
	changes, err := p.schema(t).DiffRaw(before, after)
	fatal(t, err)
	want, ok := changes.Strictest()
	if !ok {
		t.Errorf("%s: a change of it is none", path)
		return
	}
	specChanges, err := p.specSchema(t).Diff(p.reachSpec(t, before), p.reachSpec(t, after))
	fatal(t, err)
	got, ok := specChanges.Strictest()
	switch {
	case !ok:
		t.Errorf("%s does not reach the provider spec", path)
	case got != want:
		t.Errorf("%s is %s, but in the provider spec %q changes, which is %s", path, want, paths(specChanges), got)
	}
}

// leaf is a value in a JSON document.
type leaf struct {
	path string
	get  func() any
	set  func(any)
}

// isBelow reports whether the value is at a path, or in an object or list there.
func (l leaf) isBelow(path string) bool {
	rest, found := strings.CutPrefix(l.path, path)
	return found && (rest == "" || strings.IndexByte(".[", rest[0]) >= 0)
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
