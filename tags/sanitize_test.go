package tags_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

func as(key, to string, action tags.Action) tags.Change {
	return tags.Change{Key: key, To: to, Action: action}
}

// sanitizeTests says what the extensions do today, and what they should have reported.
var sanitizeTests = []struct {
	name    string
	cloud   tags.Cloud
	kind    tags.Kind
	input   map[string]string
	want    map[string]string
	changes []tags.Change
	errors  []string
	reason  string
}{
	{"nothing", tags.AWS, tags.VM, nil, nil, nil, nil, "nothing stays nothing"},
	{
		"AWS repairs nothing", tags.AWS, tags.VM,
		map[string]string{"worker.gardener.cloud/pool": "a", "a,b": ""},
		map[string]string{"worker.gardener.cloud/pool": "a"},
		nil,
		[]string{"FieldValueInvalid tags[a,b]"},
		"the AWS extension passes labels on as they are",
	},
	{
		"Azure", tags.Azure, tags.VM,
		map[string]string{"Worker.Gardener.cloud/Pool": "A/b", `a<>%\&?/ b`: "c"},
		map[string]string{"worker.gardener.cloud_pool": "A/b", "a________b": "c"},
		[]tags.Change{as("Worker.Gardener.cloud/Pool", "worker.gardener.cloud_pool", tags.Renamed), as(`a<>%\&?/ b`, "a________b", tags.Renamed)},
		nil, "keys are lower-cased, each of <>%\\&?/ and space becomes _; values stay",
	},
	{
		"GCP labels", tags.GCP, tags.VM,
		map[string]string{"node.Kubernetes.io/role": "Node.1", "1_a": "1_a", "größe": "ä"},
		map[string]string{"node_kubernetes_io_role": "node_1", "a": "1_a", "gr__e": "_"},
		[]tags.Change{
			as("1_a", "a", tags.Renamed),
			as("größe", "gr__e", tags.Renamed),
			as("größe", "gr__e", tags.ValueChanged),
			as("node.Kubernetes.io/role", "node_kubernetes_io_role", tags.Renamed),
			as("node.Kubernetes.io/role", "node_kubernetes_io_role", tags.ValueChanged),
		},
		nil, "lower-cased, others become _, a key loses leading digits and _; a value does not",
	},
	{
		"GCP cuts", tags.GCP, tags.Disk,
		map[string]string{"00" + strings.Repeat("k", 70): strings.Repeat("v", 70)},
		map[string]string{strings.Repeat("k", 63): strings.Repeat("v", 63)},
		[]tags.Change{
			as("00"+strings.Repeat("k", 70), strings.Repeat("k", 63), tags.Renamed),
			as("00"+strings.Repeat("k", 70), strings.Repeat("k", 63), tags.ValueChanged),
		},
		nil, "cut at 63, after the beginning was cut off",
	},
	{
		"GCP leading dash", tags.GCP, tags.VM,
		map[string]string{"-0_a": ""},
		map[string]string{"a": ""},
		[]tags.Change{as("-0_a", "a", tags.Renamed)},
		nil, "a key must begin with a letter, so a dash goes too",
	},
	{"GCP nothing left", tags.GCP, tags.VM, map[string]string{"123": "v"}, nil, nil, []string{"FieldValueRequired tags[123]"}, "the extension drops it silently"},
	{
		"GCP network tags are not repaired", tags.GCP, tags.Network,
		map[string]string{"Bastion": "", "ok": "", "v": "x"},
		map[string]string{"ok": ""},
		nil,
		[]string{"FieldValueInvalid tags[Bastion]", "FieldValueInvalid tags[Bastion]", "FieldValueForbidden tags[v]"},
		"a repaired network tag would select other firewall rules",
	},
	{
		"OpenStack", tags.OpenStack, tags.VM,
		map[string]string{"worker.gardener.cloud/pool": "a/b", "größe": "ä"},
		map[string]string{"worker.gardener.cloud-pool": "a/b", "gr--e": "ä"},
		[]tags.Change{as("größe", "gr--e", tags.Renamed), as("worker.gardener.cloud/pool", "worker.gardener.cloud-pool", tags.Renamed)},
		nil, "others than letters, digits, - _ : . and space become -; values stay",
	},
	{
		"OpenStack makes a cluster key", tags.OpenStack, tags.VM,
		map[string]string{"kubernetes.io/cluster/other": "1", "x.kubernetes.io/role/y": "1"},
		nil,
		nil,
		[]string{"FieldValueForbidden tags[kubernetes.io/cluster/other]", "FieldValueForbidden tags[x.kubernetes.io/role/y]"},
		"harmless before the repair, deadly after it",
	},
	{
		"Alibaba Cloud drops empty values", tags.AliCloud, tags.VM,
		map[string]string{"a": "", "b": "1"},
		map[string]string{"b": "1"},
		[]tags.Change{as("a", "", tags.Dropped)},
		nil, "as its extension does",
	},
	{
		"clash", tags.Azure, tags.VM,
		map[string]string{"a/b": "1", "a_b": "2", "A?b": "3", "c": "4"},
		map[string]string{"c": "4"},
		nil,
		[]string{"FieldValueDuplicate tags[A?b]", "FieldValueDuplicate tags[a/b]", "FieldValueDuplicate tags[a_b]"},
		"whichever was taken, two values would be lost without a word",
	},
	{
		"no clash if nothing is lost", tags.Azure, tags.VM,
		map[string]string{"a/b": "1", "a_b": "1"},
		map[string]string{"a_b": "1"},
		[]tags.Change{as("a/b", "a_b", tags.Merged), as("a_b", "a_b", tags.Merged)},
		nil, "every order gives the same",
	},
	{
		"merged by case", tags.OpenStack, tags.VM,
		map[string]string{"foo": "1", "Foo": "1"},
		map[string]string{"Foo": "1"},
		[]tags.Change{as("Foo", "Foo", tags.Merged), as("foo", "Foo", tags.Merged)},
		nil, "the smallest spelling remains, whichever came first",
	},
	{
		"errors are sorted by key", tags.Azure, tags.VM,
		map[string]string{"a/1": "1", "a_1": "2", "b": strings.Repeat("v", 257), "c/1": "1", "c_1": "2"},
		nil,
		nil,
		[]string{
			"FieldValueDuplicate tags[a/1]", "FieldValueDuplicate tags[a_1]", "FieldValueTooLong tags[b]",
			"FieldValueDuplicate tags[c/1]", "FieldValueDuplicate tags[c_1]",
		},
		"whatever is wrong with them",
	},
	{
		"clash by cutting", tags.GCP, tags.VM,
		map[string]string{strings.Repeat("k", 63): "1", strings.Repeat("k", 64): "2"},
		nil,
		nil,
		[]string{"FieldValueDuplicate tags[" + strings.Repeat("k", 63) + "]", "FieldValueDuplicate tags[" + strings.Repeat("k", 64) + "]"},
		"one key after the cut",
	},
	{
		"clash by case", tags.OpenStack, tags.VM,
		map[string]string{"Foo": "1", "foo": "2"},
		nil,
		nil,
		[]string{"FieldValueDuplicate tags[Foo]", "FieldValueDuplicate tags[foo]"},
		"one key to MySQL",
	},
	{"not UTF-8", tags.GCP, tags.VM, map[string]string{"a": "\xff"}, nil, nil, []string{"FieldValueInvalid tags[a]"}, "a repair would hide that something was lost"},
}

