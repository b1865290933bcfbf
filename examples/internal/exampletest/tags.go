package exampletest

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/tags"
)

// CheckTags checks the infrastructure tags that a driver sets on the resources of each kind.
func CheckTags(
	t *testing.T, tagsOf func(tags.Kind) (map[string]string, error), want map[tags.Kind]map[string]string,
) {
	t.Helper()
	for kind, tagged := range want {
		got, err := tagsOf(kind)
		fatal(t, err)
		if !maps.Equal(got, tagged) {
			t.Errorf("%s: the tags are %v, want %v", kind, got, tagged)
		}
	}
}

// With returns a copy of infrastructure tags with one more key.
func With(base map[string]string, key, value string) map[string]string {
	with := maps.Clone(base)
	with[key] = value
	return with
}

// Refused returns the fields that admission refuses, with the type of each error, such as
// "tags.vm[Name]: Forbidden".
func Refused(problems field.ErrorList) []string {
	var refused []string
	for _, problem := range problems {
		refused = append(refused, problem.Field+": "+problem.Type.String())
	}
	return refused
}
