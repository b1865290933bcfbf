package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// nullMembers says which of the two methods a case calls.
type nullMembers uint8

const (
	stripNulls nullMembers = iota
	keepNulls
)

func (n nullMembers) strip(s *hotupdate.Schema, raw []byte) ([]byte, error) {
	if n == keepNulls {
		return s.StripRawKeepNulls(raw)
	}
	return s.StripRaw(raw)
}

var stripCases = []struct {
	raw, want string
	nulls     nullMembers
	reason    string
}{
	// Commas and white space.
	{raw: `{"tags":{},"volume":1}`, want: `{"volume":1}`, reason: "the first member goes with the comma after it"},
	{raw: `{"kind":"K","tags":{},"volume":1}`, want: `{"kind":"K","volume":1}`, reason: "one in the middle goes with the comma before it"},
	{raw: `{"volume":1,"tags":{}}`, want: `{"volume":1}`, reason: "the last member goes with the comma before it"},
	{raw: `{"tags":{}}`, want: `{}`, reason: "the only one leaves an empty root"},
	{raw: "{\n  \"tags\": {}\n}", want: `{}`, reason: "and no white space, as printers write an empty object"},
	{raw: `{"tags":1,"hint":2,"volume":1}`, want: `{"volume":1}`, reason: "several in front"},
	{raw: `{"volume":1,"tags":1,"hint":2}`, want: `{"volume":1}`, reason: "several at the end"},
	{raw: `{"tags":1,"volume":1,"hint":2,"kind":"K","tags":3}`, want: `{"volume":1,"kind":"K"}`, reason: "on either side"},
	{raw: `{"tags":1,"hint":2}`, want: `{}`, reason: "all of them"},
	{raw: "{\n  \"tags\": {},\n  \"volume\": 1\n}", want: "{\n  \"volume\": 1\n}", reason: "indented, first"},
	{
		raw: "{\r\n\t\"volume\": 1,\r\n\t\"tags\": {}\r\n}\r\n", want: "{\r\n\t\"volume\": 1\r\n}\r\n",
		reason: "indented by tabs with CRLF, last; nothing is trimmed",
	},
	{
		raw: "{ \"kind\" : \"K\" , \"tags\" : 1 , \"volume\" : 1 }", want: "{ \"kind\" : \"K\" , \"volume\" : 1 }",
		reason: "white space before commas",
	},
	{raw: "{ \"tags\": 1\n, \"volume\": 1\n}", want: "{ \"volume\": 1\n}", reason: "commas in front"},
	{raw: " \t{\"tags\":1}\n ", want: " \t{}\n ", reason: "around the document"},

	// Names.
	{raw: `{"\u0074ags":1,"t\u0061g\u0073":2}`, want: `{}`, reason: "names match unescaped"},
	{
		raw: `{"Tags":1,"tag":1,"tags ":1,"":1,"\u0074agS":1}`, want: `{"Tags":1,"tag":1,"tags ":1,"":1,"\u0074agS":1}`,
		reason: "and with their case",
	},
	{raw: `{"\ud83d\ude00":1,"\ud800tags":1}`, want: `{"\ud83d\ude00":1,"\ud800tags":1}`, reason: "surrogates match nothing, lone or not"},
	{raw: `{"tags":1,"kind":"K","tags":2}`, want: `{"kind":"K"}`, reason: "duplicates all go"},
	{raw: "{\"\xff\":1,\"tags\":\"\xff\"}", want: "{\"\xff\":1}", reason: "text that is not UTF-8, as encoding/json accepts it"},
	{
		raw: `{"a\"}":"{, }","tags":"}\\","volume":", }"}`, want: `{"a\"}":"{, }","volume":", }"}`,
		reason: "punctuation in strings and names",
	},

	// Parents.
	{raw: `{"volume":{"throughput":1},"kind":"K"}`, want: `{"kind":"K"}`, reason: "an emptied object goes"},
	{raw: `{"volume":{},"kind":"K"}`, want: `{"volume":{},"kind":"K"}`, reason: "one that was empty stays"},
	{raw: `{"volume":{ },"kind":"K","volume":{"throughput":1}}`, want: `{"volume":{ },"kind":"K"}`, reason: "each of two by itself"},
	{raw: `{"policy":{"child":{"child":{"note":1}}}}`, want: `{}`, reason: "recursively"},
	{
		raw: `{"policy":{"child":{"child":{"note":1},"name":"x"}}}`, want: `{"policy":{"child":{"name":"x"}}}`,
		reason: "up to the first with something left",
	},
	{
		raw: `{"policy":{"child":{"child":{"note":1},"child":{}}}}`, want: `{"policy":{"child":{"child":{}}}}`,
		reason: "an object that was empty keeps its parents",
	},
	{raw: `{"placement":{"group":"a"}}`, want: `{"placement":{}}`, reason: "where presence carries meaning the object stays"},
	{
		raw: `{"nodeTemplate":{"capacity":{},"virtualCapacity":{"a":1}}}`, want: `{"nodeTemplate":{"capacity":{}}}`,
		reason: "nothing was cut in capacity",
	},

	// Elements.
	{
		raw:  `{"networkInterfaces":[{"description":"a"},{"deviceIndex":1,"description":"b"},{},null,1]}`,
		want: `{"networkInterfaces":[{},{"deviceIndex":1},{},null,1]}`, reason: "elements of lists never go",
	},
	{
		raw: `{"dataVolumes":[{"tags":{},"name":"a","throughput":1},{"throughput":1}]}`, want: `{"dataVolumes":[{"name":"a"},{}]}`,
		reason: "what identifies them stays",
	},
	{
		raw: `{"zones":{"a":{"tags":{}},"tags":{"subnet":"s","tags":1}}}`, want: `{"zones":{"a":{},"tags":{"subnet":"s"}}}`,
		reason: "entries of an immutable map stay; their names are no fields",
	},
	{
		raw: `{"notes":{"a":{"text":"x"},"b":{"owner":"o","text":"x"},"c":{},"d":[]}}`, want: `{"notes":{"b":{"owner":"o"},"d":[]}}`,
		reason: "entries of a hot map are stripped if nothing in them stays",
	},
	{raw: `{"notes":{"a":{"text":"x"}},"kind":"K"}`, want: `{"kind":"K"}`, reason: "and the map with the last"},

	// hotwhen.
	{
		raw:    `{"machineLabels":[{"name":"a","value":"1","triggerRollingOnUpdate":true},{"name":"b","value":"2","triggerRollingOnUpdate":false}]}`,
		want:   `{"machineLabels":[{"name":"a","value":"1","triggerRollingOnUpdate":true},{"name":"b","triggerRollingOnUpdate":false}]}`,
		reason: "below an element for which it holds all is hot but key and selector",
	},
	{raw: `{"machineLabels":[{"value":"2","name":"b"}]}`, want: `{"machineLabels":[{"name":"b"}]}`, reason: "an absent selector is zero"},
	{
		raw: `{"machineLabels":[{"value":"2","triggerRollingOnUpdate":null}]}`, want: `{"machineLabels":[{"triggerRollingOnUpdate":null}]}`,
		reason: "so is null",
	},
	{
		raw:  `{"machineLabels":[{"value":"2","triggerRollingOnUpdate":"false"}]}`,
		want: `{"machineLabels":[{"value":"2","triggerRollingOnUpdate":"false"}]}`, reason: "another type selects nothing",
	},
	{
		raw:    `{"machineLabels":[{"value":"2","triggerRollingOnUpdate":true,"triggerRollingOnUpdate":false}]}`,
		want:   `{"machineLabels":[{"triggerRollingOnUpdate":true,"triggerRollingOnUpdate":false}]}`,
		reason: "of two selectors the last counts",
	},
	{
		raw:  `{"machineLabels":[{"extra":{"text":"x","zone":"z"}},{"extra":{"text":"x"}}]}`,
		want: `{"machineLabels":[{"extra":{"zone":"z"}},{}]}`, reason: "what is declared immutable below a hot element stays",
	},
	{
		raw:  `{"taints":{"a":{"effect":"hard","value":"1"},"b":{"value":"2","effect":"so\u0022ft"}}}`,
		want: `{"taints":{"a":{"effect":"hard","value":"1"}}}`, reason: "an entry of a map goes with its selector",
	},
	{raw: `{"taints":{"b":{"effect":"so\"ft","value":"2"}},"kind":"K"}`, want: `{"kind":"K"}`, reason: "and the map with the last"},
	{
		raw: `{"taints":{"b":{"effect":"so\"ft","value":"2","zone":"z"}}}`, want: `{"taints":{"b":{"effect":"so\"ft","zone":"z"}}}`,
		reason: "unless something in it stays",
	},
	{
		raw:  `{"policy":{"rules":{"a":{"child":{"soft":false,"rules":{"b":{"name":"n"},"c":{"soft":true}}},"soft":true}}}}`,
		want: `{"policy":{"rules":{"a":{"child":{"rules":{"b":{"name":"n"}}},"soft":true}}}}`, reason: "nested",
	},

	// What is left alone.
	{
		raw: `{"old":{"tags":1,"nodeTemplate":{"virtualCapacity":1}}}`, want: `{"old":{"tags":1,"nodeTemplate":{"virtualCapacity":1}}}`,
		reason: "unknown members stay with all that is in them",
	},
	{
		raw:    `{"volume":[{"throughput":1}],"dataVolumes":{"tags":1},"policy":"tags"}`,
		want:   `{"volume":[{"throughput":1}],"dataVolumes":{"tags":1},"policy":"tags"}`,
		reason: "so do values of another type than the Schema's",
	},
	{
		raw:  `{"nodeTemplate":{"capacity":{"virtualCapacity":1,"tags":2}}}`,
		want: `{"nodeTemplate":{"capacity":{"virtualCapacity":1,"tags":2}}}`, reason: "keys of a map are no fields",
	},
	{raw: `{"kind":"tags","apiVersion":"tags"}`, want: `{"kind":"tags","apiVersion":"tags"}`, reason: "TypeMeta of the root"},
	{raw: "", want: "", reason: "nothing is the empty configuration"},
	{raw: " \n", want: " \n", reason: "so is white space"},
	{raw: "null", want: "null", reason: "so is null"},
	{raw: `[{"tags":1}]`, want: `[{"tags":1}]`, reason: "no object, so nothing of the Schema"},

	// Null.
	{raw: `{"tags":null,"kind":"K"}`, want: `{"kind":"K"}`, reason: "the state of a hot leaf does not matter"},
	{raw: `{"nodeTemplate":{"virtualCapacity":null}}`, want: `{}`, reason: "nor with its parent"},
	{raw: `{"nodeTemplate":null,"notes":{"a":null}}`, want: `{"nodeTemplate":null}`, reason: "null stays where a part may be immutable"},
	{raw: `{"tags":null,"kind":"K"}`, want: `{"tags":null,"kind":"K"}`, nulls: keepNulls, reason: "as today"},
	{
		raw: `{"nodeTemplate":{"virtualCapacity":null}}`, want: `{"nodeTemplate":{"virtualCapacity":null}}`, nulls: keepNulls,
		reason: "as today",
	},
	{
		raw: `{"tags":{"vm":null},"notes":{"a":null,"b":{"text":null}}}`, want: `{"notes":{"a":null,"b":{"text":null}}}`, nulls: keepNulls,
		reason: "null below a hot member goes with it",
	},
	{
		raw:  `{"taints":{"a":null,"b":{"effect":"so\"ft","value":null},"c":{"effect":"so\"ft"}}}`,
		want: `{"taints":{"a":null,"b":{"effect":"so\"ft","value":null}}}`, nulls: keepNulls,
		reason: "an entry that is null is not selected",
	},
}

