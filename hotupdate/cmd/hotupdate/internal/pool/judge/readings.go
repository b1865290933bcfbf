package judge

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// combinedBy returns the comparison of all readings of a pool. Position i has the bits of the
// values of the open facts. If the readings disagree, the verdict is indeterminate, and each fact
// that changes the verdict is named. Reason says why they disagree on a change; without a reason,
// an unknown default is the cause.
func combinedBy(readings []Comparison, open []facts.Fact, reason verdict.Rule) Comparison {
	if len(readings) == 1 {
		return readings[0]
	}
	first := readings[0]
	all := Comparison{
		Numbers: first.Numbers, Strategy: first.Strategy, OldEra: first.OldEra, NewEra: first.NewEra,
		Unjudged: first.Unjudged, Changes: combinedChanges(readings, reason), Key: first.Key,
		HasNone: first.HasNone, MayHaveNone: first.MayHaveNone,
	}
	number, staying := first.parts()
	for i := range readings {
		reading := &readings[i]
		ofNumber, other := reading.parts()
		number = max(number, ofNumber)
		if other != staying {
			staying = verdict.Indeterminate
		}
		all.May = all.May.Or(reading.PossibleStaying())
		all.HasNone = all.HasNone && reading.HasNone
		all.MayHaveNone = all.MayHaveNone || reading.MayHaveNone
		all.Questions = append(all.Questions, reading.Questions...)
		if reading.Key != first.Key {
			all.Key = KeyOpen
		}
		all.Unknown = append(all.Unknown, reading.Unknown...)
		all.Rules = append(all.Rules, reading.Rules...)
	}
	all.setParts(number, staying)
	slices.Sort(all.Unknown)
	all.Unknown = slices.Compact(all.Unknown)
	all.Questions = verdict.Merged(all.Questions)
	for k, fact := range open {
		if decides(readings, k) {
			question := questionOf(fact, given(readings, k))
			// this question replaces the questions of the same rule in single readings
			all.Questions = slices.DeleteFunc(all.Questions,
				func(q verdict.Question) bool { return q.Rule == question.Rule })
			all.Questions = append(all.Questions, question)
			all.Rules = append(all.Rules, question.Rule)
		}
	}
	if all.Verdict != verdict.Forbidden {
		all.Rules = slices.DeleteFunc(all.Rules, func(r verdict.Rule) bool { return r.Kind == verdict.Refuses })
	}
	all.Rules = verdict.Sorted(all.Rules)
	all.SetDeciding()
	return all
}

// Alternatives combines several comparisons of a pool if it is not known which of them holds. If
// they disagree, the verdict is indeterminate, and the question asks for what decides among them.
func Alternatives(all []Comparison, question verdict.Question) Comparison {
	merged := combinedBy(all, nil, question.Rule)
	differs := func(one Comparison) bool { return !slices.Equal(one.Effects(), all[0].Effects()) }
	if !slices.ContainsFunc(all, differs) {
		return merged
	}
	merged.Verdict = verdict.Indeterminate
	merged.Also = nil
	merged.May = question.Becomes()
	merged.Questions = append([]verdict.Question{question}, merged.Questions...)
	merged.Rules = verdict.Sorted(append(merged.Rules, question.Rule))
	merged.SetDeciding()
	return merged
}

// Undecided returns a finding about a manifest as a whole that depends on a fact that is not known.
func Undecided(question verdict.Question) Finding { return undecided(question)[0] }

// decides reports whether the verdict depends on the value of the k-th open fact.
func decides(readings []Comparison, k int) bool {
	for i, reading := range readings {
		if !slices.Equal(reading.Effects(), readings[i^1<<k].Effects()) {
			return true
		}
	}
	return false
}

// given returns the verdicts for the two values of the k-th open fact.
func given(readings []Comparison, k int) (by [2]verdict.Set) {
	for i := range readings {
		value := i >> k & 1
		by[value] = by[value].Or(readings[i].PossibleStaying())
	}
	return by
}

// combinedChanges returns the changes of all readings. A change on which they disagree is
// indeterminate, for the reason or, without one, because a value that Gardener fills in may remove
// the change. A change that touches no machine agrees with a reading that does not have it.
func combinedChanges(readings []Comparison, reason verdict.Rule) (changes []Finding) {
	all := combined{at: map[occurrence]int{}}
	for i := range readings {
		all.add(readings[i].Changes)
	}
	for _, one := range all.changes {
		if one.agree < len(readings) && one.touches {
			one.Verdict = verdict.Indeterminate
			if one.Rule != verdict.FormulaByLabel {
				one.Rule = reason
				one.Omitted = reason == verdict.NoRule
			}
		}
		changes = append(changes, one.Finding)
	}
	slices.SortStableFunc(changes, byMember)
	return changes
}

// combined are the changes of several readings, each once.
type combined struct {
	changes []agreed
	at      map[occurrence]int // the changes
}

// agreed is a change of several readings.
type agreed struct {
	Finding

	agree   int  // the number of readings with its verdict
	touches bool // it touches machines in a reading
}

// occurrence tells the changes of a reading apart, of which two may have one pointer: see [Finding.isBeside].
type occurrence struct {
	pointer string
	before  int // the number of changes before it with the same pointer
}

