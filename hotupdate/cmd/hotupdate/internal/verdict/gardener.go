package verdict

import (
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Gardener makes the rules that Gardener's own code reports. Its value is the version of that code,
// such as v1.150.0.
type Gardener string

// source names the part of Gardener that reports a rule.
func (g Gardener) source(by string) string { return "Gardener " + string(g) + ", " + by }

// Refuses is the reason why a part of Gardener refuses a change.
func (g Gardener) Refuses(text, by string) Rule {
	return Rule{Refuses, "Gardener refuses the change: " + text, g.source(by)}
}

// MayRefuse is the reason of a refusal that depends on facts that are in no manifest.
func (g Gardener) MayRefuse(text, by string, dependsOn []string) Rule {
	return Rule{
		Decides, "Gardener may refuse the change, depending on " + strings.Join(dependsOn, " and ") + ": " + text,
		g.source(by),
	}
}

// Admits says that Gardener admits a change, and which objects its code was not given.
func (g Gardener) Admits(missing []string) Rule {
	text := "Gardener " + string(g) + " admits the change"
	if len(missing) > 0 {
		text += ", but was not given " + strings.Join(missing, ", ") + ", which may refuse it"
	}
	return Rule{Kind: Notes, Text: text}
}

// Assumes is a fact that was passed to Gardener's code and that no manifest has.
func (g Gardener) Assumes(text string) Rule {
	return Rule{Assumes, "for Gardener's code: " + text, g.source("hotupdate-gardener")}
}

// RefusesOld says that the old Shoot cannot be created any more. More is the number of reasons beside
// this one.
func (g Gardener) RefusesOld(field, text string, more int) Rule {
	text = "Gardener " + string(g) + " would not create the old Shoot: " + strings.TrimPrefix(field+": "+text, ": ")
	if more > 0 {
		text += "; and " + plaintext.Counted(more, "reason")
	}
	return Rule{Kind: Notes, Text: text}
}

// Decides says that Gardener gives a pool another name, which this command could not know.
func (g Gardener) Decides() Rule {
	return Rule{Decides, "Gardener's own code gives the pool another key", g.source("calculateKeyForValues")}
}

// DependsOn says what decides whether a name that Gardener gives to a pool changes.
func (g Gardener) DependsOn(what []string) Rule {
	return Rule{
		Decides, "whether Gardener gives the pool another key depends on " + strings.Join(what, " and "),
		g.source("calculateKeyForValues"),
	}
}

// KeyChanges says that the key of a pool changes, although this command found that it does not.
func (g Gardener) KeyChanges() Rule {
	return Rule{
		Decides, "Gardener's own code gives the pool another key, but this command finds none; please report this " +
			"defect of hotupdate, with both manifests", g.source("calculateKeyForValues"),
	}
}

// KeyStays is the counterpart of [Gardener.KeyChanges].
func (g Gardener) KeyStays() Rule {
	return Rule{
		Notes, "Gardener's own code leaves the pool its key, but this command finds another one; please report this " +
			"defect of hotupdate, with both manifests", g.source("calculateKeyForValues"),
	}
}

// KeyOfRefused says that Gardener's code and this command disagree about the key of a pool whose
// old Shoot Gardener would not create. The stored Shoot then differs from the Shoot that was passed
// to Gardener's code.
func (g Gardener) KeyOfRefused() Rule {
	return Rule{
		Decides, "Gardener's own code and this command differ about the key of the pool, whose old Shoot Gardener " +
			"would not create", g.source("calculateKeyForValues"),
	}
}

// KeyOfRotation says why only this command finds another key: a rotation of credentials between two Shoots of a
// cluster.
func (g Gardener) KeyOfRotation() Rule {
	return Rule{
		Notes, "Gardener's own code was asked about the spec alone; the rotation of credentials in the status of " +
			"both Shoots is judged by this command", g.source("LastInitiationTimeForWorkerPool"),
	}
}

// AsksForOld is the question for the stored Shoot, where [Gardener.KeyOfRefused] holds.
func (g Gardener) AsksForOld(stays, changes Verdict) Question {
	return Question{
		Fact: "the stored Shoot", Owner: "the cluster", Answer: "compare with the Shoot of the cluster",
		Values: []Value{Gives("the old manifest", changes), Gives("another Shoot", stays)}, Rule: g.KeyOfRefused(),
	}
}

// Asks is the question for what a rule of Gardener depends on.
func (g Gardener) Asks(what []string, rule Rule, values ...Value) Question {
	return Question{
		Fact: strings.Join(what, " and "), Owner: "the landscape", Answer: "give its objects to --cloudprofile",
		Values: values, Rule: rule,
	}
}

// gardenerRelease is the minor release of Gardener whose rules this package has.
const gardenerRelease = "v1.150"

// IsGardenerRelease reports whether a release of Gardener has the rules of this package.
func IsGardenerRelease(release string) bool { return SameMinor(release, gardenerRelease) }

// SameMinor reports whether two releases, such as v1.150 and v1.150.2, are of one minor.
func SameMinor(a, b string) bool { return minorOf(a) == minorOf(b) }

func minorOf(release string) string {
	major, rest, _ := strings.Cut(release, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}

// Fails says that Gardener's code gave no answer.
func (g Gardener) Fails(problem string) Rule {
	return Rule{Kind: Notes, Text: "Gardener " + string(g) + " has no answer: " + problem}
}
