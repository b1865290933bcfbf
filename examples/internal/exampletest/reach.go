package exampletest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// CheckReach changes one value of a config after the other, and sees to it that the driver gets to see each: a field of the WorkerConfig
// that does not reach the provider spec is applied to no machine, however it is hashed. Those whose path begins with one of except need
// not reach it.
func (p *Provider) CheckReach(t *testing.T, filled any, except ...string) {
	t.Helper()
	data, err := json.Marshal(filled)
	fatal(t, err)
	var config map[string]any
	fatal(t, json.Unmarshal(data, &config))
	before := p.specOf(t, config)
	for _, l := range leavesOf("", config) {
		if slices.ContainsFunc(except, func(e string) bool { return strings.HasPrefix(l.path, e) }) {
			continue
		}
		old := l.get()
		l.set(changed(old))
		if reflect.DeepEqual(before, p.specOf(t, config)) {
			t.Errorf("%s does not reach the provider spec", l.path)
		}
		l.set(old)
	}
}

func (p *Provider) specOf(t *testing.T, config map[string]any) any {
	t.Helper()
	raw, err := json.Marshal(config)
	fatal(t, err)
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
			here := leaf{strings.TrimPrefix(path+"."+name, "."), func() any { return v[name] }, func(to any) { v[name] = to }}
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
