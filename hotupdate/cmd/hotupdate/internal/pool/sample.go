package pool

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Sampler says what changes of fields of the provider config do to a rolling pool of a provider
// with a Kubernetes version. It makes and compares sample configs, each pair once. It must not be
// used by several goroutines at once.
type Sampler struct {
	provider judge.Provider
	version  string
	options  judge.Options
	schema   *hotupdate.Schema
	root     place
	complete any // the config with all fields that the extension knows
	era      string
	known    map[string]sampled // by the text of a leaf
}

// sampled is the gravest verdict on edits of a leaf, if its configs can be read.
type sampled struct {
	verdict    verdict.Verdict
	isReadable bool
}

// Today returns the gravest verdict of plan on sample edits of each leaf at or below a field, each
// in a config with only this leaf and in a config with all fields. It also returns the era of the
// pool. It is false if the Schema of the provider does not have the field. The field is written as
// explain shows it, or with [] for any element.
func (s *Sampler) Today(field string) (v verdict.Verdict, era string, isField bool) {
	from, isField := s.root.find(field)
	if !isField {
		return verdict.Indeterminate, "", false
	}
	v = verdict.None
	isJudged := false
	for _, leaf := range s.leaves(from) {
		text := leaf.text()
		found, isKnown := s.known[text]
		if !isKnown {
			found = s.gravest(leaf)
			s.known[text] = found
		}
		isJudged = isJudged || found.isReadable
		v = max(v, found.verdict)
	}
	if !isJudged {
		v = verdict.Indeterminate
	}
	return v, s.era, true
}

// NewSampler returns a sampler for the configs of a provider. It fails if the provider has no Schema.
func NewSampler(p judge.Provider, version string, o judge.Options) (*Sampler, error) {
	p = o.ProviderOf(&facts.Pool{Provider: p.Name})
	schema, err := p.Schema()
	if err != nil {
		return nil, err
	}
	root := (*schemabridge.Schema)(schema).Plan().Root
	s := &Sampler{
		provider: p, version: version, options: o, schema: schema, root: place{node: root}, known: map[string]sampled{},
	}
	for _, leaf := range s.leaves(s.root) {
		isNew := o.Extension == judge.Released && slices.Contains(p.New, leaf.steps[0].name) // which it refuses
		if value, _, isScalar := s.values(leaf); isScalar && !isNew {
			s.complete = leaf.set(s.complete, value)
		}
	}
	return s, nil
}

// place is a place in provider configs.
type place struct {
	node  *fieldplan.Node
	steps []placeStep
}

// placeStep leads to a member of an object or map, or to the first element of a list, which has no name.
type placeStep struct {
	name string
	key  string // of a list: the member that pairs its elements, if there is one
	kind fieldplan.Kind
}

// to returns the place one step on.
func (l place) to(node *fieldplan.Node, name string) place {
	step := placeStep{name: name, kind: l.node.Kind}
	if l.node.Pairing == fieldplan.ByKey {
		step.key = l.node.Key.Name
	}
	return place{node, append(slices.Clone(l.steps), step)}
}

// text is the names of the steps, which differ in any two places.
func (l place) text() string {
	var text strings.Builder
	for _, step := range l.steps {
		text.WriteString(strconv.Quote(step.name))
	}
	return text.String()
}

// find finds a field by its path. In a list, any element stands for the first one; in a map, any
// name is a key.
func (l place) find(field string) (place, bool) {
	for _, step := range fieldpath.ParseShown(field) {
		switch l.node.Kind {
		case fieldplan.Object:
			member := l.node.Lookup(step.Name)
			if member == nil {
				return l, false
			}
			l = l.to(member.Node, step.Name)
		case fieldplan.Map:
			name := step.Name
			if name == "" {
				name = anyKey
			}
			l = l.to(l.node.Entry(name), name)
		case fieldplan.List, fieldplan.Array:
			if !step.Element {
				return l, false
			}
			l = l.to(l.node.Elem, "")
		case fieldplan.Leaf:
			return l, false
		}
	}
	return l, true
}

// anyKey is a key of maps.
const anyKey = "a"

// leaves returns the leaves at or below a place, and the lists, maps and objects above them, which can be absent.
func (s *Sampler) leaves(at place) (places []place) {
	if len(at.steps) > 0 {
		places = append(places, at)
	}
	if at.node.Recursive {
		return places
	}
	switch at.node.Kind {
	case fieldplan.Object:
		for _, member := range at.node.Fields {
			places = append(places, s.leaves(at.to(member.Node, member.Name))...)
		}
	case fieldplan.Map:
		for _, key := range keysOf(at.node) {
			places = append(places, s.leaves(at.to(at.node.Entry(key), key))...)
		}
	case fieldplan.List, fieldplan.Array:
		places = append(places, s.leaves(at.to(at.node.Elem, ""))...)
	case fieldplan.Leaf:
	}
	return places
}

// keysOf returns a key of a map for each class that its entries have.
func keysOf(node *fieldplan.Node) []string {
	keys := []string{anyKey}
	if node.Keys != nil {
		for _, rule := range node.Keys.All {
			keys = append(keys, strings.TrimSuffix(rule.Pattern, "*"))
		}
	}
	return keys
}

