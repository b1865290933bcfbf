package side_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestCompareInParallel: objects are read and compared on all processors, and the plans have the order
// of the new side. The race detector watches what they share.
func TestCompareInParallel(t *testing.T) {
	t.Parallel()
	shoot, err := os.ReadFile("../pool/testdata/pairs/aws.yaml")
	require.NoError(t, err)
	old := t.TempDir()
	updated := t.TempDir()
	const pairs = 40
	for i := range pairs {
		file := fmt.Sprintf("%02d.yaml", i)
		before := strings.ReplaceAll(string(shoot), "name: orders\n", fmt.Sprintf("name: orders-%02d\n", i))
		after := before
		if i%2 == 0 {
			after = strings.ReplaceAll(before, "m5.large", "m5.xlarge")
		}
		require.NotEqual(t, string(shoot), before)
		require.NoError(t, os.WriteFile(filepath.Join(old, file), []byte(before), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(updated, file), []byte(after), 0o600))
	}
	schemas, err := side.NewCatalog("", extensions.All())
	require.NoError(t, err)
	r := &side.Reader{Schemas: schemas, Options: judge.Options{
		Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both,
	}}
	plans, err := r.Compare(t.Context(), old, updated)
	require.NoError(t, err)
	require.Len(t, plans, pairs)
	for i, plan := range plans {
		assert.Equal(t, fmt.Sprintf("orders-%02d", i), plan.Name)
		assert.Equal(t, i%2 == 0, plan.Verdict() == verdict.Roll, plan.Name)
	}
}

// TestOnlyUsedSchemasAreCompiled: a Schema is compiled once, for the first config of its kind. A Schema that cannot be
// compiled is a problem of each config of its kind, and of no other object.
func TestOnlyUsedSchemasAreCompiled(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	compiled := map[string]int{}
	all := extensions.All()
	for i, p := range all {
		all[i].Schema = func() (*hotupdate.Schema, error) {
			mutex.Lock()
			defer mutex.Unlock()
			compiled[p.Name]++
			if p.Name == "gcp" {
				return nil, errors.New("the type is wrong")
			}
			return p.Schema()
		}
	}
	schemas, err := side.NewCatalog("", all)
	require.NoError(t, err)
	require.Empty(t, compiled)
	options := judge.Options{Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both}
	const wrong = `{"apiVersion":"gcp.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"}`
	files := map[string]string{
		"config.json": wrong,
		"gcp.json":    shootOf(t, "gcp"),
		"aws.json":    shootOf(t, "aws"),
		"more.json":   strings.ReplaceAll(shootOf(t, "aws"), `"orders"`, `"more"`),
	}
	folder := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	r := &side.Reader{Schemas: schemas, Options: options}
	plans, err := r.Compare(t.Context(), folder, folder)
	require.NoError(t, err)
	assert.Len(t, plans, 2)
	assert.Equal(t, map[string]int{"aws": 1, "gcp": 1}, compiled)
	var problems []string
	for _, o := range r.NotJudged {
		problems = append(problems, strings.ReplaceAll(o.Err.Error(), folder+string(filepath.Separator), ""))
	}
	slices.Sort(problems)
	assert.Equal(t, []string{`config.json: the type is wrong`, `gcp.json: pool "general": providerConfig: the type is wrong`}, problems,
		"both sides are one folder")
}

// shootOf is a Shoot of a provider, whose pool has a provider config.
func shootOf(t *testing.T, name string) string {
	t.Helper()
	return fmt.Sprintf(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":"orders","namespace":"garden-%[1]s"},
"spec":{"kubernetes":{"version":"1.34.1"},"provider":{"type":"%[1]s","workers":[{"name":"general","minimum":1,"maximum":2,
"machine":{"type":"m","image":{"name":"gardenlinux","version":"1.0.0"}},
"providerConfig":{"apiVersion":"%[1]s.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"}}]}}}`, name)
}
