package repository_test

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// TestVersionsAreThoseInUse: the table of versions says what the code says where each of them counts.
func TestVersionsAreThoseInUse(t *testing.T) {
	told := map[string]string{}
	_, table := cut(t, read(t, ".github/VERSIONS.md"), "## What goes with this release")
	table, _ = cut(t, table, "### Drivers of machine-controller-manager")
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+?) \| (v?[0-9.]+[0-9])(?: or newer)? \|`).FindAllStringSubmatch(table, -1) {
		told[row[1]] = row[2]
	}
	assert.Equal(t, map[string]string{
		"Go":                 goVersion(t),
		"Kubernetes modules": firstMatch(t, `k8s.io/apimachinery (v[0-9.]+)`, read(t, "go.mod")),
		"Gardener": firstMatch(
			t, `Validation += "Gardener (v[0-9.]+),`, read(t, "hotupdate/cmd/hotupdate/internal/verdict/rules.go"),
		),
		"API server for custom resources": "v1" + firstMatch(
			t, `k8s.io/apiextensions-apiserver v0(\.[0-9]+)`, read(t, "hotupdate/crd/go.mod"),
		),
		"machine-controller-manager": firstMatch(
			t, `machine-controller-manager (v[0-9.]+[0-9])`, read(t, "hotupdate/machineupdate/doc.go"),
		),
		"Cluster API": firstMatch(t, `sigs.k8s.io/cluster-api (v[0-9.]+)`, read(t, "examples/clusterapi/go.mod")),
		"Cluster API, newest managers": firstMatch(
			t, `sigs.k8s.io/cluster-api (v[0-9.]+)`, read(t, "examples/clusterapi/managers/newest/go.mod"),
		),
		"Karpenter":     firstMatch(t, `sigs.k8s.io/karpenter (v[0-9.]+)`, read(t, "examples/karpenter/go.mod")),
		"golangci-lint": firstMatch(t, `golangci-lint/v2 (v[0-9.]+)`, read(t, ".tools/golangci/go.mod")),
	}, told)
}

// TestDriversOfMCM: the table of released drivers says which versions each driver must raise for the updater.
func TestDriversOfMCM(t *testing.T) {
	wantGo := goVersion(t)
	wantModules := firstMatch(t, `k8s.io/client-go (v[0-9.]+)`, read(t, "hotupdate/updater/go.mod"))
	row := regexp.MustCompile(`(?m)^\| ([A-Z][\w ]+) \| v[0-9.]+ \| v[0-9.]+ \| (v[0-9.]+) \| ([0-9.]+) \| (.+) \|$`)
	rows := row.FindAllStringSubmatch(read(t, ".github/VERSIONS.md"), -1)
	require.Len(t, rows, 5)
	for _, row := range rows {
		var raised []string
		if minor(t, row[3]).Compare(minor(t, wantGo)) < 0 {
			raised = append(raised, "`go` to "+wantGo)
		}
		if minor(t, row[2]).Compare(minor(t, wantModules)) < 0 {
			raised = append(raised, "Kubernetes modules to "+wantModules)
		}
		assert.Equal(t, cmp.Or(strings.Join(raised, ", "), "nothing"), row[4], row[1])
	}
}

func minor(t *testing.T, version string) kubeminor.Minor {
	t.Helper()
	parsed, err := kubeminor.Parse(version)
	require.NoError(t, err)
	return parsed
}

// TestDriversNameTheirSDKs: the page of the drivers names the SDKs in the versions that their modules demand, and the
// released drivers in those that the table of versions has.
func TestDriversNameTheirSDKs(t *testing.T) {
	page := read(t, "examples/drivers/README.md")
	versions := read(t, ".github/VERSIONS.md")
	rows := regexp.MustCompile("(?m)^\\| \\[`(\\w+)`\\]\\(\\S+\\) \\| (v[0-9.]+) \\| ([^|]+) \\|").FindAllStringSubmatch(page, -1)
	require.Len(t, rows, 5)
	for _, row := range rows {
		module := read(t, "examples/drivers/"+row[1]+"/go.mod")
		assert.Contains(t, versions, " | "+row[2]+" | ", row[1])
		sdks := regexp.MustCompile(`(\S+) (v[0-9.]+[0-9])`).FindAllStringSubmatch(row[3], -1)
		require.NotEmpty(t, sdks, row[1])
		for _, sdk := range sdks {
			assert.Regexp(t, `(?m)^\t\S*`+regexp.QuoteMeta(sdk[1])+`(/v\d+)? `+regexp.QuoteMeta(sdk[2])+`$`, module, row[1])
		}
	}
}

// cut splits a text at a separator that it has.
func cut(t *testing.T, text, separator string) (before, after string) {
	t.Helper()
	i := regexp.MustCompile(regexp.QuoteMeta(separator)).FindStringIndex(text)
	require.NotNil(t, i, separator)
	return text[:i[0]], text[i[1]:]
}
