package side

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// pair is an object on both sides of a change. It is nil on a side that does not have it.
type pair struct{ old, updated *object }

// isJudged reports whether neither side has a problem.
func (p pair) isJudged() bool {
	hasProblem := func(o *object) bool { return o != nil && o.problem != nil }
	return !hasProblem(p.old) && !hasProblem(p.updated)
}

// isUnchanged reports whether the object has the same text on both sides.
func (p pair) isUnchanged() bool {
	return p.old != nil && p.updated != nil && p.old.document.Digest() == p.updated.document.Digest()
}

// inputs is a pair that has been read.
type inputs struct{ old, updated *Input }

// pairUp pairs each manifest of the new side with the manifest of the old side that has the same
// group, kind, namespace and name, and, without a namespace, the same folder. If then each side has
// one unpaired manifest of an identity, it is one object that was moved. A manifest without a
// namespace or name is paired if only one manifest of the other side fits. With anyName, the last
// unpaired manifests of a kind, one on each side, are paired regardless of their names. The pairs
// have the order of the new side; objects of only the old side follow.
func pairUp(old, updated []*object, anyName bool) []pair { //nolint:revive // the user's choice
	old = unique(old)
	updated = unique(updated)
	was := make(map[place]*object, len(old))
	for _, o := range old {
		was[o.place()] = o
	}
	pairs := make([]pair, len(updated))
	for i, o := range updated {
		pairs[i] = pair{was[o.place()], o}
		delete(was, o.place())
	}
	rest := slices.DeleteFunc(slices.Clone(old), func(o *object) bool { return was[o.place()] == nil })
	rest = pairMoved(pairs, rest)
	rest = pairBy((*object).identity, pairs, rest)
	if anyName {
		rest = pairBy(func(o *object) identity { return identity{kind: o.groupKind()} }, pairs, rest)
	}
	for _, o := range rest {
		pairs = append(pairs, pair{old: o})
	}
	return pairs
}

// unique returns the manifests among the objects of a side. If an object occurs twice, it returns
// the first one with a problem: the order in which they are applied is not known.
func unique(side []*object) (manifests []*object) {
	seen := make(map[place]*object, len(side))
	for _, o := range side {
		if o.role != isManifest {
			continue
		}
		first := seen[o.place()]
		if first == nil {
			seen[o.place()] = o
			manifests = append(manifests, o)
			continue
		}
		o.problem = fmt.Errorf("%s: is %s, and so is %s; leave out one of them", o.From, o.title(), first.From)
		if first.problem == nil {
			first.problem = o.problem
			first.isTold = true
		}
	}
	return manifests
}

// checkRelated reports two files without a common manifest: they are probably unrelated. In a
// repository, a cluster may replace another one.
func checkRelated(pairs []pair) error {
	var before, after *object
	for _, p := range pairs {
		switch {
		case p.old != nil && p.updated != nil:
			return nil
		case p.old != nil:
			before = cmp.Or(before, p.old)
		default:
			after = cmp.Or(after, p.updated)
		}
	}
	switch {
	case before == nil || after == nil:
		return nil
	case before.groupKind() != after.groupKind():
		return fmt.Errorf("%s: is of another kind than %s; compare manifests of one kind", after.From, before.From)
	}
	return fmt.Errorf("%s: is %s, and %s is %s; compare one object with itself, or give --any-name", after.From,
		after.title(), before.From, before.title())
}

// identity identifies an object of a cluster, in any version. Provider configs in files have no names.
type identity struct {
	kind            facts.TypeMeta // without the version
	namespace, name string
}

// place identifies an object of a side. Without a namespace, the folder may stand for it, so
// objects of the same name in different folders are different objects.
type place struct {
	identity

	folder string
}

func (o *object) place() place {
	if o.Namespace != "" {
		return place{identity: o.identity()}
	}
	return place{o.identity(), path.Dir(o.file)}
}

// pairMoved pairs the manifests of an identity if one unpaired manifest is left on each side. It
// returns the unpaired old manifests.
func pairMoved(pairs []pair, old []*object) (rest []*object) {
	before := map[identity][]*object{}
	for _, o := range old {
		before[o.identity()] = append(before[o.identity()], o)
	}
	after := map[identity][]int{}
	for i, p := range pairs {
		if p.old == nil {
			id := p.updated.identity()
			after[id] = append(after[id], i)
		}
	}
	moved := map[*object]bool{}
	for id, left := range after {
		if isOnly := len(left) == 1 && len(before[id]) == 1; isOnly {
			pairs[left[0]].old = before[id][0]
			moved[before[id][0]] = true
		}
	}
	return slices.DeleteFunc(old, func(o *object) bool { return moved[o] })
}

