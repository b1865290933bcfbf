package machineupdate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

func TestRecordFormat(t *testing.T) {
	digest := machineupdate.DigestOf("1", "tags", "k")
	for _, tc := range []struct {
		name   string
		record machineupdate.Record
		want   string
	}{
		{
			"settled",
			machineupdate.Record{ProviderID: "aws:///eu/i-1", Schema: "s1:0", Since: start, Applied: hotOne},
			`{"v":1,"providerID":"aws:///eu/i-1","schema":"s1:0","since":"2026-01-02T03:04:05Z","applied":{"tags":{"k":"1"}}}`,
		},
		{
			"calling",
			machineupdate.Record{ProviderID: "i", Schema: "s", State: machineupdate.Calling, Since: start, Applied: hotOne, Attempted: []machineupdate.Hot{hotTwo, machineupdate.Nothing}},
			`{"v":1,"providerID":"i","schema":"s","state":"Calling","since":"2026-01-02T03:04:05Z","applied":{"tags":{"k":"1"}},"attempted":[{"tags":{"k":"2"}},null]}`,
		},
		{
			"retried",
			machineupdate.Record{ProviderID: "i", Schema: "s", State: machineupdate.Calling, Since: start, Retries: 32, Attempted: []machineupdate.Hot{hotTwo}},
			`{"v":1,"providerID":"i","schema":"s","state":"Calling","since":"2026-01-02T03:04:05Z","retries":32,"attempted":[{"tags":{"k":"2"}}]}`,
		},
		{
			"first adoption",
			machineupdate.Record{ProviderID: "i", Schema: "s", State: machineupdate.Calling, Since: start, Attempted: []machineupdate.Hot{hotTwo}},
			`{"v":1,"providerID":"i","schema":"s","state":"Calling","since":"2026-01-02T03:04:05Z","attempted":[{"tags":{"k":"2"}}]}`,
		},
		{
			"creation",
			machineupdate.Record{Creating: "m-1", Schema: "s", State: machineupdate.Calling, Since: start, Attempted: []machineupdate.Hot{hotTwo}},
			`{"v":1,"creating":"m-1","schema":"s","state":"Calling","since":"2026-01-02T03:04:05Z","attempted":[{"tags":{"k":"2"}}]}`,
		},
		{
			"nothing applied, digests",
			machineupdate.Record{ProviderID: "i", Schema: "s", State: machineupdate.Unconfirmed, Since: start, Applied: machineupdate.Nothing, Attempts: []machineupdate.Digest{digest}},
			`{"v":1,"providerID":"i","schema":"s","state":"Unconfirmed","since":"2026-01-02T03:04:05Z","applied":{},"attempts":["` + digest.Text() + `"]}`,
		},
		{
			"texts that JSON escapes",
			machineupdate.Record{ProviderID: "a\"\\\n<é", Schema: "\xff", Since: start.In(time.FixedZone("", 3600)), Applied: hotOne},
			`{"v":1,"providerID":"a\"\\\n<é","schema":"` + "�" + `","since":"2026-01-02T03:04:05Z","applied":{"tags":{"k":"1"}}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, tc.record.Annotation())
			parsed, err := machineupdate.ParseRecord(tc.want)
			require.NoError(t, err)
			assert.Equal(t, tc.want, parsed.Annotation())
			tc.record.Schema, tc.record.Since = strings.ToValidUTF8(tc.record.Schema, "�"), start
			assert.Equal(t, tc.record, parsed)
		})
	}
}

// drawRecord draws a record that the flow can write.
func drawRecord(t *rapid.T) machineupdate.Record {
	hot := rapid.SampledFrom([]machineupdate.Hot{hotOne, hotTwo, machineupdate.Nothing, `{"tags":{"a/b":"~","é":"\n"}}`, `{"a":[1,{"b":null}],"n":1e+400}`})
	r := machineupdate.Record{
		ProviderID: rapid.StringN(1, 20, -1).Draw(t, "providerID"), Schema: rapid.String().Draw(t, "schema"), Applied: hot.Draw(t, "applied"),
		State: machineupdate.State(rapid.IntRange(0, 2).Draw(t, "state")), Since: start.Add(time.Duration(rapid.Int32().Draw(t, "since")) * time.Second),
	}
	if r.State == machineupdate.Settled {
		return r
	}
	r.Attempted = rapid.SliceOfN(hot, 0, 4).Draw(t, "attempted")
	r.Attempts = slices.Repeat([]machineupdate.Digest{machineupdate.DigestOf("v", "k")}, rapid.IntRange(0, 3).Draw(t, "digests"))
	if r.State == machineupdate.Calling {
		r.Retries = rapid.IntRange(0, 32).Draw(t, "retries")
	}
	if r.State == machineupdate.Calling && rapid.Bool().Draw(t, "nothing applied") {
		r.Applied = ""
		if rapid.Bool().Draw(t, "creation") {
			r.ProviderID, r.Creating = "", "m-1"
		}
	}
	return r
}

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		parsed, err := machineupdate.ParseRecord(r.Annotation())
		require.NoError(t, err)
		require.Equal(t, r.Annotation(), parsed.Annotation())
		require.Equal(t, len(r.Attempted), len(parsed.Attempted))
		require.True(t, r.Since.Equal(parsed.Since))
	})
}

// TestTruncatedRecords: no prefix of a record is a record, so a truncated record is never mistaken for a whole one.
func TestTruncatedRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		text := r.Annotation()
		for n := range len(text) {
			_, err := machineupdate.ParseRecord(text[:n])
			require.Equal(t, "malformed-record", codeOf(err), "%q", text[:n])
		}
	})
}

func TestMalformedRecords(t *testing.T) {
	whole := `{"v":1,"providerID":"i","schema":"s","state":"Calling","since":"2026-01-02T03:04:05Z","applied":{"tags":{"k":"secret"}},"attempted":[{"tags":{"k":"secret"}},null],"attempts":["` + machineupdate.DigestOf("1", "k").Text() + `"]}`
	_, err := machineupdate.ParseRecord(whole)
	require.NoError(t, err)
	for _, tc := range []struct{ name, old, changed string }{
		{"no JSON", whole, "secret"},
		{"not an object", whole, `["secret"]`},
		{"null", whole, `null`},
		{"something behind", whole, whole + "{}"},
		{"no version", `"v":1,`, ``},
		{"version 0", `"v":1`, `"v":0`},
		{"negative version", `"v":1`, `"v":-1`},
		{"version of another type", `"v":1`, `"v":"1"`},
		{"name in another case", `"schema"`, `"Schema"`},
		{"unknown member", `"v":1`, `"v":1,"secret":1`},
		{"member twice", `"v":1`, `"v":1,"v":1`},
		{"no ID", `"providerID":"i",`, ``},
		{"empty ID", `"providerID":"i"`, `"providerID":""`},
		{"empty name", `"providerID":"i"`, `"creating":""`},
		{"both IDs", `"providerID":"i"`, `"providerID":"i","creating":"m"`},
		{"no schema", `"schema":"s",`, ``},
		{"unknown state", `"Calling"`, `"secret"`},
		{"state that is not spelled out", `"Calling"`, `"Settled"`},
		{"settled with attempts", `"state":"Calling",`, ``},
		{"no time", `"since":"2026-01-02T03:04:05Z",`, ``},
		{"time with fractions", `05Z`, `05.5Z`},
		{"time of another zone", `05Z`, `05+01:00`},
		{"no retries, spelled out", `Z",`, `Z","retries":0,`},
		{"negative retries", `Z",`, `Z","retries":-1,`},
		{"more retries than are counted", `Z",`, `Z","retries":33,`},
		{"retries of another type", `Z",`, `Z","retries":"1",`},
		{"retried after a success", `"Calling","since":"2026-01-02T03:04:05Z",`, `"Unconfirmed","since":"2026-01-02T03:04:05Z","retries":1,`},
		{"impossible time", `2026-01-02`, `2026-02-30`},
		{"unconfirmed without success", `"Calling","since":"2026-01-02T03:04:05Z","applied":{"tags":{"k":"secret"}}`, `"Unconfirmed","since":"2026-01-02T03:04:05Z"`},
		{"finished creation", `"providerID":"i","schema":"s","state":"Calling"`, `"creating":"m","schema":"s","state":"Unconfirmed"`},
		{"applied null", `"applied":{"tags":{"k":"secret"}}`, `"applied":null`},
		{"applied no object", `"applied":{"tags":{"k":"secret"}}`, `"applied":"secret"`},
		{"applied with a member twice", `"applied":{"tags":{"k":"secret"}}`, `"applied":{"tags":{},"tags":{"k":"secret"}}`},
		{"attempted no list", `"attempted":[{"tags":{"k":"secret"}},null]`, `"attempted":{"tags":{"k":"secret"}}`},
		{"attempted no object", `[{"tags":{"k":"secret"}},null]`, `["secret"]`},
		{"digest too short", machineupdate.DigestOf("1", "k").Text(), "secret"},
		{"digest of other characters", machineupdate.DigestOf("1", "k").Text(), strings.Repeat("+", 22)},
		{"too many leaves", `"applied":{"tags":{"k":"secret"}}`, `"applied":{` + strings.TrimSuffix(manyLeaves(machineupdate.MaxLeaves+1), ",") + `}`},
		{"too many attempts", `[{"tags":{"k":"secret"}},null]`, `[{"k":"` + strings.Repeat("x", machineupdate.MaxAttempted) + `"}]`},
		{"too long", whole, strings.Repeat(" ", 256<<10) + whole},
		{"lone surrogate", `secret`, `\ud800`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Replace(whole, tc.old, tc.changed, 1)
			require.NotEqual(t, whole, text)
			_, err := machineupdate.ParseRecord(text)
			require.Equal(t, "malformed-record", codeOf(err))
			assert.NotContains(t, err.Error(), "secret", "the annotation is never quoted")
			converges(t, text)
		})
	}
}

func manyLeaves(n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(`"leaf-` + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `":"",`)
	}
	return text.String()
}

// converges checks that a machine with the annotation is at rest after at most two updates.
func converges(t *testing.T, annotation string) {
	t.Helper()
	now := start
	o := machineupdate.Observed{Machine: machine(""), Class: classOf(t, `{"tags":{"k":"1"}}`)}
	o.Settings.ConfirmAfter = time.Hour
	o.Machine.Annotations = map[string]string{machineupdate.AnnotationRecord: annotation}
	var none error
	var requests []*machineupdate.UpdateMachineRequest
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &o.Machine), UpdateMachine: caller(&requests, &none)}
	for range 4 {
		executor.Reconcile(t.Context(), o)
		now = now.Add(time.Hour)
	}
	assert.Equal(t, machineupdate.UpToDate, executor.Reconcile(t.Context(), o).Reason)
	assert.LessOrEqual(t, len(requests), 2)
}

func TestFutureRecords(t *testing.T) {
	for _, text := range []string{`{"v":2}`, `{"v":99,"providerID":{},"new":[1]}`} {
		_, err := machineupdate.ParseRecord(text)
		assert.Equal(t, "future-record", codeOf(err), text)
		converges(t, text)
	}
}

// FuzzParseRecord: no annotation panics; a record that was read can be written and read again; every machine converges.
func FuzzParseRecord(f *testing.F) {
	for _, seed := range []string{
		"", "null", `{"v":2}`,
		`{"v":1,"providerID":"aws:///i-1","schema":"s","since":"2026-01-02T03:04:05Z","applied":{"tags":{"k":"1"}}}`,
		`{"v":1,"providerID":"aws:///i-1","schema":"s","state":"Calling","since":"2026-01-02T03:04:05Z","attempted":[{"tags":{"k":"1"}},null]}`,
		`{"v":1,"creating":"m-1","schema":"s","state":"Calling","since":"9999-01-02T03:04:05Z","attempts":["AAAAAAAAAAAAAAAAAAAAAA"]}`,
		`{"v":1,"providerID":"aws:///i-1","schema":"s","state":"Unconfirmed","since":"0000-01-02T03:04:05Z","applied":{}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := machineupdate.ParseRecord(text)
		if err == nil {
			again, err := machineupdate.ParseRecord(r.Annotation())
			require.NoError(t, err)
			require.Equal(t, r.Annotation(), again.Annotation())
		} else {
			require.NotEmpty(t, codeOf(err))
		}
		converges(t, text)
	})
}