func TestSanitize(t *testing.T) {
	for _, test := range sanitizeTests {
		t.Run(test.name, func(t *testing.T) {
			got := rulesOf(t, test.cloud, test.kind).Sanitize(test.input, field.NewPath("tags"))
			if !maps.Equal(got.Tags, test.want) {
				t.Errorf("tags %v, want %v: %s", got.Tags, test.want, test.reason)
			}
			if !slices.Equal(got.Changes, test.changes) {
				t.Errorf("changes %v, want %v: %s", got.Changes, test.changes, test.reason)
			}
			if fields := fieldsOf(got.Errors); !slices.Equal(fields, test.errors) {
				t.Errorf("errors %v, want %v: %s", fields, test.errors, test.reason)
			}
		})
	}
}

func TestSanitizeReportsTooMany(t *testing.T) {
	rules := rulesOf(t, tags.AWS, tags.VM)
	got := rules.Sanitize(many(51), field.NewPath("tags"))
	if len(got.Tags) != 51 || !slices.Equal(fieldsOf(got.Errors), []string{"FieldValueTooMany tags"}) {
		t.Errorf("%d tags, errors %v: which ones to leave out is not for us to say", len(got.Tags), got.Errors)
	}
}

func TestSanitizeNamesTheOthers(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	got := rules.Sanitize(map[string]string{"a/1": "1", "a?1": "2"}, field.NewPath("labels"))
	text := got.Errors.ToAggregate().Error()
	for _, part := range []string{`labels[a/1]`, `labels[a?1]`, `becomes the key "a_1"`, `with "a?1"`, `with "a/1"`} {
		if !strings.Contains(text, part) {
			t.Errorf("message %q does not say %q", text, part)
		}
	}
}

