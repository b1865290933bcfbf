package pool

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Table is the table of the fields of a Shoot, a Worker and a pool, in words. Its head explains the
// columns.
//
//go:embed fields.txt
var Table string

// effect is the effect of a change of a field, as fields.txt names it.
type effect string

// The effects.
const (
	effectNone    effect = "none"
	effectScale   effect = "scale"
	effectRoll    effect = "roll"
	effectDrain   effect = "drain"
	effectRefused effect = "refused"
	effectKept    effect = "kept"
	effectUnknown effect = "unknown"
	effectPools   effect = "pools"
	effectMeta    effect = "meta"
	effectJudged  effect = "judged"
)

// Field is a row of fields.txt.
type Field struct {
	// Path is the path of the field; in a pool it has the name that a Shoot gives it.
	Path string
	// Function names the functions of Gardener, or the part of an extension, that say so.
	Function string

	rolling, inPlace effect
}

// of returns the effect on pools with a strategy.
func (f Field) of(strategy hotupdate.Strategy) effect {
	if inPlace(strategy) {
		return f.inPlace
	}
	return f.rolling
}

// class returns the class of a field that a name of Gardener covers.
func (f Field) class() hotupdate.Class {
	if f.inPlace == effectDrain {
		return hotupdate.InPlace
	}
	return hotupdate.Immutable
}

// table has the rows of a section of fields.txt by path. A section of a manifest has those of all
// kinds.
type table map[string]Field

// sections returns the rows of fields.txt by section. A row is a list of columns, of which the
// first has several paths.
var sections = sync.OnceValue(func() map[string][][]string { return sectionsOf(Table) })

// sectionsOf returns the rows of a table by section. A row whose first column names several fields
// is one row for each.
func sectionsOf(table string) map[string][][]string {
	all, section := map[string][][]string{}, ""
	for line := range strings.Lines(table) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			columns := strings.Split(line, "  ")
			for path := range strings.FieldsSeq(columns[0]) {
				for _, path := range spread(path) {
					all[section] = append(all[section], append([]string{path}, columns[1:]...))
				}
			}
		}
	}
	return all
}

var tables = sync.OnceValue(func() map[string]table {
	all := map[string]table{}
	for _, section := range []string{string(Shoot), string(Worker), "pool"} {
		all[section] = table{}
		if section == string(Worker) { // metadata is that of every object
			maps.Copy(all[section], all[string(Shoot)])
		}
		for _, row := range sections()[section] {
			effects := strings.Fields(row[1])
			all[section][row[0]] = Field{row[0], row[2], effect(effects[0]), effect(effects[1])}
		}
	}
	for path, f := range all["pool"] { // the kubelet of the Shoot is that of pools without their own
		if strings.HasPrefix(path, kubeletPath+".") {
			f.rolling, f.inPlace = effectPools, effectPools
			all[string(Shoot)]["spec."+path] = f
		}
	}
	return all
})

// spread returns the paths that a path with lists in braces stands for.
func spread(path string) (all []string) {
	before, rest, found := strings.Cut(path, "{")
	if !found {
		return []string{path}
	}
	list, after, _ := strings.Cut(rest, "}")
	for name := range strings.SplitSeq(list, ",") {
		all = append(all, spread(before+name+after)...)
	}
	return all
}

// of finds the row of a field: its own, or the nearest above it that ends with *. An annotation of
// Gardener's has a row of its own or none, since it may be an order.
func (t table) of(path string) (Field, bool) {
	if f, ok := t[path]; ok {
		return f, true
	}
	isOrder := strings.HasPrefix(path, "metadata.annotations.") && strings.Contains(path, "gardener.cloud/")
	for above := path; !isOrder; {
		end := strings.LastIndexByte(above, '.')
		if end < 0 {
			break
		}
		above = above[:end]
		if f, ok := t[above+".*"]; ok {
			return f, true
		}
	}
	return Field{}, false
}

// isHarmless reports whether all fields below a path touch no machine: then an empty object there
// does not either.
func (t table) isHarmless(path string) bool {
	found := false
	for below, f := range t {
		if strings.HasPrefix(below, path+".") {
			if found = true; f.rolling != effectNone || f.inPlace != effectNone {
				return false
			}
		}
	}
	return found
}

// triggerNames maps the names of fields of a Worker's pool to those of a Shoot's. The first
// matching prefix counts.
var triggerNames = [][2]string{
	{"machineType", "machine.type"},
	{"machineImage", "machine.image"},
	{"architecture", architecturePath},
	{"kubernetesVersion", versionPath},
	{"kubeletConfig", kubeletPath},
}

