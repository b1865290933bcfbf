package hotupdatetest

import "pgregory.net/rapid"

// Check generates configurations of type C and checks that the library's guarantees hold for them.
// They hold for every type whose own methods are well-behaved. So failures mostly point to a faulty
// marshaler, unmarshaler, DeepCopy or defaulting function, or to a struct tag without a necessary
// default.
//
// The guarantees:
//   - A configuration has one hash, in every call, copy and goroutine, and hashing does not change
//     it.
//   - Two configurations have the same hash exactly if they have the same canonical document, and
//     exactly if [hotupdate.Schema.Diff] lists no Immutable and no InPlace change.
//   - Adding, removing and changing Hot and Ignored parts never changes the hash, whatever the
//     state of their parents, also if there was no configuration at all.
//   - Each Immutable or InPlace leaf whose meaning changes changes the hash, and Diff names it.
//   - A configuration, its JSON in the spelling of another encoder, and that JSON under the
//     exported Schema have the same hash. Both Schemas refuse unknown members.
//   - Defaults that the struct tags declare, and a defaulting function given by [WithDefaulter],
//     change no hash.
//   - The projections of [hotupdate.Split] share no memory with the configuration. The immutable
//     one has its hash, and both merge to its JSON. The copy of the type's own DeepCopy, if there
//     is one, shares no memory and has the same JSON.
//   - A type that marshals itself reads its own output without loss. A difference is accepted only
//     if the type's own method Equal reports equality.
//
// Values of a type that marshals itself are made by filling its exported fields, and by reading
// texts of common kinds. Every run writes and reads each of them. A type for which no two values can
// be made fails the check, since nothing could be checked: see [WithValues].
//
// A configuration with several hashes ends the check, since no other guarantee can be checked for
// it. All other guarantees are checked and reported separately. A failure is shrunk to a small
// counter-example and reported as YAML with the path of the responsible field. Values and keys that
// the struct tags declare sensitive are hidden. Mistakes in struct tags and options fail the test
// at once.
//
// Rapid's flags -rapid.checks and -rapid.seed set the number of configurations and the seed. Rapid
// writes the inputs of a failure below testdata/rapid, and tries them first from then on.
func Check[C any](t rapid.TB, options ...Option) {
	t.Helper()
	s := subjectOf[C](t, options)
	if s == nil {
		return
	}
	s.checkTried(t)
	if !oneHash.check(t, s) {
		return
	}
	s.checkMarshalers(t)
	for _, g := range guarantees {
		g.check(t, s)
	}
}

// guarantee is one guarantee, with a function that draws its trials and one that checks it.
type guarantee struct {
	name  string // as part of a test's name
	draw  func(a generator) trial
	holds func(s *subject, t trial) *breach
}

// trial is the input of a guarantee's check.
type trial struct {
	first, second maker // of configurations; the second is nil if one is enough

	leaves     []chosen // of the first configuration
	changed    string   // the path of the hashed leaf that has another meaning in the second configuration
	oneHash    bool     // the second configuration differs only in hot and ignored parts and in spelling
	oneMeaning bool     // it differs only in spelling
}

// GoString keeps values out of rapid's reports.
func (t trial) GoString() string { return "configurations" }

// breach is a violation of a guarantee.
type breach struct {
	what string // what is wrong, as a sentence without a full stop
	hint string
	path string // of the responsible field; empty if unknown
	inGo string // the responsible value in Go if JSON does not show it; otherwise empty
}

func broken(what, hint string) *breach { return &breach{what: what, hint: hint} }

func (b *breach) at(path string) *breach {
	b.path = path
	return b
}

// check checks a guarantee and reports the smallest breach, if there is one.
func (g guarantee) check(t rapid.TB, s *subject) (holds bool) {
	t.Helper()
	var found *breach
	var tried trial
	run := &trialRun{name: t.Name() + "/" + g.name}
	rapid.Check(run, func(rt *rapid.T) {
		drawn := rapid.Custom(func(rt *rapid.T) trial { return g.draw(newGenerator(rt, s)) }).Draw(rt, "configurations")
		if b := g.holds(s, drawn); b != nil {
			found = b
			tried = drawn
			rt.Fatalf("%s", g.name)
		}
	})
	switch {
	case found != nil:
		t.Errorf("%s", s.report(g.name, found, tried, run.reproduce()))
	case run.Failed():
		t.Errorf("hotupdatetest: %v: %s: %s", s.typ, g.name, run.report.String())
	}
	return !run.Failed()
}

// oneHash is the guarantee on which all others depend.
var oneHash = guarantee{"OneHash", drawOne, (*subject).oneHash}

var guarantees = []guarantee{
	{"HashDocumentAndDiffAgree", drawPair, (*subject).pairAgrees},
	{"HotChangesKeepTheHash", drawHotChange, (*subject).pairAgrees},
	{"SpellingKeepsTheHash", drawSpelling, (*subject).pairAgrees},
	{"HashedChangesChangeTheHash", drawHashedChange, (*subject).pairAgrees},
	{"RawJSONAgrees", drawOne, (*subject).rawAgrees},
	{"DefaultsKeepTheHash", drawPresent, (*subject).defaultsKeepHash},
	{"SplitMerges", drawPresent, (*subject).splitMerges},
	{"CopiesShareNoMemory", drawPresent, (*subject).copiesAreDeep},
}
