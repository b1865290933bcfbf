package extension_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// start makes a world whose machine was launched with the tags.
func start(t *testing.T, clusterTags, machineTags map[string]string) *world.World {
	t.Helper()
	w, err := world.Start(t.Context(), clusterTags, machineTags)
	require.NoError(t, err)
	return w
}
