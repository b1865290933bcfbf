package gardener_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// TestWithFacts: with the CloudProfile, and a config file that states useGKEFormula, plan decides nearly all changes
// that touch machines. It calls none of them none, and refuses nothing that Gardener admits.
func TestWithFacts(t *testing.T) {
	all := answers(t)
	for _, formula := range []bool{false, true} {
		t.Run(strconv.FormatBool(formula), func(t *testing.T) {
			pairs := withFacts(all, formula)
			askPlan(t, pairs, fmt.Sprintf("formatVersion: 1\nlandscape:\n  useGKEFormula: %t\n", formula))
			known := readList(t)
			var touching tally
			for _, p := range pairs {
				if touches := p.gardener.shoot == roll || p.gardener.shoot == inPlace; touches {
					touching.add(p, known)
				}
				for _, d := range known.unlisted(p) {
					isSilent := d.gardener != none && d.plan == none
					isRefused := d.plan == refused || d.plan == failed
					assert.False(t, isSilent || isRefused, "%s\n\t%s", d, p)
				}
			}
			t.Logf("%d pairs; those that touch machines: %s", len(pairs), &touching)
			assert.Greater(t, touching.pairs, 300)
			assert.GreaterOrEqual(t, touching.decided*100, touching.pairs*98)
			assert.Zero(t, undecidedByFormula(pairs), "nothing depends on what is stated")
		})
	}
}

// untouchedOf is how many of the changes that touch no machine are asked again: one of so many.
const untouchedOf = 8

// withFacts returns the pairs with the answer of Gardener's code in the landscapes that have the fact: all pairs
// whose machines it touches, and some of the others.
func withFacts(all []*pair, formula bool) (pairs []*pair) {
	for i, p := range all {
		answer := p.answer
		answer.Outcomes = slices.DeleteFunc(slices.Clone(answer.Outcomes), func(o gardenerplugin.Outcome) bool {
			return !slices.ContainsFunc(o.Landscapes, func(l gardenerplugin.Landscape) bool { return l.UseGKEFormula == formula })
		})
		if p.base.profile == "" || len(answer.Outcomes) == 0 {
			continue
		}
		stated := *p
		stated.gardener = p.ofGardener(answer)
		if stated.gardener.shoot != none || i%untouchedOf == 0 {
			pairs = append(pairs, &stated)
		}
	}
	return pairs
}

// undecidedByFormula counts the pairs that plan leaves open because of useGKEFormula.
func undecidedByFormula(pairs []*pair) (count int) {
	for _, p := range pairs {
		isOpen := slices.ContainsFunc(p.causes(), func(c cause) bool {
			return c.plan == indeterminate && slices.Contains(reasonsOfFormula, c.text)
		})
		if isOpen {
			count++
		}
	}
	return count
}

// reasonsOfFormula are the words of plan's questions about useGKEFormula.
var reasonsOfFormula = []string{
	"Gardener's API server decides by useGKEFormula in the configuration of its admission plugin " +
		"ShootResourceReservation: it fills in kubeReserved in the Shoot, or in each pool by its machine type",
	"a label changes that the selector of useGKEFormula may read: Gardener then reserves in another way",
}
