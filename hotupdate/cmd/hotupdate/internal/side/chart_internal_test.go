package side

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestChartsWithKinds: a chart is refused if a file of it, of a chart in it or of a chart beside it seems to have an
// object that is compared.
func TestChartsWithKinds(t *testing.T) {
	t.Parallel()
	const deployment = "apiVersion: {{ include \"deployment.apiVersion\" . }}\nkind: Deployment\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"a Shoot", map[string]string{"templates/a.yaml": "kind: Shoot\n"}, true},
		{"in JSON", map[string]string{"templates/a.json": "{\"kind\" : \"Worker\"}"}, true},
		{"a provider config", map[string]string{"templates/_a.tpl": "providerConfig:\n  kind: WorkerConfig\n"}, true},
		{
			"another kind of Gardener",
			map[string]string{"templates/a.yaml": "apiVersion: core.gardener.cloud/v1beta1\nkind: {{ .Values.kind }}\n"},
			true,
		},
		{"any kind", map[string]string{"templates/a.yaml": "apiVersion: {{ .Values.version }}\nkind: {{ .Values.kind }}\n"}, true},
		{"a Deployment", map[string]string{"templates/a.yaml": deployment}, false},
		{"a Deployment or a DaemonSet", map[string]string{"templates/a.yaml": "apiVersion: apps/v1\nkind: {{ .Values.kind }}\n"}, false},
		{"in a chart within", map[string]string{"charts/b/templates/a.yaml": "kind: Shoot\n"}, true},
		{"in an archive", map[string]string{"charts/b-1.0.0.tgz": archive(t, "b/templates/a.yaml", "kind: Shoot\n")}, true},
		{"another archive", map[string]string{"charts/b-1.0.0.tgz": archive(t, "b/templates/a.yaml", deployment)}, false},
		{"a broken archive", map[string]string{"charts/b-1.0.0.tgz": "kind: Deployment\n"}, true},
		{"hidden", map[string]string{".git/a.yaml": "kind: Shoot\n"}, false},
		{"in a chart beside", map[string]string{
			"Chart.yaml":                 "apiVersion: v2\nname: a\ndependencies: [{name: b, repository: file://../beside}]\n",
			"../beside/templates/a.yaml": "kind: Shoot\n",
		}, true},
		{"in a folder beside", map[string]string{"../beside/templates/a.yaml": "kind: Shoot\n"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put(t, filepath.Join(root, "chart", chartFile), "apiVersion: v2\nname: a\n")
			for name, text := range test.files {
				put(t, filepath.Join(root, "chart", filepath.FromSlash(name)), text)
			}
			schemas, err := NewCatalog("", extensions.All())
			require.NoError(t, err)
			r := &Reader{Schemas: schemas}
			around := r.ChartAround(root, filepath.Join("chart", "values.yaml"))
			assert.Equal(t, test.want, around != nil, around)
			assert.NoError(t, r.ChartAround(root, "shoot.yaml"), "beside the chart")
			_, err = r.Read(filepath.Join(root, "chart", chartFile))
			assert.Equal(t, test.want, err != nil, err)
		})
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// archive returns an archive of one file.
func archive(t *testing.T, name, text string) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	files := tar.NewWriter(zipped)
	require.NoError(t, files.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}))
	_, err := files.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, files.Close())
	require.NoError(t, zipped.Close())
	return packed.String()
}
