package pool_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// frozenFile has pairs of Shoots with the answers of Gardener's code: its first line says who wrote it. plannedFile has
// the answers of plan to them, a line for each.
const (
	frozenFile  = "testdata/gardener.jsonl.gz"
	plannedFile = "testdata/planned.txt.gz"
)

var updatePlanned = flag.Bool("update-planned", false, "write "+plannedFile+" anew, with DRAWS=all")

// frozenHead is the first line of the file of pairs.
type frozenHead struct {
	Profiles map[string]json.RawMessage
	Bases    []frozenBase
}

type frozenBase struct {
	Name, Profile string
	Old, New      json.RawMessage
}

// frozenPair is what makes a pair of the Shoots of a base, and what Gardener's code answers.
type frozenPair struct {
	Base                             int
	Edits                            string
	Old, New                         []frozenEdit
	Shoot                            string
	Pools                            map[string]string
	MayBeRefused, Impossible, Listed bool
}

// frozenEdit sets the value on a path of names and indices, or removes it.
type frozenEdit struct {
	Path    []any
	Value   any
	Removed bool
}

// frozenShoot returns a JSON value with edits.
func frozenShoot(t *testing.T, raw json.RawMessage, edits []frozenEdit) *tree.Node {
	t.Helper()
	var root any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&root))
	for _, e := range edits {
		last := len(e.Path) - 1
		at := root
		for _, step := range e.Path[:last] {
			at = stepOf(at, step)
		}
		switch holder := at.(type) {
		case object:
			if e.Removed {
				delete(holder, e.Path[last].(string))
			} else {
				holder[e.Path[last].(string)] = e.Value
			}
		case list:
			holder[indexOf(e.Path[last])] = e.Value
		default:
			t.Fatalf("nothing at %v", e.Path)
		}
	}
	text, err := json.Marshal(root)
	require.NoError(t, err)
	return tree.Of(text)
}

func stepOf(value, step any) any {
	if name, isName := step.(string); isName {
		return value.(object)[name]
	}
	return value.(list)[indexOf(step)]
}

// indexOf is a step of a path that encoding/json reads as a number.
func indexOf(step any) int {
	number, _ := step.(json.Number).Int64()
	return int(number)
}

// unzippedLines are the lines of a file.
func unzippedLines(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// everyFrozen is how many of the pairs are judged without DRAWS=all: one of so many.
const everyFrozen = 10

// TestFrozenPairs: beside Gardener's own code, no change that touches machines is called none, none that it admits is
// refused, and nothing is replaced where its names stay. What plan says of each pair is what it said before: another
// word is a decision, which -update-planned writes down.
func TestFrozenPairs(t *testing.T) {
	t.Parallel()
	lines := unzippedLines(t, frozenFile)
	head := frozenHead{}
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &head))
	pairs := lines[1:]
	var planned []string
	if !*updatePlanned {
		planned = unzippedLines(t, plannedFile)
		require.Len(t, planned, len(pairs), "run with DRAWS=all and -update-planned")
	}
	ofProfile := map[string]judge.Options{}
	for _, base := range head.Bases {
		ofProfile[base.Profile] = optionsOfFrozen(t, head.Profiles[base.Profile])
	}
	counts := map[string]int{}
	drifts := 0
	for i, line := range pairs {
		if !effort.All() && i%everyFrozen != 0 {
			continue
		}
		var p frozenPair
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&p))
		base := head.Bases[p.Base]
		answer := p.planned(t, base, ofProfile[base.Profile])
		name := base.Name + ": " + p.Edits
		counts[p.Shoot]++
		if problem := p.problem(answer); problem != "" && !p.Listed {
			t.Errorf("%s: %s", name, problem)
		}
		assert.Empty(t, answer.open, "%s: nothing happens to the pool, so nothing is open about a field", name)
		text := name + " | " + answer.text
		switch {
		case *updatePlanned:
			planned = append(planned, text)
		case planned[i] != text:
			drifts++
			if drifts <= maxDrifts {
				t.Errorf("another answer:\n\t%s\n\t%s", planned[i], text)
			}
		}
	}
	t.Logf("by Gardener's code %v", counts)
	assert.Zero(
		t, drifts, "answers are not those of before; if the new ones are right: DRAWS=all go test -run TestFrozenPairs . -update-planned",
	)
	assert.Greater(t, counts["roll"], 100)
	assert.Greater(t, counts["in-place"], 10)
	assert.Greater(t, counts["refused"], 500)
	if *updatePlanned {
		require.True(t, effort.All(), "-update-planned needs DRAWS=all")
		writePlanned(t, planned)
	}
}

