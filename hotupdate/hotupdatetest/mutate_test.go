package hotupdatetest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
