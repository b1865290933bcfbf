package record_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// everything is Hot.
func everything(string, string) bool { return true }

// limited returns the limits of the only lane, with another bound for entries unless that is zero.
func limited(bound int) record.Limits {
	limits, _ := record.LimitsOf(0)
	if bound > 0 {
		limits.Entries = bound
	}
	return limits
}

func target(hot string, kinds ...string) *record.Target {
	return record.NewTarget(hot, "s", kinds, everything, limited(0))
}

// TestFormat follows a machine whose driver covers VMs, then disks as well. The texts were written by hand.
func TestFormat(t *testing.T) {
	r := record.New("aws:///i-1")
	one := target(`{"tags":{"k":"1","zones":["a","b"]}}`, "vm")
	two := target(`{"tags":{"k":"2","zones":["b","c"]}}`, "vm")
	// printf '%s' '{"tags":{"k":"1","zones":["a","b"]}}' | sha256sum | cut -c1-32 | xxd -r -p | basenc --base64url
	const (
		wantedOne = `"wanted":"bMANM20mFDleLlU6ETMjaQ"`
		wantedTwo = `"wanted":"tZj0gXXZnjquGg5lCDqzQA"`
	)

	p := r.Begin(one, "aws:///i-1", start)
	assert.Equal(t, `{"v":1,"providerID":"aws:///i-1","schema":"s","state":"Calling","since":"2026-01-02T03:04:06Z",`+wantedOne+
		`,"parts":[{"kinds":["vm"],"attempted":[{"tags":{"k":"1","zones":["a","b"]}}]},{"applied":{"tags":{"k":"1","zones":["a","b"]}}}]}`, p.Marker.Annotation())
	again := p.Marker.Begin(one, "aws:///i-1", start)
	assert.Contains(t, again.Marker.Annotation(), `"since":"2026-01-02T03:04:06Z","retries":1,`)
	r = again.Succeeded(start)
	assert.Equal(t, `{"v":1,"providerID":"aws:///i-1","schema":"s","state":"Unconfirmed","since":"2026-01-02T03:04:06Z",`+wantedOne+
		`,"parts":[{"applied":{"tags":{"k":"1","zones":["a","b"]}}}]}`, r.Annotation())
	confirmation := r.Confirm(one, start)
	r = confirmation.Succeeded(start)
	assert.Equal(t, `{"v":1,"providerID":"aws:///i-1","schema":"s","since":"2026-01-02T03:04:06Z",`+wantedOne+
		`,"parts":[{"applied":{"tags":{"k":"1","zones":["a","b"]}}}]}`, r.Annotation())

	p = r.Begin(two, "aws:///i-1", start)
	assert.Equal(t, `{"v":1,"providerID":"aws:///i-1","schema":"s","state":"Calling","since":"2026-01-02T03:04:06Z",`+wantedTwo+
		`,"parts":[{"kinds":["vm"],"applied":{"tags":{"k":"1","zones":["a","b"]}},"attempted":[{"tags":{"k":"2","zones":["c"]}}],"removed":[{"tags":{"zones":["a"]}}]},`+
		`{"applied":{"tags":{"k":"1","zones":["a","b"]}}}]}`, p.Marker.Annotation())
	assert.Equal(t, []record.Part{{
		Kind: "vm", Applied: `{"tags":{"k":"1","zones":["a","b"]}}`, Attempted: []string{`{}`, `{"tags":{"k":"2","zones":["c"]}}`},
		Desired: `{"tags":{"k":"2","zones":["b","c"]}}`,
	}}, p.Parts)
	r = p.Succeeded(start)
	assert.Equal(t, `{"v":1,"providerID":"aws:///i-1","schema":"s","state":"Unconfirmed","since":"2026-01-02T03:04:06Z",`+wantedTwo+
		`,"parts":[{"kinds":["vm"],"applied":{"tags":{"k":"2","zones":["b","c"]}},"attempted":[{"tags":{"k":"1","zones":["a"]}}],"removed":[{"tags":{"zones":["c"]}}]},`+
		`{"applied":{"tags":{"k":"1","zones":["a","b"]}}}]}`, r.Annotation())

	both := target(`{"tags":{"k":"2","zones":["b","c"]}}`, "disk", "vm")
	p = r.Begin(both, "aws:///i-1", start)
	require.Len(t, p.Parts, 2)
	assert.Equal(t, `{"tags":{"k":"1","zones":["a","b"]}}`, p.Parts[0].Applied, "disks have what every other kind had")
	r = p.Succeeded(start)
	confirmation = r.Confirm(both, start)
	r = confirmation.Succeeded(start)
	assert.Contains(
		t, r.Annotation(),
		wantedTwo+`,"parts":[{"kinds":["disk","vm"],"applied":{"tags":{"k":"2","zones":["b","c"]}}},{"applied":{"tags":{"k":"1","zones":["a","b"]}}}]}`,
	)
}