func TestStripRaw(t *testing.T) {
	s := cutSchema(t)
	for _, tc := range stripCases {
		t.Run(tc.raw, func(t *testing.T) {
			got, err := tc.nulls.strip(s, []byte(tc.raw))
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got), tc.reason)
			assert.LessOrEqual(t, cap(got)-len(got), 32, "no memory is held in vain")
			checkStrip(t, s, []byte(tc.raw), tc.nulls)
		})
	}
}

func TestStripRawErrors(t *testing.T) {
	s := cutSchema(t)
	deep := strings.Repeat(`{"policy":[`, 501)
	for _, tc := range []struct {
		raw    string
		code   string
		offset string
		reason string
	}{
		{`{"tags":}`, "invalid-json", "offset 8:", "also inside of what would go"},
		{`{"tags":1,}`, "invalid-json", "offset 10:", "a trailing comma"},
		{`{"tags":{"a":01}}`, "invalid-json", "offset 14:", "a number with a leading zero"},
		{`{"old":"\x"}`, "invalid-json", "offset 8:", "an escape that does not exist"},
		{`{"\u12":1}`, "invalid-json", "offset 2:", "an escape cut short"},
		{`{"tags":1}}`, "invalid-json", "offset 10:", "something behind the document"},
		{"\ufeff{}", "invalid-json", "offset 0:", "a byte-order mark"},
		{`{tags:1}`, "invalid-json", "offset 1:", "a bare name"},
		{`{"tags":"`, "invalid-json", "offset 9:", "cut short"},
		{deep, "too-deep", "offset 5500", "too deep"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := s.StripRaw([]byte(tc.raw))
			var problem *fault.Error
			require.ErrorAs(t, err, &problem)
			assert.Equal(t, tc.code, problem.Code)
			assert.Contains(t, err.Error()+":", tc.offset)
			assert.NotContains(t, err.Error(), "tags", "values and names may be secret")
			assert.Nil(t, got)
		})
	}
}

