package hash_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// simField is one leaf of the adopter's configuration in the model, written by hand, without a Schema.
type simField struct {
	path   string          // in JSON; elements of lists by name
	owner  string          // the path of WithTag that governs it; empty if its class is never changed
	since  int             // the first generation with the leaf
	class  hotupdate.Class // before any change
	values [][]string      // each in several spellings; the last one is that of a hand-written list
	unset  bool            // the first value is a default
}

var (
	simNumbers    = [][]string{{"3000"}, {"0"}, {"10000"}}
	simQuantities = [][]string{{`"1Gi"`, `"1024Mi"`, `"1073741824"`}, {`"100Mi"`, `"102400Ki"`, `"104857600"`}, {`"0.5Ki"`, `"512"`}}
	simTexts      = [][]string{{`"a"`, `"\u0061"`}, {`"{, }"`}, {`""`}, {`"tags"`, `"t\u0061gs"`}}
	simTiers      = [][]string{{`"standard"`, `"st\u0061ndard"`}, {`"premium"`}, {`"basic"`}}
	simSwitches   = [][]string{{"true"}, {"false"}}
)

// simFields are all leaves of [simV3].
var simFields = []simField{
	{path: "nodeTemplate.capacity.cpu", owner: "nodeTemplate.capacity", values: simQuantities},
	{path: "nodeTemplate.virtualCapacity.a", owner: "nodeTemplate.virtualCapacity", class: hotupdate.Hot, values: simQuantities},
	{path: "nodeTemplate.virtualCapacity.b", owner: "nodeTemplate.virtualCapacity", class: hotupdate.Hot, values: simQuantities},
	{path: "volume.iops", owner: "volume.iops", values: simNumbers},
	{path: "volume.size", owner: "volume.size", values: simQuantities},
	{path: "volume.throughput", owner: "volume.throughput", since: 2, class: hotupdate.Hot, values: simNumbers},
	{path: "dataVolumes.logs.name", values: [][]string{{`"logs"`, `"l\u006fgs"`}}},
	{path: "dataVolumes.logs.iops", owner: "dataVolumes[].iops", values: simNumbers},
	{path: "dataVolumes.logs.throughput", owner: "dataVolumes[].throughput", class: hotupdate.Hot, values: simNumbers},
	{path: "dataVolumes.data.name", values: [][]string{{`"data"`}}},
	{path: "dataVolumes.data.iops", owner: "dataVolumes[].iops", values: simNumbers},
	{path: "machineLabels.x.name", values: [][]string{{`"x"`}}},
	{path: "machineLabels.x.value", values: simTexts[:2]},
	{path: "machineLabels.x.triggerRollingOnUpdate", values: simSwitches},
	{path: "profile.name", owner: "profile.name", values: simTexts},
	{path: "profile.arn", owner: "profile.arn", class: hotupdate.InPlace, values: simTexts},
	{path: "zones", owner: "zones", values: [][]string{{`["a","b"]`, `["b","a"]`, `["a","b","a"]`}, {`["b"]`, `["b","b"]`}}},
	{path: "tags.vm.team", owner: "tags.vm", class: hotupdate.Hot, values: simTexts},
	{path: "tags.vm.tags", owner: "tags.vm", class: hotupdate.Hot, values: simTexts},
	{path: "tags.disk.team", owner: "tags.disk", class: hotupdate.Hot, values: simTexts},
	{path: "timeout", owner: "timeout", class: hotupdate.InPlace, values: [][]string{{`"1h"`, `"60m"`, `"3600s"`}, {`"90s"`, `"1m30s"`}}},
	{path: "hint", owner: "hint", class: hotupdate.Ignored, values: simTexts},
	{path: "tier", owner: "tier", values: simTiers},
	{path: "labels.team", owner: "labels", since: 2, class: hotupdate.Hot, values: simTexts},
	{path: "placement.group", owner: "placement.group", since: 3, values: simTexts},
	{path: "placement.tenancy", owner: "placement.tenancy", since: 3, values: [][]string{{`"default"`}, {`"host"`}}, unset: true},
}

