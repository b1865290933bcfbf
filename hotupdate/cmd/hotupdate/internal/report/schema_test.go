package report_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

// validator checks JSON against as much of JSON Schema, draft 2020-12, as the published schema uses. A keyword that it does not know is a
// failure: it would check nothing. So is a member that the schema does not describe, though the schema itself allows it.
type validator struct {
	root     map[string]any
	problems []string
}

func validate(t *testing.T, document []byte) []string {
	t.Helper()
	v := &validator{}
	described, err := os.ReadFile(fmt.Sprintf("report.v%d.schema.json", report.FormatVersion))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(described, &v.root))
	var value any
	require.NoError(t, json.Unmarshal(document, &value))
	v.check("", v.root, value)
	return v.problems
}

func (v *validator) fail(at, format string, args ...any) {
	v.problems = append(v.problems, at+": "+fmt.Sprintf(format, args...))
}

// holds reports whether a value is valid, without recording why not.
func (v *validator) holds(at string, schema, value any) bool {
	trial := &validator{root: v.root}
	trial.check(at, schema, value)
	return len(trial.problems) == 0
}

func (v *validator) check(at string, schema, value any) {
	if allowed, isBool := schema.(bool); isBool {
		if !allowed {
			v.fail(at, "must not be there")
		}
		return
	}
	s := schema.(map[string]any)
	for _, keyword := range slices.Sorted(maps.Keys(s)) {
		v.keyword(at, keyword, s, value)
	}
}

func (v *validator) keyword(at, keyword string, s map[string]any, value any) {
	switch argument := s[keyword]; keyword {
	case "$schema", "$id", "$defs", "title", "description", "then":
	case "$ref":
		v.check(at, v.resolve(argument.(string)), value)
	case "const":
		if !reflect.DeepEqual(argument, value) {
			v.fail(at, "is %v, not %v", value, argument)
		}
	case "enum":
		if !slices.ContainsFunc(argument.([]any), func(known any) bool { return reflect.DeepEqual(known, value) }) {
			v.fail(at, "%v is none of %v", value, argument)
		}
	case "type":
		if got := typeOf(value); got != argument {
			v.fail(at, "is a %v, not a %v", got, argument)
		}
	case "minimum":
		if number, ok := value.(float64); ok && number < argument.(float64) {
			v.fail(at, "is less than %v", argument)
		}
	case "minLength":
		if text, ok := value.(string); ok && float64(utf8.RuneCountInString(text)) < argument.(float64) {
			v.fail(at, "is shorter than %v", argument)
		}
	case "pattern":
		if text, ok := value.(string); ok && !regexp.MustCompile(argument.(string)).MatchString(text) {
			v.fail(at, "%q does not match %v", text, argument)
		}
	case "items":
		elements, _ := value.([]any)
		for i, element := range elements {
			v.check(fmt.Sprintf("%s/%d", at, i), argument, element)
		}
	case "required":
		v.required(at, argument.([]any), value)
	case "properties":
		v.properties(at, argument.(map[string]any), value, s["type"] == nil)
	case "if":
		if v.holds(at, argument, value) {
			v.check(at, s["then"], value)
		}
	default:
		v.fail(at, "the schema has the keyword %s, which this test does not know", keyword)
	}
}

func (v *validator) required(at string, names []any, value any) {
	object, isObject := value.(map[string]any)
	for _, name := range names {
		if _, present := object[name.(string)]; isObject && !present {
			v.fail(at, "%v is missing", name)
		}
	}
}

// properties checks an object's members. Partial says that others are described elsewhere.
func (v *validator) properties(at string, described map[string]any, value any, partial bool) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		schema, known := described[name]
		switch {
		case known:
			v.check(at+"/"+name, schema, object[name])
		case !partial:
			v.fail(at, "the schema does not describe %s", name)
		}
	}
}

func (v *validator) resolve(ref string) any {
	var at any = v.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[name]
	}
	return at
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// TestJSONIsWhatTheSchemaSays: every report is valid, and has no member that the schema does not describe.
func TestJSONIsWhatTheSchemaSays(t *testing.T) {
	for _, tc := range goldens() {
		encoded, err := report.JSON(made(t, tc.plans...))
		require.NoError(t, err)
		assert.Empty(t, validate(t, encoded), "%s: %s", tc.name, encoded)
	}
	encoded, err := report.JSON(report.New(placedPlans(), nil, report.Selection{}))
	require.NoError(t, err)
	assert.Empty(t, validate(t, encoded), string(encoded))
	assert.Contains(t, string(encoded), `"oldLine": 20`)
}

