package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestCustomResources: what happens to machines follows from the classes of the fields and of the kind. Without them,
// nothing is claimed.
func TestCustomResources(t *testing.T) {
	t.Parallel()
	type spec struct {
		Size   int `json:"Size"   hotupdatable:"false"`
		Labels int `json:"Labels" hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[spec]()
	require.NoError(t, err)
	manifest := func(config string) *facts.Manifest {
		return &facts.Manifest{Name: "a", Pools: []facts.Pool{facts.Bare([]byte(config))}}
	}
	old := manifest(`{"Size":1,"Labels":1}`)
	for _, tc := range []struct {
		name    string
		custom  judge.Custom
		updated *facts.Manifest // nil if the object is removed
		isAdded bool
		effect  verdict.Verdict
		may     verdict.Set
	}{
		{"a field, without classes", judge.Custom{}, manifest(`{"Size":2,"Labels":1}`), false, verdict.Indeterminate, verdict.Any()},
		{
			"a field, with classes",
			judge.Custom{HasClasses: true},
			manifest(`{"Size":2,"Labels":1}`), false, verdict.Roll,
			verdict.Only(verdict.Roll),
		},
		{"nothing", judge.Custom{}, manifest(`{"Labels":1,"Size":1}`), false, verdict.None, verdict.Only(verdict.None)},
		{
			"removed, of an unknown class",
			judge.Custom{HasClasses: true},
			nil, false, verdict.Indeterminate,
			verdict.Only(verdict.Removed, verdict.None),
		},
		{
			"removed, with machines",
			judge.Custom{Removed: judge.RemovesMachines},
			nil, false, verdict.Removed,
			verdict.Only(verdict.Removed),
		},
		{"removed while in use", judge.Custom{Removed: judge.RemovalBlocked}, nil, false, verdict.None, verdict.Only(verdict.None)},
		{"removed, without machines", judge.Custom{Removed: judge.RemovesNothing}, nil, false, verdict.None, verdict.Only(verdict.None)},
		{"added, of an unknown class", judge.Custom{}, old, true, verdict.Indeterminate, verdict.Only(verdict.Added, verdict.None)},
		{"added, with machines", judge.Custom{Removed: judge.RemovesMachines}, old, true, verdict.Added, verdict.Only(verdict.Added)},
		{"added, without machines", judge.Custom{Removed: judge.RemovesNothing}, old, true, verdict.None, verdict.Only(verdict.None)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.custom.Type = facts.TypeMeta{APIVersion: "a.example/v1", Kind: "Pool"}
			o := judge.Options{Custom: &tc.custom, Schema: func(facts.TypeMeta) *hotupdate.Schema { return schema }}
			var plan *pool.Plan
			switch {
			case tc.isAdded:
				plan = pool.OneSided(old, pool.Added, o)
			case tc.updated == nil:
				plan = pool.OneSided(old, pool.Removed, o)
			default:
				var err error
				plan, err = pool.NewPlan(old, tc.updated, o)
				require.NoError(t, err)
			}
			planned := &plan.Pools[0]
			assert.Equal(t, tc.effect, planned.Effect())
			assert.Equal(t, tc.may, planned.Possible())
			assert.Equal(t, !tc.may.IsOne(), len(planned.Questions) == 1, "an open verdict asks for the class")
		})
	}
}
