//go:build !race

// Without the race detector, which makes the searches ten times slower and finds nothing in one goroutine.

package machineupdate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// TestNaiveFlows: each flow leaves one of the rules out, and looks right. The model finds a shortest trace to its failure.
func TestNaiveFlows(t *testing.T) {
	for _, tc := range []struct {
		flow            flow
		from            func(*model) []world
		changes, faults uint8
		want            string
		reason          string
	}{
		{
			flow{name: "no marker", edit: func(_ *replay, r *machineupdate.Record) bool { return r.State != machineupdate.Calling }},
			settled, 2, 1, "liveness",
			"what a crashed update has set is not known to be ours",
		},
		{
			flow{name: "LastOperation as state", lastOperation: true, reconcile: byLastOperation},
			settled, 2, 2, "liveness",
			"health checks overwrite it, and a migration drops it",
		},
		{
			flow{name: "marker without attempted specs", forgets: true, edit: withoutAttempts},
			settled, 2, 1, "liveness",
			"an update is forced, but what the one before has set stays",
		},
		{
			flow{name: "ownership by key", plan: ownedByKey},
			settled, 2, 1, "safety",
			"a key that others have set anew is removed",
		},
		{
			flow{name: "writes without resourceVersion", blind: true},
			settled, 2, 2, "liveness",
			"a leader that lost its lease overwrites the record of the next one",
		},
		{
			flow{name: "clearing on failure", reconcile: clearingOnFailure},
			settled, 2, 1, "liveness",
			"a failed update may have set something",
		},
		{
			flow{name: "recording on adoption", reconcile: recordingWhatIsFound},
			created, 2, 1, "liveness",
			"the VM that was found was made with another spec",
		},
		{
			flow{name: "content as marker", reconcile: byContent},
			settled, 2, 1, "liveness",
			"a revert makes wanted and applied alike while the cloud is not",
		},
		{
			flow{name: "no confirmation", edit: settling},
			settled, 2, 1, "liveness",
			"late requests land after the success",
		},
		{
			flow{name: "former applied forgotten", edit: forgettingFormer},
			settled, 2, 2, "liveness",
			"a lagging read did not show a key that is then not known to be ours",
		},
	} {
		t.Run(tc.flow.name, func(t *testing.T) {
			m := newModel(t, tc.flow, tc.from)
			m.events, m.changes, m.faults = staleRecords, tc.changes, tc.faults
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
	if r.isApplied() && r.m.parsed(r.annotation).State == machineupdate.Calling {
		return node{}
	}
	return r.reconcile()
}

// isApplied reports whether the record of a machine to update has the wanted hot part as the applied one, and is not settled.
func (r *replay) isApplied() bool {
	if r.q.does != calls || r.annotation == "" {
		return false
	}
	record := r.m.parsed(r.annotation)
	return record.State != machineupdate.Settled && record.Applied == r.m.class(r.q).Hot()
}

func clearingOnFailure(r *replay) node {
	before := r.annotation
	end := r.reconcile()
	if r.q.does == calls && r.annotation != before && r.m.parsed(r.annotation).State == machineupdate.Calling {
		_, _ = r.write(before)
	}
	return end
}

func recordingWhatIsFound(r *replay) node {
	if r.q.does == reports {
		class := r.m.class(r.q)
		found := machineupdate.Record{ProviderID: "i-1", Schema: class.Schema(), Applied: class.Hot(), Since: modelNow}
		_, _ = r.write(found.Annotation())
	}
	return r.reconcile()
}

func withoutAttempts(_ *replay, r *machineupdate.Record) bool {
	r.Attempted = nil
	return true
}

func settling(_ *replay, r *machineupdate.Record) bool {
	if r.State == machineupdate.Unconfirmed {
		r.State, r.Attempted = machineupdate.Settled, nil
	}
	return true
}

func forgettingFormer(run *replay, r *machineupdate.Record) bool {
	if r.State == machineupdate.Unconfirmed && run.annotation != "" {
		sent := run.m.parsed(run.annotation).Attempted
		r.Attempted = slices.DeleteFunc(r.Attempted, func(hot machineupdate.Hot) bool { return !slices.Contains(sent, hot) })
	}
	return true
}

// ownedByKey removes recorded keys that are not wanted whatever their value is.
func ownedByKey(q request, state *tags.State, desired, view tagset) request {
	for key, name := range keyNames {
		recorded := slices.ContainsFunc(append(state.Attempted, state.Applied), func(spec map[string]string) bool {
			_, ok := spec[name]
			return ok
		})
		if recorded && desired.get(key) == 0 && view.get(key) != 0 {
			q = q.withRemoval(key, view.get(key))
		}
	}
	return q
}
