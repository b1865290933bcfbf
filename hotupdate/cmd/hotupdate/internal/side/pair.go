package side

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// pair is a manifest on both sides of a change; nil where a side is without it.
type pair struct{ old, updated *Manifest }

// pairUp finds for each manifest of the new side the one of the old side that it takes the place of: the one of its kind, namespace and name.
// A missing namespace or name may be any, where that leaves no choice. If anyName is set, so may be the names of the only manifests of a kind
// that are left over on both sides. The order is that of the new side; what only the old side has follows.
//
// Two sides of which no manifest is the same are an error: they are probably two files that have nothing to do with each other.
func pairUp(old, updated []*Manifest, anyName bool) ([]pair, error) { //nolint:revive // the user's choice
	if err := errors.Join(checkTwins(old), checkTwins(updated)); err != nil {
		return nil, err
	}
	pairs := make([]pair, len(updated))
	for i, m := range updated {
		pairs[i].updated = m
	}
	rest := pairBy(pairs, old, func(a, b *Manifest) bool { return a.identity() == b.identity() })
	rest = pairBy(pairs, rest, mayBeSameObject)
	if anyName {
		rest = pairBy(pairs, rest, func(a, b *Manifest) bool { return a.Type == b.Type })
	}
	if len(old) > 0 && len(rest) == len(old) && len(updated) > 0 {
		before, after := old[0], updated[0]
		if before.Type != after.Type {
			return nil, fmt.Errorf("%s: is of another kind than %s; compare manifests of one kind", after.From, before.From)
		}
		return nil, fmt.Errorf("%s: is %s, and %s is %s; compare one object with itself, or give --any-name", after.From, after.title(), before.From, before.title())
	}
	for _, m := range rest {
		pairs = append(pairs, pair{old: m})
	}
	return pairs, nil
}

// identity tells the objects of a cluster apart. Provider configs on their own have no names.
type identity struct {
	kind            pool.TypeMeta
	namespace, name string
}

func (m *Manifest) identity() identity { return identity{m.Type, m.Namespace, m.Name} }

// checkTwins reports objects that a side has twice.
func checkTwins(side []*Manifest) error {
	seen := make(map[identity]*Manifest, len(side))
	var problems []error
	for _, m := range side {
		if first := seen[m.identity()]; first != nil {
			problems = append(problems, fmt.Errorf("%s: is %s, and so is %s; leave out one of them", m.From, m.title(), first.From))
			continue
		}
		seen[m.identity()] = m
	}
	return errors.Join(problems...)
}

// pairBy gives to each new manifest that has none the only old one that is the same, if it is the only one for that, too. It returns the old
// ones that are left over.
func pairBy(pairs []pair, old []*Manifest, same func(a, b *Manifest) bool) (rest []*Manifest) {
	candidates := map[*Manifest][]int{}
	claims := make([]int, len(pairs))
	for _, m := range old {
		for i, p := range pairs {
			if p.old == nil && same(m, p.updated) {
				candidates[m] = append(candidates[m], i)
				claims[i]++
			}
		}
	}
	for _, m := range old {
		if found := candidates[m]; len(found) == 1 && claims[found[0]] == 1 {
			pairs[found[0]].old = m
		} else {
			rest = append(rest, m)
		}
	}
	return rest
}

func mayBeSameObject(a, b *Manifest) bool {
	may := func(a, b string) bool { return a == b || a == "" || b == "" }
	return a.Type == b.Type && may(a.Namespace, b.Namespace) && may(a.Name, b.Name)
}

// title names a manifest for people: Shoot garden-dev/web, or WorkerConfig.
func (m *Manifest) title() string {
	return plaintext.Printable(strings.TrimSpace(m.Type.Kind + " " + strings.Trim(m.Namespace+"/"+m.Name, "/")))
}

// plan compares the two sides.
func (p pair) plan(o pool.Options) (plan *pool.Plan, err error) {
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
		m.asSpec(plan)
	}
	return plan, manifests.InFile(m.From, err)
}