// TestRefusal: the time of a refusal stays in the record until it is over or a pass has succeeded.
func TestRefusal(t *testing.T) {
	r := record.New("i")
	to := target(`{"k":"1"}`, "vm")
	// printf '%s' '{"k":"1"}' | sha256sum | cut -c1-32 | xxd -r -p | basenc --base64url
	const tail = `,"wanted":"b_ZWN3M5_TsmymxchDqv9Q","parts":[{"kinds":["vm"],"attempted":[{"k":"1"}]},{"applied":{"k":"1"}}]}`
	again := r.Begin(to, "i", start).Marker
	refused := again.Begin(to, "i", start).Refused(start.Add(6*time.Hour), start)
	assert.Equal(
		t, `{"v":1,"providerID":"i","schema":"s","state":"Calling","since":"2026-01-02T03:04:06Z","notBefore":"2026-01-02T09:04:06Z"`+tail,
		refused.Annotation(),
	)
	read := refused.Begin(to, "i", start.Add(time.Hour))
	assert.Equal(
		t,
		`{"v":1,"providerID":"i","schema":"s","state":"Calling","since":"2026-01-02T04:04:06Z","retries":1,"notBefore":"2026-01-02T09:04:06Z"`+tail,
		read.Marker.Annotation(),
	)
	success := read.Succeeded(start)
	assert.NotContains(t, success.Annotation(), "notBefore")
	assert.True(
		t,
		refused.Begin(
			to, "i", start.Add(6*time.Hour),
		).Marker.NotBefore.Equal(start.Add(6*time.Hour).Truncate(time.Second).Add(time.Second)),
		"rounded up",
	)
	assert.NotContains(t, refused.Begin(to, "i", start.Add(6*time.Hour+time.Second)).Marker.Annotation(), "notBefore", "over")
	created := refused.Create("m", to, start)
	assert.NotContains(t, created.Annotation(), "notBefore")

	confirmation := success.Confirm(to, start)
	refused = confirmation.Refused(start.Add(6*time.Hour), start)
	assert.Contains(t, refused.Annotation(), `"state":"Unconfirmed","since":"2026-01-02T03:04:06Z","notBefore":"2026-01-02T09:04:06Z"`)
	confirmed := refused.Confirm(to, start).Succeeded(start)
	assert.NotContains(t, confirmed.Annotation(), "notBefore")
}

