package record_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

func bounded(hot string, bound int) *record.Target {
	return record.NewTarget(hot, "s", []string{"vm"}, everything, limited(bound))
}

// applied is the record of a VM with a hot part, settled.
func applied(t *testing.T, hot string) *record.Record {
	t.Helper()
	r := record.Record{}
	r = r.Create("m", bounded(hot, 0), start)
	r = r.Created("i", true, start)
	require.Equal(t, record.Settled, r.State)
	return &r
}

// TestBoundHoldsFormerAndNewValue: the sent values must fit, and the applied ones as well, because the sent ones
// replace them after the success.
func TestBoundHoldsFormerAndNewValue(t *testing.T) {
	short := `{"k":"1"}`
	long := `{"k":"` + strings.Repeat("2", 100) + `"}`
	least := record.Cost("/k", `"`+strings.Repeat("2", 100)+`"`)
	for _, tc := range []struct {
		name, from, to string
		bound          int
		want           string
	}{
		{"the new value fits", short, long, least, long},
		{"the new value does not fit", short, long, least - 1, short},
		{"the former value fits", long, short, least, short},
		{"the former value does not fit", long, short, least - 1, long},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := applied(t, tc.from).Begin(bounded(tc.to, tc.bound), "i", start)
			assert.Equal(t, tc.want, p.Parts[0].Desired)
			assert.Equal(t, tc.want == tc.to, p.Whole)
		})
	}
}

// TestRepeatedPassNeedsNoRoom: values of a repeated pass are recorded already.
func TestRepeatedPassNeedsNoRoom(t *testing.T) {
	to := bounded(`{"k":"2"}`, record.Cost("/k", "null"))
	p := applied(t, `{"k":"1"}`).Begin(to, "i", start)
	for range 3 {
		require.Equal(t, `{"k":"2"}`, p.Parts[0].Desired)
		p = p.Marker.Begin(to, "i", start)
	}
	other := p.Marker.Begin(bounded(`{"k":"3"}`, record.Cost("/k", "null")), "i", start)
	assert.Equal(t, `{"k":"1"}`, other.Parts[0].Desired, "two values do not fit: back to what was applied")
	assert.Equal(t, []string{`{"k":"2"}`}, other.Parts[0].Attempted)
}

// TestSlicesRemoveFirst: a cloud has a limit for keys, and treats two spellings of a key as one key.
func TestSlicesRemoveFirst(t *testing.T) {
	r := applied(t, `{"p":"1","q":"1"}`)
	to := bounded(`{"a":"1","b":"1"}`, record.Cost("/a", "null"))
	var desired []string
	for range 10 {
		p := r.Begin(to, "i", start)
		desired = append(desired, p.Parts[0].Desired)
		after := p.Succeeded(start)
		after = after.Confirm(to, start).Succeeded(start)
		if r = &after; r.Wanted != "" {
			break
		}
	}
	assert.Equal(t, []string{`{"q":"1"}`, `{}`, `{"a":"1"}`, `{"a":"1","b":"1"}`}, desired)
}

// TestFullRecordKeepsTheOrderOfLists: an unchanged list of scalars is not sorted.
func TestFullRecordKeepsTheOrderOfLists(t *testing.T) {
	p := applied(t, `{"l":["b","a"]}`).Begin(bounded(`{"l":["b","a","c"]}`, 1), "i", start)
	assert.Equal(t, `{"l":["b","a"]}`, p.Parts[0].Desired)
	after := p.Succeeded(start)
	assert.Contains(t, after.Annotation(), `{"applied":{"l":["b","a"]}}`)
}

// TestRecordHasRoomForOtherAnnotations: if frozen parts take so much room that nothing can be added, the machine keeps its tags. A creation
// continues, and forgets old attempts.
func TestRecordHasRoomForOtherAnnotations(t *testing.T) {
	large := func(n int) string {
		members := make([]string, 0, 600)
		for i := range 600 {
			members = append(members, fmt.Sprintf(`"%d-%03d":"%s"`, n, i, strings.Repeat("v", 80)))
		}
		return `{` + strings.Join(members, ",") + `}`
	}
	to := func(n int) *record.Target {
		return record.NewTarget(large(n), "s", []string{fmt.Sprint("kind", n)}, everything, limited(record.MaxRecord))
	}
	r := *applied(t, large(0))
	full := 0
	for n := range 9 {
		p := r.Begin(to(n), "i", start)
		assert.LessOrEqual(t, len(p.Marker.Annotation()), record.MaxWritten)
		if !p.Whole {
			full++
		}
		r = p.Succeeded(start)
		assert.LessOrEqual(t, len(r.Annotation()), record.MaxWritten)
		_, err := record.Parse(r.Annotation())
		require.NoError(t, err)
	}
	assert.Positive(t, full)

	created := r.Create("m", to(10), start)
	assert.Contains(t, created.Annotation(), `"parts":[{"applied":`+large(10)+`}]}`)
}

