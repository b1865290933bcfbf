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

// fields.json says how a change of a manifest's field is judged: of the fields of pools by the names of a Shoot's, see triggerOf, and of those
// above the pools. A field that has no line, nor one above it, is not judged: what Gardener adds tomorrow is listed as such until somebody
// judges it. Source: Gardener v1.150, hash of worker pools and reconciliation of Workers.
//
//go:embed fields.json
var fieldsFile []byte

// judgements are the words of fields.json, with what they say about a change.
var judgements = map[string]Change{
	"elsewhere":  {},                                 // judged among the triggers, in the provider config, by a rule of its own, or filled in by a cluster
	"not hashed": {Rule: NotHashed, Verdict: None},   // no name of Gardener or of an extension depends on it
	"scales":     {Rule: Scaled, Verdict: ComeOrGo},  // it changes the number of machines
	"at pools":   {Rule: ToldAtPools, Verdict: None}, // it stands above the pools, and is judged with each of them
}

var fields = sync.OnceValue(func() (all struct{ Pool, Manifest map[string]string }) {
	_ = json.Unmarshal(fieldsFile, &all) // a test reads it
	return all
})

// triggerNames are the triggers of fields that have other names than those, the first that a path begins with.
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

// judgementOf finds how the field at a place is judged: as the field, or one above it. Empty is not at all.
func judgementOf(fields map[string]string, at fieldpath.Path) (found string) {
	path := ""
	for _, step := range at {
		path = strings.TrimPrefix(path+"."+step.Name, ".")
		found = cmp.Or(fields[triggerOf(path)], found)
	}
	return found
}

// rest compares the fields of two manifests or pools that are no triggers. It returns those that are judged, the paths of those that nobody
// has judged, and those that are judged elsewhere.
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

// compareRest compares what is no trigger: number and place of the machines, and fields that no name depends on. A trigger that is written in
// another way, and is the same in effect, is listed as such.
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
		case c.touches(triggerOf(path)), d.at[0].Name == configField, d.at[0].Name == "name":
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

// difference is a place at which two JSON values differ. Nil is absent.
type difference struct {
	at            fieldpath.Path
	before, after any
}

// change is the difference as a change outside of triggers and Schemas, with the rule that it is judged by.
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

// textOf writes a value in JSON, nothing for null.
func textOf(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // what was decoded from JSON
	return strings.TrimPrefix(strings.TrimSpace(text.String()), leaf.Null)
}

// differences finds the places at which two JSON values differ: of objects member by member, of everything else as a whole. An object that
// only one side has is taken apart as well, unless it is empty.
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

// with returns a JSON value that has another value at a place, which [differences] has found. The value itself stays as it is.
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

// decode decodes the manifest as it is compared, member by member. It hands the pools what stands there about them, and returns the rest.
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

// decoded decodes JSON with exact numbers. What stands instead of members that are null is given; they are left out if it is nil. What is null as
// a whole is nil.
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
