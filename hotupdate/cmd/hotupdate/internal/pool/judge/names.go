package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/causes"
)

// tried is a difference of the configs with its effect on the name of the pool.
type tried struct {
	tree.Difference

	renames verdict.Verdict // Roll, None or Indeterminate
	related []int           // the changes that the difference belongs to
	shared  []int           // the changes of the differences that change the name only together with this one
}

// judgeByName finds for every difference of the configs whether the name of the pool depends on it,
// and judges the changes under the Schema accordingly. It adds differences that are no changes
// under the Schema but affect the name, such as the order of a list.
func (p *pair) judgeByName(judged []Finding) []Finding {
	at := placesOf(judged)
	differences := p.tryEach(at)
	ofConfig := at.around(p.updated.ConfigPointer())
	decided := slices.Repeat([]verdict.Verdict{verdict.None}, len(judged))
	for _, d := range differences {
		isExplained := explains(judged, d.related) || explains(judged, d.shared)
		for _, i := range d.related {
			// a field that the canonical hash leaves out is a cause only if nothing else explains the new name
			if !isExplained || !isLeftOut(judged[i]) {
				decided[i] = max(decided[i], d.renames)
			}
		}
	}
	for _, i := range ofConfig {
		judged[i] = p.byName(judged[i], decided[i])
	}
	seen := judged
	for _, d := range differences {
		if len(d.related) == 0 {
			judged = append(judged, p.unseenByName(p.typeOfWhole(d, seen))...)
		}
	}
	return judged
}

// typeOfWhole judges the apiVersion and the kind of a config that only one side has. They are added
// or removed with the rest of the config, so they count as a cause only if nothing else explains
// another name.
func (p *pair) typeOfWhole(d tried, judged []Finding) tried {
	isWhole := p.names.old.Config.IsAbsent() || p.names.updated.Config.IsAbsent()
	isOpen := d.renames != verdict.None && isTypeMeta(d.Path)
	if !isWhole || !isOpen {
		return d
	}
	d.renames = p.renamedBy(p.names.updated.Config)
	renamed := verdict.OfClass(hotupdate.Immutable, p.strategy)
	if slices.ContainsFunc(judged, func(found Finding) bool { return found.Verdict == renamed }) {
		d.renames = verdict.None
	}
	return d
}

// typeOf returns the apiVersion and the kind of a config, without its other members; nil for none.
func typeOf(config *tree.Node) *tree.Node {
	if config == nil {
		return nil
	}
	return config.Mapped(func(name string, below *tree.Node) *tree.Node {
		if isTypeMeta([]string{name}) {
			return below
		}
		return nil
	})
}

// isTypeMeta reports whether a path is the path of the apiVersion or the kind of a config.
func isTypeMeta(path []string) bool {
	return len(path) == 1 && (path[0] == "apiVersion" || path[0] == "kind")
}

// tryEach tries every difference: whether the new pool would have another name with it. Judged has
// the places of the changes under the Schema. A member that is added to a pool without a config is
// tried together with the type of the new config, because no extension reads a config without its
// type.
func (p *pair) tryEach(judged *places) (results []tried) {
	differences := p.names.differences()
	old := p.names.old.Config.Tree()
	if old == nil {
		old = typeOf(p.names.updated.Config.Tree())
	}
	found := causes.Find(len(differences), func(applied []int) verdict.Verdict {
		if len(applied) == len(differences) {
			return p.renamedBy(p.names.updated.Config)
		}
		config := old
		for _, i := range applied {
			config = config.With(differences[i].Path, differences[i].New)
		}
		return p.renamedBy(facts.ConfigAt(config))
	})
	for i, d := range differences {
		related := judged.around(p.pointerTo(d))
		results = append(results, tried{Difference: d, renames: found.Effects[i], related: related})
	}
	var shared []int
	for _, i := range found.Together {
		shared = append(shared, results[i].related...)
	}
	for _, i := range found.Together {
		results[i].shared = shared
	}
	return results
}

// renamedBy says whether the new pool has another name with this config than with the old one. A
// bare config may belong to a pool whose volumes are looked up in the config, so its name is never
// known to stay, unless the user gives the eras, which read only the config.
func (p *pair) renamedBy(config facts.Config) verdict.Verdict {
	if p.classesDecide() {
		return verdict.None
	}
	before := p.names.updated.WithConfig(p.names.old.Config)
	after := p.names.updated.WithConfig(config)
	renames := p.naming.renames(before, after)
	if p.updated.IsBare() && p.given == nil && renames == verdict.None {
		return verdict.Indeterminate
	}
	return renames
}

// explains reports whether one of the changes explains another name by its class.
func explains(judged []Finding, indexes []int) bool {
	return slices.ContainsFunc(indexes, func(i int) bool {
		return judged[i].Class != hotupdate.Hot && judged[i].Verdict > verdict.HotUpdate
	})
}

// isLeftOut reports whether a change is of a field that the canonical hash leaves out.
func isLeftOut(found Finding) bool {
	return found.Class == hotupdate.Hot || found.Class == hotupdate.Ignored
}

