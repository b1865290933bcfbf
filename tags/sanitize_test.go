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

// sanitizeTests says what the extensions do today, and what they should have reported.
var sanitizeTests = []struct {
	name   string
	cloud  tags.Cloud
	kind   tags.Kind
	input  map[string]string
	want   map[string]string
	errors []string
	reason string
}{
	{"nothing", tags.AWS, tags.VM, nil, nil, nil, "nothing stays nothing"},
	{
		"AWS repairs nothing", tags.AWS, tags.VM,
		map[string]string{"worker.gardener.cloud/pool": "a", "a,b": ""},
		map[string]string{"worker.gardener.cloud/pool": "a"},
		[]string{"FieldValueInvalid tags[a,b]"},
		"the AWS extension passes labels on as they are",
	},
	{
		"Azure", tags.Azure, tags.VM,
		map[string]string{"Worker.Gardener.cloud/Pool": "A/b", `a<>%\&?/ b`: "c"},
		map[string]string{"worker.gardener.cloud_pool": "A/b", "a________b": "c"},
		nil, "keys are lower-cased, each of <>%\\&?/ and space becomes _; values stay",
	},
	{
		"GCP labels", tags.GCP, tags.VM,
		map[string]string{"node.Kubernetes.io/role": "Node.1", "1_a": "1_a", "größe": "ä"},
		map[string]string{"node_kubernetes_io_role": "node_1", "a": "1_a", "gr__e": "_"},
		nil, "lower-cased, others become _, a key loses leading digits and _; a value does not",
	},
	{
		"GCP cuts", tags.GCP, tags.Disk,
		map[string]string{"00" + strings.Repeat("k", 70): strings.Repeat("v", 70)},
		map[string]string{strings.Repeat("k", 63): strings.Repeat("v", 63)},
		nil, "cut at 63, after the beginning was cut off",
	},
	{
		"GCP leading dash", tags.GCP, tags.VM,
		map[string]string{"-0_a": ""},
		map[string]string{"a": ""},
		nil, "a key must begin with a letter, so a dash goes too",
	},
	{
		"GCP nothing left", tags.GCP, tags.VM,
		map[string]string{"123": "v"},
		nil,
		[]string{"FieldValueRequired tags[123]"},
		"the extension drops it silently",
	},
	{
		"GCP network tags are not repaired", tags.GCP, tags.Network,
		map[string]string{"Bastion": "", "ok": "", "v": "x"},
		map[string]string{"ok": ""},
		[]string{"FieldValueInvalid tags[Bastion]", "FieldValueForbidden tags[v]"},
		"a repaired network tag would select other firewall rules",
	},
	{
		"OpenStack", tags.OpenStack, tags.VM,
		map[string]string{"worker.gardener.cloud/pool": "a/b", "größe": "ä"},
		map[string]string{"worker.gardener.cloud-pool": "a/b", "gr--e": "ä"},
		nil, "others than letters, digits, - _ : . and space become -; values stay",
	},
	{
		"OpenStack makes a cluster key", tags.OpenStack, tags.VM,
		map[string]string{"kubernetes.io/cluster/other": "1", "x.kubernetes.io/role/y": "1"},
		nil,
		[]string{"FieldValueForbidden tags[kubernetes.io/cluster/other]", "FieldValueForbidden tags[x.kubernetes.io/role/y]"},
		"harmless before the repair, deadly after it",
	},
	{
		"Alibaba Cloud drops empty values", tags.AliCloud, tags.VM,
		map[string]string{"a": "", "b": "1"},
		map[string]string{"b": "1"},
		nil, "as its extension does",
	},
	{
		"clash", tags.Azure, tags.VM,
		map[string]string{"a/b": "1", "a_b": "2", "A?b": "3", "c": "4"},
		map[string]string{"c": "4"},
		[]string{"FieldValueDuplicate tags[A?b]", "FieldValueDuplicate tags[a/b]", "FieldValueDuplicate tags[a_b]"},
		"whichever was taken, two values would be lost without a word",
	},
	{
		"no clash if nothing is lost", tags.Azure, tags.VM,
		map[string]string{"a/b": "1", "a_b": "1"},
		map[string]string{"a_b": "1"},
		nil, "every order gives the same",
	},
	{
		"merged by case", tags.OpenStack, tags.VM,
		map[string]string{"foo": "1", "Foo": "1"},
		map[string]string{"Foo": "1"},
		nil, "the smallest spelling remains, whichever came first",
	},
	{
		"errors are sorted by key", tags.Azure, tags.VM,
		map[string]string{"a/1": "1", "a_1": "2", "b": strings.Repeat("v", 257), "c/1": "1", "c_1": "2"},
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
		[]string{"FieldValueDuplicate tags[" + strings.Repeat("k", 63) + "]", "FieldValueDuplicate tags[" + strings.Repeat("k", 64) + "]"},
		"one key after the cut",
	},
	{
		"clash by case", tags.OpenStack, tags.VM,
		map[string]string{"Foo": "1", "foo": "2"},
		nil,
		[]string{"FieldValueDuplicate tags[Foo]", "FieldValueDuplicate tags[foo]"},
		"one key to MySQL",
	},
	{
		"not UTF-8", tags.GCP, tags.VM,
		map[string]string{"a": "\xff"},
		nil,
		[]string{"FieldValueInvalid tags[a]"},
		"a repair would hide that something was lost",
	},
}

