package judge

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Finding is the result of a judgement: a difference between two pools, or above them, with its
// effect on the machines of the pool. Without a path it is about the whole pool.
type Finding struct {
	hotupdate.Change

	// Verdict is the effect of the change alone.
	Verdict verdict.Verdict
	// Rule is the reason for the verdict; [verdict.NoRule] if only the class of the field decides.
	Rule verdict.Rule
	// Question is the fact that an indeterminate verdict lacks.
	Question verdict.Question
	// Decides says that the change alone leads to the verdict or the second verdict on the pool. It
	// is false if that verdict is None.
	Decides bool
	// OldLine and NewLine are the lines in the files of both sides, 0 if they are not known.
	OldLine, NewLine int

	hasClass bool // a hashed field or a provider config changes
	isNamed  bool // the verdict Roll follows from the name of the pool
}

// ofPool is a finding about the pool.
func ofPool(v verdict.Verdict, rule verdict.Rule) []Finding {
	return []Finding{{Verdict: v, Rule: rule}}
}

// undecided is a finding about the pool that depends on a fact that is not known.
func undecided(q verdict.Question) []Finding {
	return []Finding{{Verdict: verdict.Indeterminate, Rule: q.Rule, Question: q}}
}

// Becomes returns the verdicts that the finding can have once all facts are known.
func (f *Finding) Becomes() verdict.Set {
	if f.Verdict == verdict.Indeterminate {
		return f.Question.Becomes()
	}
	return verdict.Only(f.Verdict)
}

// doubtedBy is the finding about a field, by its name in the manifest, if the value of the field is not known.
func doubtedBy(f Finding, name string, by []facts.Doubt) Finding {
	i := slices.IndexFunc(by, func(d facts.Doubt) bool { return d.Concerns(name) })
	if i < 0 || f.Verdict == verdict.None {
		return f
	}
	f.Verdict = verdict.Indeterminate
	f.Rule = verdict.Misspelled
	f.Question = verdict.Question{
		Rule: verdict.Misspelled, Fact: "whether " + by[i].Written + " is meant as " + by[i].Path,
		Answer: "write " + by[i].Path + ", or remove " + by[i].Written,
	}
	return f
}

// about is a finding about a field whose values are in the manifests.
func about(d tree.Difference, v verdict.Verdict, rule verdict.Rule) Finding {
	path := pathOf(d.Path)
	return Finding{Rule: rule, Verdict: v, Change: facts.Operated(hotupdate.Change{
		Path: path.String(), Pointer: path.Pointer(), Op: hotupdate.OpReplace, Origin: "default",
		Class: hotupdate.Ignored,
		Old:   jsonOf(d.Old), New: jsonOf(d.New),
	})}
}

// aboutField is a finding about a field of a pool.
func aboutField(old, updated *facts.Pool, path string, v verdict.Verdict, rule verdict.Rule) []Finding {
	return []Finding{about(difference(old, updated, path), v, rule)}
}

// difference returns the values of a field of a pool on both sides.
func difference(old, updated *facts.Pool, path string) tree.Difference {
	steps := fields.Split(path)
	at := func(p *facts.Pool) *tree.Node {
		if p.Kind == facts.Worker {
			return p.Node.At(fields.Split(fields.InWorker(path))...)
		}
		return p.Node.At(steps...)
	}
	return tree.Difference{Path: steps, Old: at(old), New: at(updated)}
}

// pathOf returns the path of a member.
func pathOf(names []string) (path fieldpath.Path) {
	for _, name := range names {
		path = append(path, fieldpath.Step{Name: name})
	}
	return path
}

// jsonOf returns a value in JSON, and nothing if it is absent.
func jsonOf(n *tree.Node) string {
	if n.Kind() == tree.Null {
		return ""
	}
	return string(n.Compact())
}

// isBelow reports whether a pointer is at or below another one.
func isBelow(pointer, above string) bool {
	rest, found := strings.CutPrefix(pointer, above)
	return found && (rest == "" || rest[0] == '/')
}

// Member is the first name in the path of a change.
func Member(c hotupdate.Change) string { return c.Path[:strings.IndexAny(c.Path+".", ".[")] }