func TestSanitizeIsDeterministic(t *testing.T) {
	rules := rulesOf(t, tags.GCP, tags.VM)
	input := map[string]string{"a.1": "1", "a/1": "2", "A_1": "3", "a 1": "4", "B": "1", "b": "1", "1b": "1", "": "", "c": "C"}
	first := rules.Sanitize(input, field.NewPath("tags"))
	for range 50 {
		if again := rules.Sanitize(input, field.NewPath("tags")); !reflect.DeepEqual(again, first) {
			t.Fatalf("two results:\n%v\n%v", first, again)
		}
	}
}

// checkSanitize checks all properties that hold for every input.
func checkSanitize(t rapid.TB, rules *tags.Rules, input map[string]string) {
	path := field.NewPath("tags")
	before := maps.Clone(input)
	got := rules.Sanitize(input, path)
	if !maps.Equal(input, before) {
		t.Fatal("the input was changed")
	}
	if again := rules.Sanitize(maps.Clone(input), path); !reflect.DeepEqual(got, again) {
		t.Fatalf("two results:\n%v\n%v", got, again)
	}
	for _, err := range rules.Validate(got.Tags, nil, path) {
		if err.Type != tooMany || !slices.Contains(kindsOf(got.Errors), tooMany) {
			t.Fatalf("the result is not valid, and nothing reports it: %v", err)
		}
	}
	second := rules.Sanitize(got.Tags, path)
	if !maps.Equal(second.Tags, got.Tags) || len(second.Changes) > 0 {
		t.Fatalf("sanitizing again changes %v", second.Changes)
	}
	checkNothingLost(t, input, got)
}

// checkNothingLost: every key is in the result as it was, or is reported.
func checkNothingLost(t rapid.TB, input map[string]string, got tags.Sanitized) {
	reported := map[string]bool{}
	for _, change := range got.Changes {
		reported[change.Key] = true
		if _, ok := got.Tags[change.To]; change.Action != tags.Dropped && !ok {
			t.Fatalf("%v is not in the result", change)
		}
	}
	for _, err := range got.Errors {
		reported[err.Field] = true
	}
	for key, value := range input {
		if same, ok := got.Tags[key]; ok && same == value {
			continue
		}
		if !reported[key] && !reported[field.NewPath("tags").Key(key).String()] {
			t.Fatalf("%q was lost, and nothing reports it", key)
		}
	}
}

func TestSanitizeProperties(t *testing.T) {
	for _, n := range naives() {
		rules := rulesOf(t, n.cloud, n.kind)
		rules.MaxTags = min(rules.MaxTags, 4)
		t.Run(rules.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				input := rapid.MapOfN(texts(), rapid.OneOf(rapid.Just(""), rapid.Just("1"), texts()), 0, 6).Draw(t, "input")
				checkSanitize(t, rules, input)
			})
		})
	}
}

// FuzzSanitize: each result passes Validate or is reported; no key is lost without a report; the order of a map does not matter.
func FuzzSanitize(f *testing.F) {
	f.Add(uint8(0), "kubernetes.io/role/a", "1", "a_b", "2", "a/b", "3")
	f.Add(uint8(1), "A/b", "", "a?b", "x", "İ", "v")
	f.Add(uint8(2), "1-", "\xff", strings.Repeat("k", 64), "", "K", "ſ")
	f.Add(uint8(3), "größe", "v", "x.kubernetes.io/cluster-", "", "", "")
	f.Add(uint8(4), "aliyun", "http://", "\x00", "1", astral, astral)
	all := naives()
	f.Fuzz(func(t *testing.T, which uint8, k1, v1, k2, v2, k3, v3 string) {
		n := all[int(which)%len(all)]
		rules := rulesOf(t, n.cloud, n.kind)
		rules.MaxTags = 2
		checkSanitize(t, rules, map[string]string{k1: v1, k2: v2, k3: v3})
	})
}

// FuzzValidate compares the table with the regular expressions of the documentation.
func FuzzValidate(f *testing.F) {
	f.Add(uint8(0), "Name", "aws:x")
	f.Add(uint8(1), "Kubernetes.io-Role-", strings.Repeat("ä", 256))
	f.Add(uint8(2), "größe", "\xff")
	f.Add(uint8(3), "a-", "")
	f.Add(uint8(5), "acs:", "https://")
	all := naives()
	f.Fuzz(func(t *testing.T, which uint8, key, value string) {
		n := all[int(which)%len(all)]
		errs := rulesOf(t, n.cloud, n.kind).Validate(one(key, value), nil, field.NewPath("tags"))
		if got, want := len(errs) == 0, n.valid(key, value); got != want {
			t.Fatalf("%v: %q=%q valid = %v, want %v: %v", n.cloud, key, value, got, want, errs)
		}
	})
}
