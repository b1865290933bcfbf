package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
)

// comparedNeighbours is how many neighbours of each record have another name or the same one at least: those seen when
// it was made, rounded down to tens.
var comparedNeighbours = map[string]struct{ changed, same int }{
	"alicloud-v1.62.0": {60, 650}, "alicloud-v1.71.0": {60, 650}, "aws-v1.63.0": {200, 240}, "aws-v1.73.0": {390, 380},
	"azure-v1.53.0": {160, 220}, "azure-v1.62.1": {310, 320}, "gcp-v1.45.1": {270, 280}, "gcp-v1.54.1": {330, 370},
	"openstack-v1.48.0": {160, 600}, "openstack-v1.57.0": {170, 540},
}

// TestHashOfRecordedPools: hotupdate hash writes for the pools of a Worker the same digest of what today's release
// hashes exactly if the recorded release gives them the same name.
func TestHashOfRecordedPools(t *testing.T) {
	for _, name := range recorded.Names() {
		t.Run(name, func(t *testing.T) {
			release, err := recorded.Read(name)
			require.NoError(t, err)
			digests := map[int]string{}
			for _, records := range hashedPools(t, release) {
				for i, digest := range digestsOf(t, release, records) {
					if digest != "" {
						digests[records[i].Index] = digest
					}
				}
			}
			checkDigests(t, release, digests)
		})
	}
}

// hashedPools returns the pools that can stand in one Worker each, by their infrastructure. They were named by the
// second version of Gardener's hash, with a config as an API server stores it, and roll: only these names depend on
// nothing but the secret and what the extension hashes.
func hashedPools(t *testing.T, release *recorded.Release) map[string][]*recorded.Record {
	t.Helper()
	all := map[string][]*recorded.Record{}
	for i := range release.Records {
		r := &release.Records[i]
		p, err := r.Read()
		require.NoError(t, err)
		isRolling := p.WorkerPool.UpdateStrategy == hotupdate.AutoRollingUpdate
		isNamed := r.Names != nil && p.NodeAgentSecretName != nil
		isKnown := p.KubernetesVersion != nil && release.IsLikeToday(r, p)
		isRecorded := isRolling && isNamed && r.IsStored()
		if isRecorded && isKnown {
			key := ""
			if release.Provider == "azure" {
				key = r.Facts.InfrastructureKey()
			}
			all[key] = append(all[key], r)
		}
	}
	return all
}

// digestsOf runs the command for one Worker.
func digestsOf(t *testing.T, release *recorded.Release, records []*recorded.Record) (digests []string) {
	t.Helper()
	manifest, err := release.Manifest(records...)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "worker.json")
	require.NoError(t, os.WriteFile(file, manifest, 0o600))
	var out, problems bytes.Buffer
	code := run([]string{"hash", "--output", "json", file}, streams{
		providers: extensions.All(), program: "hotupdate", in: strings.NewReader(""), out: &out, err: &problems,
	})
	require.Equal(t, 0, code, problems.String())
	var list struct{ Hashes []hashed }
	require.NoError(t, json.Unmarshal(out.Bytes(), &list))
	require.Len(t, list.Hashes, len(records), out.String())
	for i, one := range list.Hashes {
		require.NotNil(t, one.Today, one.Pool)
		hashes := records[i].Hashes()
		require.Equal(
			t, len(hashes) > 1, len(one.Today.Lacks) > 0, "pool %d: zones with a subnet each have a name each: %v", records[i].Index,
			hashes,
		)
		digests = append(digests, one.Today.Digest)
	}
	return digests
}

// checkDigests compares pools of one secret: all that have the same digest have the same name, and two that follow one
// another have the same name exactly if they have the same digest. All others may have the same name by chance: it has
// 20 bits.
func checkDigests(t *testing.T, release *recorded.Release, digests map[int]string) {
	t.Helper()
	names := map[string]string{}
	var before *recorded.Record
	var changed, same int
	for i := range release.Records {
		r := &release.Records[i]
		digest, isHashed := digests[r.Index]
		if !isHashed {
			before = nil
			continue
		}
		p, err := r.Read()
		require.NoError(t, err)
		key := *p.NodeAgentSecretName + " " + digest
		if name, isKnown := names[key]; isKnown {
			assert.Equal(
				t, name, r.Hashes()[0], "pool %d: the command writes one digest for two names\npool %s\nconfig %s", r.Index, r.Pool,
				r.Text(),
			)
		}
		names[key] = r.Hashes()[0]
		if before != nil && hasSecret(t, before, *p.NodeAgentSecretName) && r.Edit != "" {
			isSame := slices.Equal(before.Hashes(), r.Hashes())
			assert.Equal(
				t, isSame, digests[before.Index] == digest, "pool %d, after %s was drawn anew: names %v and %v\npool %s\nconfig %s",
				r.Index, r.Cause(), before.Names, r.Names, r.Pool, r.Text(),
			)
			if isSame {
				same++
			} else {
				changed++
			}
		}
		before = r
	}
	t.Logf(
		"%s %s: %d digests; of neighbours %d have another name, %d the same", release.Provider, release.Release, len(digests), changed,
		same,
	)
	assert.Positive(t, changed)
	name := release.Provider + "-" + release.Release
	least, isKnown := comparedNeighbours[name]
	require.True(t, isKnown, "say how many neighbours of %s are compared at least", name)
	if effort.All() { // a tenth of the pools of some releases has few neighbours
		assert.GreaterOrEqual(t, changed, least.changed)
		assert.GreaterOrEqual(t, same, least.same)
	}
}

func hasSecret(t *testing.T, r *recorded.Record, secret string) bool {
	t.Helper()
	p, err := r.Read()
	require.NoError(t, err)
	return *p.NodeAgentSecretName == secret
}
