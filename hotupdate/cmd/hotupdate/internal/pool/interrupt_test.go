package pool_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

var errInterrupted = errors.New("interrupted")

// TestOnePoolIsInterrupted: a comparison can be ended between the steps for one pool, since one config may be as long as
// many. It ends with the first answer that says so, whichever it is, and asks no more.
func TestOnePoolIsInterrupted(t *testing.T) {
	t.Parallel()
	var sides []*facts.Manifest
	for _, value := range []string{"1", "2"} {
		m, err := facts.Read(tree.Of([]byte(`{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":"w"},
			"spec":{"type":"aws","pools":[{"name":"p","machineType":"m","kubernetesVersion":"1.32.1","volume":{"size":"` + value + `0Gi"}}]}}`)))
		require.NoError(t, err)
		sides = append(sides, m)
	}
	asks := func(answers int) (asked int, err error) {
		o := judge.Options{Providers: extensions.All(), Extension: judge.Both, Interrupted: func() error {
			asked++
			if asked > answers {
				return errInterrupted
			}
			return nil
		}}
		_, err = pool.NewPlan(sides[0], sides[1], o)
		return asked, err
	}
	all, err := asks(1000)
	require.NoError(t, err)
	require.Greater(t, all, 4, "more often than once a pool")
	for answers := range all {
		asked, err := asks(answers)
		require.ErrorIs(t, err, errInterrupted, "after %d answers", answers)
		require.Equal(t, 1, strings.Count(err.Error(), errInterrupted.Error()))
		require.Equal(t, answers+1, asked)
	}
}
