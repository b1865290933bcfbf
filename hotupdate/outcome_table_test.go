package hotupdate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestOutcomeTable: the outcome depends only on the strategy and the strictest class, in any order, as in the design's table.
func TestOutcomeTable(t *testing.T) {
	const none = hotupdate.Ignored // the strictest class of no changes
	type row map[hotupdate.Class]hotupdate.Outcome
	rolling := row{
		none: hotupdate.OutcomeNone, hotupdate.Hot: hotupdate.OutcomeHotUpdate, hotupdate.InPlace: hotupdate.OutcomeRoll,
		hotupdate.Immutable: hotupdate.OutcomeRoll,
	}
	inPlace := row{
		none: hotupdate.OutcomeNone, hotupdate.Hot: hotupdate.OutcomeHotUpdate, hotupdate.InPlace: hotupdate.OutcomeInPlaceUpdate,
		hotupdate.Immutable: hotupdate.OutcomeForbidden,
	}
	unknown := row{}
	table := map[hotupdate.Strategy]row{
		hotupdate.AutoRollingUpdate: rolling, hotupdate.AutoInPlaceUpdate: inPlace, hotupdate.ManualInPlaceUpdate: inPlace,
		hotupdate.ManualInPlaceUpdate + 1: unknown, 255: unknown,
	}
	for strategy, want := range table {
		for set := range 1 << 4 {
			changes, strictest := changesOfSet(set)
			for range 2 {
				require.Equal(t, want[strictest], changes.Outcome(strategy), "%v, %v", strategy, changes)
				got, any := changes.Strictest()
				require.Equal(t, strictest, got)
				require.Equal(t, set != 0, any)
				slices.Reverse(changes)
			}
		}
	}
}

// changesOfSet makes a change for each class in the set, the least strict first, and returns the strictest class.
func changesOfSet(set int) (changes hotupdate.Changes, strictest hotupdate.Class) {
	strictest = hotupdate.Ignored
	for class := int(hotupdate.Ignored); class >= 0; class-- {
		if set&(1<<class) != 0 {
			strictest = hotupdate.Class(class) //nolint:gosec // at most 3
			changes = append(changes, hotupdate.Change{Class: strictest})
		}
	}
	return changes, strictest
}