// TestDrain: a marker has its drain, its success keeps that, and the next pass replaces it.
func TestDrain(t *testing.T) {
	r := record.New("i")
	to := target(`{"k":"1"}`, "vm")
	p := r.Begin(to, "i", start)
	p.Drained(record.Drain{Class: "c", Node: "u", Since: start.Truncate(time.Second)})
	const drain = `,"class":"c","node":"u","drained":"2026-01-02T03:04:05Z","wanted":`
	assert.Contains(t, p.Marker.Annotation(), `"state":"Calling","since":"2026-01-02T03:04:06Z"`+drain)
	success := p.Succeeded(start)
	assert.Contains(t, success.Annotation(), drain)
	confirmation := success.Confirm(to, start)
	doubted := confirmation.Doubted(start)
	assert.Contains(t, doubted.Annotation(), `"state":"Calling","since":"2026-01-02T03:04:06Z"`+drain)
	settled := confirmation.Succeeded(start)
	assert.Contains(t, settled.Annotation(), drain)
	for _, r := range []record.Record{p.Marker, success, doubted, settled} {
		parsed, err := record.Parse(r.Annotation())
		require.NoError(t, err)
		assert.Equal(t, r.Header, parsed.Header)
	}
	assert.NotContains(t, settled.Begin(to, "i", start).Marker.Annotation(), "drained")
	created := settled.Create("m", to, start)
	assert.NotContains(t, created.Annotation(), "drained")
}

// TestHas: everything wanted is applied, to all covered kinds.
func TestHas(t *testing.T) {
	r := record.New("i")
	one := target(`{"k":"1"}`, "vm")
	p := r.Begin(one, "i", start)
	after := p.Succeeded(start)
	other := after.Begin(target(`{"k":"2"}`, "vm"), "i", start).Succeeded(start)
	for _, tc := range []struct {
		name string
		r    record.Record
		to   *record.Target
		want bool
	}{
		{"nothing is known", r, one, false},
		{"nothing is known or wanted", r, target(`{}`, "vm"), false},
		{"begun", p.Marker, one, false},
		{"applied", after, one, true},
		{"to every other kind by the launch", after, target(`{"k":"1"}`, "vm", "disk"), true},
		{"another value", after, target(`{"k":"2"}`, "vm"), false},
		{"less is wanted", after, target(`{}`, "vm"), false},
		{"more is wanted", after, target(`{"k":"1","l":"1"}`, "vm"), false},
		{"replaced", other, one, false},
		{"not replaced on the other kind", other, target(`{"k":"2"}`, "vm", "disk"), false},
		{
			"what is frozen does not count", after,
			record.NewTarget(`{}`, "s", []string{"vm"}, func(string, string) bool { return false }, limited(0)), true,
		},
	} {
		assert.Equal(t, tc.want, tc.r.Has(tc.to), tc.name)
	}
}

// TestLimitsOfLanes: all records together leave other annotations as much room as one alone. With any number of lanes,
// the first record has room for a largest hot part with its entries.
func TestLimitsOfLanes(t *testing.T) {
	alone, _ := record.LimitsOf(0)
	assert.Equal(t, record.MaxWritten, alone.Record)
	for n := range record.MaxLanes + 1 {
		first, other := record.LimitsOf(n)
		assert.Equal(t, record.MaxWritten, first.Record+n*other.Record)
		assert.GreaterOrEqual(t, first.Record, first.HotPart+first.Entries)
		assert.GreaterOrEqual(t, other.Record, other.HotPart+other.Entries)
		assert.GreaterOrEqual(t, other.Entries, 3*other.HotPart, "any change fits, also where the one before is not confirmed")
	}
}

// TestCreation: every attempt may have created the VM.
func TestCreation(t *testing.T) {
	var r record.Record
	r = r.Create("m-1", target(`{"k":"1"}`), start)
	assert.Contains(t, r.Annotation(), `"creating":"m-1","schema":"s","state":"Calling",`)
	assert.Contains(t, r.Annotation(), `"parts":[{"applied":{"k":"1"}}]`)
	first := r.Created("i-1", true, start)
	assert.Equal(t, record.Settled, first.State)
	assert.Contains(t, first.Annotation(), `"providerID":"i-1"`)

	r = r.Create("m-1", target(`{"k":"2","l":"1"}`), start)
	assert.Contains(t, r.Annotation(), `"parts":[{"applied":{"k":"2","l":"1"},"attempted":[{"k":"1"}]}]`)
	found := r.Begin(target(`{"k":"1"}`, "vm"), "i-1", start).Marker
	assert.Equal(
		t, []string{"i-1", ""}, []string{found.ProviderID, found.Creating}, "a VM that is found belongs to the machine from now on",
	)
	second := r.Created("i-1", false, start)
	assert.Equal(t, record.Unconfirmed, second.State)

	r = r.Create("m-1", nil, start)
	assert.Contains(t, r.Annotation(), `"parts":[{"applied":{"k":"2","l":"1"},"attempted":[{"k":"1"}]}]`, "what is known stays")
	unread := r.Created("i-1", true, start)
	assert.Equal(t, record.Calling, unread.State, "an update is due once the class can be read")
}