// scalars are pairs of values, one for each kind of leaf.
var scalars = [][2]any{{"a", "b"}, {1, 2}, {true, false}, {"1h", "2h"}, {"10.0.0.0/8", "11.0.0.0/8"}}

// values returns two values of a leaf. It is false for a list, map or object, which can only be empty or absent.
func (s *Sampler) values(leaf place) (value, other any, isScalar bool) {
	switch leaf.node.Kind {
	case fieldplan.Object, fieldplan.Map:
		return map[string]any{}, nil, false
	case fieldplan.List, fieldplan.Array:
		return []any{}, nil, false
	case fieldplan.Leaf:
	}
	for _, pair := range scalars {
		if s.isConfig(leaf.set(nil, pair[0])) && s.isConfig(leaf.set(nil, pair[1])) {
			return pair[0], pair[1], true
		}
	}
	return nil, nil, false
}

// isConfig reports whether the Schema reads a config.
func (s *Sampler) isConfig(config any) bool {
	text, err := json.Marshal(config)
	if err == nil {
		_, err = s.schema.Decode(text)
	}
	return err == nil
}

// gravest returns the gravest verdict on sample edits of a leaf.
func (s *Sampler) gravest(leaf place) sampled {
	value, other, isScalar := s.values(leaf)
	found := sampled{verdict: verdict.None}
	for _, config := range []any{nil, s.complete} {
		if isScalar {
			config = leaf.set(config, value)
		} else if _, isSet := leaf.valueIn(config); !isSet {
			config = leaf.set(config, value)
		}
		edited := []any{leaf.removed(config)}
		if isScalar {
			edited = append(edited, leaf.set(config, other))
		}
		for _, one := range edited {
			for _, pair := range [][2]any{{config, one}, {one, config}} {
				v, isRead := s.compare(pair[0], pair[1])
				found.isReadable = found.isReadable || isRead
				found.verdict = max(found.verdict, v)
			}
		}
	}
	return found
}

// compare compares two configs by the code of plan. It is false if they cannot be read.
func (s *Sampler) compare(before, after any) (v verdict.Verdict, isReadable bool) {
	old, oldErr := s.sample(before)
	updated, newErr := s.sample(after)
	if oldErr != nil || newErr != nil {
		return verdict.None, false
	}
	plan, err := compare(old, updated, s.options)
	if err != nil {
		return verdict.None, false
	}
	s.era = plan.Pools[0].NewEra
	return plan.Pools[0].Effect(), true
}

// set returns a copy of a config with a value at the place. An element that is not there yet gets its key.
func (l place) set(config, value any) any {
	if len(l.steps) == 0 {
		return value
	}
	step := l.steps[0]
	rest := place{l.node, l.steps[1:]}
	if step.kind == fieldplan.List || step.kind == fieldplan.Array {
		return []any{rest.set(firstOf(config, step.key), value)}
	}
	object, _ := config.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	object[step.name] = rest.set(object[step.name], value)
	return object
}

// firstOf returns the first element of a list. A list without one has an element that consists of its key.
func firstOf(list any, key string) any {
	elements, _ := list.([]any)
	switch {
	case len(elements) > 0:
		return elements[0]
	case key != "":
		return map[string]any{key: anyKey}
	}
	return nil
}

// valueIn returns the value of a config at the place, if it is set.
func (l place) valueIn(config any) (value any, isSet bool) {
	for _, step := range l.steps {
		switch below := config.(type) {
		case map[string]any:
			config, isSet = below[step.name]
		case []any:
			isSet = len(below) > 0
			if isSet {
				config = below[0]
			}
		default:
			isSet = false
		}
		if !isSet {
			return nil, false
		}
	}
	return config, true
}

// removed returns a copy of a config without the place.
func (l place) removed(config any) any {
	last := len(l.steps) - 1
	above := place{steps: l.steps[:last]}
	parent, _ := above.valueIn(config)
	switch holder := parent.(type) {
	case map[string]any:
		holder = maps.Clone(holder)
		delete(holder, l.steps[last].name)
		return above.set(config, holder)
	case []any:
		return above.set(config, []any{})
	}
	return config
}

// sample returns a Worker with one pool and this config.
func (s *Sampler) sample(config any) (*facts.Manifest, error) {
	object, _ := config.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	object["apiVersion"] = s.provider.APIVersion
	object["kind"] = s.provider.Kind
	text, err := json.Marshal(map[string]any{
		"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": string(facts.Worker),
		"metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"type": s.provider.Name, "pools": []any{map[string]any{
			"name": "a", "machineType": "a", "minimum": 1, "maximum": 1, "kubernetesVersion": s.version,
			"machineImage": map[string]any{"name": "a", "version": "1"}, "providerConfig": object,
			"updateStrategy": hotupdate.AutoRollingUpdate.String(), "volume": sampleVolume("root"),
			"dataVolumes": []any{sampleVolume(anyKey)},
		}}},
	})
	if err != nil {
		return nil, err
	}
	return facts.Read(tree.Of(text))
}

// sampleVolume is a volume of the sample pool. The elements of dataVolumes in a config name it.
func sampleVolume(name string) map[string]any {
	return map[string]any{"name": name, "size": "10Gi", "type": "a"}
}
