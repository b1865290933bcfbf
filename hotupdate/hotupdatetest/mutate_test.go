package hotupdatetest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/tags"
)

// TestMutateIsTheSameInEveryRun: outside of rapid the mutation depends on nothing but the configuration and the class.
func TestMutateIsTheSameInEveryRun(t *testing.T) {
	first, path := hotupdatetest.Mutate[aws.WorkerConfig](t, nil, hotupdate.Immutable)
	second, again := hotupdatetest.Mutate[aws.WorkerConfig](t, nil, hotupdate.Immutable)
	if path == "" || path != again || !cmp.Equal(first, second) {
		t.Errorf("%s and %s: %s", path, again, cmp.Diff(first, second))
	}
}

// TestMutatedHash: what Mutate is for.
func TestMutatedHash(t *testing.T) {
	schema, err := hotupdate.SchemaOf[aws.WorkerConfig]()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		config := &aws.WorkerConfig{Tags: &tags.Tags{VM: map[string]string{"a": "b"}}}
		for class, keeps := range map[hotupdate.Class]bool{hotupdate.Hot: true, hotupdate.Immutable: false} {
			mutated, path := hotupdatetest.Mutate(t, config, class)
			before, err := schema.Hash(config)
			if err != nil {
				t.Fatal(err)
			}
			after, err := schema.Hash(mutated)
			if err != nil || (before == after) != keeps {
				t.Fatalf("%v: %s: %v", class, path, err)
			}
		}
	})
}

// TestMutateBelowElements: a field that only elements have is changed in an element that is there.
func TestMutateBelowElements(t *testing.T) {
	type config struct {
		Volumes []namedVolume           `json:"volumes,omitempty" hotupdatable:"false,key=name"`
		Fixed   [2]*namedVolume         `json:"fixed"`
		Disks   map[string]*namedVolume `json:"disks,omitempty"`
	}
	for want, from := range map[string]*config{
		"volumes[name=a].labels[": {Volumes: []namedVolume{{Name: "a"}}},
		"fixed[":                  {Fixed: [2]*namedVolume{{Name: "a"}, nil}},
		"disks[a].labels[":        {Disks: map[string]*namedVolume{"a": {Name: "a"}}},
	} {
		rapid.Check(t, func(t *rapid.T) {
			if _, path := hotupdatetest.Mutate(t, from, hotupdate.Hot); !strings.HasPrefix(path, want) && !strings.HasPrefix(path, "fixed[") {
				t.Fatalf("want %s, got %s", want, path)
			}
		})
	}
}

// TestMutateWithoutSuchAField: a class that the type does not have, and options that do not fit, end the test.
func TestMutateWithoutSuchAField(t *testing.T) {
	for _, tc := range []struct {
		name   string
		run    func(t rapid.TB)
		want   string
		reason string
	}{
		{"no such class", func(t rapid.TB) { hotupdatetest.Mutate[shortCopy](t, nil, hotupdate.Hot) }, "no field of class hot", "nothing is hot"},
		{"unknown class", func(t rapid.TB) { hotupdatetest.Mutate[shortCopy](t, nil, hotupdate.Class(9)) }, "no field of class", "no class at all"},
		{"one value", func(t rapid.TB) {
			size := int32(5)
			hotupdatetest.Mutate(t, &onlySize{&size}, hotupdate.Immutable, hotupdatetest.WithValues("size", 5))
		}, "no field of class immutable", "the only value that the tester allows is there already"},
		{"no schema", func(t rapid.TB) { hotupdatetest.Mutate[string](t, nil, hotupdate.Hot) }, "is not a struct of fields", "no Schema"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := record(t, tc.run)
			if !r.ended || !strings.Contains(r.text(), tc.want) {
				t.Errorf("%s: want %q, got %s", tc.reason, tc.want, r.text())
			}
		})
	}
}

type onlySize struct {
	Size *int32 `json:"size,omitempty"`
}

// TestCmpOptions: what counts and what does not.
func TestCmpOptions(t *testing.T) {
	type pool struct {
		Name   string
		Config *everything
	}
	iops := func(i int32) *int32 { return &i }
	for _, tc := range []struct {
		name         string
		a, b         *everything
		hash, hot    bool
		differ, hide string
		reason       string
	}{
		{"nil", nil, &everything{}, true, true, "", "", "no configuration and an empty one"},
		{"spelling", &everything{Size: resource.MustParse("1Gi")}, &everything{Size: resource.MustParse("1024Mi")}, true, true, "", "", "one quantity"},
		{"order", &everything{Groups: []string{"a", "b"}}, &everything{Groups: []string{"b", "a", "a"}}, true, true, "", "", "a set"},
		{"default", &everything{Text: "gp3"}, nil, true, true, "", "", "a declared default"},
		{"hot", &everything{HotList: []namedVolume{{Name: "a", Labels: map[string]string{"k": "v"}}}}, nil, true, false, "HotList", "", "a hot list"},
		{"hot below", &everything{Present: &presence{}}, &everything{Present: &presence{map[string]string{"k": "v"}}}, true, false, "Tags", "", "a hot map below what is not"},
		{"immutable", &everything{Zones: []string{"a"}}, &everything{Zones: []string{"b"}}, false, true, "zones", "", "an immutable list"},
		{
			"both", &everything{Volumes: []namedVolume{{Name: "a", IOPS: iops(1), Labels: map[string]string{"hidden": "v"}}}},
			&everything{Volumes: []namedVolume{{Name: "a", IOPS: iops(2)}}}, false, false, "iops", "hidden", "what does not count is not shown",
		},
		{"embedded", &everything{Embedded: &Embedded{Depth: 1}}, &everything{Embedded: &Embedded{Depth: 2, Hidden: "x"}}, false, false, "depth", "", "below an embedded pointer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x, y := pool{"pool", tc.a}, pool{"pool", tc.b}
			diff := cmp.Diff(x, y, hotupdatetest.IgnoreHot[everything]())
			if (diff == "") != tc.hash {
				t.Errorf("%s: IgnoreHot: %s", tc.reason, diff)
			}
			if !tc.hash && (!strings.Contains(diff, tc.differ) || tc.hide != "" && strings.Contains(diff, tc.hide)) {
				t.Errorf("%s: IgnoreHot: want %s and not %q in %s", tc.reason, tc.differ, tc.hide, diff)
			}
			if diff := cmp.Diff(x, y, hotupdatetest.IgnoreImmutable[everything]()); (diff == "") != tc.hot {
				t.Errorf("%s: IgnoreImmutable: %s", tc.reason, diff)
			}
		})
	}
}

// TestCmpOptionsWithoutSchema: a type with mistakes in its struct tags equals nothing, and the difference names them.
func TestCmpOptionsWithoutSchema(t *testing.T) {
	type misspelled struct {
		A string `json:"a" hotupdatable:"ture"`
	}
	for _, option := range []cmp.Option{hotupdatetest.IgnoreHot[misspelled](), hotupdatetest.IgnoreImmutable[misspelled]()} {
		diff := cmp.Diff(misspelled{}, misspelled{}, option)
		if !strings.Contains(diff, "ture") {
			t.Errorf("want the mistake, got %q", diff)
		}
		if cmp.Equal(&misspelled{}, &misspelled{}, option) {
			t.Error("pointers to it are equal")
		}
	}
}
