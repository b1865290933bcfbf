package gardener_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// fixedSeed is the seed for which the list of differences is complete.
const fixedSeed = 1

var (
	seed   = flag.Uint64("seed", seedOfEnvironment(), "draw other edits")
	update = flag.Bool("update", false, "remove differences that no longer occur from "+listFile)
)

func seedOfEnvironment() uint64 {
	if s, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		return s
	}
	return fixedSeed
}

// How many of the edits that Gardener admits are undone, and made beside another one: one of so many.
// All that touch machines are undone.
const (
	undoneOf = 8
	twosOf   = 4
)

// answered are all pairs with both answers. They are drawn and answered once for all tests.
var answered = sync.OnceValue(func() (answers []*pair) {
	t := asking
	shoots := append(bases(t, newJudge(t)), basesWithoutProfile(t)...)
	drawing := newDrawer(*seed, shoots)
	ask := func(pairs []*pair) {
		begin := time.Now()
		for _, p := range pairs {
			p.id = fmt.Sprintf("e%06d", len(answers))
			answers = append(answers, p)
		}
		askGardener(t, pairs)
		between := time.Now()
		askPlan(t, pairs, "")
		t.Logf("%d pairs: Gardener's code %s, plan %s", len(pairs), between.Sub(begin).Round(time.Second),
			time.Since(between).Round(time.Second))
	}
	singles := single(drawing, shoots)
	ask(singles)
	ask(backwards(lot(*seed), singles))
	ask(twos(lot(*seed), singles))
	return answers
})

// asking is the test that asks first.
var asking testing.TB

func answers(t *testing.T) []*pair {
	t.Helper()
	asking = t
	all := answered()
	require.NotEmpty(t, all, "an earlier test could not ask")
	t.Logf("seed %d, %d pairs", *seed, len(all))
	return all
}

// single returns a pair for each edit of each Shoot.
func single(drawing *drawer, shoots []base) (pairs []*pair) {
	for i := range shoots {
		b := &shoots[i]
		for _, e := range drawing.draw(b) {
			if b.profile == "" && !strings.HasPrefix(e.field, "spec.provider.workers[]") {
				continue // the CloudProfile says nothing about other fields
			}
			pairs = append(pairs, &pair{base: b, edits: []edit{e}, old: b.old(), updated: e.apply(b.shoot)})
		}
	}
	return pairs
}

// isAdmitted reports whether Gardener admits the pair's change.
func (p *pair) isAdmitted() bool { return p.gardener.shoot != refused && p.gardener.shoot != failed }

// backwards returns pairs whose edit is undone: the edited Shoot is the old one. Gardener admits the
// edit, so that there can be such a Shoot.
func backwards(chance lot, singles []*pair) (pairs []*pair) {
	for _, p := range singles {
		isDrawn := p.gardener.shoot != none || chance.of("undone", p.String())%undoneOf == 0
		isApplied := p.base.cluster != nil // the other way round, kubectl apply is not used
		if !p.isAdmitted() || !isDrawn || isApplied {
			continue
		}
		e := p.edits[0]
		e.kind = undone[e.kind]
		pairs = append(pairs, &pair{base: p.base, edits: []edit{e}, old: p.updated, updated: p.old})
	}
	return pairs
}

// twos returns pairs with two edits that Gardener admits alone. The second one touches machines in
// every second pair.
func twos(chance lot, singles []*pair) (pairs []*pair) {
	admitted := map[*base][]*pair{}
	touching := map[*base][]*pair{}
	for _, p := range singles {
		// another CloudProfile than the given one says something else about all other fields
		if !p.isAdmitted() || strings.HasPrefix(p.edits[0].field, "spec.cloudProfile") {
			continue
		}
		admitted[p.base] = append(admitted[p.base], p)
		if p.gardener.shoot != none {
			touching[p.base] = append(touching[p.base], p)
		}
	}
	for _, p := range singles {
		number := chance.of("two", p.String())
		if !p.isAdmitted() || number%twosOf != 0 || strings.HasPrefix(p.edits[0].field, "spec.cloudProfile") {
			continue
		}
		others := admitted[p.base]
		if number/twosOf%2 == 0 && len(touching[p.base]) > 0 {
			others = touching[p.base]
		}
		second := slices.MinFunc(others, func(a, b *pair) int {
			return cmp.Compare(chance.of(p.String(), a.edits[0].String()), chance.of(p.String(), b.edits[0].String()))
		})
		if p.edits[0].overlaps(second.edits[0]) {
			continue
		}
		both := []edit{p.edits[0], second.edits[0]}
		updated := both[1].apply(both[0].apply(p.base.shoot))
		pairs = append(pairs, &pair{base: p.base, edits: both, old: p.base.old(), updated: updated})
	}
	return pairs
}

