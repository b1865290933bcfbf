package judge

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// combined returns the comparison of all readings of a pool. Position i has the bits of the values of
// the open facts. If the readings disagree, the verdict is indeterminate, and each fact that changes
// the verdict is named.
func combined(readings []Comparison, open []facts.Fact) Comparison {
	if len(readings) == 1 {
		return readings[0]
	}
	first := readings[0]
	all := Comparison{
		Verdict: first.Verdict, Strategy: first.Strategy, OldEra: first.OldEra, NewEra: first.NewEra,
		Unjudged: first.Unjudged, Changes: combinedChanges(readings), Key: first.Key,
	}
	for _, reading := range readings {
		if reading.Verdict != first.Verdict {
			all.Verdict = verdict.Indeterminate
		}
		if reading.Key != first.Key {
			all.Key = KeyOpen
		}
		all.Unknown = append(all.Unknown, reading.Unknown...)
		all.Rules = append(all.Rules, reading.Rules...)
	}
	slices.Sort(all.Unknown)
	all.Unknown = slices.Compact(all.Unknown)
	for k, fact := range open {
		if decides(readings, k) {
			all.Rules = append(all.Rules, ruleOf(fact))
		}
	}
	if all.Verdict != verdict.Forbidden {
		all.Rules = slices.DeleteFunc(all.Rules, func(r verdict.Rule) bool { return r.Kind == verdict.Refuses })
	}
	all.Rules = verdict.Sorted(all.Rules)
	for i := range all.Changes {
		change := &all.Changes[i]
		change.Decides = all.Verdict != verdict.None && change.Verdict == all.Verdict
	}
	return all
}

// decides reports whether the verdict depends on the value of the k-th open fact.
func decides(readings []Comparison, k int) bool {
	for i, reading := range readings {
		if reading.Verdict != readings[i^1<<k].Verdict {
			return true
		}
	}
	return false
}

// combinedChanges returns the changes of all readings. One on which they disagree is indeterminate:
// a value that Gardener fills in may remove it.
func combinedChanges(readings []Comparison) (all []Finding) {
	at := map[string]int{}
	agree := map[string]int{}
	for _, reading := range readings {
		for _, change := range reading.Changes {
			i, isKnown := at[change.Pointer]
			switch {
			case !isKnown:
				at[change.Pointer] = len(all)
				all = append(all, change)
				agree[change.Pointer] = 1
			case all[i].Verdict == change.Verdict:
				agree[change.Pointer]++
			case change.hasClass && !all[i].hasClass: // it says more
				all[i] = change
			}
		}
	}
	for i := range all {
		if agree[all[i].Pointer] < len(readings) {
			all[i].Verdict = verdict.Indeterminate
			all[i].Rule = verdict.NoRule
			all[i].Omitted = true
		}
	}
	slices.SortStableFunc(all, byMember)
	return all
}

// ruleOf returns the rule that names an open fact, and where it is known.
func ruleOf(fact facts.Fact) verdict.Rule {
	switch fact {
	case facts.ReservationMode:
		return verdict.ReservationMode
	case facts.GKEReservation:
		return verdict.GKEReservation
	case facts.DNSByDefault:
		return verdict.DNSByDefault
	case facts.StoredImage:
		return verdict.StoredImage
	case facts.DefaultImage:
		return verdict.DefaultImage
	case facts.StoredVersion:
		return verdict.StoredVersion
	case facts.DefaultVersion:
		return verdict.DefaultVersion
	case facts.ClusterVersion:
		return verdict.ClusterVersion
	}
	return verdict.NoRule
}
