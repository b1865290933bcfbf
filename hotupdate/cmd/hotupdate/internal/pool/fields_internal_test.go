package pool

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
)

// leavesOf lists the paths of all fields below a type that have no members. A path that ends with
// .* stands for members that no type lists.
func leavesOf(typ members.Type, path string) (all []string) {
	if typ == "any" || strings.HasPrefix(string(typ), "{}") {
		return []string{path + ".anything"}
	}
	for name, member := range typ.Members() {
		all = append(all, leavesOf(member, strings.TrimPrefix(path+"."+name, "."))...)
	}
	if len(typ.Members()) == 0 {
		return []string{path}
	}
	return all
}

// TestEveryFieldHasARow: members.json has the names and types of all fields of Gardener's API. Each
// has a row, whose effects are known words.
func TestEveryFieldHasARow(t *testing.T) {
	for _, of := range []struct {
		section string
		typ     members.Type
		least   int
	}{{"Shoot", members.Shoot, 200}, {"Worker", members.Worker, 20}, {"pool", "ShootWorker", 100}, {"pool", "WorkerPool", 90}} {
		leaves := leavesOf(of.typ, "")
		require.Greater(t, len(leaves), of.least, of.typ)
		for _, path := range leaves {
			if strings.HasPrefix(path, "spec.provider.workers") || path == "spec.pools" {
				continue // the pools
			}
			row, known := tables()[of.section].of(triggerOf(path))
			assert.True(t, known, "%s: %s has no row", of.typ, path)
			assert.NotEmpty(t, row.Function, path)
		}
	}
}

// TestEveryRowIsAField: no row is misspelled, and every effect is a known word.
func TestEveryRowIsAField(t *testing.T) {
	effects := []effect{
		effectNone, effectScale, effectRoll, effectDrain, effectRefused, effectKept, effectUnknown, effectPools, effectMeta, effectJudged,
	}
	ofCluster := []string{"systemComponents.nodeLocalDNS.enabled", "credentials.rotation"} // which the pools get from the Shoot
	for section, types := range map[string][]members.Type{"Shoot": {members.Shoot}, "Worker": {members.Shoot, members.Worker}, "pool": {"ShootWorker", "WorkerPool"}} {
		for path, row := range tables()[section] {
			assert.Contains(t, effects, row.rolling, path)
			assert.Contains(t, effects, row.inPlace, path)
			if strings.HasPrefix(path, "metadata.annotations.") || slices.ContainsFunc(ofCluster, func(above string) bool { return strings.HasPrefix(path, above) }) {
				continue
			}
			steps := strings.Split(strings.TrimSuffix(path, ".*"), ".")
			worker := strings.Split(strings.TrimSuffix(nameInWorker(path), ".*"), ".")
			assert.True(t, slices.ContainsFunc(types, func(typ members.Type) bool { return hasMember(typ, steps) || hasMember(typ, worker) }), "%s: %s", section, path)
		}
	}
}

func hasMember(typ members.Type, path []string) bool {
	if len(path) == 0 {
		return true
	}
	member, ok := typ.Members()[path[0]]
	return ok && (member == "any" || hasMember(member, path[1:]))
}
