package pool

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	gardener "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
)

// TestFieldsExist: each field in fields.json is a member of the manifest, and its judgement is a known one.
func TestFieldsExist(t *testing.T) {
	require.True(t, json.Valid(fieldsFile))
	all := fields()
	require.Greater(t, len(all.Pool)+len(all.Manifest), 40)
	check := func(field, judgement string, types ...gardener.Type) {
		assert.Contains(t, judgements, judgement, field)
		assert.True(t, slices.ContainsFunc(types, func(typ gardener.Type) bool { return hasMember(typ, strings.Split(field, ".")) }), field)
	}
	for field, judgement := range all.Pool {
		if field != reservedPath { // a trigger that stands for two fields
			check(field, judgement, "ShootWorker", "WorkerPool")
		}
	}
	for field, judgement := range all.Manifest {
		if !strings.HasPrefix(field, "metadata.annotations.") { // whose names have dots
			check(field, judgement, gardener.Shoot, gardener.Worker)
		}
	}
}

func hasMember(typ gardener.Type, path []string) bool {
	if len(path) == 0 {
		return true
	}
	member, ok := typ.Members()[path[0]]
	return ok && (member == "any" || hasMember(member, path[1:]))
}
