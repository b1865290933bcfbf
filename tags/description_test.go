package tags_test

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/tags"
)

// sixth are the rules of a cloud that this package does not know, as an adopter writes them.
func sixth() tags.Rules {
	return tags.Rules{
		Key:          tags.Text{Max: 32, Match: regexp.MustCompile(`^[A-Za-z][A-Za-z./:-]*$`)},
		Value:        tags.Text{Max: 8, Without: regexp.MustCompile(`[<>]`)},
		MaxTags:      4,
		ClusterKeys:  []string{"mcm.example/cluster"},
		RoleKeys:     []string{"mcm.example/role"},
		ReservedKeys: []string{"Hostname", "*.internal", "cloud:*"},
		TagsPerCall:  2, ResourcesPerCall: 3,
	}
}

// TestSixthCloud: a literal of Rules says everything that the rows of the table say.
func TestSixthCloud(t *testing.T) {
	for _, test := range []struct {
		name  string
		input map[string]string
		want  []field.ErrorType
	}{
		{"valid", map[string]string{"team": "a", "cost.centre": "b c"}, nil},
		{"key too long", one("team.of.the.cloud.that.is.not.known", ""), []field.ErrorType{tooLong}},
		{"key alphabet", one("1", ""), []field.ErrorType{invalid}},
		{"value too long", one("team", "123456789"), []field.ErrorType{tooLong}},
		{"value alphabet", one("team", "<a>"), []field.ErrorType{invalid}},
		{"too many", map[string]string{"a": "", "b": "", "c": "", "d": "", "e": ""}, []field.ErrorType{tooMany}},
		{"key of the cluster", one("mcm.example/cluster", "other"), []field.ErrorType{forbidden}},
		{"resembles a key of the cluster", one("mcm.example/cluster.a", "other"), nil},
		{"role key", one("mcm.example/role", "other"), []field.ErrorType{forbidden}},
		{"key of the driver", one("Hostname", "x"), []field.ErrorType{forbidden}},
		{"a pattern with a capital takes case into account", one("hostname", "x"), nil},
		{"end of a key", one("a.internal", "x"), []field.ErrorType{forbidden}},
		{"beginning of a key, in any case", one("Cloud:a", "x"), []field.ErrorType{forbidden}},
		{"not at the beginning", one("my-cloud:a", "x"), nil},
	} {
		rules := sixth()
		if got := kindsOf(rules.Validate(test.input, nil, field.NewPath("tags"))); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	rules := sixth()
	if _, err := rules.Plan(tags.PlanInput{}, nil, nil); err != nil {
		t.Error(err)
	}
	if got := rules.MandatoryIn(map[string]string{"mcm.example/cluster": "c", "Hostname": "h"}); len(got) != 1 ||
		got["mcm.example/cluster"] != "c" {
		t.Errorf("MandatoryIn = %v", got)
	}
}

// TestMistakesOfADescription: all mistakes of a literal are errors at once, and nothing is planned.
func TestMistakesOfADescription(t *testing.T) {
	rules := tags.Rules{
		Key:              tags.Text{Match: regexp.MustCompile(`[a-z/]+`)},
		Value:            tags.Text{Max: 63, Match: regexp.MustCompile(`^[a-z]*`)},
		KeysOnly:         true,
		ClusterKeys:      []string{"", "Cluster"},
		RoleKeys:         []string{"**", "*role*"},
		ReservedKeys:     []string{"Name", "*", "a*b"},
		AnyValue:         []string{"*team", "*"},
		Guard:            tags.GuardVersion + 1,
		ResourcesPerCall: -1,
	}
	_, err := rules.Plan(tags.PlanInput{Desired: one("k", "v")}, []string{"r"}, nil)
	var got []string
	for _, problem := range fault.All(err) {
		got = append(got, problem.Code+" "+problem.Field)
	}
	want := []string{
		"empty-rules MaxTags", "unusable-rules Key.Max", "unusable-rules Key.Match", "unusable-rules Value", "unusable-rules Guard",
		"unusable-rules ResourcesPerCall, TagsPerCall", "unusable-rules ClusterKeys[0]", "unusable-rules ClusterKeys[1]",
		"unusable-rules RoleKeys[0]", "unusable-rules ReservedKeys[1]", "unusable-rules ReservedKeys[2]",
		"unusable-rules AnyValue[1]", "unusable-rules AnyValue",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	rules = sixth()
	rules.Value = tags.Text{}
	_, err = rules.Plan(tags.PlanInput{}, nil, nil)
	if problem, ok := errors.AsType[*fault.Error](err); !ok || problem.Field != "Value.Max" {
		t.Errorf("got %v: without Value every value would be refused", err)
	}
}

// TestPatternsOfACloudThatIgnoresCase: the spelling of a pattern does not matter where that of a key does not.
func TestPatternsOfACloudThatIgnoresCase(t *testing.T) {
	rules := sixth()
	rules.IgnoresCase = true
	rules.ClusterKeys = []string{"MCM.example/Cluster"}
	for _, key := range []string{"mcm.example/CLUSTER", "HOSTNAME", "x.Internal"} {
		if got := kindsOf(rules.Validate(one(key, "x"), nil, field.NewPath("tags"))); !slices.Equal(got, []field.ErrorType{forbidden}) {
			t.Errorf("%s: %v", key, got)
		}
	}
}
