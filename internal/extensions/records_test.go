package extensions_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// moreRecords names records that are not test data. The step extensions of .ci/run records new
// ones.
var moreRecords = flag.String("records", "", "also test the records in the `FILE`")

// eachRelease runs a test with each recorded release.
func eachRelease(t *testing.T, test func(t *testing.T, release *recorded.Release)) {
	t.Helper()
	require.NotEmpty(t, recorded.Names())
	for _, name := range recorded.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release, err := recorded.Read(name)
			require.NoError(t, err)
			test(t, release)
		})
	}
	if *moreRecords != "" {
		t.Run("records", func(t *testing.T) {
			release, err := recorded.ReadFile(*moreRecords)
			require.NoError(t, err)
			test(t, release)
		})
	}
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// TestRecords: the functions of this package name the drawn pools of each recorded release as the
// release does. A difference names the field in which the pool differs from the previous one.
func TestRecords(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		t.Helper()
		current := release.Extension()
		e := current.At(release.Release)
		isRight := true
		errors := map[string]int{}
		var compared, differences, odd int
		for i := range release.Records {
			r := &release.Records[i]
			if r.Error != "" {
				errors[quoted.ReplaceAllString(r.Error, `"…"`)]++
				continue
			}
			if e == current && isCutOddly(t, e, release, r) {
				odd++
				continue
			}
			got := namesOf(t, e, release, r)
			compared++
			wasRight := isRight
			isRight = slices.Equal(got, r.Names)
			if isRight {
				continue
			}
			differences++
			if wasRight && differences < 20 {
				t.Errorf(
					"pool %d, after %s was drawn anew: the names are %q, the release has %q\npool %s\nconfig %s", r.Index, r.Cause(), got,
					r.Names, r.Pool, r.Text(),
				)
			}
		}
		t.Logf("%s %s with Gardener %s, %d pools: compared %d, differ %d, no stored order %d, errors of the extension %d: %v",
			release.Provider, release.Release, release.Gardener, len(
				release.Records,
			), compared, differences, odd, len(release.Records)-compared-odd, errors)
		assert.Greater(t, compared, len(release.Records)*7/10)
	})
}

// isCutOddly reports whether the release may cut virtual capacity wrongly out of a config. It cuts
// by regular expressions, at the end of an object, and the config has a form that no API server
// stores. The tests of incidents in package hash have such configs.
func isCutOddly(t *testing.T, e *extensions.Extension, release *recorded.Release, r *recorded.Record) bool {
	t.Helper()
	p, err := r.Read()
	require.NoError(t, err)
	added, err := e.Today(extensions.Pool{WorkerPool: &p.WorkerPool})
	require.NoError(t, err)
	isOfBytes := added.Era == "raw bytes" && !release.IsFirstVersion(p)
	return isOfBytes && !r.IsStored() && r.HasVirtualCapacity()
}

// TestRecordedFields: each field of a pool and of a config took two values, and each provider has
// records of two releases.
func TestRecordedFields(t *testing.T) {
	t.Parallel()
	releases := map[string]int{}
	for _, name := range recorded.Names() {
		release, err := recorded.Read(name)
		require.NoError(t, err)
		releases[release.Provider]++
		assert.GreaterOrEqual(t, release.Pools, 2000, name)
		assert.Greater(t, len(release.Fields), 50, name)
		for field, values := range release.Fields {
			assert.GreaterOrEqual(t, values, 2, "%s: %s", name, field)
		}
	}
	for _, p := range extensions.All() {
		assert.Equal(t, 2, releases[p.Name], "the newest release of %s and one a year older", p.Name)
	}
}

