package hotupdatetest

import (
	"reflect"

	"pgregory.net/rapid"
)

// Check generates configurations of type T and makes sure that the library's guarantees hold for them. They hold for every type whose
// own methods are well-behaved, so what it finds is mostly a marshaler, an unmarshaler, a DeepCopy or a defaulting function that is not,
// or a struct tag that forgets a default.
//
// The guarantees:
//   - A configuration has one hash: from call to call, from copy to copy, from goroutine to goroutine, and hashing changes nothing in it.
//   - Two configurations have one hash exactly if they have one canonical document, and exactly if [hotupdate.Schema.Diff] lists no Immutable and
//     no InPlace change.
//   - Hot and Ignored parts may come, go and change, below parents of any state, also where there was no configuration at all, without
//     another hash.
//   - Each Immutable or InPlace leaf that means something else gives another hash, and Diff names it.
//   - A configuration, its JSON as another encoder spells it, and that under the exported Schema have one hash; what is not in the type is refused
//     in either way.
//   - Defaults that the struct tags declare, and a defaulting function given by [WithDefaulter], change no hash.
//   - The projections of [hotupdate.Split] share no memory with the configuration, the immutable one has its hash, and both merge to its
//     JSON. The type's own DeepCopy, if it has one, shares no memory and has the same JSON.
//   - A type that marshals itself reads what it writes, and loses nothing on the way. What is lost
//     means nothing only if the type's own method Equal says so.
//
// Values of a type that marshals itself are made by filling its exported fields, and by reading texts of common kinds. A type of which
// no two values come about fails the check, since nothing could be said about it: see [WithValues].
//
// A configuration that has several hashes ends the check, since nothing else can be said about it; the other guarantees are tried and
// reported each by itself. A failure is shrunk to a small counter-example and reported as YAML with the path of the field to blame; values and keys that the
// struct tags call sensitive are hidden. Mistakes in struct tags and options fail the test at once.
//
// How many configurations are tried, and with which seed, is decided by rapid's flags: -rapid.checks, -rapid.seed. The inputs of a
// failure are written below testdata/rapid, as rapid does, and tried first from then on.
func Check[C any](t rapid.TB, options ...Option) {
	t.Helper()
	s, err := subjectOf[C](options)
	if err != nil {
		fail(t, reflect.TypeFor[C](), err)
		return
	}
	s.checkTried(t)
	for _, g := range guarantees {
		if !g.check(t, s) && g.name == oneHash {
			return
		}
	}
}

func fail(t rapid.TB, typ reflect.Type, err error) {
	t.Helper()
	t.Errorf("hotupdatetest: %v: %v", typ, err)
	t.FailNow()
}

// guarantee is one promise, how to draw what puts it to the test, and how to tell whether it holds.
type guarantee struct {
	name  string // as part of a test's name
	draw  func(a author) trial
	holds func(s *subject, t trial) *breach
}

// trial is what a guarantee is tried with.
type trial struct {
	first, second *part // the second is nil where one is enough

	changed    *part // the leaf that has another meaning in the second configuration, which is hashed
	oneHash    bool  // the second configuration differs in hot and ignored parts and in spelling
	oneMeaning bool  // it differs in spelling
}

// GoString keeps values out of rapid's reports.
func (t trial) GoString() string { return "configurations" }

// breach is a guarantee that does not hold.
type breach struct {
	what string // what is wrong, as a sentence without a full stop
	hint string
	path string // of the field to blame; empty if it is not known
	inGo string // a value in Go that JSON does not show; empty if none is to blame
}

// check tries a guarantee and reports the smallest breach, if it does not hold.
func (g guarantee) check(t rapid.TB, s *subject) (holds bool) {
	t.Helper()
	var found *breach
	var tried trial
	run := &trialRun{name: t.Name() + "/" + g.name}
	rapid.Check(run, func(rt *rapid.T) {
		drawn := rapid.Custom(func(rt *rapid.T) trial { return g.draw(author{rt, s}) }).Draw(rt, "configurations")
		if b := g.holds(s, drawn); b != nil {
			found, tried = b, drawn
			rt.Fatalf("%s", g.name)
		}
	})
	switch {
	case found != nil:
		t.Errorf("%s", s.report(g, found, tried, run.reproduce()))
	case run.Failed():
		t.Errorf("hotupdatetest: %v: %s: %s", s.typ, g.name, run.report.String())
	}
	return !run.Failed()
}

// oneHash is what all other guarantees rest on.
const oneHash = "OneHash"

var guarantees = []guarantee{
	{oneHash, drawOne, (*subject).oneHash},
	{"MarshalersReadWhatTheyWrite", drawOne, (*subject).marshalersAgree},
	{"HashDocumentAndDiffAgree", drawPair, (*subject).pairAgrees},
	{"HotChangesKeepTheHash", drawHotChange, (*subject).pairAgrees},
	{"SpellingKeepsTheHash", drawSpelling, (*subject).pairAgrees},
	{"HashedChangesChangeTheHash", drawHashedChange, (*subject).pairAgrees},
	{"RawJSONAgrees", drawOne, (*subject).rawAgrees},
	{"DefaultsKeepTheHash", drawPresent, (*subject).defaultsKeepHash},
	{"SplitMerges", drawPresent, (*subject).splitMerges},
	{"CopiesShareNoMemory", drawPresent, (*subject).copiesAreDeep},
}
