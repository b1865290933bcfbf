package apiserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/apiserver"
	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/crdplugin"
)

// program is the environment variable that makes the test the program hotupdate-crd. Each setup needs a process of its
// own, since the version of Kubernetes counts for a whole process.
const program = "HOTUPDATE_CRD_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(program) == "" {
		os.Exit(m.Run())
	}
	if err := apiserver.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs the program with lines, and returns its lines.
func serve(t *testing.T, lines ...string) (answers []string, err error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), self)
	command.Env = append(os.Environ(), program+"=1")
	command.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	out, err := command.Output()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}

// definition is a CRD whose spec has the properties, in JSON.
func definition(spec string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"pools.example.com"},"spec":{
		"group":"example.com","scope":"Namespaced","names":{"kind":"Pool","plural":"pools"},
		"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
		"properties":{"spec":` + spec + `}}}},{"name":"v0","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
}

func setup(kubernetes, spec string) string {
	var line bytes.Buffer
	text := `{"formatVersion":1,"kubernetes":"` + kubernetes + `","definitions":[` + definition(spec) + `]}`
	if err := json.Compact(&line, []byte(text)); err != nil {
		return text
	}
	return line.String()
}

func object(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"name":"a"},"spec":` + spec + `}`
}

func created(spec string) string { return `{"new":` + object(spec) + `}` }

func updated(old, spec string) string {
	return `{"old":` + object(old) + `,"new":` + object(spec) + `}`
}

// refusals returns the refusals of the answer to one question.
func refusals(t *testing.T, setup, question string) crdplugin.Answer {
	t.Helper()
	lines, err := serve(t, setup, question)
	require.NoError(t, err, "%s", lines)
	require.Len(t, lines, 2)
	var answer crdplugin.Answer
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &answer))
	require.Empty(t, answer.Error)
	return answer
}

// constraints are the constraints of a member a of the spec, each with a value that does not meet it, and another one. The part is what an
// update has to keep so that the mistake is tolerated.
var constraints = map[string]struct{ property, bad, worse, path, text, part string }{
	"enum": {
		`{"type":"string","enum":["x"]}`, `"secret"`, `"secret2"`, "spec.a", `Unsupported value: supported values: "x"`, "spec.a",
	},
	"pattern":   {`{"type":"string","pattern":"^x$"}`, `"secret"`, `"secret2"`, "spec.a", `Invalid value: should match '^x$'`, "spec.a"},
	"maxLength": {`{"type":"string","maxLength":1}`, `"secret"`, `"secret2"`, "spec.a", `Too long: may not be more than 1 byte`, "spec.a"},
	"minLength": {
		`{"type":"string","minLength":9}`, `"secret"`, `"secret2"`, "spec.a", `Invalid value: should be at least 9 chars long`, "spec.a",
	},
	"format": {
		`{"type":"string","format":"date-time"}`, `"secret"`, `"secret2"`, "spec.a", `Invalid value: must be of type date-time: the value`,
		"spec.a",
	},
	"maximum": {
		`{"type":"integer","maximum":1}`, `424242`, `424243`, "spec.a", `Invalid value: should be less than or equal to 1`, "spec.a",
	},
	"type": {`{"type":"integer"}`, `"secret"`, `"secret2"`, "spec.a", `Invalid value: must be of type integer: "string"`, "spec.a"},
	"maxItems": {
		`{"type":"array","maxItems":1,"items":{"type":"string"}}`, `["secret","b"]`, `["secret","c"]`, "spec.a",
		`Too many: must have at most 1 item`, "spec.a",
	},
	"in an atomic list": {
		`{"type":"array","items":{"type":"object","properties":{"x":{"type":"string","maxLength":1}}}}`, `[{"x":"secret"}]`,
		`[{"x":"secret"},{"x":"a"}]`,
		"spec.a[0].x", `Too long: may not be more than 1 byte`, "spec.a",
	},
	"in a list by keys": {
		`{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"x":{"type":"string","maxLength":1}}}}`,
		`[{"k":"a"},{"k":"b","x":"secret"}]`, `[{"k":"a"},{"k":"b","x":"secret2"}]`, "spec.a[1].x", `Too long: may not be more than 1 byte`,
		"spec.a[1].x",
	},
	"in a map": {
		`{"type":"object","additionalProperties":{"type":"string","maxLength":1}}`, `{"a.b/c":"secret"}`, `{"a.b/c":"secret2"}`,
		"spec.a.a.b/c", `Too long: may not be more than 1 byte`, "spec.a.a.b/c",
	},
	"required": {
		`{"type":"object","required":["x"],"properties":{"x":{"type":"string"},"y":{"type":"string"}}}`, `{"y":"secret"}`,
		`{"y":"secret2"}`,
		"spec.a.x", `Required value`, "spec.a",
	},
	"rule": {
		`{"type":"object","properties":{"x":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.x < 5","message":"x is below 5"}]}`,
		`{"x":424242}`, `{"x":424243}`, "spec.a", `Invalid value: x is below 5`, "spec.a",
	},
	"rule with another path": {
		`{"type":"object","properties":{"x":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.x < 5","fieldPath":".x"}]}`,
		`{"x":424242}`, `{"x":424243}`, "spec.a.x", `Invalid value: failed rule: self.x < 5`, "spec.a",
	},
	"rule with a computed text": {
		`{"type":"string","maxLength":99,"x-kubernetes-validations":[{"rule":"self.size() < 2","messageExpression":"self + ' is long'"}]}`,
		`"secret"`, `"secret2"`, "spec.a", `Invalid value: a rule does not hold, whose text has values of the object`, "spec.a",
	},
}