// maxDrifts bounds the answers that are shown.
const maxDrifts = 20

func writePlanned(t *testing.T, lines []string) {
	t.Helper()
	var zipped bytes.Buffer
	writer, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	require.NoError(t, err)
	_, err = io.WriteString(writer, strings.Join(lines, "\n")+"\n")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.NoError(t, os.WriteFile(plannedFile, zipped.Bytes(), 0o644))
}

// optionsOfFrozen are those of kubectl apply and today's releases of the extensions.
func optionsOfFrozen(t *testing.T, profile json.RawMessage) judge.Options {
	t.Helper()
	o := judge.Options{
		Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Both, Ways: []apply.Way{{By: apply.Client}},
	}
	if profile != nil {
		read, err := facts.ReadCloudProfile(tree.Of(profile), today)
		require.NoError(t, err)
		o.CloudProfile = read
	}
	return o
}

// plannedAnswer is what plan says of a pair.
type plannedAnswer struct {
	pools   map[string]string // of those on both sides, in the words of the file
	refused bool
	open    string // a change of a pool that is open although the pool's verdict is none
	text    string
}

// planned asks plan. A manifest that cannot be read is refused.
func (p *frozenPair) planned(t *testing.T, base frozenBase, o judge.Options) plannedAnswer {
	t.Helper()
	old, err := facts.Read(frozenShoot(t, base.Old, p.Old))
	if err == nil {
		var updated *facts.Manifest
		updated, err = facts.Read(frozenShoot(t, base.New, p.New))
		if err == nil {
			var plan *pool.Plan
			plan, err = planPair(old, updated, o)
			if err == nil {
				return plannedAnswerOf(plan)
			}
		}
	}
	return plannedAnswer{refused: true, text: "error: " + strings.ReplaceAll(err.Error(), "\n", "; ")}
}

func plannedAnswerOf(plan *pool.Plan) plannedAnswer {
	answer := plannedAnswer{pools: map[string]string{}}
	var text strings.Builder
	fmt.Fprint(&text, plan.Verdict())
	for i := range plan.Changes {
		fmt.Fprintf(&text, " %s=%s", plan.Changes[i].Path, plan.Changes[i].Verdict)
	}
	above := plan.AbovePools.Effects()
	answer.refused = slices.Contains(above, verdict.Forbidden)
	for i := range plan.Pools {
		one := &plan.Pools[i]
		fmt.Fprintf(&text, "; %s %s %s %v may %s:", one.Name, one.State, one.Verdict, one.Also, one.Possible())
		for j := range one.Changes {
			change := &one.Changes[j]
			fmt.Fprintf(&text, " %s=%s", change.Path, change.Verdict)
			if one.Verdict == verdict.None && change.Verdict == verdict.Indeterminate {
				answer.open = change.Path
			}
			if change.Decides {
				fmt.Fprintf(&text, " (%s)", cmp.Or(change.Rule.Text, change.Class.String()))
			}
		}
		if one.State != pool.Kept {
			continue
		}
		answer.pools[one.Name] = "none"
		for _, v := range one.Effects() {
			answer.add(one.Name, v)
		}
	}
	answer.text = text.String()
	return answer
}

// wordsOfFile are the words of the file for what touches machines that stay.
var wordsOfFile = map[verdict.Verdict]string{
	verdict.Roll: "roll", verdict.InPlaceUpdate: "in-place", verdict.Indeterminate: "indeterminate",
}

// add adds a verdict on a pool.
func (a *plannedAnswer) add(name string, v verdict.Verdict) {
	if v == verdict.Forbidden {
		a.refused = true
	}
	word, touches := wordsOfFile[v]
	if touches {
		a.pools[name] = word
	}
}

// problem says what is wrong with an answer, and nothing if it is right or open.
func (p *frozenPair) problem(answer plannedAnswer) string {
	isUnanswered := p.Shoot == "refused" || p.Shoot == "error" || p.Impossible
	switch {
	case isUnanswered:
		return ""
	case answer.refused:
		return "Gardener admits it, and plan refuses it: " + answer.text
	}
	for name, touched := range p.Pools {
		said, isTold := answer.pools[name]
		isDecided := isTold && said != "indeterminate"
		if isDecided && said != touched {
			return fmt.Sprintf("pool %s is %s by Gardener, and %s by plan: %s", name, touched, said, answer.text)
		}
	}
	return ""
}