func TestStripRawWithoutASchema(t *testing.T) {
	for _, s := range []*hotupdate.Schema{nil, {}} {
		for _, nulls := range []nullMembers{stripNulls, keepNulls} {
			_, err := nulls.strip(s, []byte(`{"tags":1}`))
			var problem *fault.Error
			require.ErrorAs(t, err, &problem)
			assert.Equal(t, "no-schema", problem.Code)
		}
	}
}

func TestStripRawFitsTheNestingLimit(t *testing.T) {
	raw := `{"policy":` + strings.Repeat(`{"child":`, 998) + `{"note":1}` + strings.Repeat("}", 999)
	got, err := cutSchema(t).StripRaw([]byte(raw))
	require.NoError(t, err)
	assert.Equal(t, "{}", string(got), "1000 levels, all of them emptied")
}

const stripTypical = `{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig","nodeTemplate":{"capacity":{"cpu":"8",
"memory":"16Gi"}},"volume":{"iops":10000},"dataVolumes":[{"name":"kubelet-dir","iops":3000},{"name":"logs"}],"machineLabels":[{"name":"a","value":"b",
"triggerRollingOnUpdate":true}],"iamInstanceProfile":{"name":"my-profile","arn":"my-instance-profile-arn"},"policy":{"name":"\u00e4 \"p\""}}`

