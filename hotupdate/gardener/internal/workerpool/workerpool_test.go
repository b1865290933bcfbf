// Package workerpool_test holds Gardener's own hash of worker pools against the names that released
// extensions gave, with this module's version of Gardener.
package workerpool_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	extensionscontroller "github.com/gardener/gardener/extensions/pkg/controller"
	"github.com/gardener/gardener/extensions/pkg/controller/worker"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record is a pool that an extension named, see internal/extensions/recorded in the main module.
type record struct {
	Index       int  `json:"-"`
	hasFunction bool // the release has an exported function, whose strings are Data
	hasSystem   bool // reservations of the system, which this version of Gardener does not have
	hasOneList  bool // Gardener up to v1.119 had one list for all pools
	Edit        string
	Pool        extensionsv1alpha1.WorkerPool
	Config      *string
	Facts       facts
	Names, Data []string
}

// hasSystemReserved reports whether the JSON of a pool has reservations of the system.
func hasSystemReserved(t *testing.T, line []byte) bool {
	t.Helper()
	var read struct {
		Pool struct {
			KubeletConfig *struct{ SystemReserved json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(line, &read))
	k := read.Pool.KubeletConfig
	return k != nil && len(k.SystemReserved) > 0
}

type facts struct {
	CertificateAuthorities *gardencorev1beta1.CARotation
	ServiceAccountKey      *gardencorev1beta1.ServiceAccountKeyRotation

	Identity, AvailabilitySet, Migrated, ServerGroup *string
	Subnets                                          map[string]string
}

// provider says what an extension adds to the name of a pool, beside the strings that were recorded. It is a
// second reading of the released code, by hand.
type provider struct {
	own, inPlace func(*record) []string
	class        func(i int, zone, hash string) string
}

var providers = map[string]provider{
	"alicloud":  {own: withEncryption, class: func(_ int, zone, hash string) string { return zone + "-" + hash }},
	"aws":       {inPlace: encryptedRoot, class: numbered}, // its recorded strings are all
	"azure":     {own: azureVolumes, class: func(_ int, zone, hash string) string { return hash + "-z" + zone }},
	"gcp":       {own: gcpVolumes, class: numbered},
	"openstack": {own: openstackLists, class: numbered},
}

func numbered(i int, _, hash string) string { return fmt.Sprintf("z%d-%s", i+1, hash) }

// TestNamesOfReleases: Gardener's WorkerPoolHash gives a recorded pool the name that it had in the release, whose
// Gardener was older. A difference names the field in which the pool differs from the one before.
func TestNamesOfReleases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../internal/extensions/recorded/testdata/*.jsonl.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, _, _ := strings.Cut(name, "-")
			compared := 0
			for _, r := range read(t, file) {
				if !r.isComparable() {
					continue
				}
				compared++
				assert.Equal(
					t, r.Names, namesOf(t, providers[kind], kind, r), "pool %d, after %s was drawn anew", r.Index,
					cmp.Or(r.Edit, "everything"),
				)
			}
			t.Logf("%d pools compared", compared)
			assert.Greater(t, compared, 1300)
		})
	}
}

// isComparable is false for pools that this version of Gardener names in another way on purpose: without a node-agent
// secret, and in place with reservations of the system, which Gardener up to v1.140 adds to those of the kubelet, or by
// Gardener up to v1.119.
func (r *record) isComparable() bool {
	isOther := r.isInPlace() && (r.hasSystem || r.hasOneList)
	return r.Names != nil && r.Pool.NodeAgentSecretName != nil && !isOther
}

func (r *record) isInPlace() bool {
	s := r.Pool.UpdateStrategy
	return s != nil && *s != gardencorev1beta1.AutoRollingUpdate
}

func read(t *testing.T, file string) (records []*record) {
	t.Helper()
	packed, err := os.ReadFile(file)
	require.NoError(t, err)
	text, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	lines := bufio.NewReader(text)
	first, err := lines.ReadBytes('\n')
	require.NoError(t, err)
	var head struct{ Gardener string }
	require.NoError(t, json.Unmarshal(first, &head))
	hasOneList := strings.HasPrefix(head.Gardener, "v1.11")
	for i := 0; ; i++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		r := &record{Index: i, hasOneList: hasOneList, hasSystem: hasSystemReserved(t, line)}
		require.NoError(t, json.Unmarshal(line, r))
		records = append(records, r)
	}
	hasFunction := slices.ContainsFunc(records, func(r *record) bool { return r.Data != nil })
	for _, r := range records {
		r.hasFunction = hasFunction
	}
	return records
}

// namesOf returns the names of the pool's MachineClasses, by Gardener's function.
func namesOf(t *testing.T, p provider, kind string, r *record) (names []string) {
	t.Helper()
	hashOf := func(subnet *string) string {
		var data, inPlace []string
		if p.own != nil {
			data = p.own(r)
		}
		if kind == "azure" {
			data = appendSet(data, r.Facts.Identity, r.Facts.AvailabilitySet, subnet)
		}
		if p.inPlace != nil {
			inPlace = p.inPlace(r)
		}
		hash, err := worker.WorkerPoolHash(r.Pool, r.cluster(), append(data, r.listOfConfig(kind)...), inPlace)
		require.NoError(t, err)
		return hash
	}
	if r.Facts.AvailabilitySet != nil {
		return []string{hashOf(nil)}
	}
	for i, zone := range r.Pool.Zones {
		var own *string
		if subnet, isOwn := r.Facts.Subnets[zone]; isOwn && (r.Facts.Migrated == nil || *r.Facts.Migrated != zone) {
			own = &subnet
		}
		names = append(names, p.class(i, zone, hashOf(own)))
	}
	return names
}

// listOfConfig returns the strings for the config: what the exported function of the release returned, or the bytes of
// the config where it has no such function.
func (r *record) listOfConfig(kind string) []string {
	ignores := kind == "alicloud" || kind == "openstack"
	if ignores || r.hasFunction || r.Config == nil {
		return r.Data
	}
	return []string{*r.Config}
}

// cluster returns the part of a cluster that Gardener hashes.
func (r *record) cluster() *extensionscontroller.Cluster {
	shoot := &gardencorev1beta1.Shoot{}
	shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
		CertificateAuthorities: r.Facts.CertificateAuthorities, ServiceAccountKey: r.Facts.ServiceAccountKey,
	}}
	return &extensionscontroller.Cluster{Shoot: shoot}
}

func appendSet(data []string, values ...*string) []string {
	for _, value := range values {
		if value != nil {
			data = append(data, *value)
		}
	}
	return data
}

func encryptedRoot(r *record) []string {
	if r.Pool.Volume == nil || r.Pool.Volume.Encrypted == nil {
		return nil
	}
	return []string{strconv.FormatBool(*r.Pool.Volume.Encrypted)}
}

func withEncryption(r *record) []string {
	data := encryptedRoot(r)
	for _, v := range r.Pool.DataVolumes {
		data = appendSet(append(data, v.Size), v.Type)
		if v.Encrypted != nil {
			data = append(data, strconv.FormatBool(*v.Encrypted))
		}
	}
	return data
}

func byName(r *record) []extensionsv1alpha1.DataVolume {
	return slices.SortedFunc(
		slices.Values(r.Pool.DataVolumes), func(a, b extensionsv1alpha1.DataVolume) int { return cmp.Compare(a.Name, b.Name) },
	)
}

func azureVolumes(r *record) (data []string) {
	for _, v := range byName(r) {
		data = appendSet(append(data, v.Size), v.Type)
	}
	return data
}

func gcpVolumes(r *record) (data []string) {
	for _, v := range byName(r) {
		data = appendSet(append(data, v.Name, v.Size), v.Type)
	}
	return data
}

func openstackLists(r *record) (data []string) {
	var config struct {
		ServerGroup              *struct{ Policy string }
		AdditionalSecurityGroups []string
		MachineLabels            []struct {
			Name, Value            string
			TriggerRollingOnUpdate bool
		}
	}
	if r.Config == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(*r.Config), &config); err != nil {
		panic(err) // recorded
	}
	if config.ServerGroup != nil && config.ServerGroup.Policy != "" {
		data = appendSet(data, r.Facts.ServerGroup)
	}
	var labels []string
	for _, l := range config.MachineLabels {
		if l.TriggerRollingOnUpdate {
			labels = append(labels, l.Name+"="+l.Value)
		}
	}
	slices.Sort(labels)
	slices.Sort(config.AdditionalSecurityGroups)
	return slices.Concat(data, labels, config.AdditionalSecurityGroups)
}