// add adds the changes of a reading.
func (c *combined) add(changes []Finding) {
	seen := map[string]int{}
	for _, change := range changes {
		at := occurrence{change.Pointer, seen[change.Pointer]}
		seen[change.Pointer]++
		touches := change.Verdict != verdict.None
		i, isKnown := c.at[at]
		if !isKnown {
			c.at[at] = len(c.changes)
			c.changes = append(c.changes, agreed{change, 1, touches})
			continue
		}
		one := &c.changes[i]
		one.touches = one.touches || touches
		switch {
		case one.Verdict == change.Verdict:
			one.agree++
		case change.hasClass && !one.hasClass: // it is more specific
			one.Finding = change
		}
	}
}

// questionOf returns the question about an open fact, with what its two values give.
func questionOf(fact facts.Fact, by [2]verdict.Set) verdict.Question {
	question := questions[fact]
	question.Values = []verdict.Value{
		{Text: question.Values[0].Text, Gives: by[0]}, {Text: question.Values[1].Text, Gives: by[1]},
	}
	return question
}

const (
	theCluster         = "the Shoot of the cluster"
	compareWithCluster = "compare with the Shoot of the cluster"
	theReservations    = "the configuration of Gardener's admission plugin ShootResourceReservation"
	stateFormula       = "state landscape.useGKEFormula in " + ConfigFile
	theProfile         = "the CloudProfile"
	nameProfile        = "name it with --cloudprofile"
)

// questions are the questions about open facts, with their values in the order of [facts.Readings].
var questions = map[facts.Fact]verdict.Question{
	facts.ReservationMode: {
		Rule: verdict.ReservationMode, Fact: "useGKEFormula",
		Owner: theReservations, Answer: stateFormula,
		Values: []verdict.Value{verdict.Gives("false"), verdict.Gives("true")},
	},
	facts.FormulaByLabel: {
		Rule: verdict.FormulaByLabel, Fact: "whether the selector of useGKEFormula reads a label that changes",
		Owner: theReservations, Answer: stateFormula,
		Values: []verdict.Value{verdict.Gives("no"), verdict.Gives("yes")},
	},
	facts.KeptReservation: {
		Rule: verdict.KeptReservation, Fact: "how the manifest is applied", Owner: "your deployment",
		Answer: "state it by --apply",
		Values: []verdict.Value{
			verdict.Gives("client or server"), verdict.Gives("replace, or a patch of whole lists"),
		},
	},
	facts.KeptByServer: {
		Rule: verdict.KeptReservation, Fact: "how the manifest is applied", Owner: "your deployment",
		Answer: "state it by --apply",
		Values: []verdict.Value{
			verdict.Gives("server"), verdict.Gives("client, replace, or a patch of whole lists"),
		},
	},
	facts.KeptEncryption: {
		Rule: verdict.KeptEncryption, Fact: "whether the extension's admission keeps the encryption of volumes",
		Owner: theCluster, Answer: "write it in the manifest",
		Values: []verdict.Value{verdict.Gives("yes"), verdict.Gives("no")},
	},
	facts.FilledEncryption: {
		Rule:  verdict.FilledEncryption,
		Fact:  "whether the extension's admission encrypted the volumes when they were created",
		Owner: theCluster, Answer: compareWithCluster,
		Values: []verdict.Value{verdict.Gives("yes"), verdict.Gives("no")},
	},
	facts.GKEReservation: {
		Rule: verdict.GKEReservation, Fact: "the reservation for the machine type",
		Owner: theProfile, Answer: nameProfile,
		Values: []verdict.Value{
			verdict.Gives("the one of a manifest"), verdict.Gives("another one"),
		},
	},
	facts.ExtensionRelease: {
		Rule: verdict.ReleaseDecides, Fact: "the release of the extension",
		Values: []verdict.Value{verdict.Gives("today's"), verdict.Gives("an older one")},
	},
	facts.DNSByVersion: {
		Rule: verdict.DNSByVersion, Fact: "the Kubernetes version that the pool has", Owner: theCluster,
		Answer: "write the version",
		Values: []verdict.Value{verdict.Gives("older than 1.34"), verdict.Gives("1.34 or newer")},
	},
	facts.DNSByDefault: {
		Rule: verdict.DNSByDefault, Fact: "whether node-local DNS is enabled in the cluster",
		Owner: theCluster, Answer: compareWithCluster,
		Values: []verdict.Value{verdict.Gives("no"), verdict.Gives("yes")},
	},
	facts.StoredImage: {
		Rule: verdict.StoredImage, Fact: "the machine image that the pool has",
		Owner: theCluster, Answer: compareWithCluster, Values: sameOrNot(),
	},
	facts.DefaultImage: {
		Rule: verdict.DefaultImage, Fact: "the newest machine image", Owner: theProfile, Answer: nameProfile,
		Values: sameOrNot(),
	},
	facts.StoredVersion: {
		Rule: verdict.StoredVersion, Fact: "the Kubernetes version that the Shoot has",
		Owner: theCluster, Answer: compareWithCluster, Values: sameOrNot(),
	},
	facts.DefaultVersion: {
		Rule: verdict.DefaultVersion, Fact: "the newest Kubernetes version", Owner: theProfile, Answer: nameProfile,
		Values: sameOrNot(),
	},
	facts.ClusterVersion: {
		Rule: verdict.ClusterVersion, Fact: "the Kubernetes version of the cluster", Owner: theCluster,
		Answer: "write the version of the pool", Values: sameOrNot(),
	},
}

// ConfigFile is the name of the file with the facts of a landscape.
const ConfigFile = verdict.ConfigFile

// sameOrNot are the values of a fact that is the same on the other side or not.
func sameOrNot() []verdict.Value {
	return []verdict.Value{verdict.Gives("the same as on the other side"), verdict.Gives("another one")}
}
