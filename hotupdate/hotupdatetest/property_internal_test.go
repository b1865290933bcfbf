package hotupdatetest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// many has each way in which classes, lists and parents meet.
type many struct {
	Volume   *manyVolume                  `json:"volume,omitempty"`
	Volumes  []manyVolume                 `json:"volumes,omitempty"  hotupdatable:"false,key=name"`
	HotList  []manyVolume                 `json:"hotList,omitempty"  hotupdatable:"true,key=name"`
	Labels   []manyLabel                  `json:"labels,omitempty"   hotupdatable:"false,key=name,hotwhen=rolls:false"`
	Groups   []string                     `json:"groups,omitempty"   hotupdatable:"inplace,set"`
	Zones    []string                     `json:"zones,omitempty"`
	Capacity map[string]resource.Quantity `json:"capacity,omitempty" hotupdatable:"ignore"`
	Tags     map[string]string            `json:"tags,omitempty"     hotupdatable:"true"`
	Next     *many                        `json:"next,omitempty"     hotupdatable:"true"`
	InPlace  *many                        `json:"inPlace,omitempty"  hotupdatable:"inplace"`
}

type manyVolume struct {
	Name   string             `json:"name"`
	Size   *resource.Quantity `json:"size,omitempty"   hotupdatable:"false,default=50Gi"`
	Labels map[string]string  `json:"labels,omitempty" hotupdatable:"true"`
	Type   string             `json:"type,omitempty"   hotupdatable:"inplace"`
}

type manyLabel struct {
	Name  string `json:"name"`
	Rolls bool   `json:"rolls,omitempty"`
	Value string `json:"value,omitempty"`
	Owner string `json:"owner,omitempty" hotupdatable:"inplace"`
}

func subjectOfMany(t *testing.T) *subject {
	t.Helper()
	return subjectOf[many](t, nil)
}

func (s *subject) changes(t *rapid.T, a, b reflect.Value) hotupdate.Changes {
	changes, err := s.schema.Diff(a.Interface(), b.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func has(changes hotupdate.Changes, classes ...hotupdate.Class) bool {
	return slices.ContainsFunc(changes, func(c hotupdate.Change) bool { return slices.Contains(classes, c.Class) })
}

// TestTrialsAreNotVacuous: what puts the guarantees to the test does differ, and keeps what it should.
func TestTrialsAreNotVacuous(t *testing.T) {
	s := subjectOfMany(t)
	tried := 0
	hot := 0
	hashed := 0
	respelled := 0
	nilled := 0
	rapid.Check(t, func(t *rapid.T) {
		a := newGenerator(t, s)
		change := drawHotChange(a)
		spelling := drawSpelling(a)
		one := drawHashedChange(a)
		tried++
		changes := s.changes(t, change.first(), change.second())
		if has(changes, hotupdate.Hot) {
			hot++
		}
		if change.first().IsNil() != change.second().IsNil() {
			nilled++
		}
		if !reflect.DeepEqual(spelling.first().Interface(), spelling.second().Interface()) {
			respelled++
		}
		if one.changed != "" {
			hashed++
		}
	})
	if hot < tried/2 || hashed < tried/2 || respelled < tried/2 {
		t.Errorf(
			"of %d trials %d have hot changes, %d another spelling, %d a change in the hash, %d a nil root on one side", tried, hot,
			respelled, hashed, nilled,
		)
	}
}

// TestKeysAreRepeated: the guarantees are put to the test with lists that repeat a key, in every class and in both
// configurations of a pair.
func TestKeysAreRepeated(t *testing.T) {
	s := subjectOfMany(t)
	repeats := func(volumes []manyVolume) bool {
		names := map[string]bool{}
		for _, v := range volumes {
			names[v.Name] = true
		}
		return len(names) < len(volumes)
	}
	volumes := 0
	hot := 0
	changed := 0
	trials := rapid.Custom(func(t *rapid.T) trial { return drawHotChange(newGenerator(t, s)) })
	for seed := range 300 {
		change := trials.Example(seed)
		first, _ := reflect.TypeAssert[*many](change.first())
		second, _ := reflect.TypeAssert[*many](change.second())
		if first == nil || second == nil {
			continue
		}
		if repeats(first.Volumes) {
			volumes++
		}
		if repeats(first.HotList) {
			hot++
		}
		if repeats(first.Volumes) && !reflect.DeepEqual(first.Volumes, second.Volumes) {
			changed++
		}
	}
	if volumes < 10 || hot < 10 || changed < 10 {
		t.Errorf("of 300 trials %d lists and %d hot ones repeat a key, %d change", volumes, hot, changed)
	}
}

// TestWrongClassesAreCaught: a Schema that hashes what the type says is hot, or the other way round, breaks the guarantee.
func TestWrongClassesAreCaught(t *testing.T) {
	for _, tc := range []struct{ path, tag, guarantee, what string }{
		{"tags", "false", "HotChangesKeepTheHash", "differ in hot and ignored parts only"},
		{"volumes[].labels", "false", "HotChangesKeepTheHash", "differ in hot and ignored parts only"},
		{"zones", "true", "HashedChangesChangeTheHash", "and the hash did not"},
		{"volumes[].size", "false,default=60Gi", "SpellingKeepsTheHash", "have different hashes"},
	} {
		t.Run(tc.guarantee+" "+tc.path, func(t *testing.T) {
			s := subjectOfMany(t)
			schema, err := hotupdate.SchemaOf[many](hotupdate.WithTag(tc.path, tc.tag))
			if err != nil {
				t.Fatal(err)
			}
			s.schema = schema
			s.loaded = nil
			g := guarantees[slices.IndexFunc(guarantees, func(g guarantee) bool { return g.name == tc.guarantee })]
			trials := rapid.Custom(func(t *rapid.T) trial { return g.draw(newGenerator(t, s)) })
			for seed := range 100 {
				if b := g.holds(s, trials.Example(seed)); b != nil && strings.Contains(b.what, tc.what) {
					return
				}
			}
			t.Errorf("want %q", tc.what)
		})
	}
}
