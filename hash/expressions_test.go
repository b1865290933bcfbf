package hash_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The expressions of the extensions for a configuration with virtualCapacity: cut a nodeTemplate with nothing else,
// with the comma after it; cut a virtualCapacity with the comma before it; remove a comma before a closing brace; trim.
var (
	onlyVirtual = regexp.MustCompile(
		`"nodeTemplate"[ \n\r\t]*:[ \n\r\t]*{[ \n\r\t]*"virtualCapacity"[ \n\r\t]*:[ \n\r\t]*{[^{}]*}[ \n\r\t]*}[ \n\r\t]*,?`,
	)
	nextVirtual = regexp.MustCompile(`,[ \n\r\t]*"virtualCapacity"[ \n\r\t]*:[ \n\r\t]*{[^{}]*}[ \n\r\t]*`)
	brokenComma = regexp.MustCompile(`,[ \n\r\t]*}`)
)

func byExpressions(raw string) string {
	var config struct {
		NodeTemplate *struct {
			VirtualCapacity map[string]any `json:"virtualCapacity"`
		} `json:"nodeTemplate"`
	}
	if json.Unmarshal([]byte(raw), &config) != nil || config.NodeTemplate == nil || config.NodeTemplate.VirtualCapacity == nil {
		return raw
	}
	raw = onlyVirtual.ReplaceAllString(raw, "")
	raw = nextVirtual.ReplaceAllString(raw, "")
	return strings.TrimSpace(brokenComma.ReplaceAllString(raw, "}"))
}

// TestStripRawIsWhatTodaysExpressionsDo draws compact configurations as an API server stores them, with virtualCapacity as the last or only
// member of nodeTemplate, null or absent, and no other hot member.
func TestStripRawIsWhatTodaysExpressionsDo(t *testing.T) {
	s, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z./-]{1,8}`)
		quantities := rapid.MapOfN(name, rapid.StringMatching(`[0-9]{1,3}(Gi|m)?`), 0, 3)
		template := map[string]any{}
		if rapid.Bool().Draw(t, "has capacity") {
			template["capacity"] = quantities.Draw(t, "capacity")
		}
		switch rapid.SampledFrom([]string{"some", "some", "null", "none"}).Draw(t, "virtual") {
		case "some":
			template["virtualCapacity"] = quantities.Draw(t, "virtualCapacity")
		case "null":
			template["virtualCapacity"] = nil
		}
		members := []string{`"apiVersion":"aws/v1alpha1"`, `"kind":"WorkerConfig"`}
		if rapid.IntRange(0, 4).Draw(t, "has template") > 0 {
			members = append(members, `"nodeTemplate":`+compactJSON(t, template))
		}
		if rapid.Bool().Draw(t, "has volume") {
			members = append(members, `"volume":`+compactJSON(t, map[string]any{"iops": rapid.Int32().Draw(t, "iops")}))
		}
		if rapid.Bool().Draw(t, "has volumes") {
			members = append(members, `"dataVolumes":[`+compactJSON(t, map[string]any{"name": name.Draw(t, "name")})+`]`)
		}
		raw := "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"

		got, err := s.StripRawKeepNulls([]byte(raw))
		require.NoError(t, err)
		require.Equal(t, byExpressions(raw), string(got), raw)
	})
}

func compactJSON(t require.TestingT, value any) string {
	out, err := json.Marshal(value)
	require.NoError(t, err)
	return string(out)
}

// expressionCorruptions are configurations for which today's expressions cut too little or too much.
var expressionCorruptions = []struct{ raw, want, reason string }{
	{
		`{"nodeTemplate":{"virtualCapacity":{"a":"1"},"capacity":{"cpu":"1"}}}`, `{"nodeTemplate":{"capacity":{"cpu":"1"}}}`,
		"virtualCapacity first: not cut",
	},
	{
		"{\n  \"kind\": \"K\",\n  \"nodeTemplate\": {\n    \"virtualCapacity\": {\n      \"a\": \"1\"\n    }\n  }\n}",
		"{\n  \"kind\": \"K\"\n}", "indented: a line of white space goes too much",
	},
	{
		"{\n  \"nodeTemplate\": {\n    \"capacity\": {\n      \"cpu\": \"1\"\n    },\n    \"virtualCapacity\": {\n      \"a\": \"1\"\n    }\n  }\n}",
		"{\n  \"nodeTemplate\": {\n    \"capacity\": {\n      \"cpu\": \"1\"\n    }\n  }\n}", "indented: the brace loses its line",
	},
	{`{"nodeTemplate":{"virtualCapacity":{"a{b}":"1"}}}`, `{}`, "braces in a key: not cut"},
	{`{"nodeTemplate":{"virtualCapacity":{"a":"}"}}}`, `{}`, "a brace in a string: not cut"},
	{
		`{"nodeTemplate":{"capacity":{"a":"1"},"virtualCapacity":{"a":"}"}}}`, `{"nodeTemplate":{"capacity":{"a":"1"}}}`,
		"a brace in a string: cut in the middle of it, and no JSON is left",
	},
	{
		`{"iamInstanceProfile":{"name":"x, }"},"nodeTemplate":{"virtualCapacity":{"a":"1"}}}`, `{"iamInstanceProfile":{"name":"x, }"}}`,
		"a string that looks like a broken comma is changed",
	},
	{
		`{"old":{"a":1,"virtualCapacity":{}},"nodeTemplate":{"virtualCapacity":{"a":"1"}}}`, `{"old":{"a":1,"virtualCapacity":{}}}`,
		"a member of the same name elsewhere is cut",
	},
	{`{"nodeTemplate":{"\u0076irtualCapacity":{"a":"1"}}}`, `{}`, "an escape in the name: not cut"},
}

func TestExpressionsCorruptWhereStripRawDoesNot(t *testing.T) {
	s, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(t, err)
	for _, tc := range expressionCorruptions {
		got, err := s.StripRawKeepNulls([]byte(tc.raw))
		require.NoError(t, err)
		assert.Equal(t, tc.want, string(got), tc.reason)
		assert.NotEqual(t, tc.want, byExpressions(tc.raw), tc.reason)
	}
}

// TestTodaysFunctionBehindStripRaw: if StripRaw removes only new members, and the function of today gets
// the rest, no config is renamed, however odd it is, with the new members and without.
func TestTodaysFunctionBehindStripRaw(t *testing.T) {
	added, err := hotupdate.SchemaOf[awsConfig](hotupdate.WithTag("nodeTemplate.virtualCapacity", "false"))
	require.NoError(t, err)
	today := func(raw string) string {
		cut, err := added.StripRaw([]byte(raw))
		require.NoError(t, err)
		return byExpressions(string(cut))
	}
	odd := []string{
		`{"nodeTemplate":{"virtualCapacity":null}}`, ` {"nodeTemplate":{"virtualCapacity":{}}} `,
		`{"kind":"K","nodeTemplate":{"virtualCapacity":{"a":"1"}}}`,
	}
	for _, tc := range expressionCorruptions {
		odd = append(odd, tc.raw)
	}
	for _, raw := range odd {
		assert.Equal(t, byExpressions(raw), today(raw), "on the day of the adoption")
		root, members, _ := strings.Cut(raw, "{")
		space := members[:len(members)-len(strings.TrimLeft(members, " \n"))]
		for _, tags := range []string{`"tags":{"vm":{"a":"1"}},`, `"tags":null,`} {
			assert.Equal(t, byExpressions(raw), today(root+"{"+space+tags+members), "with the first tag")
		}
	}
}
