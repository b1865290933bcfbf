package repository_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVersionsAreThoseInUse: the table of versions says what the code says where each of them counts.
func TestVersionsAreThoseInUse(t *testing.T) {
	told := map[string]string{}
	_, table := cut(t, read(t, ".github/VERSIONS.md"), "## What goes with this release")
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+?) \| (v?[0-9.]+[0-9])(?: or newer)? \|`).FindAllStringSubmatch(table, -1) {
		told[row[1]] = row[2]
	}
	assert.Equal(t, map[string]string{
		"Go":                         goVersion(t),
		"Kubernetes modules":         firstMatch(t, `k8s.io/apimachinery (v[0-9.]+)`, read(t, "go.mod")),
		"Gardener":                   firstMatch(t, `Validation += "Gardener (v[0-9.]+),`, read(t, "hotupdate/cmd/hotupdate/internal/pool/verdict/rules.go")),
		"machine-controller-manager": firstMatch(t, `machine-controller-manager (v[0-9.]+[0-9])`, read(t, "hotupdate/machineupdate/doc.go")),
		"Cluster API":                firstMatch(t, `sigs.k8s.io/cluster-api (v[0-9.]+)`, read(t, "examples/clusterapi/go.mod")),
		"golangci-lint":              firstMatch(t, `golangci-lint/v2 (v[0-9.]+)`, read(t, ".tools/golangci/go.mod")),
	}, told)
}

// cut splits a text at a separator that it has.
func cut(t *testing.T, text, separator string) (before, after string) {
	t.Helper()
	i := regexp.MustCompile(regexp.QuoteMeta(separator)).FindStringIndex(text)
	require.NotNil(t, i, separator)
	return text[:i[0]], text[i[1]:]
}
