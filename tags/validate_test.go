package tags_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

// fieldsOf returns type and path of each error, in order.
func fieldsOf(errs field.ErrorList) []string {
	var fields []string
	for _, err := range errs {
		fields = append(fields, string(err.Type)+" "+err.Field)
	}
	return fields
}

func TestValidateReportsAllErrorsAtOnce(t *testing.T) {
	all := &tags.Tags{
		VM:      map[string]string{"ok": "1", "a,b": "c;d", "": "x", "Name": "n"},
		Network: map[string]string{"kubernetes.io/cluster/other": "1"},
		Disk:    map[string]string{strings.Repeat("k", 129): strings.Repeat("v", 257)},
	}
	got := fieldsOf(tags.AWS.Validate(all, nil, field.NewPath("tags")))
	want := []string{
		"FieldValueForbidden tags.vm[Name]",
		"FieldValueRequired tags.vm[]",
		"FieldValueInvalid tags.vm[a,b]",
		"FieldValueInvalid tags.vm[a,b]",
		"FieldValueForbidden tags.network[kubernetes.io/cluster/other]",
		"FieldValueTooLong tags.disk[" + strings.Repeat("k", 129) + "]",
		"FieldValueTooLong tags.disk[" + strings.Repeat("k", 129) + "]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestValidateNil(t *testing.T) {
	for _, cloud := range tags.Clouds() {
		if errs := cloud.Validate(nil, nil, field.NewPath("tags")); errs != nil {
			t.Errorf("%v: %v, want nothing: no tags are valid tags", cloud, errs)
		}
	}
}

// No driver would set them, so a user gets an error.
func TestValidateKindWithoutTags(t *testing.T) {
	all := &tags.Tags{VM: one("a", "1"), Network: one("a", "1")}
	got := fieldsOf(tags.OpenStack.Validate(all, nil, field.NewPath("tags")))
	if want := []string{"FieldValueForbidden tags.network"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestValidateWithMandatory(t *testing.T) {
	aws := map[string]string{"kubernetes.io/cluster/mine": "1", "kubernetes.io/role/node": "1", "Name": "machine-1"}
	azure := map[string]string{"kubernetes.io-cluster-mine": "1", "Name": "machine-1"}
	tests := []struct {
		name             string
		cloud            tags.Cloud
		input, mandatory map[string]string
		want             []string
		says             string // part of the first message
		reason           string
	}{
		{"fits", tags.AWS, many(47), aws, nil, "", "47 and 3 are 50"},
		{
			"does not fit", tags.AWS, many(48), aws,
			[]string{"FieldValueTooMany tags"},
			"3 of them mandatory",
			"mandatory keys count against the limit",
		},
		{
			"own cluster key", tags.AWS, one("kubernetes.io/cluster/mine", "0"), aws,
			[]string{"FieldValueForbidden tags[kubernetes.io/cluster/mine]"},
			"would be overwritten",
			"merged last, so the user's value would be lost",
		},
		{
			"own cluster key is counted once", tags.AWS, func() map[string]string { m := many(47); m["Name"] = "x"; return m }(), aws,
			[]string{"FieldValueForbidden tags[Name]"},
			"would be overwritten", "it is one infrastructure tag, not two",
		},
		{
			"second cluster key", tags.AWS, one("kubernetes.io/cluster/other", "1"), aws,
			[]string{"FieldValueForbidden tags[kubernetes.io/cluster/other]"},
			"and delete it",
			"MCM of the other cluster would delete the VM",
		},
		{
			"cluster key where none is mandatory", tags.AWS, one("kubernetes.io/cluster/other", "1"), nil,
			[]string{"FieldValueForbidden tags[kubernetes.io/cluster/other]"},
			"and delete it", "the message says what would happen",
		},
		{
			"second role key", tags.AWS, one("kubernetes.io/role/other", "1"), aws,
			[]string{"FieldValueForbidden tags[kubernetes.io/role/other]"},
			"and delete it", "MCM would list the resource as a machine",
		},
		{
			"name of the driver", tags.AWS, one("Name", "mine"), nil,
			[]string{"FieldValueForbidden tags[Name]"},
			"the driver sets itself",
			"the driver overwrites it",
		},
		{
			"folded own key", tags.Azure, one("Kubernetes.io-Cluster-Mine", "0"), azure,
			[]string{"FieldValueForbidden tags[Kubernetes.io-Cluster-Mine]"},
			"would be overwritten", "Azure ignores case",
		},
		{
			"folded second cluster key", tags.Azure, one("KUBERNETES.IO-CLUSTER-OTHER", "0"), azure,
			[]string{"FieldValueForbidden tags[KUBERNETES.IO-CLUSTER-OTHER]"},
			"and delete it", "Azure ignores case",
		},
		{
			"custom mandatory key", tags.AWS, one("team", "a"), one("team", "b"),
			[]string{"FieldValueForbidden tags[team]"},
			"is a mandatory key", "the caller says what is mandatory",
		},
		{
			"two clusters in mandatory", tags.AWS, nil,
			map[string]string{"kubernetes.io/cluster/a": "", "kubernetes.io/cluster/b": ""},
			[]string{"FieldValueInvalid tags[kubernetes.io/cluster/a]", "FieldValueInvalid tags[kubernetes.io/cluster/b]"},
			"several clusters", "the caller is wrong, and the VM would be deleted",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			errs := rulesOf(t, test.cloud, tags.VM).Validate(test.input, test.mandatory, field.NewPath("tags"))
			if got := fieldsOf(errs); !slices.Equal(got, test.want) {
				t.Fatalf("got %v, want %v: %s", got, test.want, test.reason)
			}
			if len(errs) > 0 && !strings.Contains(errs[0].Error(), test.says) {
				t.Errorf("message %q does not say %q", errs[0].Error(), test.says)
			}
		})
	}
}

func TestValidateIsDeterministic(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	bad := map[string]string{"A/1": "", "a/1": "", "name": "", "azure": "", "b<": strings.Repeat("v", 300), "kubernetes.io-role-x": ""}
	first := rules.Validate(bad, one("Name", "n"), field.NewPath("tags")).ToAggregate().Error()
	for range 20 {
		if again := rules.Validate(bad, one("Name", "n"), field.NewPath("tags")).ToAggregate().Error(); again != first {
			t.Fatalf("two texts:\n%s\n%s", first, again)
		}
	}
}

// secret is a value that must never be shown.
const secret = "hunter2"

// Values may be secret. No message and no printed result shows them.
func TestNothingShowsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SampledFrom(
			[]string{secret, "aws:" + secret, secret + ";", secret + strings.Repeat("x", 600), "acs:" + secret + "http://"},
		)
		keys := rapid.SampledFrom(
			[]string{"a", "A", "a/b", "a.b", "Name", "kubernetes.io/cluster/x", "kubernetes.io-cluster-x", "", strings.Repeat("k", 600)},
		)
		draw := func(label string) map[string]string { return rapid.MapOfN(keys, values, 0, 5).Draw(t, label) }
		cloud := rapid.SampledFrom(tags.Clouds()).Draw(t, "cloud")
		kind := rapid.SampledFrom(tags.Kinds()).Draw(t, "kind")
		rules, err := cloud.Rules(kind)
		if err != nil {
			return
		}
		rules.MaxTags = 3
		input := draw("input")
		var shown []any
		for _, err := range rules.Validate(input, draw("mandatory"), field.NewPath("tags")) {
			shown = append(shown, err.Error(), err.ErrorBody(), err.BadValue)
		}
		_, errs := rules.Sanitize(input, field.NewPath("tags"))
		for _, err := range errs {
			shown = append(shown, err.Error(), err.BadValue)
		}
		state := tags.PlanInput{
			Recorded: []map[string]string{draw("applied"), draw("attempted")}, Desired: draw("desired"), Mandatory: draw("mandatory"),
		}
		plans, err := rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": draw("live")})
		shown = append(shown, err, plans, rules.Batches(plans))
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			for _, value := range shown {
				text := fmt.Sprintf(verb, value)
				if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
					t.Fatalf("a value is shown by %s: %s", verb, text)
				}
			}
		}
	})
}

// TestValidateIsLinear has as many spellings of one key as would take minutes if each were counted for each.
func TestValidateIsLinear(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	spellings := map[string]string{}
	for i := range 1 << 16 {
		key := []byte("abcdefghijklmnop")
		for bit := range key {
			if i>>bit&1 == 1 {
				key[bit] -= 'a' - 'A'
			}
		}
		spellings[string(key)] = ""
	}
	if errs := rules.Validate(spellings, nil, nil); len(errs) < len(spellings) {
		t.Fatalf("%d errors", len(errs))
	}
}