// simKnown lists the leaves of a generation.
func simKnown(generation int) []simField {
	return slices.DeleteFunc(slices.Clone(simFields), func(f simField) bool { return f.since > generation })
}

// element splits the path of a leaf in a list; list and name are empty for other leaves.
func (f simField) element() (list, name, leaf string) {
	steps := strings.Split(f.path, ".")
	if steps[0] != "dataVolumes" && steps[0] != "machineLabels" {
		return "", "", f.path
	}
	return steps[0], steps[1], steps[2]
}

// simConfig has the index of each leaf's value, by path. Nil is no configuration.
type simConfig map[string]int

// with returns a copy with another value of a leaf, which is not set if there is no such value. Elements have their names.
func (c simConfig) with(f simField, value int) simConfig {
	changed := simConfig{}
	list, name, leaf := f.element()
	element := list + "." + name + "."
	for path, v := range c {
		gone := leaf == "name" && value >= len(f.values) && strings.HasPrefix(path, element)
		if path != f.path && !gone {
			changed[path] = v
		}
	}
	if value >= len(f.values) {
		return changed
	}
	changed[f.path] = value
	if list != "" {
		changed[element+"name"] = 0
	}
	return changed
}

// triggers reports whether the machine label's element is one that replaces machines.
func (c simConfig) triggers(name string) bool {
	value, set := c["machineLabels."+name+".triggerRollingOnUpdate"]
	return set && value == 0
}

// simSpelling is the spelling of a configuration, which has no meaning.
type simSpelling struct {
	order    uint8 // of members and elements
	unit     int   // index of a value's spelling
	indented bool
	version  bool // another API version
}

// leaf spells a value of a field.
func (s simSpelling) leaf(f simField, value int) string {
	return f.values[value][s.unit%len(f.values[value])]
}

// sorted puts names into the order of the spelling, which does not depend on other names.
func (s simSpelling) sorted(names []string) []string {
	return slices.SortedFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(s.rank(a), s.rank(b)) })
}

func (s simSpelling) rank(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte{s.order})
	_, _ = h.Write([]byte(name))
	return h.Sum32()
}

// simTree is a JSON object under construction, or a scalar.
type simTree struct {
	text    string
	members map[string]*simTree
}

func (t *simTree) put(steps []string, text string) {
	if len(steps) == 0 {
		t.text = text
		return
	}
	if t.members == nil {
		t.members = map[string]*simTree{}
	}
	if t.members[steps[0]] == nil {
		t.members[steps[0]] = &simTree{}
	}
	t.members[steps[0]].put(steps[1:], text)
}

// write returns the tree as compact JSON.
func (t *simTree) write(s simSpelling) string {
	if t.members == nil {
		return t.text
	}
	var parts []string
	for _, name := range t.names(s) {
		value := t.members[name].write(s)
		if name == "dataVolumes" || name == "machineLabels" {
			value = t.members[name].writeElements(s)
		}
		parts = append(parts, `"`+name+`":`+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (t *simTree) writeElements(s simSpelling) string {
	var parts []string
	for _, name := range t.names(s) {
		parts = append(parts, t.members[name].write(s))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (t *simTree) names(s simSpelling) []string {
	return s.sorted(slices.Collect(maps.Keys(t.members)))
}

// json writes the TypeMeta and the leaves that are hashed.
func (c simConfig) json(s simSpelling, keep func(simField) bool) string {
	version := `"cloud/v1alpha1"`
	if s.version {
		version = `"cloud/v1beta1"`
	}
	var root simTree
	root.put([]string{"apiVersion"}, version)
	root.put([]string{"kind"}, `"WorkerConfig"`)
	for _, f := range simFields {
		if value, set := c[f.path]; set && keep(f) {
			root.put(strings.Split(f.path, "."), s.leaf(f, value))
		}
	}
	text := root.write(s)
	if !s.indented {
		return text
	}
	var out bytes.Buffer
	_ = json.Indent(&out, []byte(text), "", "  ")
	return out.String()
}
