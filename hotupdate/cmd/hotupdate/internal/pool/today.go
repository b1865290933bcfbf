package pool

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

// Today says what a change of a field that is set does to the pool of a manifest, under today's release of
// the extension. It compares the manifest with a copy that has another value: the first of several that
// the command can read. The field is removed in the copy if it can have no other value.
func Today(m *facts.Manifest, p *facts.Pool, field hotupdate.Change, o judge.Options) verdict.Verdict {
	o.Extension = judge.Released
	text, prefix := textOf(m, p)
	names := fieldpath.Names(prefix + field.Pointer)
	if strings.HasPrefix(field.Pointer, "/spec/") || strings.HasPrefix(field.Pointer, "/status/") {
		names = fieldpath.Names(field.Pointer)
	}
	value, steps := tree.Of(text).Find(names)
	if steps < len(names) { // Gardener fills it in
		value = tree.Of([]byte(field.New))
	}
	for _, value := range append(othersOf(value), nil) {
		changed, err := changedIn(m, text, names, value)
		if err != nil {
			continue
		}
		plan, err := compare(m, changed, o)
		if err != nil {
			continue
		}
		for i := range plan.Pools {
			if plan.Pools[i].Name == p.Worker.Name {
				return max(plan.Pools[i].Effect(), plan.AbovePools.Verdict())
			}
		}
	}
	return verdict.Indeterminate
}

// textOf returns the JSON of a manifest, and the pointer to a pool in it; for a provider config on its own
// the config.
func textOf(m *facts.Manifest, p *facts.Pool) (text []byte, pointer string) {
	if p.IsBare() {
		return p.ProviderConfig, ""
	}
	above := "/spec/provider/workers/"
	if m.Kind == facts.Worker {
		above = "/spec/pools/"
	}
	for i := range m.Pools {
		if m.Pools[i].Worker.Name == p.Worker.Name {
			return m.Tree.JSON(), above + strconv.Itoa(i)
		}
	}
	return m.Tree.JSON(), above
}

// changedIn reads the manifest with another value of a field; nil removes it.
func changedIn(m *facts.Manifest, text []byte, names []string, value any) (*facts.Manifest, error) {
	root, err := jsonpatch.Parse(text)
	if err != nil {
		return nil, err
	}
	changed, err := jsonpatch.Write(replaced(root, names, value))
	if err != nil {
		return nil, err
	}
	if m.Kind == facts.NoKind {
		return &facts.Manifest{Pools: []facts.Pool{facts.Bare(changed)}}, nil
	}
	return facts.Read(tree.Of(changed))
}

// replaced returns a value of JSON with another one at a path of members and positions.
func replaced(in any, names []string, value any) any {
	if len(names) == 0 {
		return value
	}
	if in == nil {
		in = map[string]any{}
	}
	switch object := in.(type) {
	case map[string]any:
		below := replaced(object[names[0]], names[1:], value)
		object[names[0]] = below
		if below == nil {
			delete(object, names[0])
		}
	case []any:
		i, err := strconv.Atoi(names[0])
		if err == nil && i < len(object) {
			object[i] = replaced(object[i], names[1:], value)
		}
	}
	return in
}

// othersOf returns other values beside one, the likeliest first.
func othersOf(value *tree.Node) []any {
	switch value.Kind() {
	case tree.Bool:
		return []any{!value.IsTrue()}
	case tree.Number:
		number, _ := value.Number()
		n, _ := number.Int64()
		return []any{n + 1, n - 1}
	case tree.Text:
		return textsBeside(value.Text())
	case tree.Null, tree.List, tree.Object:
	}
	return nil
}

var (
	versions = regexp.MustCompile(`^v?[0-9]+\.[0-9]+(\.[0-9]+)?$`)
	integers = regexp.MustCompile(`[0-9]+`)
)

// textsBeside returns other texts of the same form: another minor of a version, another number, another
// strategy, or another name.
func textsBeside(text string) (all []any) {
	if strategy := otherStrategy[text]; strategy != "" {
		return []any{strategy}
	}
	numbers := integers.FindAllStringIndex(text, 2)
	at := 0
	if versions.MatchString(text) {
		at = 1
	}
	if at < len(numbers) {
		place := numbers[at]
		if n, err := strconv.Atoi(text[place[0]:place[1]]); err == nil {
			all = append(all, text[:place[0]]+strconv.Itoa(n+1)+text[place[1]:])
		}
	}
	return append(all, text+"-other")
}

// otherStrategy has for each update strategy one of the other kind.
var otherStrategy = map[string]string{
	"AutoRollingUpdate": "AutoInPlaceUpdate", "AutoInPlaceUpdate": "AutoRollingUpdate",
	"ManualInPlaceUpdate": "AutoRollingUpdate",
}

// TodayIn says what a change of a field of the provider config does to a rolling pool of a provider with a
// Kubernetes version, under today's release. It is false if the config does not have the field. A name
// that ends with [] has elements.
func TodayIn(
	p judge.Provider, version, field string, o judge.Options,
) (v verdict.Verdict, pool *judge.Comparison, isField bool) {
	o.Extension = judge.Released
	names := strings.Split(field, ".")
	for _, sample := range samples {
		for _, element := range []map[string]any{{"name": "a"}, {}} {
			old, oldErr := sampleOf(p, version, nested(names, sample[0], element))
			updated, newErr := sampleOf(p, version, nested(names, sample[1], element))
			if oldErr != nil || newErr != nil {
				continue
			}
			isConfig := errors.Join(o.Check(&old.Pools[0]), o.Check(&updated.Pools[0])) == nil
			plan, err := compare(old, updated, o)
			if isConfig && err == nil {
				planned := plan.Pools[0]
				return planned.Effect(), &planned.Comparison, true
			}
		}
	}
	return verdict.Indeterminate, nil, false
}

// samples are pairs of values of each kind.
var samples = [][2]any{
	{"a", "b"},
	{1, 2},
	{true, false},
	{"1Gi", "2Gi"},
	{[]any{"a"}, []any{"b"}},
	{map[string]any{}, nil},
	{map[string]any{"a": "1"}, map[string]any{"a": "2"}},
}

// nested returns a config with a value at a path.
func nested(names []string, value any, element map[string]any) any {
	if len(names) == 0 {
		return value
	}
	name, isList := strings.CutSuffix(names[0], "[]")
	below := nested(names[1:], value, element)
	if isList {
		object, isObject := below.(map[string]any)
		if isObject {
			maps.Copy(object, element)
		}
		below = []any{below}
	}
	return map[string]any{name: below}
}

// sampleOf returns a Worker with one pool and this config.
func sampleOf(p judge.Provider, version string, config any) (*facts.Manifest, error) {
	object, _ := config.(map[string]any)
	object = maps.Clone(object)
	object["apiVersion"] = p.APIVersion
	object["kind"] = p.Kind
	text, err := json.Marshal(map[string]any{
		"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": string(facts.Worker),
		"metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"type": p.Name, "pools": []any{map[string]any{
			"name": "a", "machineType": "a", "minimum": 1, "maximum": 1, "kubernetesVersion": version,
			"machineImage": map[string]any{"name": "a", "version": "1"}, "providerConfig": object,
		}}},
	})
	if err != nil {
		return nil, err
	}
	return facts.Read(tree.Of(text))
}
