package pool

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// fields.json says how a change of a manifest's field is judged: a field of a pool, by its name in a Shoot, see triggerOf, or a field above the
// pools. A field without a line of its own or of a parent is not judged: new fields of Gardener are listed as not judged until they get a line.
// Source: Gardener v1.150, hash of worker pools and reconciliation of Workers.
//
//go:embed fields.json
var fieldsFile []byte

// judgements are the words of fields.json, with the rule and verdict of a change.
var judgements = map[string]Change{
	"elsewhere":  {},                                 // a trigger, the provider config, a field with a rule of its own, or one that a cluster fills in
	"not hashed": {Rule: NotHashed, Verdict: None},   // no name of Gardener or of an extension depends on the field
	"scales":     {Rule: Scaled, Verdict: ComeOrGo},  // the field changes the number of machines
	"at pools":   {Rule: ToldAtPools, Verdict: None}, // the field is above the pools, and judged with each of them
}

var fields = sync.OnceValue(func() (all struct{ Pool, Manifest map[string]string }) {
	_ = json.Unmarshal(fieldsFile, &all) // a test reads it
	return all
})

// triggerNames maps fields to triggers with another name. The first matching prefix counts.
var triggerNames = [][2]string{
	{"machineType", "machine.type"},
	{"machineImage", "machine.image"},
	{"architecture", architecturePath},
	{"kubernetesVersion", versionPath},
	{"kubeletConfig.kubeReserved", reservedPath},
	{"kubeletConfig.systemReserved", reservedPath},
	{"kubeletConfig", "kubernetes.kubelet"},
	{"kubernetes.kubelet.kubeReserved", reservedPath},
	{"kubernetes.kubelet.systemReserved", reservedPath},
}

func triggerOf(path string) string {
	for _, names := range triggerNames {
		if rest, ok := strings.CutPrefix(path, names[0]); ok && (rest == "" || rest[0] == '.') {
			return names[1] + rest
		}
	}
	return path
}

// judgementOf returns the judgement of the field at a path, or of the nearest field above it; empty if there is none.
func judgementOf(fields map[string]string, at fieldpath.Path) (found string) {
	path := ""
	for _, step := range at {
		path = strings.TrimPrefix(path+"."+step.Name, ".")
		found = cmp.Or(fields[triggerOf(path)], found)
	}
	return found
}

// rest compares the fields of two manifests or pools. It returns the changes with a judgement, the paths of differences without one, and the
// differences that are judged elsewhere.
func rest(fields map[string]string, old, updated any) (changes []Change, unknown []string, others []difference) {
	for _, d := range differences(old, updated) {
		switch judgement, known := judgements[judgementOf(fields, d.at)]; {
		case !known:
			unknown = append(unknown, d.at.String())
		case judgement.Rule == NoRule:
			others = append(others, d)
		default:
			changes = append(changes, d.change(judgement.Verdict, judgement.Rule))
		}
	}
	return changes, unknown, others
}

// compareRest compares the fields that are no triggers: number and place of the machines, and fields that no name depends on. It also lists triggers
// that are spelled in another way and mean the same.
func (c *Comparison) compareRest(old, updated *Pool) {
	before, after := old.Zones, updated.Zones
	switch isAppended := len(before) < len(after) && slices.Equal(before, after[:len(before)]); {
	case isAppended:
		c.add("zones", before, after, ComeOrGo, ZoneAppended)
	case !slices.Equal(before, after):
		c.add("zones", before, after, Forbidden, ZonesChanged)
	}
	changes, unknown, others := rest(fields().Pool, old.all, updated.all)
	for _, d := range others {
		switch path := d.at.String(); {
		case d.at[0].Name == configField, d.at[0].Name == "name", c.touches(triggerOf(path)):
		case path == secretNamePath:
			if len(c.Changes) == 0 {
				c.Unjudged = append(c.Unjudged, path)
			}
		default:
			c.Changes = append(c.Changes, d.change(None, SameMeaning))
		}
	}
	c.Changes, c.Unjudged = append(c.Changes, changes...), append(c.Unjudged, unknown...)
}

// difference is a path at which two JSON values differ. Nil is absent.
type difference struct {
	at            fieldpath.Path
	before, after any
}

// change returns the difference as a change without a class, with its verdict and rule.
func (d difference) change(v Verdict, rule Rule) Change {
	c := Change{Rule: rule, Verdict: v, Change: hotupdate.Change{
		Path: d.at.String(), Pointer: d.at.Pointer(), Op: hotupdate.Replace, Class: hotupdate.Ignored, Old: textOf(d.before), New: textOf(d.after),
	}}
	if c.Old == "" {
		c.Op = hotupdate.Add
	}
	if c.New == "" {
		c.Op = hotupdate.Remove
	}
	return c
}

// textOf returns a value in JSON, or nothing for null.
func textOf(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // it was decoded from JSON
	return strings.TrimPrefix(strings.TrimSpace(text.String()), leaf.Null)
}

// differences finds the paths at which two JSON values differ. Objects are compared member by member, also with an absent one unless both are
// empty. Other values are compared as a whole.
func differences(old, updated any, at ...fieldpath.Step) (all []difference) {
	before, isObject := old.(map[string]any)
	after, isToo := updated.(map[string]any)
	switch {
	case reflect.DeepEqual(old, updated):
	case len(before)+len(after) > 0 && (isObject || old == nil) && (isToo || updated == nil):
		names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			all = append(all, differences(before[name], after[name], append(slices.Clip(at), fieldpath.Step{Name: name})...)...)
		}
	default:
		all = []difference{{at, old, updated}}
	}
	return all
}

// with returns a copy of a JSON value with another value at a path of [differences].
func with(value any, at fieldpath.Path, other any) any {
	if len(at) == 0 {
		return other
	}
	object, _ := value.(map[string]any)
	changed := map[string]any{}
	maps.Copy(changed, object)
	name := at[0].Name
	if changed[name] = with(object[name], at[1:], other); changed[name] == nil {
		delete(changed, name)
	}
	return changed
}

// decode decodes the manifest for a comparison member by member. It stores the pools' own members in the pools, and returns the rest.
func (m *Manifest) decode() any {
	all := tree(m.Raw)
	root, _ := all.(map[string]any)
	spec, _ := root["spec"].(map[string]any)
	kubernetes, _ := spec["kubernetes"].(map[string]any)
	above, list := spec, "pools"
	if m.Kind == Shoot {
		above, _ = spec["provider"].(map[string]any)
		list = "workers"
	}
	pools, _ := above[list].([]any)
	delete(above, list)
	for i := range min(len(pools), len(m.Pools)) {
		p := &m.Pools[i]
		p.all, p.Cluster.kubelet, p.Cluster.infrastructure = pools[i], kubernetes["kubelet"], above["infrastructureConfig"]
	}
	return all
}

// tree decodes JSON with exact numbers. In a manifest, null is absent.
func tree(raw []byte) any { return decoded(raw, nil) }

// decoded decodes JSON with exact numbers. It replaces members that are null, or removes them if instead is nil. A null value is nil.
func decoded(raw []byte, instead any) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // valid JSON or nothing
	replaceNulls(value, instead)
	return value
}

func replaceNulls(value, instead any) {
	object, _ := value.(map[string]any)
	for name, member := range object {
		replaceNulls(member, instead)
		if member == nil {
			object[name] = instead
		}
	}
	maps.DeleteFunc(object, func(_ string, member any) bool { return member == nil })
}