// TestSchemaHasAPlace: the schema that the command writes is the file that a release publishes, for the version of the reports.
func TestSchemaHasAPlace(t *testing.T) {
	name := fmt.Sprintf("report.v%d.schema.json", report.FormatVersion)
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(file), string(report.Schema()))
	var schema struct {
		ID         string `json:"$id"`
		Properties struct {
			FormatVersion struct{ Const int }
		}
	}
	require.NoError(t, json.Unmarshal(file, &schema))
	assert.Equal(t, "https://github.com/hotupdate/providerconfig/releases/latest/download/"+name, schema.ID)
	assert.Equal(t, report.FormatVersion, schema.Properties.FormatVersion.Const)
}

// TestSchemaRefuses: the schema, and the validator of this test, refuse what is no report.
func TestSchemaRefuses(t *testing.T) {
	const change = `{"op":"add","path":"a","pointer":"/a","verdict":"none","class":"hot","origin":"default","new":null}`
	const machines = `{"minimum":1,"maximum":3,"known":true}`
	const basis = `"assumedUnchanged":[],"unjudged":[],"rules":[]`
	document := func(pool string) string {
		return `{"formatVersion":4,"command":"plan","compared":{},"machines":0,"causes":[],"assumptions":[],"notJudged":[],"verdict":"none","sum":[],"omitted":0,"manifests":[{"state":"kept","verdict":"none","changes":[],"pools":[` + pool + `],` + basis + `}],"warnings":[]}`
	}
	pool := func(members, changes string) string {
		return document(`{` + members + `,"strategy":"AutoRollingUpdate","message":"","touched":3,"before":` + machines + `,"after":` + machines + `,"changes":[` + changes + `],` + basis + `}`)
	}
	const kept = `"state":"kept","verdict":"none"`
	for _, tc := range []struct {
		name, document string
		want           []string
		reason         string
	}{
		{"a report", pool(kept, change), nil, "the others differ from this one in one place"},
		{"another version", strings.Replace(document(""), "4", "1", 1), []string{"/formatVersion: is 1, not 4"}, "const"},
		{"no pools", strings.Replace(document(""), `"pools":[],`, "", 1), []string{"/manifests/0: pools is missing"}, "required"},
		{
			"null changes", strings.Replace(document(""), `"changes":[]`, `"changes":null`, 1),
			[]string{"/manifests/0/changes: is a null, not a array"},
			"type",
		},
		{
			"an unknown verdict", strings.Replace(document(""), "none", "boom", 1),
			[]string{"/verdict: boom is none of [none hot-update machines-added added in-place-update machines-may-be-deleted indeterminate roll all-machines-may-be-deleted machines-deleted forbidden renamed removed class-renamed invalid becomes-readable]"},
			"enum behind $ref",
		},
		{
			"an empty name", pool(kept+`,"name":""`, ""),
			[]string{"/manifests/0/pools/0/name: is shorter than 1"},
			"a pool without a name has no such member",
		},
		{"no verdict", pool(`"state":"renamed"`, ""), []string{"/manifests/0/pools/0: verdict is missing"}, "every pool has one"},
		{
			"no pointer", pool(kept, strings.Replace(change, "/a", "a~2", 1)),
			[]string{`/manifests/0/pools/0/changes/0/pointer: "a~2" does not match ^(/([^~/]|~[01])*)*$`},
			"pattern",
		},
		{
			"a sensitive value", pool(kept, strings.Replace(change, `"new"`, `"sensitive":true,"new"`, 1)),
			[]string{"/manifests/0/pools/0/changes/0/new: must not be there"},
			"if sensitive, then no values",
		},
		{
			"a member of an unknown name", pool(kept+`,"x":1`, ""),
			[]string{"/manifests/0/pools/0: the schema does not describe x"},
			"this test is stricter than the schema",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, validate(t, []byte(tc.document)), tc.reason)
		})
	}
}