func triggerOf(path string) string { return renamed(path, 0, 1) }

// nameInWorker returns the name that a pool of a Worker gives to a field.
func nameInWorker(path string) string { return renamed(path, 1, 0) }

// nameOwn gives a change of a pool the name that the manifest has. What a pool has from its Shoot
// stands there.
func (p *Pool) nameOwn(c *hotupdate.Change) {
	name := c.Path
	if p.ofWorker {
		name = nameInWorker(c.Path)
	}
	for _, above := range p.inherited {
		rest, is := strings.CutPrefix(c.Path, above)
		switch {
		case !is || rest != "" && rest[0] != '.':
		case above == credentialsPath:
			name = "status." + c.Path
		default:
			name = "spec." + c.Path
		}
	}
	if name != c.Path {
		c.Path, c.Pointer = name, pointerTo(name)
	}
}

func renamed(path string, from, to int) string {
	for _, names := range triggerNames {
		if rest, ok := strings.CutPrefix(path, names[from]); ok && (rest == "" || rest[0] == '.') {
			return names[to] + rest
		}
	}
	return path
}

// rest compares the fields of two manifests or pools by the table. It returns the changes that a
// row decides, the paths of differences without a row, and the differences that a judgement
// decides.
func (t table) rest(
	strategy hotupdate.Strategy, old, updated any,
) (changes []Judged, unknown []string, others []difference) {
	for _, d := range differences(old, updated) {
		path := triggerOf(d.path())
		f, known := t.of(path)
		harmless := !known && (isEmptyObject(d.before) || isEmptyObject(d.after)) && t.isHarmless(path)
		v, rule := f.verdict(strategy, d)
		switch {
		case !known && !harmless:
			unknown = append(unknown, d.at.String())
		case f.of(strategy) == effectMeta:
		case rule != NoRule, harmless:
			changes = append(changes, d.change(v, rule))
		default:
			others = append(others, d)
		}
	}
	return changes, unknown, others
}

// verdict returns the verdict of the row on a difference. It has no rule if a judgement decides.
func (f Field) verdict(strategy hotupdate.Strategy, d difference) (Verdict, Rule) {
	if f.rolling == effectRoll {
		return None, NoRule
	}
	switch e := f.of(strategy); e {
	case effectNone:
		return None, RuleOf("NotHashed")
	case effectPools:
		return None, RuleOf("ToldAtPools")
	case effectScale:
		return ComeOrGo, RuleOf("Scaled")
	case effectUnknown:
		return Indeterminate, RuleOf("BeyondManifests")
	case effectRefused, effectKept:
		if e == effectKept && d.before == nil {
			return None, RuleOf("NotHashed")
		}
		return Forbidden, refused(f.Function, "the field cannot be changed")
	case effectRoll, effectDrain, effectMeta, effectJudged:
	}
	return None, NoRule
}

// change returns the difference as a change without a class, with its verdict and rule.
func (d difference) change(v Verdict, rule Rule) Judged {
	return Judged{Rule: rule, Verdict: v, isRest: true, Change: operated(hotupdate.Change{
		Path: d.at.String(), Pointer: d.at.Pointer(), Op: hotupdate.Replace, Origin: "default",
		Class: hotupdate.Ignored,
		Old:   textOf(d.before), New: textOf(d.after),
	})}
}

// decode stores the pools' own members in the pools, and the rest of the tree in the root.
func (m *Manifest) decode() {
	if m.root != nil || m.Tree == nil {
		return
	}
	list := []string{"spec", "pools"}
	if m.Kind == Shoot {
		list = []string{"spec", "provider", "workers"}
	}
	rest := m.Tree.Value(nil)
	if m.workers = listOf(at(rest, list...)); m.workers != nil {
		rest = with(rest, pathOf(list), nil)
	}
	m.root, _ = rest.(map[string]any)
	for i := range min(len(m.workers), len(m.Pools)) {
		p := &m.Pools[i]
		p.all, p.Cluster.region = m.workers[i], text(at(rest, "spec", "region"))
		p.Cluster.kubelet = at(rest, "spec", "kubernetes", "kubelet")
		p.Cluster.infrastructure = at(rest, "spec", "provider", "infrastructureConfig")
	}
}

// has reports whether the manifest has a pool of a name.
func (m *Manifest) has(name string) bool {
	return slices.ContainsFunc(m.Pools, func(p Pool) bool { return p.Worker.Name == name })
}
