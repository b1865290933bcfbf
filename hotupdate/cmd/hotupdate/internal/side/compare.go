package side

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// One reads a file with one manifest, and leaves the wanted pools in it.
func (r *Reader) One(file string) (*Manifest, error) {
	if info, err := os.Stat(file); file != manifests.Stdin && err == nil && info.IsDir() {
		return nil, manifests.InFile(file, syscall.EISDIR)
	}
	found := r.Read(file)
	if err := errors.Join(r.problems...); err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: has %d manifests; split it into files of one manifest each", Name(file), len(found))
	}
	m := found[0]
	var err error
	m.Pools, err = choose(m.Pools, r.Pools, m.From, func(one pool.Pool) []string { return []string{one.Worker.Name} })
	return m, err
}

// Compare compares what the two sides hold, each a file or a directory. There are no plans if neither holds anything and the Reader is lenient.
func (r *Reader) Compare(old, updated string) ([]*pool.Plan, error) {
	before := r.Read(old)
	r.Warnings = nil // what was there before was accepted
	after := r.Read(updated)
	if err := errors.Join(r.problems...); err != nil {
		return nil, err
	}
	if len(before)+len(after) == 0 {
		if r.Lenient {
			return nil, nil
		}
		return nil, fmt.Errorf("%s and %s: have no Shoot, Worker or provider config", Name(old), Name(updated))
	}
	pairs, err := pairUp(before, after, r.AnyName)
	if err != nil {
		return nil, err
	}
	plans := make([]*pool.Plan, len(pairs))
	problems := make([]error, len(pairs))
	for i, p := range pairs {
		plans[i], problems[i] = p.plan(r.Options)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return choosePlans(plans, r.Pools, Name(updated))
}

// choosePlans leaves the wanted pools of the plans, and the plans that have one. A renamed pool is found by its former name, too.
func choosePlans(plans []*pool.Plan, wanted []string, from string) ([]*pool.Plan, error) {
	type ofPlan struct {
		plan *pool.Plan
		pool pool.Planned
	}
	var all []ofPlan
	for _, plan := range plans {
		for _, one := range plan.Pools {
			all = append(all, ofPlan{plan, one})
		}
	}
	chosen, err := choose(all, wanted, from, func(one ofPlan) []string { return []string{one.pool.Name, one.pool.FormerName} })
	if err != nil || len(wanted) == 0 {
		return plans, err
	}
	var left []*pool.Plan
	for _, one := range chosen {
		if !slices.Contains(left, one.plan) {
			left = append(left, one.plan)
			one.plan.Pools = nil
		}
		one.plan.Pools = append(one.plan.Pools, one.pool)
	}
	return left, nil
}

// choose returns the pools that have one of the wanted names, or all pools if none is wanted. The first of a pool's names is its own. There must
// be a pool of every wanted name.
func choose[P any](pools []P, wanted []string, from string, namesOf func(P) []string) ([]P, error) {
	if len(wanted) == 0 {
		return pools, nil
	}
	var chosen []P
	var names []string
	missing := slices.Clone(wanted)
	for _, one := range pools {
		own := namesOf(one)
		names = append(names, own[0])
		if slices.ContainsFunc(own, func(name string) bool { return slices.Contains(wanted, name) }) {
			chosen = append(chosen, one)
			missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(own, name) })
		}
	}
	if len(missing) == 0 {
		return chosen, nil
	}
	if len(names) == 0 {
		names = []string{"none at all"}
	}
	return nil, fmt.Errorf("%s: has no worker pool %s; it has %s", from, quoted(missing), plaintext.Printable(strings.Join(names, ", ")))
}

// quoted lists names in quotes.
func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strconv.Quote(name)
	}
	return strings.Join(all, ", ")
}
