package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// schemas lose and regain Hot fields, and change the shape of /c.
var schemas = []schema{
	{"/a": '{', "/b": '[', "/c": '{'},
	{"/a": '{'},
	{"/b": '[', "/c": '"'},
	{"/a": '{', "/b": '[', "/c": '['},
	{},
}

// hotPartOf draws a possible hot part of a class under a Schema.
func hotPartOf(t *rapid.T, s schema) string {
	var members []string
	for _, name := range []string{"a", "b", "c"} {
		choices := map[byte][]string{
			'{': {``, `{"k":"1"}`, `{"k":"2"}`, `{"k":"1","l":"1"}`, `{"l":"2"}`, `{"l":"1","m":{"n":1}}`, `{"m":{}}`},
			'[': {``, `["x"]`, `["x","y"]`, `["y","z"]`, `[{"n":1}]`, `[]`},
			'"': {``, `"1"`, `2`},
			0:   {``},
		}[s["/"+name]]
		if value := rapid.SampledFrom(choices).Draw(t, name); value != "" {
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// history is a machine with its record and the oracle.
type history struct {
	t      *rapid.T
	now    time.Time
	record record.Record
	oracle oracle
	bound  int
}

// target draws a class and a driver.
func (h *history) target() (*record.Target, schema, []string) {
	n := rapid.IntRange(0, len(schemas)-1).Draw(h.t, "schema")
	kinds := rapid.SampledFrom([][]string{{"vm"}, {"disk"}, {"disk", "vm"}}).Draw(h.t, "kinds")
	return h.targetOf(n, kinds)
}

func (h *history) targetOf(n int, kinds []string) (*record.Target, schema, []string) {
	s := schemas[n]
	return record.NewTarget(hotPartOf(h.t, s), fmt.Sprint(n, kinds), kinds, s.isHot, limited(h.bound)), s, kinds
}

// keep checks that a record survives being written and read.
func (h *history) keep(r record.Record) {
	annotation := r.Annotation()
	parsed, err := record.Parse(annotation)
	require.NoError(h.t, err, annotation)
	header, _, err := record.ReadHeader(annotation)
	require.NoError(h.t, err)
	require.Equal(h.t, r.Header, header)
	h.record = parsed
}

// begin writes the marker of a pass, and checks the request to the driver.
func (h *history) begin(target *record.Target, s schema, hot string) *record.Pass {
	first := h.record.Annotation() == fresh().Annotation()
	p := h.record.Begin(target, "id", h.now)
	covered := map[string]bool{}
	for _, part := range p.Parts {
		covered[part.Kind] = true
		h.oracle.check(h.t, part, s)
		h.checkDesired(part, hot, p.Whole)
		before := h.record.EntriesCost(part.Kind, target)
		marker := p.Marker.EntriesCost(part.Kind, target)
		after := p.Succeeded(h.now)
		require.LessOrEqual(h.t, marker, max(before, h.bound), "the marker keeps the bound")
		require.LessOrEqual(h.t, after.EntriesCost(part.Kind, target), max(before, h.bound), "the success keeps the bound")
	}
	for _, kind := range kindsOfOracle {
		if first && !covered[kind] {
			h.oracle.own(kind, factsOf(hot))
		}
	}
	for _, part := range p.Parts {
		h.oracle.own(part.Kind, factsOf(part.Desired))
	}
	return p
}

func fresh() *record.Record {
	r := record.New("id")
	return &r
}

// checkDesired: each desired leaf has its wanted or its applied value.
func (h *history) checkDesired(part record.Part, hot string, whole bool) {
	wanted := factsOf(hot)
	desired := factsOf(part.Desired)
	applied := factsOf(part.Applied)
	for _, facts := range []map[fact]bool{wanted, desired, applied} {
		for f := range facts {
			got := valueOf(desired, f.leaf)
			if want := valueOf(wanted, f.leaf); got != want {
				require.False(h.t, whole)
				require.Equal(h.t, valueOf(applied, f.leaf), got, f.leaf)
			}
		}
	}
	if whole {
		require.Equal(h.t, hot, part.Desired)
	}
}

func (h *history) succeed(p *record.Pass) { h.keep(p.Succeeded(h.now)) }

func (h *history) confirm(target *record.Target, s schema) {
	p := h.record.Confirm(target, h.now)
	for _, part := range p.Parts {
		h.oracle.check(h.t, part, s)
		h.oracle.confirm(part.Kind, s, factsOf(part.Applied))
	}
	h.succeed(p)
	require.Equal(h.t, record.Settled, h.record.State)
}

// TestHistories: in all histories of a machine, a request has exactly the values that may be live because of us,
// without frozen ones. Every written record can be read, and in the end all values are as wanted.
func TestHistories(t *testing.T) {
	one := record.Cost("/a/m/n", "null")
	for _, bound := range []int{one + 6, 2*one + 2, record.MaxEntries} {
		t.Run(fmt.Sprintf("bound %d", bound), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := &history{t: t, now: time.Unix(1e9, 0), record: *fresh(), oracle: newOracle(), bound: bound}
				t.Repeat(map[string]func(*rapid.T){
					"pass": func(*rapid.T) {
						target, s, _ := h.target()
						p := h.begin(target, s, target.Hot())
						switch rapid.IntRange(0, 2).Draw(h.t, "end") {
						case 0:
							h.succeed(p)
						case 1:
							h.keep(p.Marker)
						case 2:
							h.keep(p.Refused(h.now.Add(time.Hour), h.now))
						}
					},
					"doubt": func(*rapid.T) {
						target, s, _ := h.target()
						h.succeed(h.begin(target, s, target.Hot()))
						p := h.record.Confirm(target, h.now)
						h.keep(p.Doubted(h.now))
					},
					"settle": func(*rapid.T) {
						target, s, _ := h.target()
						h.settle(target, s)
					},
					"create": func(*rapid.T) {
						target, _, _ := h.target()
						created := h.record.Create("m", target, h.now)
						for _, kind := range kindsOfOracle {
							h.oracle.own(kind, factsOf(target.Hot()))
						}
						h.keep(created.Created("id", false, h.now))
					},
				})
				for n := range schemas {
					target, s, _ := h.targetOf(n, []string{"disk", "never", "vm"})
					h.settle(target, s)
				}
			})
		})
	}
}

// settle lets passes succeed until all values are as wanted. If everything fits, that takes one pass and its confirmation.
func (h *history) settle(target *record.Target, s schema) {
	for range 40 {
		p := h.begin(target, s, target.Hot())
		h.succeed(p)
		require.Equal(h.t, record.Unconfirmed, h.record.State)
		h.confirm(target, s)
		require.Equal(h.t, h.record.Wanted != "", h.record.Has(target))
		if h.record.Wanted != "" {
			for _, part := range h.record.Begin(target, "id", h.now).Parts {
				require.Equal(h.t, factsOf(target.Hot()), factsOf(part.Applied))
				require.Empty(h.t, part.Attempted)
			}
			return
		}
		if h.bound == record.MaxEntries {
			break
		}
	}
	h.t.Fatal("never as wanted")
}