func TestTooLarge(t *testing.T) {
	long := func(n int) string { return strings.Repeat("v", n) }
	for _, tc := range []struct {
		name, hot, want string
	}{
		{"fits", `{"k":"` + long(record.MaxLeaf-len(`/k""`)-8) + `"}`, ""},
		{
			"leaf", `{"k":"` + long(record.MaxLeaf-len(`/k""`)-7) + `"}`,
			fmt.Sprintf("has a hot leaf of %d bytes with its path, more than %d", record.MaxLeaf+1, record.MaxLeaf),
		},
		{
			"hot part", `{"k":"` + long(record.MaxHotPart) + `"}`,
			fmt.Sprintf("has a hot part of %d bytes, more than %d", record.MaxHotPart+8, record.MaxHotPart),
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, bounded(tc.hot, 0).TooLarge())
		})
	}
}

// changed returns a hot part with 50 infrastructure tags on each of three kinds, with other values in each call, and one constant tag.
func changed(i int) string {
	kinds := make([]string, 0, 3)
	for _, kind := range []string{"disk", "network", "vm"} {
		members := make([]string, 0, 50)
		for key := range 50 {
			members = append(members, fmt.Sprintf(`"key-%02d":"value %d of some length, as people write them"`, key, i))
		}
		kinds = append(kinds, fmt.Sprintf(`%q:{%s,"stays":"1"}`, kind, strings.Join(members, ",")))
	}
	return `{"tags":{` + strings.Join(kinds, ",") + `}}`
}

// TestTwelveFailedChanges of 50 infrastructure tags on three kinds: the record stays readable, and has all sent and applied values.
func TestTwelveFailedChanges(t *testing.T) {
	r := *applied(t, changed(0))
	sent := factsOf(changed(0))
	full := false
	for i := range 12 {
		p := r.Begin(bounded(changed(i+1), 0), "i", start)
		full = full || !p.Whole
		maps.Copy(sent, factsOf(p.Parts[0].Desired))
		told := factsOf(p.Parts[0].Applied)
		for _, hot := range p.Parts[0].Attempted {
			maps.Copy(told, factsOf(hot))
		}
		require.Equal(t, sortedFacts(sent), sortedFacts(told), "change %d", i)
		var err error
		r, err = record.Parse(p.Marker.Annotation())
		require.NoError(t, err)
	}
	assert.True(t, full, "the test is meant to fill the record")
}

// TestFullRecordWithoutSuccess: a machine without a successful update keeps unchanged wanted values, and has all wanted
// values after the second slice.
func TestFullRecordWithoutSuccess(t *testing.T) {
	r := record.New("i")
	var p *record.Pass
	for i := range 12 {
		p = r.Begin(bounded(changed(i), 0), "i", start)
		r = p.Marker
	}
	require.False(t, p.Whole)
	desired := factsOf(p.Parts[0].Desired)
	for _, kind := range []string{"disk", "network", "vm"} {
		assert.True(t, desired[fact{"/tags/" + kind + "/stays", `"1"`}], kind)
	}
	last := bounded(changed(11), 0)
	passes := 0
	for !p.Whole {
		p = r.Begin(last, "i", start)
		after := p.Succeeded(start)
		r = after.Confirm(last, start).Succeeded(start)
		passes++
	}
	assert.Equal(t, 2, passes, "the first makes room")
}

// TestElementsOfListsAreLeaves: one changed network tag of 64 costs two entries, and not two lists.
func TestElementsOfListsAreLeaves(t *testing.T) {
	list := func(last string) string {
		elements := make([]string, 0, 64)
		for i := range 63 {
			elements = append(elements, fmt.Sprintf(`"network-tag-%02d"`, i))
		}
		return `{"tags":[` + strings.Join(append(elements, `"`+last+`"`), ",") + `]}`
	}
	p := applied(t, list("old")).Begin(bounded(list("new"), 0), "i", start)
	assert.Contains(t, p.Marker.Annotation(), `"attempted":[{"tags":["new"]}],"removed":[{"tags":["old"]}]}`)
	assert.Equal(t, list("new"), p.Parts[0].Desired)
}
