package side

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
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
	wanted := r.wanted()
	found[0].Pools = slices.DeleteFunc(found[0].Pools, func(p pool.Pool) bool { return !wanted.has(p.Worker.Name) })
	return found[0], wanted.check(found[0].From)
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
		return nil, fmt.Errorf("%s and %s: have no Shoot, Worker, provider config or resource of --crd", Name(old), Name(updated))
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
	wanted := r.wanted()
	for _, plan := range plans {
		plan.Pools = slices.DeleteFunc(plan.Pools, func(p pool.Planned) bool { return !wanted.has(p.Name, p.FormerName) })
	}
	if len(r.Pools) > 0 {
		plans = slices.DeleteFunc(plans, func(plan *pool.Plan) bool { return len(plan.Pools) == 0 })
	}
	return plans, wanted.check(Name(updated))
}

// wanted are the pools that a user wants to see; all if no name is given.
type wanted struct {
	names []string
	found map[string]bool
	all   []string // the pools that there are
}

func (r *Reader) wanted() *wanted { return &wanted{names: r.Pools, found: map[string]bool{}} }

// has reports whether a pool with one of the names is wanted. The first is its own.
func (w *wanted) has(names ...string) (isWanted bool) {
	w.all = append(w.all, names[0])
	for _, name := range names {
		if slices.Contains(w.names, name) {
			w.found[name], isWanted = true, true
		}
	}
	return isWanted || len(w.names) == 0
}

// check reports the names that no pool has.
func (w *wanted) check(from string) error {
	missing := slices.DeleteFunc(slices.Clone(w.names), func(name string) bool { return w.found[name] })
	if len(missing) == 0 {
		return nil
	}
	quoted := strings.Trim(fmt.Sprintf("%q", missing), "[]")
	return fmt.Errorf("%s: has no worker pool %s; it has %s", from, strings.ReplaceAll(quoted, `" "`, `", "`), plaintext.Printable(cmp.Or(strings.Join(w.all, ", "), "none at all")))
}
