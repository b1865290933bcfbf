package rawjson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

type volume struct {
	Name *string `json:"name,omitempty"`
	Size int32   `json:"size,omitempty"`
}

type port struct {
	Number int32 `json:"number"`
}

type examined struct {
	Volumes []*volume          `json:"volumes,omitempty" hotupdatable:"false,key=name"`
	Ports   []port             `json:"ports,omitempty"   hotupdatable:"false,key=number"`
	Rest    []volume           `json:"rest,omitempty"`
	Limit   *resource.Quantity `json:"limit,omitempty"`
	Wait    *metav1.Duration   `json:"wait,omitempty"`
	Since   *metav1.Time       `json:"since,omitempty"`
	Share   intstr.IntOrString `json:"share,omitempty"`
	Key     []byte             `json:"key,omitempty"`
	Ratio   float64            `json:"ratio,omitempty"`
	Secret  map[string]string  `json:"secret,omitempty"  hotupdatable:"false,sensitive=keys"`
}

// told are texts of findings and of problems.
func told(findings []rawjson.Finding, err error) (found, problems []string) {
	for _, f := range findings {
		found = append(found, strings.TrimSpace(f.Problem.Path+" "+f.Problem.Code+" "+f.Meant))
	}
	for _, p := range fault.All(err) {
		problems = append(problems, p.Path+" "+p.What+"; "+p.Hint)
	}
	return found, problems
}

// TestExamine: unknown members and repeated keys are findings beside the result, in the order of the text, under a plan
// that refuses unknown members, under one that admits them, and under one that was loaded.
func TestExamine(t *testing.T) {
	t.Parallel()
	closed, err := fieldplan.Compile(reflect.TypeFor[examined](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	open, err := schemajson.AdmitUnknown(closed)
	require.NoError(t, err)
	for _, test := range []struct {
		in              string
		found, problems []string
		reason          string
	}{
		{``, nil, nil, "the empty configuration"},
		{
			`{"volumes":[{"name":"a"},{"name":"b"},{"name":"a"},{"name":"a"}]}`,
			[]string{"volumes[2] repeated-key", "volumes[3] repeated-key"},
			nil, "each after the first",
		},
		{
			`{"volumes":[{"size":1},null,{"name":null}]}`,
			[]string{"volumes[1] repeated-key", "volumes[2] repeated-key"},
			nil,
			"an absent key is a key",
		},
		{
			`{"ports":[{"number":1},{"number":2},{"number":1}],"rest":[{"name":"a"},{"name":"a"}]}`,
			[]string{"ports[2] repeated-key"},
			nil,
			"only lists have keys that say so",
		},
		{
			`{"volumes":[{"nam":"a","size":1,"sise":2}],"limt":1}`,
			[]string{"volumes[0].nam unknown-member name", "volumes[0].sise unknown-member", "limt unknown-member limit"},
			nil,
			"of which the similar field is missing",
		},
		{`{"limt":1,"limit":"1"}`, []string{"limt unknown-member"}, nil, "the similar field comes later"},
		{`{"limit":"1","Limit":"2"}`, []string{"Limit unknown-member"}, nil, "the similar field is there, and only the hint names it"},
		{`{"x":{"limt":1},"limit":[],"volumes":[{"size":"1"}]}`, []string{"x unknown-member"}, []string{
			"limit is a list that is no quantity; write a number with an optional unit, such as 80m or 1Gi",
			"volumes[0].size is a string of 1 bytes that is no int32; write a whole number of at most 32 bits, without quotes",
		}, "beside problems"},
		{`{"wait":"1","since":"now","share":1.5,"key":"?","ratio":"1"}`, nil, []string{
			"wait is a string of 1 bytes that is no duration; write a number with a unit, such as 1h30m",
			"since is a string of 3 bytes that is no time; write it as in 2026-01-31T12:00:00Z",
			"share is a number that is no integer or string; write a value of that type",
			"key is a string of 1 bytes that is no text in base64; write the bytes in base64",
			"ratio is a string of 1 bytes that is no float64; write a value of that type",
		}, "in words for people who do not know Go's types"},
		{`{"limit":"1","limit":"2"}`, nil, []string{"limit stands twice in its object; remove one of the members"}, "no finding"},
		{`{"x":1`, nil, []string{" is not valid JSON at offset 6; correct the JSON"}, "ends the reading"},
	} {
		for name, plan := range map[string]*fieldplan.Plan{"closed": closed, "open": open} {
			found, problems := told(rawjson.Examine(plan, []byte(test.in)))
			assert.Equal(t, test.found, found, "%s: %s", name, test.reason)
			if len(test.problems) > 0 && test.problems[0][0] == ' ' {
				assert.Len(t, problems, 1, "%s: %s", name, test.reason)
				continue
			}
			assert.Equal(t, test.problems, problems, "%s: %s", name, test.reason)
		}
		_, err := rawjson.Read(open, []byte(test.in))
		_, problems := told(nil, err)
		assert.Len(t, problems, len(test.problems), "findings are errors of nothing else: %s", test.reason)
	}
}

// TestExamineIsBounded: no findings are lost to problems, and no problems to findings.
func TestExamineIsBounded(t *testing.T) {
	t.Parallel()
	plan, err := fieldplan.Compile(reflect.TypeFor[examined](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	many := `{"rest":[` + strings.Repeat(`{"size":"1","x":1},`, 3000) + `{}],"limit":[],"y":1}`
	found, problems := told(rawjson.Examine(plan, []byte(many)))
	assert.Len(t, found, 1000)
	assert.Len(t, problems, 100)
	found, problems = told(rawjson.Examine(plan, []byte(`{"rest":[`+strings.Repeat(`{"x":1},`, 3000)+`{}],"limit":[]}`)))
	assert.Len(t, found, 1000)
	assert.Len(t, problems, 1)
}