// unlistedOf fails for each disagreement that a law forbids and that the list does not have.
func unlistedOf(t *testing.T, isForbidden func(difference) bool) {
	t.Helper()
	all := answers(t)
	known := readList(t)
	shown := map[difference]bool{}
	for _, p := range all {
		for _, d := range known.unlisted(p) {
			if isForbidden(d) && !shown[d] {
				shown[d] = true
				t.Errorf("%s\n\t%s\n\tseed %d", d, p, *seed)
			}
		}
	}
}

// TestMachinesAreNotTouchedSilently: a change that touches machines is never called none.
func TestMachinesAreNotTouchedSilently(t *testing.T) {
	unlistedOf(t, func(d difference) bool { return d.gardener != none && d.plan == none })
}

// TestNoUpdateWhereTheKeyStays: nothing rolls or is updated in place where Gardener's key and hash
// stay, but for the reasons of extensions.
func TestNoUpdateWhereTheKeyStays(t *testing.T) {
	unlistedOf(t, func(d difference) bool { return d.gardener != d.plan && (d.plan == roll || d.plan == inPlace) })
}

// TestNothingAdmittedIsForbidden: plan refuses nothing that Gardener admits, but for the reasons of
// extensions. A Shoot that it cannot read is no better.
func TestNothingAdmittedIsForbidden(t *testing.T) {
	unlistedOf(t, func(d difference) bool { return d.plan == refused || d.plan == failed })
}

// TestDecided: what Gardener's code decides from the manifests is decided, apart from what the list
// accepts; with that, 95 % of all changes are, and of those that touch machines.
func TestDecided(t *testing.T) {
	unlistedOf(t, func(d difference) bool { return d.plan == indeterminate })
	var all, touching tally
	known := readList(t)
	for _, p := range answers(t) {
		switch p.gardener.shoot {
		case none:
			all.add(p, known)
		case inPlace, roll:
			all.add(p, known)
			touching.add(p, known)
		case refused, indeterminate, failed, gone, anyEffect:
		}
	}
	t.Logf("all changes: %s; those that touch machines: %s", &all, &touching)
	for _, counted := range []tally{all, touching} {
		assert.Greater(t, counted.decided*100, counted.pairs*95)
	}
}

// tally counts the pairs that plan decides.
type tally struct{ pairs, decided, accepted int }

func (t *tally) add(p *pair, known *list) {
	t.pairs++
	switch {
	case p.plan.shoot != indeterminate:
		t.decided++
	case slices.ContainsFunc(p.differences(), known.accepts):
		t.accepted++
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("%d of %d decided, %.1f %%, and %d are accepted as they are", t.decided, t.pairs,
		100*float64(t.decided)/float64(t.pairs), t.accepted)
}

// TestEveryRefusalIsReported: the module has a reason for each refusal, with a field that the v1beta1
// Shoot has where Gardener names one.
func TestEveryRefusalIsReported(t *testing.T) {
	judge := newJudge(t)
	shoots := bases(t, judge)
	drawing := newDrawer(*seed, shoots)
	refusals := 0
	named := 0
	for i := range shoots {
		b := &shoots[i]
		old := toJSON(t, b.old())
		for i, e := range drawing.draw(b) {
			if i%3 != 0 {
				continue
			}
			answer := judge.Judge(gardenerplugin.Question{Old: old, New: toJSON(t, e.apply(b.shoot))})
			for _, outcome := range answer.Outcomes {
				for _, r := range outcome.Refusals {
					refusals++
					assert.NotEmpty(t, r.Text, e)
					assert.NotEmpty(t, r.By, e)
					if r.Field == "" {
						assert.Regexp(t, withoutField, r.Text, e)
						continue
					}
					named++
					assert.True(t, isField(r.Field) || e.kind == unknown, "%s: %s: %s", e, r.Field, r.Text)
				}
			}
			assert.Equal(t, len(answer.Outcomes) > 0, answer.Error == "", e)
		}
	}
	t.Logf("%d refusals, %d with a field", refusals, named)
	assert.Greater(t, named, 5000)
}

// withoutField matches the refusals that the API server and Gardener's plugins write without a field.
var withoutField = regexp.MustCompile("^(apply (client|server): |time: invalid duration|quantities must match|" +
	"spec.seedName .*cannot be changed|cloud profile reference change is invalid|" +
	"Internal error occurred: could not find referenced cloud profile)")

// TestDifferences: the list has the differences, and only those.
func TestDifferences(t *testing.T) {
	all := answers(t)
	known := readList(t)
	unknown := map[difference]bool{}
	for _, p := range all {
		for _, d := range known.unlisted(p) {
			if !unknown[d] {
				unknown[d] = true
				t.Errorf("not in %s: %s\n\t%s", listFile, d, p)
			}
		}
	}
	writeReport(t, all, known)
	if *seed != fixedSeed {
		return // other values may not show all of the list
	}
	gone := known.gone()
	if *update {
		known.shrink()
		require.NoError(t, os.WriteFile(listFile, known.bytes(), 0o644))
		return
	}
	for _, what := range gone {
		t.Errorf("no longer occurs, remove it from %s with -update: %s", listFile, what)
	}
}