// TestAuditIsWhatTheSchemaSays: reports of audit have the same version, and the members that plan's have: one schema describes both.
func TestAuditIsWhatTheSchemaSays(t *testing.T) {
	const basis = `"assumedUnchanged":[],"unjudged":[],"rules":[]`
	former := `{"formatVersion":4,"command":"audit","compared":{"old":"a","new":"b"},"verdict":"roll","unit":"object","partial":true,"machines":3,"omitted":1,
		"objects":{"read":3,"judged":2,"skipped":{"of other kinds":1}},
		"sum":[{"verdict":"roll","pools":1,"machines":3,"accepted":1},{"verdict":"none","pools":1,"machines":0}],
		"causes":[{"verdict":"roll","path":"a","finding":"Type","code":"c","text":"a: b","accepted":"accepted until x: y","oldEra":"x","newEra":"y","minor":"1.33","pools":1,"machines":3,
			"samples":[{"file":"f","line":1,"pool":"p"}]}],
		"groups":{"minor":{"1.33":{"roll":{"pools":1,"machines":3}}}},
		"eras":[{"minor":"1.33","oldEra":"x","newEra":"y","differ":true,"pools":1}],
		"manifests":[{"newPlace":{"file":"f","line":1},"namespace":"n","project":"p","kind":"Shoot","name":"s","provider":"aws","state":"kept","verdict":"roll","changes":[],
			"pools":[{"name":"p","state":"kept","kubernetesVersion":"1.33.1","strategy":"AutoRollingUpdate","verdict":"roll","message":"m","touched":3,
				"before":{"minimum":1,"maximum":3,"known":true},"after":{"minimum":1,"maximum":3,"known":true},"changes":[],
				"oldEra":"x","newEra":"y","accepted":"accepted until x: y","reasons":[{"path":"a","text":"a: b"}],` + basis + `}],` + basis + `}],
		"notJudged":[{"file":"f","line":9,"text":"f:9: is broken"}],
		"assumptions":[{"name":"rest-of-name","text":"t","answer":"a","pools":2}],"warnings":["w"]}`
	require.Empty(t, validate(t, []byte(former)), "what a former result may have")
	file := filepath.Join(t.TempDir(), "former.json")
	require.NoError(t, os.WriteFile(file, []byte(former), 0o600))
	var pools []*audit.JudgedPool
	merged, err := audit.Merge([]string{file, file}, &audit.Known{}, func(p *audit.JudgedPool) error {
		pools = append(pools, p)
		return nil
	})
	require.NoError(t, err)
	audit.List(merged, pools)
	encoded, err := report.JSON(merged)
	require.NoError(t, err)
	assert.Empty(t, validate(t, encoded), string(encoded))
	var read report.Report
	require.NoError(t, json.Unmarshal(encoded, &read))
	assert.Equal(t, report.FormatVersion, read.FormatVersion)
	assert.Equal(t, "roll", read.Verdict)
	assert.Equal(
		t,
		[]report.Summand{
			{Verdict: "roll", Count: report.Count{Pools: 2, Machines: 6, Accepted: 2}}, {Verdict: "none", Count: report.Count{Pools: 2}},
		},
		read.Sum,
	)
	assert.Equal(t, 6, read.Machines)
	require.Len(t, read.Manifests, 2)
	assert.Equal(t, "a: b", read.Manifests[1].Pools[0].Reasons[0].Text)
	require.Len(t, read.Causes, 1)
	assert.Equal(t, 2, read.Causes[0].Pools)
	assert.Equal(t, []string{"w", "w"}, read.Warnings)
	require.Len(t, read.NotJudged, 2)
	assert.Equal(t, "f:9: is broken", read.NotJudged[0].Text)
	withoutEras := strings.Replace(former, `"eras"`, `"ears"`, 1)
	assert.Equal(t, []string{": eras is missing", ": the schema does not describe ears"}, validate(t, []byte(withoutEras)))
	_, err = audit.Merge([]string{"report.v4.schema.json"}, &audit.Known{}, nil)
	require.ErrorContains(t, err, "has formatVersion 0")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(former, `"command":"audit"`, `"command":"plan"`, 1)), 0o600))
	_, err = audit.Merge([]string{file}, &audit.Known{}, nil)
	require.ErrorContains(t, err, "is a result of plan; give one of hotupdate audit")
}