func TestStripRawReturnsRawItselfWhereNothingIsHot(t *testing.T) {
	s := cutSchema(t)
	for _, raw := range []string{stripTypical, " ", "null", `{"\u0061":"\ud800"}`, `{"tags":null}`} {
		in := []byte(raw)
		got, err := s.StripRawKeepNulls(in)
		require.NoError(t, err)
		assert.Same(t, &in[0], &got[0], raw)
		assert.Len(t, got, len(in))
	}
	got, err := s.StripRawKeepNulls(nil)
	require.NoError(t, err)
	assert.Nil(t, got)
}

// TestStripRawIsLinear has inputs on which a step that is not linear would take minutes.
func TestStripRawIsLinear(t *testing.T) {
	s := cutSchema(t)
	many := 20_000
	if effort.All() {
		many = 100_000
	}
	nested := strings.Repeat(`{"note":"n","rules":{"a":`, 400) + `{"soft":true,"name":"`
	for name, raw := range map[string]string{
		"duplicates":            "{" + strings.Repeat(`"tags":1,`, many) + `"tags":{}}`,
		"duplicates, alternate": "{" + strings.Repeat(`"tags":1,"kind":"K",`, many) + `"tags":{}}`,
		"unknown members":       "{" + strings.Repeat(`"t\u0061gz":1,`, many) + `"tags":{}}`,
		"emptied parents": `{"policy":` + strings.Repeat(
			`{"child":`, 990,
		) + `{"note":"` + strings.Repeat("x", many) + `"}` + strings.Repeat("}", 991),
		"nested selectors":    `{"policy":` + nested + strings.Repeat("x", 10*many) + `"}` + strings.Repeat(`},"soft":true}`, 400) + "}",
		"selectors in a list": `{"machineLabels":[` + strings.Repeat(`{"value":"v","extra":{"text":"x"}},`, many) + `{}]}`,
		"a huge string":       `{"volume":"` + strings.Repeat(`\u0041`, 10*many) + `","tags":1}`,
		"unclosed":            strings.Repeat(`[`, 10*many),
		"empty elements":      `{"networkInterfaces":[` + strings.Repeat("[],{},", many) + `0]}`,
	} {
		got, err := s.StripRaw([]byte(raw))
		if name == "unclosed" {
			requireStripError(t, err)
			continue
		}
		require.NoError(t, err, name)
		require.True(t, json.Valid(got), name)
	}
}

// TestStripRawOfManyGoroutines mixes documents of all sizes: pooled memory must not show.
func TestStripRawOfManyGoroutines(t *testing.T) {
	s := cutSchema(t)
	done := make(chan struct{})
	for range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 20 {
				for _, tc := range stripCases {
					got, err := tc.nulls.strip(s, []byte(tc.raw))
					assert.NoError(t, err)
					assert.True(t, bytes.Equal([]byte(tc.want), got), tc.raw)
				}
			}
		}()
	}
	for range 8 {
		<-done
	}
}