// TestRefusals: for each constraint, the API server refuses to create an object that does not meet it, tolerates what
// an update leaves as it is, and refuses an update that changes it. Before 1.30 it tolerates nothing. No text has a
// value of the object.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range constraints {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			define := func(version string) string {
				return setup(version, `{"type":"object","properties":{"a":`+c.property+`,"b":{"type":"string"}}}`)
			}
			bad := `{"a":` + c.bad + `}`
			refusal := crdplugin.Refusal{Path: c.path, Text: c.text}
			onUpdate := []crdplugin.Refusal{refusal}
			refusal.Update = crdplugin.RefusedWhereChanged
			refusal.Kept = c.part
			assert.Equal(t, []crdplugin.Refusal{refusal}, refusals(t, define(""), created(bad)).Refusals)
			assert.Empty(t, refusals(t, define(""), updated(bad, bad)).Refusals)
			assert.Empty(t, refusals(t, define(""), updated(bad, `{"b":"x","a":`+c.bad+`}`)).Refusals)
			assert.Equal(t, onUpdate, refusals(t, define(""), updated(bad, `{"a":`+c.worse+`}`)).Refusals)
			assert.Empty(t, refusals(t, define("1.30"), updated(bad, `{"b":"x","a":`+c.bad+`}`)).Refusals)
			assert.Equal(t, onUpdate, refusals(t, define("1.29"), updated(bad, `{"b":"x","a":`+c.bad+`}`)).Refusals)
			refusal.Update = crdplugin.RefusedAlways
			refusal.Kept = ""
			assert.Equal(t, []crdplugin.Refusal{refusal}, refusals(t, define("1.29"), created(bad)).Refusals)
			lines, err := serve(t, define(""), created(bad))
			require.NoError(t, err)
			assert.NotContains(t, lines[1], "secret")
			assert.NotContains(t, lines[1], "424242")
		})
	}
}

// TestUpdates: not every mistake is tolerated where it stays, and some are tolerated everywhere.
func TestUpdates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec, bad string
		want      crdplugin.Refusal
	}{
		"duplicates": {
			`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}`,
			`{"a":["x","y","x"]}`,
			crdplugin.Refusal{Path: "spec.a[2]", Text: "Duplicate value", Update: crdplugin.NeverRefused},
		},
		"a rule that tolerates": {
			`{"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"oldSelf.hasValue() || self < 5","optionalOldSelf":true}]}}}`,
			`{"a":7}`,
			crdplugin.Refusal{
				Path: "spec.a", Text: "Invalid value: failed rule: oldSelf.hasValue() || self < 5", Update: crdplugin.NeverRefused,
			},
		},
		"an object in an object": {
			`{"type":"object","properties":{"a":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`,
			`{"a":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/b"}}}`,
			crdplugin.Refusal{Path: "spec.a.metadata.name", Update: crdplugin.RefusedAlways},
		},
		"no spec": {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, `{}`, crdplugin.Refusal{
			Path: "spec.a", Text: "Required value", Update: crdplugin.RefusedWhereChanged, Kept: "spec",
		}},
	} {
		answer := refusals(t, setup("", c.spec), created(c.bad))
		require.Len(t, answer.Refusals, 1, name)
		if c.want.Text == "" {
			c.want.Text = answer.Refusals[0].Text
		}
		assert.Equal(t, c.want, answer.Refusals[0], name)
	}
}

// TestObjectsAreReadAsByTheServer: members that the schema does not have are dropped, defaults are filled in, and the
// status belongs to a controller.
func TestObjectsAreReadAsByTheServer(t *testing.T) {
	t.Parallel()
	define := setup(
		"", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","default":"x"},"b":{"type":"string","enum":["x"]}}}`,
	)
	for _, question := range []string{
		created(`{}`), created(`{"a":null}`), created(`{"unknown":1}`), created(`{"b":null}`),
		`{"new":{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"generateName":"a-"},"spec":{},"status":7}}`,
		`{"new":{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"name":"a","namespace":"n","uid":"1","labels":{"a":"b"},"managedFields":[]},"spec":{}}}`,
	} {
		assert.Empty(t, refusals(t, define, question), question)
	}
	answer := refusals(t, define, created(`{"b":"y"}`))
	assert.Len(t, answer.Refusals, 1)
	assert.False(t, answer.Incomplete, "there is no rule")
	ruled := setup("", `{"type":"object","properties":{"a":{"type":"string","enum":["x"]}},"x-kubernetes-validations":[{"rule":"false"}]}`)
	answer = refusals(t, ruled, created(`{"a":"y"}`))
	assert.Len(t, answer.Refusals, 1)
	assert.True(t, answer.Incomplete)
}

