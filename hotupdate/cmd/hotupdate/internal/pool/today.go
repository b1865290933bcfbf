package pool

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// Today says what a change of a set field does to the pool of a manifest, under the extension of
// the options, or under today's release for [judge.Both]. It compares the manifest with a copy that
// has another value: the first of several that the command can read. The field is removed in the
// copy if it can have no other value. A machine image gets the first version of the CloudProfile
// that the pool may have.
func Today(m *facts.Manifest, p *facts.Pool, field hotupdate.Change, o judge.Options) verdict.Verdict {
	text, prefix := textOf(m, p)
	names := fieldpath.Names(prefix + field.Pointer)
	if strings.HasPrefix(field.Pointer, "/spec/") || strings.HasPrefix(field.Pointer, "/status/") {
		names = fieldpath.Names(field.Pointer)
	}
	value, steps := tree.Of(text).Find(names)
	if steps < len(names) { // Gardener fills it in
		value = tree.Of([]byte(field.New))
	}
	edit := func(value any) (verdict.Verdict, bool) {
		changed, err := changedIn(m, text, names, value)
		if err != nil {
			return verdict.Indeterminate, false
		}
		return effectOf(m, changed, p.Worker.Name, o)
	}
	if isImageVersion := slices.Contains(imageVersions, field.Path); isImageVersion {
		for _, version := range o.CloudProfile.OtherVersions(facts.ImageOf(p.Worker)) {
			if v, isRead := edit(version); isRead && v != verdict.Forbidden {
				return v
			}
		}
	}
	for _, value := range append(othersOf(value), nil) {
		if v, isRead := edit(value); isRead {
			return v
		}
	}
	return verdict.Indeterminate
}

// imageVersions are the paths of the version of a machine image, in Shoots and Workers.
var imageVersions = []string{fields.ImageVersion, fields.InWorker(fields.ImageVersion)}

// effectOf returns the effect of a change of a manifest on the machines of a pool. It is false if
// the manifests cannot be compared.
func effectOf(old, updated *facts.Manifest, name string, o judge.Options) (verdict.Verdict, bool) {
	plan, err := NewPlan(old, updated, o)
	if err != nil {
		return verdict.Indeterminate, false
	}
	for i := range plan.Pools {
		if plan.Pools[i].Name == name {
			return max(plan.Pools[i].Effect(), plan.AbovePools.Verdict()), true
		}
	}
	return verdict.Indeterminate, false
}

// textOf returns the JSON of a manifest and the pointer to a pool in it; for a bare provider
// config, the config.
func textOf(m *facts.Manifest, p *facts.Pool) (text []byte, pointer string) {
	if p.IsBare() {
		return p.Config.Raw(), ""
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

// othersOf returns values that differ from a value, the most likely first.
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
	versions = lazyregexp.New(`^v?[0-9]+\.[0-9]+(\.[0-9]+)?$`)
	integers = lazyregexp.New(`[0-9]+`)
)

// textsBeside returns other texts of the same form: another minor of a version, another number, another
// strategy, or another name.
func textsBeside(text string) (values []any) {
	if strategy := otherStrategy[text]; strategy != "" {
		return []any{strategy}
	}
	numbers := integers().FindAllStringIndex(text, 2)
	at := 0
	if versions().MatchString(text) {
		at = 1
	}
	if at < len(numbers) {
		place := numbers[at]
		if n, err := strconv.Atoi(text[place[0]:place[1]]); err == nil {
			values = append(values, text[:place[0]]+strconv.Itoa(n+1)+text[place[1]:])
		}
	}
	return append(values, text+"-other")
}

// otherStrategy maps each update strategy to a strategy of the other kind.
var otherStrategy = map[string]string{
	"AutoRollingUpdate": "AutoInPlaceUpdate", "AutoInPlaceUpdate": "AutoRollingUpdate",
	"ManualInPlaceUpdate": "AutoRollingUpdate",
}