// TestCanonicalEraIsNew: the canonical era begins with the first minor that the Gardener of no recorded release
// supports, so none of their pools is in it.
func TestCanonicalEraIsNew(t *testing.T) {
	t.Parallel()
	first, isKnown := kubeminor.Read(extensions.CanonicalFrom)
	require.True(t, isKnown)
	var newest kubeminor.Minor
	for _, name := range recorded.Names() {
		release, err := recorded.Read(name)
		require.NoError(t, err)
		require.NotEmpty(t, release.Kubernetes, name)
		for _, version := range release.Kubernetes {
			minor, isKnown := kubeminor.Read(version)
			require.True(t, isKnown, version)
			assert.Negative(t, minor.Compare(first), "%s supports %s", name, version)
			if minor.Compare(newest) > 0 {
				newest = minor
			}
		}
	}
	var minor uint32
	for kubeminor.Of(1, minor).Compare(newest) <= 0 {
		minor++
	}
	assert.Equal(t, first, kubeminor.Of(1, minor), "a later minor makes pools hot later")
}

// namesOf returns the hashes in the names of the pool's MachineClasses, with zones, as the
// extension writes them.
func namesOf(t *testing.T, e *extensions.Extension, release *recorded.Release, r *recorded.Record) (names []string) {
	t.Helper()
	p, err := r.Read()
	require.NoError(t, err)
	classes, err := release.Classes(r, p)
	require.NoError(t, err)
	for _, class := range classes {
		listed := p.WorkerPool
		if release.HasOneList() {
			listed.UpdateStrategy = hotupdate.AutoRollingUpdate
		}
		known := extensions.Pool{WorkerPool: &listed, State: class.State}
		added, err := e.Today(known)
		require.NoError(t, err, "%s: a hash is total on what the extension takes: %s", r.Cause(), r.Text())
		text := ""
		if release.IsFirstVersion(p) {
			text = release.FirstVersion(r, p, listOfVersion1(t, e, known))
		} else {
			text, err = release.HashWith(r, p, added.Data)
			require.NoError(t, err)
		}
		names = append(names, class.Name(text))
	}
	return names
}

// listOfVersion1 returns the first list that the extension hands to Gardener, up to Gardener
// v1.145.
func listOfVersion1(t *testing.T, e *extensions.Extension, known extensions.Pool) []string {
	t.Helper()
	switch e.Name {
	case "gcp":
		return nil
	case "openstack":
		data, err := e.Listed(nil, known)
		require.NoError(t, err)
		return data
	}
	return e.Own(known)
}

// TestPoolsWithoutSecret: a release names a pool that rolls and has no node-agent secret by the
// first version of Gardener's hash, or does not name it. The extension's traits say which.
func TestPoolsWithoutSecret(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		t.Helper()
		i := slices.IndexFunc(extensions.All(), func(p provider.Provider) bool { return p.Name == release.Provider })
		of := extensions.All()[i].At(release.Release)
		named := 0
		for i := range release.Records {
			r := &release.Records[i]
			p, err := r.Read()
			require.NoError(t, err)
			if release.IsFirstVersion(p) && r.Names != nil {
				named++
			}
		}
		if effort.All() || named > 0 { // a tenth of the records may have no such pool
			assert.Equal(t, of.FallsBack, named > 0, fmt.Sprintf("%s %s names %d pools without a secret", of.Name, release.Release, named))
		}
	})
}

// TestRecordedReleases: the command knows exactly the releases with recorded answers.
func TestRecordedReleases(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range extensions.All() {
		require.Len(t, p.Recorded, 2)
		assert.Equal(t, p.Release, p.Recorded[1])
		for _, release := range p.Recorded {
			names = append(names, p.Name+"-"+release)
		}
	}
	assert.ElementsMatch(t, recorded.Names(), names)
}

// TestRefusedInPlace: the admission of a release refuses changes of the configs of pools that are
// updated in place, unless the traits say that the release may lack these rules.
func TestRefusedInPlace(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		t.Helper()
		i := slices.IndexFunc(extensions.All(), func(p provider.Provider) bool { return p.Name == release.Provider })
		refused := 0
		for i := range release.Records {
			r := &release.Records[i]
			p, err := r.Read()
			require.NoError(t, err)
			isInPlace := p.WorkerPool.UpdateStrategy != hotupdate.AutoRollingUpdate
			if isInPlace && slices.Contains(r.RefusedUpdate, "FieldValueInvalid workers[0].providerConfig") {
				refused++
			}
		}
		lacks := extensions.All()[i].At(release.Release).LacksInPlace
		assert.Equal(t, lacks, refused == 0, "%s %s refuses %d", release.Provider, release.Release, refused)
	})
}