// TestManyMistakes: an object with thousands of mistakes has an answer, of which the first ones by path are told, and the others counted.
func TestManyMistakes(t *testing.T) {
	t.Parallel()
	define := setup("", `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string","maxLength":1}}}}`)
	var members []string
	for i := range 2000 {
		members = append(members, fmt.Sprintf(`"k%04d":"long"`, i))
	}
	answer := refusals(t, define, created(`{"m":{`+strings.Join(members, ",")+`}}`))
	assert.Equal(t, 2000-crdplugin.MaxRefusals, answer.More)
	require.Len(t, answer.Refusals, crdplugin.MaxRefusals)
	for i, refusal := range answer.Refusals {
		path := fmt.Sprintf("spec.m.k%04d", i)
		want := crdplugin.Refusal{
			Path: path, Text: "Too long: may not be more than 1 byte", Update: crdplugin.RefusedWhereChanged, Kept: path,
		}
		assert.Equal(t, want, refusal)
	}
}

// TestUnusableLines: what cannot be answered is said, and the other lines are answered.
func TestUnusableLines(t *testing.T) {
	t.Parallel()
	lines, err := serve(t, setup("", `{"type":"object"}`),
		"not JSON", `{"new":1}`, `{"new":{"apiVersion":"example.com/v9","kind":"Pool"}}`,
		`{"new":{"apiVersion":"example.com/v0","kind":"Pool"}}`,
		"", `{"old":{"apiVersion":"example.com/v1"},"new":`+object(`{}`)+`}`, created(`{}`))
	require.NoError(t, err)
	require.Len(t, lines, 7)
	assert.Contains(t, lines[1], "the line is not a question")
	assert.Contains(t, lines[2], "the new object is not a JSON object")
	assert.Contains(t, lines[3], "example.com/v9 Pool: no definition has this version")
	assert.Contains(t, lines[4], "example.com/v0 Pool: no definition has this version", "it is not served")
	assert.Contains(t, lines[5], "the old object")
	assert.Equal(t, `{}`, lines[6])

	for _, c := range []struct{ setup, want string }{
		{"", "the input is empty; its first line must be the setup"},
		{"{", "unexpected end of JSON input"},
		{`{"formatVersion":1,"kubernetes":"latest"}`, `"latest\" is not a minor version of Kubernetes, such as 1.29`},
	} {
		lines, err := serve(t, c.setup)
		require.Error(t, err)
		assert.Contains(t, lines[0], c.want)
	}
	lines, err = serve(t, `{"formatVersion":1,"kubernetes":"1.99","definitions":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}},`+
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"c"},"spec":{"group":"g","names":{"kind":"K"},`+
		`"versions":[{"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{}}}}}]}}]}`)
	require.NoError(t, err)
	assert.Contains(t, lines[0], "Pod p: is not a CustomResourceDefinition of apiextensions.k8s.io/v1")
	assert.Contains(t, lines[0], "c, version v1: the API server refuses the schema: properties[a].type: Required value")
}

// TestOrder: many questions at once are answered in their order.
func TestOrder(t *testing.T) {
	t.Parallel()
	lines := []string{setup("", `{"type":"object","properties":{"a":{"type":"integer","multipleOf":7}}}`)}
	for i := range 500 {
		lines = append(lines, created(fmt.Sprintf(`{"a":%d}`, i)))
	}
	answers, err := serve(t, lines...)
	require.NoError(t, err)
	require.Len(t, answers, len(lines))
	for i, answer := range answers[1:] {
		assert.Equal(t, i%7 == 0, answer == `{}`, i)
	}
}

// FuzzQuestion: no line ends the program without an answer.
func FuzzQuestion(f *testing.F) {
	f.Add([]byte(created(`{"a":{"b":[1,"x",null]}}`)))
	f.Add([]byte(updated(`{"a":[{"k":"x"}]}`, `{"a":[{"k":"x"},{"k":"x"}]}`)))
	define := setup("", `{"type":"object","properties":{"a":{"x-kubernetes-preserve-unknown-fields":true,"type":"object"},"l":{"type":"array","maxItems":1,`+
		`"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","maxLength":1}}}}}}`)
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(bytes.TrimSpace(line)) == 0 || bytes.ContainsRune(line, '\n') {
			return
		}
		var out bytes.Buffer
		require.NoError(t, apiserver.Serve(strings.NewReader(define+"\n"+string(line)+"\n"), &out))
		assert.Equal(t, 2, strings.Count(out.String(), "\n"))
		assert.NotContains(t, out.String(), "the API server's code failed")
	})
}