func TestParseRefuses(t *testing.T) {
	r := record.New("i")
	good := r.Begin(target(`{"k":["1"]}`, "vm"), "i", start).Marker.Annotation()
	_, err := record.Parse(good)
	require.NoError(t, err)
	replaced := func(old, with string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, with, 1)
	}
	for name, annotation := range map[string]string{
		"nothing":            "",
		"no JSON":            "hello",
		"another version":    replaced(`"v":1`, `"v":0`),
		"no version":         replaced(`"v":1`, `"v":"1"`),
		"no identity":        replaced(`"providerID":"i"`, `"providerID":""`),
		"two identities":     replaced(`"providerID":"i"`, `"providerID":"i","creating":"m"`),
		"finished creation":  strings.Replace(replaced(`"providerID":"i"`, `"creating":"m"`), `"state":"Calling",`, "", 1),
		"unknown state":      replaced("Calling", "Dialling"),
		"state spelled out":  replaced("Calling", "Settled"),
		"no schema":          replaced(`"schema":"s",`, ""),
		"fraction of second": replaced("06Z", "06.5Z"),
		"no time":            replaced("06Z", "66Z"),
		"no retries":         replaced(`,"wanted"`, `,"retries":0,"wanted"`),
		"too many retries":   replaced(`,"wanted"`, `,"retries":33,"wanted"`),
		"settled refusal": strings.Replace(
			replaced(`,"wanted"`, `,"notBefore":"2026-01-02T03:04:06Z","wanted"`), `"state":"Calling",`, "", 1,
		),
		"no time of refusal": replaced(`,"wanted"`, `,"notBefore":"soon","wanted"`),
		"half a drain":       replaced(`,"wanted"`, `,"class":"c","wanted"`),
		"no time of drain":   replaced(`,"wanted"`, `,"class":"c","node":"u","drained":"2026-01-02T03:04:06.5Z","wanted"`),
		"settled retries":    strings.Replace(replaced(`,"wanted"`, `,"retries":3,"wanted"`), `"state":"Calling",`, "", 1),
		"white space":        replaced(`,"parts"`, `, "parts"`),
		"unknown member":     replaced(`"parts":[{`, `"parts":[{"new":1,`),
		"not canonical":      replaced(`["1"]`, `["1" ]`),
		"needless layer":     replaced(`{"k":["1"]}]`, `{"k":["1"]},{"k":["1"]}]`),
		"no object":          replaced(`"applied":{"k":["1"]}`, `"applied":[]`),
		"needless kind":      replaced(`"parts":[`, `"parts":[{"kinds":["a"],"applied":{"k":["1"]}},`),
		"truncated":          good[:len(good)-1],
		"cut short":          good[:len(good)-20] + `}]}`,
		"too long":           replaced(`"i"`, `"`+strings.Repeat("i", record.MaxRecord)+`"`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := record.Parse(annotation)
			problem, ok := errors.AsType[*fault.Error](err)
			require.True(t, ok)
			assert.Equal(t, "malformed-record", problem.Code)
			if _, _, err := record.ReadHeader(annotation); err == nil {
				assert.Contains(t, []string{
					"unknown member", "not canonical", "needless layer", "no object", "needless kind", "cut short", "no retries",
				}, name, "the header alone is wrong as well")
			}
		})
	}
	for _, later := range []string{`{"v":2}`, `{"v":17,"new":[`} {
		_, err := record.Parse(later)
		problem, ok := errors.AsType[*fault.Error](err)
		require.True(t, ok)
		assert.Equal(t, "future-record", problem.Code)
	}
}

