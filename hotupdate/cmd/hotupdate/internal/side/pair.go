package side

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// inputs is a manifest on both sides of a change. It is nil on a side that does not have it.
type inputs struct{ old, updated *Input }

// pairUp pairs each manifest of the new side with the one of the old side that has its group, kind,
// namespace and name. A manifest without a namespace or a name is paired if only one of the other
// side fits. With anyName, the last two manifests of a kind, one on each side, are paired whatever
// their names. The order is that of the new side; what only the old side has follows.
func pairUp(old, updated []*Input, anyName bool) ([]inputs, error) { //nolint:revive // the user's choice
	was, oldErr := byIdentity(old)
	_, err := byIdentity(updated)
	if err := errors.Join(oldErr, err); err != nil {
		return nil, err
	}
	pairs := make([]inputs, len(updated))
	for i, m := range updated {
		pairs[i] = inputs{was[m.identity()], m}
		delete(was, m.identity())
	}
	rest := slices.DeleteFunc(slices.Clone(old), func(m *Input) bool { return was[m.identity()] == nil })
	rest = pairBy((*Input).identity, pairs, rest)
	if anyName {
		rest = pairBy(func(m *Input) identity { return identity{kind: m.groupKind()} }, pairs, rest)
	}
	for _, m := range rest {
		pairs = append(pairs, inputs{old: m})
	}
	return pairs, nil
}

// checkRelated reports two files without a common manifest: they are probably unrelated. In a
// repository, one cluster may take the place of another.
func checkRelated(pairs []inputs) error {
	var before, after *Input
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

func (m *Input) identity() identity { return identity{m.groupKind(), m.Namespace, m.Name} }

// groupKind is the type without its version.
func (m *Input) groupKind() facts.TypeMeta {
	return facts.TypeMeta{APIVersion: facts.GroupOf(m.Type.APIVersion), Kind: m.Type.Kind}
}

// wildcard matches every namespace or name. It is not valid in JSON.
const wildcard = "\xff"

// knownAs and soughtAs return the names by which manifests find one another: one that is missing
// may be any.
func knownAs(name string) []string { return []string{name, wildcard} }

func soughtAs(name string) []string {
	if name == "" {
		return []string{wildcard}
	}
	return []string{name, ""}
}

// as returns the identities of all namespaces and names that a function makes of one.
func (id identity) as(names func(string) []string) (all []identity) {
	for _, namespace := range names(id.namespace) {
		for _, name := range names(id.name) {
			all = append(all, identity{id.kind, namespace, name})
		}
	}
	return all
}

// byIdentity returns the objects of a side by identity. An object that occurs twice is an error.
func byIdentity(side []*Input) (map[identity]*Input, error) {
	seen := make(map[identity]*Input, len(side))
	var problems []error
	for _, m := range side {
		if first := seen[m.identity()]; first != nil {
			problems = append(problems, fmt.Errorf("%s: is %s, and so is %s; leave out one of them", m.From,
				m.title(), first.From))
			continue
		}
		seen[m.identity()] = m
	}
	return seen, errors.Join(problems...)
}

// pairBy gives to each new manifest that has none the only old one that it may be, if it is the
// only one for that, too. It returns the old ones that are left over.
func pairBy(identityOf func(*Input) identity, pairs []inputs, old []*Input) (rest []*Input) {
	var updated []*Input
	for _, p := range pairs {
		if p.old == nil {
			updated = append(updated, p.updated)
		}
	}
	before, after := only(identityOf, updated, old), only(identityOf, old, updated)
	for i, p := range pairs {
		if m := before[p.updated]; m != nil && after[m] == p.updated {
			pairs[i].old = m
		}
	}
	return slices.DeleteFunc(old, func(m *Input) bool { return before[after[m]] == m })
}

// only finds for each manifest the only one of others that it may be.
func only(identityOf func(*Input) identity, all, others []*Input) map[*Input]*Input {
	known, found := map[identity][]*Input{}, map[*Input]*Input{}
	for _, m := range others {
		for _, id := range identityOf(m).as(knownAs) {
			known[id] = append(known[id], m)
		}
	}
	for _, m := range all {
		var candidates []*Input
		for _, id := range identityOf(m).as(soughtAs) {
			candidates = append(candidates, known[id][:min(2, len(known[id]))]...) // two leave a choice, as all do
		}
		if len(candidates) == 1 {
			found[m] = candidates[0]
		}
	}
	return found
}

// title names a manifest for people: Shoot garden-dev/web, or WorkerConfig.
func (m *Input) title() string {
	return plaintext.Printable(strings.TrimSpace(m.Type.Kind + " " + strings.Trim(m.Namespace+"/"+m.Name, "/")))
}

// plan compares the two sides.
func (p inputs) plan(o judge.Options) (plan *pool.Plan, err error) {
	m := cmp.Or(p.updated, p.old)
	o = m.options(o)
	switch {
	case p.old == nil:
		plan = pool.OneSided(m.Manifest, pool.Added, o)
	case p.updated == nil:
		plan = pool.OneSided(m.Manifest, pool.Removed, o)
	default:
		plan, err = pool.NewPlan(p.old.Manifest, m.Manifest, o)
	}
	if err == nil && m.spec != nil {
		p.asSpec(plan, o.Versions)
	}
	return plan, manifests.InFile(m.From, err)
}
