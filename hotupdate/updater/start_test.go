package updater_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// kubeconfig writes a kubeconfig of a server, which does not answer.
func kubeconfig(t *testing.T, port int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "n",
"contexts": [{"name": "n", "context": {"cluster": "n", "user": "n"}}], "users": [{"name": "n", "user": {}}],
"clusters": [{"name": "n", "cluster": {"server": "http://127.0.0.1:%d"}}]}`, port)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestControlConfig: the client is that of MCM for every form of its two flags.
func TestControlConfig(t *testing.T) {
	control := kubeconfig(t, 1)
	target := kubeconfig(t, 2)
	for _, row := range []struct {
		name, control, target, host string
		isInCluster                 bool // outside of a cluster, no configuration is found
	}{
		{name: "two clusters", control: control, target: target, host: "http://127.0.0.1:1"},
		{name: "one cluster", target: target, host: "http://127.0.0.1:2"},
		{name: "no target cluster", control: control, target: "none", host: "http://127.0.0.1:1"},
		{name: "Gardener's seed", control: "inClusterConfig", target: target, isInCluster: true},
		{name: "no flags", isInCluster: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			config, err := updater.Server{
				ControlKubeconfig: row.control, TargetKubeconfig: row.target, Namespace: "n", KubeAPIQPS: 7, KubeAPIBurst: 8,
			}.ControlConfig()
			if row.isInCluster {
				assert.True(t, clientcmd.IsEmptyConfig(err), "the word is no path of a file: %v", err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.host, config.Host)
			assert.InDelta(t, 7, config.QPS, 0)
			assert.Equal(t, 8, config.Burst)
		})
	}
	_, err := updater.Server{TargetKubeconfig: "none"}.ControlConfig()
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "ControlKubeconfig", fault.All(err)[0].Field)
	_, err = updater.Server{ControlKubeconfig: filepath.Join(t.TempDir(), "missing")}.ControlConfig()
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestStart: Start needs only a driver, and runs. A second one in a process is an error,
// because both would have the same metrics.
func TestStart(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		Tags map[string]string `json:"tags" hotupdatable:"true"`
	}]()
	require.NoError(t, err)
	ctx := t.Context()
	server := updater.Server{ControlKubeconfig: kubeconfig(t, 1), Namespace: "n"}
	own := described{machineupdate.Driver{Schema: schema}}
	hot, err := updater.Start(ctx, server, updater.Options{Driver: own})
	require.NoError(t, err)
	defer prometheus.Unregister(hot)
	_, err = updater.Start(ctx, server, updater.Options{Driver: own})
	var already prometheus.AlreadyRegisteredError
	require.ErrorAs(t, err, &already)

	_, err = updater.Start(ctx, server, updater.Options{Driver: kit(nil)})
	require.ErrorContains(t, err, "field Driver is nil, or its description panics")

	_, err = updater.Start(ctx, server, updater.Options{
		Driver: own, Control: &rest.Config{}, Namespace: "n",
	})
	var fields []string
	for _, problem := range fault.All(err) {
		assert.Equal(t, "unusable-options", problem.Code)
		fields = append(fields, problem.Field)
	}
	assert.Equal(t, []string{"Control", "Namespace"}, fields)
	_, err = updater.Start(ctx, server, updater.Options{Driver: described{}})
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "Schema", fault.All(err)[0].Field)
}
