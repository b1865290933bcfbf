package verdict

import (
	"slices"
	"strings"
)

// words are the words of the verdicts in every output and input: text, JSON, SARIF and HTML, flags, and the files of
// users. A verdict that follows from the class of a field has the word of its Outcome.
var words = map[Verdict]string{
	BecomesReadable: "becomes-readable", MachinesAdded: "machines-added", Added: "added",
	MachinesMayBeDeleted: "machines-may-be-deleted", Unreadable: "invalid", ClassRenamed: "class-renamed",
	AllMachinesMayBeDeleted: "all-machines-may-be-deleted", MachinesDeleted: "machines-deleted",
	PoolRenamed: "renamed", Removed: "removed",
}

// String returns the word of the verdict: hot-update, machines-deleted. A number that is not a
// verdict has the word of Indeterminate.
func (v Verdict) String() string {
	if word := words[v]; word != "" {
		return word
	}
	return outcomes[v].String()
}

// Words returns the words of some verdicts.
func Words(verdicts []Verdict) []string {
	all := make([]string, len(verdicts))
	for i, v := range verdicts {
		all[i] = v.String()
	}
	return all
}

// Written returns the word that a person means by a text: capitals, and blanks for hyphens, do not count.
func Written(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), "-") }

// gravities has the place of each word among those of all verdicts, the gravest first.
var gravities = func() map[string]int {
	all := map[string]int{}
	for v := None; v <= Removed; v++ {
		all[v.String()] = int(v)
	}
	return all
}()

// CompareWords orders words of verdicts, the gravest first. Any other text has the gravity of
// indeterminate.
func CompareWords(a, b string) int { return gravities[b] - gravities[a] }

// OfWord returns the verdict of a word, and whether there is one.
func OfWord(word string) (Verdict, bool) {
	v, isKnown := gravities[word]
	return Verdict(v), isKnown //nolint:gosec // a verdict
}

// Failing returns the verdicts for which a gate of plan can fail, and which people can accept, the gravest first.
func Failing() []Verdict {
	return slices.DeleteFunc(OfPools(), func(v Verdict) bool { return v == None })
}

// FailingReleases is [Failing] for audit.
func FailingReleases() []Verdict {
	return slices.DeleteFunc(OfReleases(), func(v Verdict) bool { return v == None })
}