// TestAdmittedPoolsAreHashed: every config that the admission of a release accepts can be hashed,
// today and in the canonical era. An error would stop the reconciliation of the Shoot.
func TestAdmittedPoolsAreHashed(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		t.Helper()
		i := slices.IndexFunc(extensions.All(), func(p provider.Provider) bool { return p.Name == release.Provider })
		of := extensions.All()[i]
		var admitted, repeating int
		for i := range release.Records {
			r := &release.Records[i]
			if len(r.Refused) > 0 {
				continue
			}
			admitted++
			if repeatsVolumes(t, r) {
				repeating++
			}
			p, err := r.Read()
			require.NoError(t, err)
			_, err = of.Released(&p.WorkerPool)
			require.NoError(t, err, "pool %d: %s", r.Index, r.Text())
			p.KubernetesVersion = new("1.37.0")
			_, err = of.Adopted(&p.WorkerPool)
			require.NoError(t, err, "pool %d: %s", r.Index, r.Text())
		}
		t.Logf(
			"%s %s admits %d of %d pools; %d have two data volumes of one name in the config", release.Provider, release.Release, admitted,
			len(release.Records), repeating,
		)
		assert.Positive(t, admitted)
		if effort.All() {
			assert.Greater(t, admitted, len(release.Records)/20) // in 14 other draws, 139 to 250 of 2,000 were admitted
			assert.Equal(t, release.Provider == "azure", repeating >= 5, "only Azure's admission takes two data volumes of one name")
		}
	})
}

// repeatsVolumes reports whether a config has two data volumes of one name.
func repeatsVolumes(t *testing.T, r *recorded.Record) bool {
	t.Helper()
	var config struct{ DataVolumes []struct{ Name string } }
	if r.Config != nil {
		require.NoError(t, json.Unmarshal([]byte(*r.Config), &config))
	}
	names := map[string]bool{}
	for _, v := range config.DataVolumes {
		names[v.Name] = true
	}
	return len(names) < len(config.DataVolumes)
}

// TestRecordedPanics: some releases copy the capacity of a config into the capacity of the pool.
// They panic only if the config has a capacity and the pool has none. Then all of them but the
// release for GCP return an error or panic. Gardener takes the capacity of the pool from the
// CloudProfile, so every pool of a Shoot has one.
func TestRecordedPanics(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		t.Helper()
		const panicked = "panic: assignment to entry in nil map"
		copies := slices.ContainsFunc(release.Records, func(r recorded.Record) bool { return r.Error == panicked })
		for i := range release.Records {
			r := &release.Records[i]
			isAlone := copies && hasCapacity(t, []byte(r.Text())) && !hasCapacity(t, r.Pool)
			if r.Error == panicked {
				assert.True(t, isAlone, "pool %d: %s\n%s", r.Index, r.Pool, r.Text())
			}
			if isAlone && release.Provider != "gcp" {
				assert.NotEmpty(t, r.Error, "pool %d: %s\n%s", r.Index, r.Pool, r.Text())
			}
		}
	})
}

// hasCapacity reports whether a config has a capacity with resources or accelerators, or a pool has
// any capacity.
func hasCapacity(t *testing.T, text []byte) bool {
	t.Helper()
	var read struct {
		Kind         string
		NodeTemplate *struct{ Capacity map[string]any }
		GPU          map[string]any
	}
	if string(text) == "none" {
		return false
	}
	require.NoError(t, json.Unmarshal(text, &read))
	template := read.NodeTemplate
	if read.Kind == "" {
		return template != nil && template.Capacity != nil
	}
	return read.GPU != nil || template != nil && len(template.Capacity) > 0
}
