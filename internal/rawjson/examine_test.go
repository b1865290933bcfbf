package rawjson_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

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

// examines is the function Examine by a plan, or the method by a Form.
type examines func(raw []byte) ([]rawjson.Finding, error)

func byPlan(p *fieldplan.Plan) examines {
	return func(raw []byte) ([]rawjson.Finding, error) { return rawjson.Examine(p, raw) }
}

// loaded returns the ways of examining by the exported Schema of a plan; false if there is none that can be loaded.
func loaded(t require.TestingT, p *fieldplan.Plan) (plan, form examines, ok bool) {
	document, err := schemajson.Export(p)
	require.NoError(t, err)
	text, err := json.Marshal(document)
	require.NoError(t, err)
	again, err := schemajson.Load(text)
	if err != nil {
		return nil, nil, false
	}
	return byPlan(again), rawjson.FormOf(document.Values()).Examine, true
}

// TestExamine: unknown members and repeated keys are findings beside the result, in the order of the text, under a plan
// that refuses unknown members, under one that admits them, under one that was loaded, and by a Form.
func TestExamine(t *testing.T) {
	t.Parallel()
	closed, err := fieldplan.Compile(reflect.TypeFor[examined](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	open, err := schemajson.AdmitUnknown(closed)
	require.NoError(t, err)
	again, form, ok := loaded(t, closed)
	require.True(t, ok)
	_, openForm, ok := loaded(t, open)
	require.True(t, ok)
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
			"limit is a list that is not a quantity; write a number with an optional unit, such as 80m or 1Gi",
			"volumes[0].size is a string of 1 byte that is not an int32; write a whole number of at most 32 bits, without quotes",
		}, "beside problems"},
		{`{"wait":"1","since":"now","share":1.5,"key":"?","ratio":"1"}`, nil, []string{
			"wait is a string of 1 byte that is not a duration; write a number with a unit, such as 1h30m",
			"since is a string of 3 bytes that is not a time; write it as in 2026-01-31T12:00:00Z",
			"share is a number that is not an integer or string; write a value of that type",
			"key is a string of 1 byte that is not a string in base64; write the bytes in base64",
			"ratio is a string of 1 byte that is not a float64; write a value of that type",
		}, "in words for people who do not know Go's types"},
		{
			`{"secret":{"token":1}}`, nil,
			[]string{"secret[(sensitive)] is a number that is not a string; put it in quotes"},
			"whose keys are secret",
		},
		{`{"limit":"1","limit":"2"}`, nil, []string{"limit stands twice in its object; remove one of the members"}, "no finding"},
		{`{"x":1`, nil, []string{" is not valid JSON at offset 6; correct the JSON"}, "ends the reading"},
	} {
		for name, examine := range map[string]examines{
			"closed": byPlan(closed), "open": byPlan(open), "loaded": again, "form": form, "open form": openForm,
		} {
			found, problems := told(examine([]byte(test.in)))
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
	_, form, _ := loaded(t, plan)
	many := `{"rest":[` + strings.Repeat(`{"size":"1","x":1},`, 3000) + `{}],"limit":[],"y":1}`
	for _, examine := range []examines{byPlan(plan), form} {
		found, problems := told(examine([]byte(many)))
		assert.Len(t, found, 1000)
		assert.Len(t, problems, 100)
		found, problems = told(examine([]byte(`{"rest":[` + strings.Repeat(`{"x":1},`, 3000) + `{}],"limit":[]}`)))
		assert.Len(t, found, 1000)
		assert.Len(t, problems, 1)
	}
}

// keyed has lists whose elements are paired by keys of all kinds.
type keyed struct {
	Texts    []textKeyed            `json:"texts"    hotupdatable:"false,key=key"`
	Pointers []*pointerKeyed        `json:"pointers" hotupdatable:"false,key=key"`
	Numbers  []numberKeyed          `json:"numbers"  hotupdatable:"false,key=key"`
	Quoted   []quotedKeyed          `json:"quoted"   hotupdatable:"false,key=key"`
	Within   map[string][]textKeyed `json:"within"`
	Hidden   hidden                 `json:"hidden"   hotupdatable:"false,sensitive=keys"`

	Share    *intstr.IntOrString `json:"share"`
	Since    *metav1.Time        `json:"since"`
	QuotedP  *bool               `json:"quotedP,string"`
	Array    [2]textKeyed        `json:"array"`
	Raw      json.RawMessage     `json:"raw"`
	Ints     map[int]inKeyed     `json:"ints"`
	Capacity map[string]limits   `json:"capacity"`
	Nothing  *struct{}           `json:"nothing"`
	Umlaut   *string             `json:"größe"`
}

type (
	textKeyed struct {
		Key  string    `json:"key,omitempty"`
		Next []inKeyed `json:"next"          hotupdatable:"false,key=key"`
	}
	inKeyed struct {
		Key uint8 `json:"key"`
	}
	pointerKeyed struct {
		Key *string `json:"key"`
		Any any     `json:"any"`
	}
	numberKeyed struct {
		Other int64 `json:"other,string"`
		Key   int64 `json:"key"`
	}
	quotedKeyed struct {
		Key int32 `json:"key,string"`
	}
	hidden struct {
		Name   string            `json:"name"`
		Values map[string]string `json:"values"`
	}
)

// keys are texts that are keys of elements.
var keys = regexp.MustCompile(`"key":"[^"]*"`)

// TestFormTellsWhatItsPlanTells: a Form finds in any document what the plan of the same Schema finds.
func TestFormTellsWhatItsPlanTells(t *testing.T) {
	var found, problems, none int
	rapid.Check(t, func(t *rapid.T) {
		s := speller{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rapid.SampledFrom([]int{0, 30, 200}).Draw(t, "mistakes")}
		typ := reflect.TypeFor[keyed]()
		if rapid.Bool().Draw(t, "of any type") {
			typ = typeGenerator{s}.object(0)
		}
		p := build(t, typ)
		plan, form, ok := loaded(t, p)
		if !ok {
			t.Skip("an array of values that marshal themselves")
		}
		for range 10 {
			text := keys.ReplaceAllStringFunc(s.value(p.Type, 0), func(string) string { return pick(s, `"key":"a"`, `"key":"b"`, `"a":1`) })
			raw := []byte(s.damage(text))
			wantFound, wantProblems := told(plan(raw))
			gotFound, gotProblems := told(form(raw))
			require.Equal(t, wantFound, gotFound, string(raw))
			require.Equal(t, wantProblems, gotProblems, string(raw))
			found += count(len(gotFound) > 0)
			problems += count(len(gotProblems) > 0)
			none += count(len(gotFound)+len(gotProblems) == 0)
		}
	})
	t.Log(found, problems, none)
	for _, times := range []int{found, problems, none} {
		assert.Greater(t, times, 5)
	}
}