// TestEscapedNames: names that JSON escapes are read as they were written.
func TestEscapedNames(t *testing.T) {
	r := record.New("a\"\\\u0001\xff")
	marker := r.Begin(
		record.NewTarget(`{"~":{"/":["\""]}}`, `sch"ema`, []string{`v"m`}, everything, limited(0)), "a\"\\\u0001\xff", start,
	).Marker
	parsed, err := record.Parse(marker.Annotation())
	require.NoError(t, err)
	assert.Equal(t, []any{"a\"\\\u0001\uFFFD", `sch"ema`}, []any{parsed.ProviderID, parsed.Schema})
	assert.Equal(t, marker.Annotation(), parsed.Annotation())
}

// TestParseIsLinear: a record of many values of one leaf was laid out by trying each value in each hot part. 256 KiB of them took minutes.
func TestParseIsLinear(t *testing.T) {
	parsing := func(n int) float64 {
		var values, below []string
		for i := range n {
			values = append(values, fmt.Sprintf(`{"a":%d}`, 10000+i))
			below = append(below, fmt.Sprintf(`"k%d":1`, 10000+i))
		}
		attempted := strings.Join(values, ",") + `,{"a":{` + strings.Join(below, ",") + `}}`
		annotation := `{"v":1,"providerID":"i","schema":"","state":"Calling","since":"2026-01-02T03:04:06Z","parts":[{"attempted":[` + attempted + `]}]}`
		return testing.AllocsPerRun(1, func() {
			_, err := record.Parse(annotation)
			require.NoError(t, err)
		})
	}
	require.Less(t, parsing(400), 3*parsing(200))
}

// FuzzParse: a record that is read is written again byte for byte, and its header is read like the whole.
func FuzzParse(f *testing.F) {
	r := record.New("i")
	p := r.Begin(target(`{"a":{"k":"1"},"b":["x",1],"c":[{"n":1}]}`, "vm"), "aws:///i-1", start)
	first := p.Succeeded(start)
	second := first.Begin(target(`{"a":{},"b":["y"],"c":"d"}`, "disk", "vm"), "aws:///i-1", start)
	f.Add(p.Marker.Annotation())
	f.Add(first.Annotation())
	f.Add(second.Marker.Annotation())
	f.Add(`{"v":1,"creating":"m","schema":"","state":"Calling","since":"2026-01-02T03:04:06Z","parts":[{}]}`)
	refused := p.Refused(start.Add(time.Hour), start)
	f.Add(refused.Annotation())
	p.Drained(record.Drain{Class: "c", Node: "u", Since: start})
	f.Add(p.Marker.Annotation())
	f.Add(`{"v":2}`)
	f.Fuzz(func(t *testing.T, annotation string) {
		r, err := record.Parse(annotation)
		if err != nil {
			return
		}
		require.Equal(t, annotation, r.Annotation())
		header, _, err := record.ReadHeader(annotation)
		require.NoError(t, err)
		require.Equal(t, r.Header, header)
		next := r.Begin(target(`{"a":{"k":"2"},"b":["x"]}`, "vm", "disk"), "aws:///i-1", start).Succeeded(start)
		again, err := record.Parse(next.Annotation())
		require.NoError(t, err)
		require.Equal(t, next.Annotation(), again.Annotation())
	})
}

// TestHeaderAllocatesNothing: most decisions need only the header.
func TestHeaderAllocatesNothing(t *testing.T) {
	r := record.New("aws:///i-1")
	annotation := r.Begin(target(`{"k":"1"}`, "vm"), "aws:///i-1", start).Marker.Annotation()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if _, _, err := record.ReadHeader(annotation); err != nil {
			t.Error(err)
		}
	}))
}
