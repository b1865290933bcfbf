package gardener_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
)

// frozenFile has the pairs with the answers of Gardener's code, for tests that do not link it.
const frozenFile = "../../../cmd/hotupdate/internal/pool/testdata/gardener.jsonl.gz"

// frozenHead is the first line of the file.
type frozenHead struct {
	Generated string       `json:"generated"`
	Gardener  string       `json:"gardener"`
	Profiles  any          `json:"profiles"`
	Bases     []frozenBase `json:"bases"`
}

// frozenBase is a Shoot that edits change. Without a profile, its CloudProfile is not given.
type frozenBase struct {
	Name    string `json:"name"`
	Profile string `json:"profile,omitempty"`
	Old     object `json:"old"`
	New     object `json:"new"`
}

// frozenPair is a line of the file: what makes the pair of the Shoots of a base, and what Gardener's code answers.
type frozenPair struct {
	Base  int               `json:"base"`
	Edits string            `json:"edits"`
	Old   []frozenEdit      `json:"old,omitempty"`
	New   []frozenEdit      `json:"new,omitempty"`
	Shoot effect            `json:"shoot"`
	Pools map[string]effect `json:"pools,omitempty"`
	// MayBeRefused says that some landscapes refuse what others admit, Impossible that Gardener would not
	// create the old Shoot, and Listed that a known difference is between both answers, or that plan refuses
	// what the extension refuses.
	MayBeRefused bool `json:"mayBeRefused,omitempty"`
	Impossible   bool `json:"impossible,omitempty"`
	Listed       bool `json:"listed,omitempty"`
}

// frozenEdit sets the value on a path of names and indices, or removes it.
type frozenEdit struct {
	Path    []any `json:"path"`
	Value   any   `json:"value"`
	Removed bool  `json:"removed,omitempty"`
}

// editsBetween returns what makes one value of another.
func editsBetween(old, updated any, path []any) (edits []frozenEdit) {
	a, isA := old.(object)
	b, isB := updated.(object)
	if isA && isB {
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			before, was := a[name]
			after, is := b[name]
			at := append(slices.Clip(path), name)
			switch {
			case was && is:
				edits = append(edits, editsBetween(before, after, at)...)
			case is:
				edits = append(edits, frozenEdit{Path: at, Value: after})
			default:
				edits = append(edits, frozenEdit{Path: at, Removed: true})
			}
		}
		return edits
	}
	first, isFirst := old.([]any)
	second, isSecond := updated.([]any)
	if isFirst && isSecond && len(first) == len(second) {
		for i := range first {
			edits = append(edits, editsBetween(first[i], second[i], append(slices.Clip(path), i))...)
		}
		return edits
	}
	if string(mustJSON(old)) != string(mustJSON(updated)) {
		edits = append(edits, frozenEdit{Path: path, Value: updated})
	}
	return edits
}

// TestFrozen: the file has the pairs of the fixed seed, with the answers of today. -update writes it.
func TestFrozen(t *testing.T) {
	if *seed != fixedSeed {
		return // the file is of the fixed one
	}
	want := frozen(t, answers(t))
	if *update {
		var zipped bytes.Buffer
		writer, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		require.NoError(t, err)
		_, err = writer.Write(want)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		require.NoError(t, os.WriteFile(frozenFile, zipped.Bytes(), 0o644))
	}
	got := strings.Split(string(unzipped(t, frozenFile)), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if !assert.Less(t, i, len(got), "run go test -run TestFrozen -update") || got[i] != line {
			assert.Equal(t, line, got[i], "line %d; run go test -run TestFrozen -update", i+1)
			return
		}
	}
}

// frozen returns the text of the file.
func frozen(t *testing.T, pairs []*pair) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	head := frozenHead{
		Generated: "by go test -run TestFrozen -update ./internal/gardener in the module hotupdate/gardener",
		Gardener:  gardener.Version(), Profiles: profiles(t),
	}
	places := map[*base]int{}
	for _, p := range pairs {
		if _, isKnown := places[p.base]; !isKnown {
			places[p.base] = len(head.Bases)
			head.Bases = append(head.Bases, frozenBase{p.base.name, p.base.profile, p.base.old(), p.base.shoot})
		}
	}
	require.NoError(t, encoder.Encode(head))
	known := readList(t)
	for _, p := range pairs {
		var edits []string
		for _, e := range p.edits {
			edits = append(edits, string(e.kind)+" "+e.field)
		}
		require.NoError(t, encoder.Encode(frozenPair{
			Base: places[p.base], Edits: strings.Join(edits, "; "),
			Old: editsBetween(p.base.old(), p.old, nil), New: editsBetween(p.base.shoot, p.updated, nil),
			Shoot: p.gardener.shoot, Pools: p.gardener.pools, MayBeRefused: p.gardener.mayBeRefused,
			Impossible: p.isImpossible(),
			Listed:     p.isRefusedByExtension || len(p.disagreements()) > 0 && len(known.unlisted(p)) == 0,
		}))
	}
	return text.Bytes()
}