// withholdAmbiguous marks unpaired objects that may equal an object of the other side whose
// namespace or name is not known. It cannot be known which of them was removed, added or moved.
func withholdAmbiguous(pairs []pair) {
	var before, after []*object
	for _, p := range pairs {
		switch {
		case p.updated == nil:
			before = append(before, p.old)
		case p.old == nil:
			after = append(after, p.updated)
		}
	}
	mayBe := map[*object]*object{}
	for _, sides := range [][2][]*object{{before, after}, {after, before}} {
		known := map[identity]*object{}
		for _, o := range sides[1] {
			for _, id := range o.identity().as(knownAs) {
				known[id] = cmp.Or(known[id], o)
			}
		}
		for _, o := range sides[0] {
			for _, id := range o.identity().as(soughtAs) {
				mayBe[o] = cmp.Or(mayBe[o], known[id])
			}
		}
	}
	for _, o := range slices.Concat(before, after) {
		if other := mayBe[o]; other != nil && o.problem == nil {
			o.problem = manifests.InFile(o.From, fmt.Errorf(
				"%s is not judged: it may be %s in %s, or another one; write the namespaces and names", o.title(),
				other.title(), other.From))
		}
	}
}

func (o *object) identity() identity { return identity{o.groupKind(), o.Namespace, o.Name} }

// groupKind is the type without its version.
func (o *object) groupKind() facts.TypeMeta {
	return facts.TypeMeta{APIVersion: facts.GroupOf(o.Type.APIVersion), Kind: o.Type.Kind}
}

// wildcard matches every namespace or name. It is not valid in JSON.
const wildcard = "\xff"

// knownAs and soughtAs return the names by which manifests are paired: a missing name matches any
// name.
func knownAs(name string) []string { return []string{name, wildcard} }

func soughtAs(name string) []string {
	if name == "" {
		return []string{wildcard}
	}
	return []string{name, ""}
}

// as returns the identities with all namespaces and names that a function returns for the
// identity's own.
func (id identity) as(names func(string) []string) (identities []identity) {
	for _, namespace := range names(id.namespace) {
		for _, name := range names(id.name) {
			identities = append(identities, identity{id.kind, namespace, name})
		}
	}
	return identities
}

// pairBy pairs an unpaired new manifest with an old one if each is the only possible partner of the
// other. It returns the unpaired old manifests.
func pairBy(identityOf func(*object) identity, pairs []pair, old []*object) (rest []*object) {
	var updated []*object
	for _, p := range pairs {
		if p.old == nil {
			updated = append(updated, p.updated)
		}
	}
	before := only(identityOf, updated, old)
	after := only(identityOf, old, updated)
	for i, p := range pairs {
		if m := before[p.updated]; m != nil && after[m] == p.updated {
			pairs[i].old = m
		}
	}
	return slices.DeleteFunc(old, func(m *object) bool { return before[after[m]] == m })
}

// only finds for each manifest the only possible partner among others.
func only(identityOf func(*object) identity, all, others []*object) map[*object]*object {
	known := map[identity][]*object{}
	found := map[*object]*object{}
	for _, m := range others {
		for _, id := range identityOf(m).as(knownAs) {
			known[id] = append(known[id], m)
		}
	}
	for _, m := range all {
		var candidates []*object
		for _, id := range identityOf(m).as(soughtAs) {
			candidates = append(candidates, known[id][:min(2, len(known[id]))]...) // two: the partner is not unique
		}
		if len(candidates) == 1 {
			found[m] = candidates[0]
		}
	}
	return found
}

// title names a manifest for people: Shoot garden-dev/web, or WorkerConfig.
func (o *object) title() string {
	return plaintext.Printable(strings.TrimSpace(o.Type.Kind + " " + strings.Trim(o.Namespace+"/"+o.Name, "/")))
}

// plan compares the two sides.
func (p inputs) plan(o judge.Options, ask pool.Ask) (plan *pool.Plan, err error) {
	m := cmp.Or(p.updated, p.old)
	switch {
	case p.old == nil:
		plan = pool.OneSided(m.Manifest, pool.Added, o)
	case p.updated == nil:
		plan = pool.OneSided(m.Manifest, pool.Removed, o)
	case p.isApplied():
		plan, err = pool.NewAppliedPlan(p.old.Manifest, m.Manifest, o, ask)
	default:
		plan, err = pool.NewPlan(p.old.Manifest, m.Manifest, o)
	}
	if err == nil && m.spec != nil {
		p.asSpec(plan, o.Versions)
	}
	return plan, manifests.InFile(m.From, err)
}
