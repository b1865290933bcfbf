package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// written makes the Shoot for GCP one that a user wrote, which says nothing about hibernation and system
// components.
func written(more ...edit) []edit {
	return append(edits{
		{"metadata.uid", nil}, {"status", nil}, {"spec.hibernation", nil}, {"spec.systemComponents", nil}, minor("1.32"),
	}, more...)
}

// inCluster makes it one that was read from a cluster, and that kubectl apply wrote last with edits.
func inCluster(t *testing.T, applied ...edit) []edit {
	t.Helper()
	last := string(manifest(t, "pairs/"+onGCP, written(applied...)...))
	return append(written(applied...), edits{
		{"metadata.uid", "u-1"}, {"metadata.annotations", object{"kubectl.kubernetes.io/last-applied-configuration": last}},
	}...)
}

// TestLiveAgainstManifest: what the manifest does not set stays as it is in the cluster, unless it was
// applied last.
func TestLiveAgainstManifest(t *testing.T) {
	t.Parallel()
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	enabled := edit{"spec.systemComponents.nodeLocalDNS", object{"enabled": true}}
	other := edit{"spec.systemComponents.nodeLocalDNS", object{"forceTCPToClusterDNS": true}}
	for name, test := range map[string]struct {
		cluster, manifest []edit
		want              verdict.Verdict
	}{
		"the same":                            {inCluster(t), nil, verdict.None},
		"another client hibernates":           {append(inCluster(t), hibernated), nil, verdict.None},
		"the user's hibernation ends":         {inCluster(t, hibernated), nil, verdict.MachinesAdded},
		"null wakes up":                       {append(inCluster(t), hibernated), edits{{"spec.hibernation", null{}}}, verdict.MachinesAdded},
		"Gardener's node-local DNS stays":     {append(inCluster(t), enabled), nil, verdict.None},
		"it stays beside other settings":      {append(inCluster(t), enabled), edits{other}, verdict.None},
		"null disables node-local DNS":        {append(inCluster(t), enabled), edits{{"spec.systemComponents", null{}}}, verdict.Roll},
		"the user's node-local DNS ends":      {inCluster(t, enabled), nil, verdict.Roll},
		"a change beside what is filled in":   {append(inCluster(t), enabled), edits{at("machine.type", "n2")}, verdict.Roll},
		"a change of a hibernated cluster":    {append(inCluster(t), hibernated), edits{at("machine.type", "n2")}, verdict.None},
		"without a manifest that was applied": {written(edit{"metadata.uid", "u-1"}, hibernated), nil, verdict.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := read(t, manifest(t, "pairs/"+onGCP, test.cluster...))
			updated := read(t, manifest(t, "pairs/"+onGCP, written(test.manifest...)...))
			plan, err := pool.NewPlan(old, updated, judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
			require.NoError(t, err)
			assert.Equal(t, test.want.String(), plan.Verdict().String())
		})
	}
}

// null is a value that an edit sets, where nil removes.
type null struct{}

// MarshalJSON returns null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// TestNullsBetweenManifests: null removes what Gardener has filled in, unlike a member that is left out.
func TestNullsBetweenManifests(t *testing.T) {
	t.Parallel()
	components := edit{"spec.systemComponents", object{"coreDNS": object{}}}
	for name, test := range map[string]struct {
		old, updated []edit
		want         verdict.Verdict
		rule         verdict.Rule
	}{
		"left out":              {nil, nil, verdict.None, verdict.NoRule},
		"null":                  {nil, edits{{"spec.systemComponents", null{}}}, verdict.Indeterminate, verdict.DNSByDefault},
		"null below":            {nil, edits{{"spec.systemComponents.nodeLocalDNS", null{}}}, verdict.Indeterminate, verdict.DNSByDefault},
		"removed with the rest": {edits{components}, nil, verdict.Indeterminate, verdict.DNSByDefault},
		"the rest stays":        {edits{components}, edits{components}, verdict.None, verdict.NoRule},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := read(t, manifest(t, "pairs/"+onGCP, written(test.old...)...))
			updated := read(t, manifest(t, "pairs/"+onGCP, written(test.updated...)...))
			plan, err := pool.NewPlan(old, updated, judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
			require.NoError(t, err)
			assert.Equal(t, test.want.String(), plan.Verdict().String())
			if test.rule != verdict.NoRule {
				assert.Contains(t, plan.Pools[0].Rules, test.rule)
			}
		})
	}
}