// byName judges a change with a class by whether the name depends on it.
func (p *pair) byName(found Finding, renames verdict.Verdict) Finding {
	isHot := found.Class == hotupdate.Hot
	isIgnored := found.Class == hotupdate.Ignored
	isOpen := found.Verdict == verdict.Indeterminate || found.Verdict == verdict.Forbidden
	isDecided := isOpen || found.Verdict == verdict.None && !isIgnored
	found.isNamed = true
	isStripped := p.names.isUnknown && p.Extension != Released // an adopted extension strips what is left out
	switch {
	case p.classesDecide(), isDecided:
	case renames == verdict.Roll && isLeftOut(found):
		found.Verdict = verdict.OfClass(hotupdate.Immutable, p.strategy)
		found.Rule = p.hashedInEra(found)
	case isIgnored && (renames == verdict.None || isStripped):
	case isHot && (renames == verdict.None || isStripped):
		if p.Extension == Released && !isVirtualCapacity(found) {
			found.Verdict = verdict.None
			found.Rule = verdict.NameStays
		}
	case renames == verdict.Indeterminate:
		found.Verdict = verdict.Indeterminate
		found.Rule = p.nameUnknown()
	case renames == verdict.None && p.followsState(found):
		found.Rule = verdict.ServerGroup
		found.isNamed = false
	case renames == verdict.None:
		found.Verdict = verdict.None
		found.Rule = verdict.NameStays
	}
	return found
}

// hashedInEra is the reason why a change of a field that the canonical hash leaves out gives the pool another name.
func (p *pair) hashedInEra(found Finding) verdict.Rule {
	isIgnored := found.Class == hotupdate.Ignored
	switch isBare := p.updated.IsBare(); {
	case isIgnored && isBare:
		return verdict.IgnoredInEveryEra
	case isIgnored:
		return verdict.IgnoredInEra
	case isBare:
		return verdict.HashedInEveryEra
	}
	return verdict.HashedInEra
}

// isVirtualCapacity reports whether machine-controller-manager itself puts the field on nodes.
func isVirtualCapacity(found Finding) bool {
	return strings.HasPrefix(found.Path, fields.Config+".nodeTemplate.virtualCapacity")
}

// followsState reports whether a state of the infrastructure, which the extension hashes, follows
// from the field.
func (p *pair) followsState(found Finding) bool {
	return slices.ContainsFunc(p.provider.HashedState, func(name string) bool {
		return isBelow(found.Pointer, facts.PointerTo(facts.JoinPaths(fields.Config, name)))
	})
}

// mayBeTold reports whether a controller may distinguish two values that are equal under their
// Schema: an empty object or list and none, or lists with different elements, such as a repeated
// one. The order of elements is not told apart, also in the lists below.
func mayBeTold(d tree.Difference) bool {
	isEmpty := func(n *tree.Node) bool { return n.Kind() == tree.List && n.Len() == 0 || isEmptyObject(n) }
	if d.Old == nil || d.New == nil {
		return isEmpty(d.Old) || isEmpty(d.New)
	}
	areLists := d.Old.Kind() == tree.List && d.New.Kind() == tree.List
	return areLists && withoutOrder(d.Old) != withoutOrder(d.New)
}

// withoutOrder returns a text that values share if only the order of members and elements and the spelling of scalars
// tell them apart.
func withoutOrder(n *tree.Node) string {
	if n.Len() == 0 {
		text, _ := canonjson.AppendValue(nil, n.JSON()) // the manifest is valid JSON
		return string(text)
	}
	var below []string
	for _, element := range n.Elements() {
		below = append(below, withoutOrder(element))
	}
	for name, member := range n.Members() {
		below = append(below, strconv.Quote(name)+":"+withoutOrder(member))
	}
	slices.Sort(below)
	return "[" + strings.Join(below, ",") + "]"
}

// unseenByName judges a difference that the Schema does not see: of order, of spelling, or an empty
// object.
func (p *pair) unseenByName(d tried) []Finding {
	switch {
	case d.renames == verdict.Roll:
		found := p.unseen(d.Difference, verdict.OfClass(hotupdate.Immutable, p.strategy), verdict.HashedAsWritten)
		found.isNamed = true
		return []Finding{found}
	case d.renames == verdict.Indeterminate:
		return []Finding{p.unseen(d.Difference, verdict.Indeterminate, p.nameUnknown())}
	case p.Effect != nil && mayBeTold(d.Difference):
		found := p.unseen(d.Difference, verdict.None, sameMeaning(d.Difference))
		if v, rule := p.Effect(found.Change, verdict.None); rule != verdict.NoRule {
			found.Verdict = v
			found.Rule = rule
		}
		return []Finding{found}
	case isTypeMeta(d.Path) && !isEmptyObject(d.Old) && !isEmptyObject(d.New): // the type of the config
		return nil
	}
	return []Finding{p.unseen(d.Difference, verdict.None, sameMeaning(d.Difference))}
}

// sameMeaning is the reason why no hash depends on a difference.
func sameMeaning(d tree.Difference) verdict.Rule {
	if isEmptyObject(d.Old) || isEmptyObject(d.New) {
		return verdict.EmptyObject
	}
	return verdict.SameMeaning
}
