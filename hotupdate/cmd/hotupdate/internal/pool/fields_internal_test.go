package pool

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
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

// TestEveryLimitHasACondition: a row names a condition that there is and a field of the API, and every condition has a row.
func TestEveryLimitHasACondition(t *testing.T) {
	used := map[string]bool{}
	for section, typ := range map[string]members.Type{"limits": "ShootWorker", "Shoot limits": members.Shoot} {
		for _, l := range limits()[section] {
			used[l.condition[0]] = true
			assert.Contains(t, conditions, l.condition[0], l.steps)
			assert.NotEmpty(t, l.function+l.text, l.steps)
			path := slices.DeleteFunc(strings.Split(strings.ReplaceAll(strings.Join(l.steps, "."), "[]", ""), "."), func(step string) bool { return step == "*" })
			assert.True(t, isField(typ, path), "%s: %s", section, path)
		}
	}
	assert.Len(t, used, len(conditions))
	for _, row := range sections()["transitions"] {
		assert.GreaterOrEqual(t, len(row), 6, row)
		assert.Contains(t, []string{"none", "unknown", "refused"}, row[4], row)
		assert.Len(t, row, map[bool]int{true: 7, false: 6}[row[4] == "refused"], row)
		_, known := tables()["Shoot"].of(row[0])
		assert.True(t, known, row)
	}
}

// isField reports whether a path leads to a field, through lists and maps as well.
func isField(typ members.Type, path []string) bool {
	if len(path) == 0 || typ == "any" {
		return true
	}
	if elem := typ.Elem(); elem != "" {
		return isField(elem, path[map[bool]int{true: 1, false: 0}[strings.HasPrefix(string(typ), "{}")]:])
	}
	member, ok := typ.Members()[path[0]]
	return ok && isField(member, path[1:])
}

// TestRowsThatRollAreHashed: the names of rolling pools cover exactly the fields whose rows say so,
// but for the strategy, which is judged.
func TestRowsThatRollAreHashed(t *testing.T) {
	p := &Pool{
		Provider: "aws", DataVolumes: []DataVolume{{Name: "a"}},
		Worker: hash.Worker{Name: "a", Volume: &hash.Volume{}, Kubelet: &hash.Kubelet{
			KubeReserved: &hash.Reserved{}, SystemReserved: &hash.Reserved{}, EvictionHard: &hash.EvictionHard{},
		}},
	}
	fields, err := p.hashedFields()
	require.NoError(t, err)
	rolls := map[string]bool{}
	for _, f := range fields {
		row := f.row()
		rolls[row.Path] = row.Path != strategyPath
		assert.Equal(t, rolls[row.Path], row.rolling == effectRoll, f.path)
	}
	for path, row := range tables()["pool"] {
		assert.Equal(t, rolls[path], row.rolling == effectRoll, path)
	}
}
