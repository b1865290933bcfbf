package extensions_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// moreRecords are records that are not test data, which .ci/run released makes anew.
var moreRecords = flag.String("records", "", "also test the records in the `FILE`")

// eachRelease runs a test with each recorded release.
func eachRelease(t *testing.T, test func(t *testing.T, release *recorded.Release)) {
	t.Helper()
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

// TestRecords: the functions of this package name drawn pools of each recorded release like the release. A difference names the field in which
// the pool differs from the one before.
func TestRecords(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		e := release.Extension().At(release.Release)
		isRight := true
		var compared, differences, odd int
		for i := range release.Records {
			r := &release.Records[i]
			if r.Error != "" {
				continue
			}
			if !r.IsStored() && strings.Contains(r.Text(), "virtualCapacity") {
				odd++ // the releases look for it by regular expressions, at the end of an object
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
				t.Errorf("pool %d, after %s was drawn anew: the names are %q, the release has %q\npool %s\nconfig %s", r.Index, r.Cause(), got, r.Names, r.Pool, r.Text())
			}
		}
		errors := 0
		for _, number := range release.Errors {
			errors += number
		}
		t.Logf("%s %s with Gardener %s | pools %d, with an error of the extension %d | of %d here: compared %d, differ %d, no stored order %d\n%v",
			release.Provider, release.Release, release.Gardener, release.Pools, errors, len(release.Records), compared, differences, odd, release.Errors)
		assert.Greater(t, compared, len(release.Records)*6/10)
	})
}

// TestRecordedFields: each field of a pool and of a config took two values.
func TestRecordedFields(t *testing.T) {
	t.Parallel()
	for _, name := range recorded.Names() {
		release, err := recorded.Read(name)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, release.Pools, 2000, name)
		assert.Greater(t, len(release.Fields), 50, name)
		for field, values := range release.Fields {
			assert.GreaterOrEqual(t, values, 2, "%s: %s", name, field)
		}
	}
}

// namesOf returns the hashes of the pool's MachineClasses, with their zones, as the extension writes them.
func namesOf(t *testing.T, e *extensions.Extension, release *recorded.Release, r *recorded.Record) (all []string) {
	t.Helper()
	p, err := r.Read()
	require.NoError(t, err)
	classes, err := release.Classes(r, p)
	require.NoError(t, err)
	for _, class := range classes {
		known := extensions.Pool{WorkerPool: &p.WorkerPool, State: class.State}
		added, err := e.Today(known)
		require.NoError(t, err, "%s: a hash is total on what the extension takes: %s", r.Cause(), r.Text())
		text := ""
		if p.IsFirstVersion() {
			text = release.FirstVersion(r, p, listOfVersion1(t, e, known), e.Name != "openstack")
		} else {
			text, err = release.HashWith(r, p, added.Data)
			require.NoError(t, err)
		}
		all = append(all, class.Name(text))
	}
	return all
}

// listOfVersion1 returns the first of the lists that the extension hands to Gardener up to v1.145.
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

// TestPoolsWithoutSecret: a pool that rolls and has no node-agent secret gets the first version of Gardener's hash from a release, or none, as
// the extension's traits say of the newest one.
func TestPoolsWithoutSecret(t *testing.T) {
	t.Parallel()
	fallsBack := map[string]bool{}
	for _, p := range extensions.All() {
		fallsBack[p.Name] = p.FallsBack
	}
	newest, err := recorded.Newest()
	require.NoError(t, err)
	for name, release := range newest {
		assert.Equal(t, release.Extension().Release, release.Release, "the release that the command names")
		named := 0
		for i := range release.Records {
			r := &release.Records[i]
			p, err := r.Read()
			require.NoError(t, err)
			if p.IsFirstVersion() && r.Names != nil {
				named++
			}
		}
		assert.Equal(t, fallsBack[name], named > 0, fmt.Sprintf("%s %s names %d pools without a secret", name, release.Release, named))
	}
}

// TestAdmittedPoolsAreHashed: what the admission of a release takes, the hash of the extension takes, today and in the canonical era. An error
// there would stop the reconciliation of the Shoot.
func TestAdmittedPoolsAreHashed(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, release *recorded.Release) {
		i := slices.IndexFunc(extensions.All(), func(p provider.Provider) bool { return p.Name == release.Provider })
		of := extensions.All()[i]
		admitted := 0
		for i := range release.Records {
			r := &release.Records[i]
			if len(r.Refused) > 0 {
				continue
			}
			admitted++
			p, err := r.Read()
			require.NoError(t, err)
			_, err = of.Released(&p.WorkerPool)
			require.NoError(t, err, "pool %d: %s", r.Index, r.Text())
			p.KubernetesVersion = new("1.37.0")
			_, err = of.Adopted(&p.WorkerPool)
			require.NoError(t, err, "pool %d: %s", r.Index, r.Text())
		}
		t.Logf("%s %s admits %d of %d pools", release.Provider, release.Release, admitted, len(release.Records))
		assert.Greater(t, admitted, len(release.Records)/20)
	})
}
