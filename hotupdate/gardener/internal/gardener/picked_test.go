package gardener_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// TestPickedEdits: each edit of TestApplies from the manifest before it, and from each Shoot of the cluster that the
// manifest became, in each way of applying. What plan says of the pools on both sides is what Gardener's code does to
// them. Of a Shoot of the cluster, Gardener gets what kubectl and the API server made of it.
func TestPickedEdits(t *testing.T) {
	former := toObject(t, toJSON(t, readYAML(t, "applies/former.yaml")))
	edited := editsOfApplies(former)
	byWay := map[string][]*pair{}
	add := func(old object, name, edit, way string, sent object) {
		byWay[way] = append(byWay[way], &pair{
			id: fmt.Sprintf("e%06d", len(byWay[way])), base: &base{name: name + ", " + way + ": " + edit, profile: "aws", cluster: old},
			old: old, updated: edited[edit], apply: way, sent: sent, edits: between(former, edited[edit]),
		})
	}
	for way := range seconds {
		for _, edit := range slices.Sorted(maps.Keys(edited)) {
			add(former, "manifest", edit, way, nil)
		}
	}
	var recorded records
	require.NoError(t, json.NewDecoder(bytes.NewReader(unzipped(t, recordsFile))).Decode(&recorded))
	for _, one := range recorded.Applies {
		if one.Fails == "" {
			old := recorded.Clusters[one.Cluster]
			merged, err := jsonpatch.MergePatch(toJSON(t, old), one.Result)
			require.NoError(t, err)
			add(old, one.Cluster, one.Manifest, one.Way, toObject(t, merged))
		}
	}
	for _, way := range slices.Sorted(maps.Keys(byWay)) {
		askGardener(t, byWay[way])
		askPlan(t, byWay[way], "")
		checkPicked(t, way, byWay[way])
	}
}

// checkPicked holds the answers of plan to those of Gardener's code.
func checkPicked(t *testing.T, way string, pairs []*pair) {
	t.Helper()
	known := readList(t)
	counts := map[effect]int{}
	for _, p := range pairs {
		counts[p.gardener.shoot]++
		for _, d := range p.disagreements() {
			// it is not known whether a manager takes over what kubectl apply owned
			isOfOwner := strings.HasPrefix(p.base.name, "client, server=") && d.plan == indeterminate
			isListed := isOfOwner || slices.ContainsFunc(p.edits, func(e edit) bool {
				return known.accepts(difference{d.gardener, d.plan, e.field, e.kind, false})
			})
			if !isListed && d.plan != gone { // no other pool gets another key because one is removed
				t.Errorf("Gardener: %s, plan: %s\n\t%s", d.gardener, d.plan, p.base.name)
			}
		}
	}
	t.Logf("%s: %d pairs, by Gardener's code %v", way, len(pairs), counts)
	for _, e := range []effect{none, roll} {
		assert.Positive(t, counts[e], "%s: %s", way, e)
	}
}

// between returns the edits that make one Shoot of another one, by the fields that differ.
func between(old, updated any) (edits []edit) {
	return betweenAt(old, updated, "")
}

func betweenAt(old, updated any, field string) (edits []edit) {
	a, isA := old.(object)
	b, isB := updated.(object)
	if isA && isB {
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			at := name
			if field != "" {
				at = field + "." + name
			}
			edits = append(edits, betweenAt(a[name], b[name], at)...)
		}
		return edits
	}
	first, isFirst := old.([]any)
	second, isSecond := updated.([]any)
	if isFirst && isSecond && len(first) == len(second) {
		for i := range first {
			edits = append(edits, betweenAt(first[i], second[i], field+"[]")...)
		}
		return edits
	}
	if !sameJSON(old, updated) {
		edits = append(edits, edit{field: field, kind: changed})
	}
	return edits
}
