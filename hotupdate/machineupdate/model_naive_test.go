//go:build !race

// Without the race detector, which makes the searches ten times slower and finds nothing in one goroutine.

package machineupdate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/tags"
)

// TestNaiveFlows: each flow lacks one of the rules. The model finds a shortest trace to its failure.
func TestNaiveFlows(t *testing.T) {
	for i, tc := range []struct {
		flow            flow
		events          events
		from            func(*model) []world
		changes, faults uint8
		want            string
		reason          string
	}{
		{
			flow{name: "no marker", edit: func(_ *replay, r *memory) bool { return r.State != record.Calling }},
			0,
			settled, 2, 1, "liveness",
			"what a crashed update has set is not known to be ours",
		},
		{
			flow{name: "LastOperation as state", lastOperation: true, reconcile: byLastOperation},
			0,
			settled, 2, 2, "liveness",
			"health checks overwrite it, and a migration drops it",
		},
		{
			flow{name: "marker without attempted specs", forgets: true, edit: withoutAttempts},
			0,
			settled, 2, 1, "liveness",
			"an update is forced, but what the one before has set stays",
		},
		{
			flow{name: "ownership by key", plan: ownedByKey},
			0,
			settled, 2, 1, "safety",
			"a key that others have set anew is removed",
		},
		{
			flow{name: "writes without resourceVersion", blind: true},
			staleRecords,
			settled, 2, 2, "liveness",
			"a leader that lost its lease overwrites the record of the next one",
		},
		{
			flow{name: "clearing on failure", reconcile: clearingOnFailure},
			0,
			settled, 2, 1, "liveness",
			"a failed update may have set something",
		},
		{
			flow{name: "recording on adoption", reconcile: recordingWhatIsFound},
			0,
			created, 2, 1, "liveness",
			"the VM that was found was made with another spec",
		},
		{
			flow{name: "content as marker", reconcile: byContent},
			0,
			settled, 2, 1, "liveness",
			"a revert makes wanted and applied alike while the cloud is not",
		},
		{
			flow{name: "no confirmation", edit: settling},
			0,
			settled, 2, 1, "liveness",
			"late requests land after the success",
		},
		{
			flow{name: "success left to the confirmation", reads: true, edit: leaving},
			0,
			settled, 2, 1, "liveness",
			"nothing tells when the success was, and a late request lands after the read that settles",
		},
		{
			flow{name: "beside, no store", beside: true, recall: func(versions) versions { return 0 }},
			0,
			created, 2, 0, "liveness",
			"a key of the creation is foreign if the class drops it before the adoption",
		},
		{
			flow{name: "former applied forgotten", edit: forgettingFormer},
			0,
			settled, 2, 1, "liveness",
			"a lagging read did not show a key that is then not known to be ours",
		},
		{
			flow{name: "one record for all kinds", edit: ofOneKind},
			recedes,
			settled, 1, 1, "liveness",
			"a driver that does not cover a kind changes what is known of it",
		},
		{
			flow{name: "a full record forgets", edit: ofOneEntry},
			0,
			settled, 3, 2, "safety",
			"what was attempted first has landed",
		},
		{
			flow{name: "beside, only the last version", beside: true, store: onlyLast},
			0,
			created, 2, 1, "liveness",
			"CreateMachine used the version before it",
		},
		{
			flow{name: "a deaf call and the next term", joins: true},
			deafCalls,
			settled, 2, 1, "liveness",
			"the call sends when the next term has confirmed another class",
		},
		{
			flow{name: "beside, forgotten too soon", beside: true, forgetsSoon: true},
			0,
			created, 2, 0, "liveness",
			"the machine is not adopted yet",
		},
	} {
		if !effort.Takes(i) {
			continue
		}
		t.Run(tc.flow.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, tc.flow, tc.from)
			m.events = tc.events
			m.changes = tc.changes
			m.faults = tc.faults
			found := explore(t, m, 3_000_000)
			t.Logf("%s\n%d states, depth %d\n%s", tc.reason, found.states, found.depth, strings.Join(found.trace, "\n"))
			assert.True(t, strings.HasPrefix(found.violation, tc.want), "%q", found.violation)
		})
	}
}

func byLastOperation(r *replay) node {
	if r.isApplied() && !r.q.processing {
		return node{}
	}
	return r.reconcile()
}

func byContent(r *replay) node {
	if r.isApplied() && r.m.remember(r.annotation).State == record.Calling {
		return node{}
	}
	return r.reconcile()
}

// isApplied reports whether the record of a machine to update is not settled, but has the wanted hot part as the applied one.
func (r *replay) isApplied() bool {
	if r.q.does != calls || r.annotation == "" {
		return false
	}
	read := r.m.remember(r.annotation)
	return read.State != record.Settled && read.contents[0].known && read.contents[0].applied == r.q.class
}

func clearingOnFailure(r *replay) node {
	before := r.annotation
	end := r.reconcile()
	if r.q.does == calls && r.annotation != before && r.m.remember(r.annotation).State == record.Calling {
		_, _ = r.write(before)
	}
	return end
}

func recordingWhatIsFound(r *replay) node {
	if r.q.does == reports {
		found := r.m.memories[r.m.settledRecord(r.q.class)]
		_, _ = r.write(r.m.annotation(&found))
	}
	return r.reconcile()
}

func withoutAttempts(_ *replay, r *memory) bool {
	for i := range r.contents {
		r.contents[i].values = [keys]uint8{}
	}
	return true
}

func settling(run *replay, r *memory) bool {
	if r.State == record.Unconfirmed {
		r.State = record.Settled
		return withoutAttempts(run, r)
	}
	return true
}

// leaving writes no success. An unfinished update is settled by a later pass that has nothing to write.
func leaving(run *replay, r *memory) bool {
	if r.State != record.Unconfirmed || run.annotation == "" {
		return true
	}
	marker := run.m.remember(run.annotation)
	return marker.State == record.Calling && marker.Since.Equal(modelThen) && settling(run, r)
}

func forgettingFormer(run *replay, r *memory) bool {
	if r.State == record.Unconfirmed && run.annotation != "" {
		sent := run.m.remember(run.annotation)
		for i := range r.contents {
			for key := range keys {
				r.contents[i].values[key] &= sent.contents[i].values[key]
			}
		}
	}
	return true
}

// ofOneKind uses the applied part of the first kind for all kinds.
func ofOneKind(_ *replay, r *memory) bool {
	r.contents = [resources + 1]content{r.contents[0], r.contents[0], r.contents[0]}
	return true
}

// ofOneEntry drops entries without room.
func ofOneEntry(_ *replay, r *memory) bool {
	for i := range r.contents {
		for key, values := range r.contents[i].values {
			r.contents[i].values[key] = values & -values
		}
	}
	return true
}

func onlyLast(_ versions, last tagset) versions { return versions(0).with(last) }

// ownedByKey removes recorded keys that are not wanted whatever their value is.
func ownedByKey(q request, state *tags.PlanInput, desired, view tagset) request {
	for key, name := range keyNames {
		recorded := slices.ContainsFunc(state.Recorded, func(spec map[string]string) bool {
			_, ok := spec[name]
			return ok
		})
		if recorded && desired.get(key) == 0 && view.get(key) != 0 {
			q = q.withRemoval(key, view.get(key))
		}
	}
	return q
}