func TestSanitize(t *testing.T) {
	for _, test := range sanitizeTests {
		t.Run(test.name, func(t *testing.T) {
			got, errs := rulesOf(t, test.cloud, test.kind).Sanitize(test.input, field.NewPath("tags"))
			if !maps.Equal(got, test.want) {
				t.Errorf("tags %v, want %v: %s", got, test.want, test.reason)
			}
			if fields := fieldsOf(errs); !slices.Equal(fields, test.errors) {
				t.Errorf("errors %v, want %v: %s", fields, test.errors, test.reason)
			}
		})
	}
}

func TestSanitizeReportsTooMany(t *testing.T) {
	rules := rulesOf(t, tags.AWS, tags.VM)
	got, errs := rules.Sanitize(many(51), field.NewPath("tags"))
	if len(got) != 51 || !slices.Equal(fieldsOf(errs), []string{"FieldValueTooMany tags"}) {
		t.Errorf("%d tags, errors %v: which ones to leave out is not for us to say", len(got), errs)
	}
}

func TestSanitizeNamesTheOthers(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	_, errs := rules.Sanitize(map[string]string{"a/1": "1", "a?1": "2"}, field.NewPath("labels"))
	text := errs.ToAggregate().Error()
	for _, part := range []string{`labels[a/1]`, `labels[a?1]`, `becomes the key "a_1"`} {
		if !strings.Contains(text, part) {
			t.Errorf("message %q does not say %q", text, part)
		}
	}
}

func TestSanitizeIsDeterministic(t *testing.T) {
	rules := rulesOf(t, tags.GCP, tags.VM)
	input := map[string]string{"a.1": "1", "a/1": "2", "A_1": "3", "a 1": "4", "B": "1", "b": "1", "1b": "1", "": "", "c": "C"}
	first, firstErrs := rules.Sanitize(input, field.NewPath("tags"))
	for range 50 {
		if again, errs := rules.Sanitize(input, field.NewPath("tags")); !maps.Equal(again, first) || !reflect.DeepEqual(errs, firstErrs) {
			t.Fatalf("two results:\n%v %v\n%v %v", first, firstErrs, again, errs)
		}
	}
}

// checkSanitize checks all properties that hold for every input.
func checkSanitize(t rapid.TB, rules *tags.Rules, input map[string]string) {
	path := field.NewPath("tags")
	before := maps.Clone(input)
	got, errs := rules.Sanitize(input, path)
	if !maps.Equal(input, before) {
		t.Fatal("the input was changed")
	}
	if again, againErrs := rules.Sanitize(maps.Clone(input), path); !maps.Equal(got, again) || !reflect.DeepEqual(errs, againErrs) {
		t.Fatalf("two results:\n%v %v\n%v %v", got, errs, again, againErrs)
	}
	for _, err := range rules.Validate(got, nil, path) {
		if err.Type != tooMany || !slices.Contains(kindsOf(errs), tooMany) {
			t.Fatalf("the result is not valid, and nothing reports it: %v", err)
		}
	}
	if second, secondErrs := rules.Sanitize(got, path); !maps.Equal(second, got) || len(rest(secondErrs)) > 0 {
		t.Fatalf("sanitizing again gives %v, %v", second, secondErrs)
	}
	checkNothingLost(t, rules, input, got, errs)
}

// rest leaves out that there are too many.
func rest(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(slices.Clone(errs), func(err *field.Error) bool { return err.Type == tooMany })
}

// checkNothingLost: every key without an error is in the result, as it becomes when it is alone, unless the cloud
// leaves it out as its value is empty.
func checkNothingLost(t rapid.TB, rules *tags.Rules, input, got map[string]string, errs field.ErrorList) {
	reported := map[string]bool{}
	for _, err := range errs {
		reported[err.Field] = true
	}
	path := field.NewPath("tags")
	for key, value := range input {
		alone, _ := rules.Sanitize(one(key, value), path)
		isLeftOut := value == "" && rules.LeavesOutEmpty()
		if reported[path.Key(key).String()] || len(alone) == 0 && isLeftOut {
			continue
		}
		for key, value := range alone {
			isHere := slices.ContainsFunc(slices.Sorted(maps.Keys(got)), func(other string) bool {
				isSame := other == key || rules.IgnoresCase && strings.EqualFold(other, key)
				return isSame && got[other] == value
			})
			if !isHere {
				t.Fatalf("%q was lost, and nothing reports it", key)
			}
		}
		if len(alone) == 0 {
			t.Fatalf("%q was lost, and nothing reports it", key)
		}
	}
}

func TestSanitizeProperties(t *testing.T) {
	for _, n := range naives() {
		rules := rulesOf(t, n.cloud, n.kind)
		rules.MaxTags = min(rules.MaxTags, 4)
		t.Run(n.name(), func(t *testing.T) {
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
