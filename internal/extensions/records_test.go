package extensions_test

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// header is the first line of a file of records. Command record, in the folder beside, writes the files.
type header struct {
	Provider, Release, Gardener string
	Pools                       int
	Fields                      map[string]int
}

// record is a pool that an extension was asked about, with its answers.
type record struct {
	Edit          string
	Pool          json.RawMessage
	Config        *string
	Facts         facts
	Names, Data   []string
	Error         string
	Refused       []string
	RefusedUpdate []string
}

// facts are the facts of a record about its Shoot and its infrastructure.
type facts struct {
	CertificateAuthorities, ServiceAccountKey *hash.Rotation
	NodeLocalDNS                              bool
	KubeProxyMode                             string
	CRI                                       *string

	Identity, AvailabilitySet, Migrated, ServerGroup *string
	Subnets                                          map[string]string
}

// pool is the pool of a record.
type pool struct {
	provider.WorkerPool

	UpdateStrategy      string
	NodeAgentSecretName *string
	Zones               []string
	KubeletConfig       *hash.Kubelet
}

func files(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.jsonl.gz")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// eachRecord reads a file.
func eachRecord(t *testing.T, file string, see func(i int, r *record)) (head header) {
	t.Helper()
	packed, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, packed.Close()) }()
	text, err := gzip.NewReader(packed)
	require.NoError(t, err)
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	require.NoError(t, json.Unmarshal(lines.Bytes(), &head))
	i := 0
	for ; lines.Scan(); i++ {
		r := &record{}
		require.NoError(t, json.Unmarshal(lines.Bytes(), r))
		see(i, r)
	}
	require.NoError(t, lines.Err())
	require.Equal(t, head.Pools, i)
	return head
}

var byName = map[string]*extensions.Extension{
	"alicloud": extensions.AliCloud(), "aws": extensions.AWS(), "azure": extensions.Azure(), "gcp": extensions.GCP(), "openstack": extensions.OpenStack(),
}

func extensionOf(file string) *extensions.Extension {
	name, _, _ := strings.Cut(filepath.Base(file), "-")
	return byName[name]
}

// read returns the pool of a record.
func (r *record) read(t *testing.T) (p pool) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.Pool, &p), "%s", r.Pool)
	var err error
	p.WorkerPool.UpdateStrategy, err = hotupdate.ParseStrategy(p.UpdateStrategy)
	require.NoError(t, err)
	if r.Config != nil {
		p.ProviderConfig = []byte(*r.Config)
	}
	return p
}

// TestRecords: the functions of this package name 2,000 drawn pools of each release like the release. A difference names the field in which
// the pool differs from the one before.
func TestRecords(t *testing.T) {
	for _, file := range files(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), func(t *testing.T) {
			e := extensionOf(file)
			isRight := true
			var compared, differences, odd int
			head := eachRecord(t, file, func(i int, r *record) {
				if r.Error != "" {
					return
				}
				p := r.read(t)
				if !r.isStored() && strings.Contains(r.text(), "virtualCapacity") {
					odd++
					return
				}
				got := namesOf(t, e, &p, r)
				compared++
				if slices.Equal(got, r.Names) {
					isRight = true
					return
				}
				differences++
				wasRight := isRight
				isRight = false
				if wasRight && differences < 20 {
					t.Errorf("pool %d, after %s was drawn anew: the names are %q, the release has %q\npool %s\nconfig %s", i, r.cause(), got, r.Names, r.Pool, r.text())
				}
			})
			t.Logf("%s %s with Gardener %s: %d of %d pools compared, %d differ; %d not compared", head.Provider, head.Release, head.Gardener, compared, head.Pools, differences, odd)
			assert.Greater(t, compared, head.Pools/2)
		})
	}
}

// isStored reports whether the config has the form in which an API server stores it: compact, with sorted members. Every config that reaches
// an extension has. In others the releases cut virtual capacity by regular expressions that look for it at the end of an object; incidents of hash
// has those.
func (r *record) isStored() bool {
	decoder := json.NewDecoder(strings.NewReader(r.text()))
	decoder.UseNumber()
	var config any
	if err := decoder.Decode(&config); err != nil {
		return true // none
	}
	stored, err := json.Marshal(config)
	return err == nil && string(stored) == r.text()
}

func (r *record) cause() string {
	if r.Edit == "" {
		return "everything"
	}
	return r.Edit
}

func (r *record) text() string {
	if r.Config == nil {
		return "none"
	}
	return *r.Config
}

// namesOf returns the hashes of the pool's MachineClasses, with their zones, as the extension writes them.
func namesOf(t *testing.T, e *extensions.Extension, p *pool, r *record) (all []string) {
	t.Helper()
	if set := r.Facts.AvailabilitySet; set != nil {
		return []string{nameOf(t, e, p, r, extensions.State{IdentityID: r.Facts.Identity, AvailabilitySet: set})}
	}
	for i, zone := range p.Zones {
		state := extensions.State{IdentityID: r.Facts.Identity}
		if subnet, isOwn := r.Facts.Subnets[zone]; isOwn && (r.Facts.Migrated == nil || *r.Facts.Migrated != zone) {
			state.Subnet = &subnet
		}
		if strings.Contains(r.text(), `"serverGroup"`) {
			state.ServerGroupID = r.serverGroup(t)
		}
		name := nameOf(t, e, p, r, state)
		if e.Name == "azure" {
			all = append(all, name+"-z"+zone)
		} else {
			all = append(all, fmt.Sprintf("z%d-%s", i+1, name))
		}
	}
	return all
}

// serverGroup returns the server group of a pool whose config asks for one.
func (r *record) serverGroup(t *testing.T) *string {
	t.Helper()
	var config struct {
		ServerGroup *struct{ Policy string }
	}
	require.NoError(t, json.Unmarshal([]byte(r.text()), &config))
	if config.ServerGroup == nil || config.ServerGroup.Policy == "" {
		return nil
	}
	return r.Facts.ServerGroup
}

func nameOf(t *testing.T, e *extensions.Extension, p *pool, r *record, state extensions.State) string {
	t.Helper()
	known := extensions.Pool{WorkerPool: &p.WorkerPool, State: state}
	added, err := e.Today(known)
	require.NoError(t, err, "%s: a hash is total on what the extension takes: %s", r.cause(), r.text())
	isInPlace := p.WorkerPool.UpdateStrategy != hotupdate.AutoRollingUpdate
	switch {
	case isInPlace:
		name, err := hash.WorkerPoolInPlace(orText(p.NodeAgentSecretName), r.worker(p), added.Data...)
		require.NoError(t, err)
		return inPlaceName(name, p.NodeAgentSecretName)
	case p.NodeAgentSecretName == nil:
		return version1(r, p, e, known)
	}
	name, err := hash.WorkerPool(p.NodeAgentSecretName, added.Data...)
	require.NoError(t, err)
	return name.Text
}

func orText(text *string) *string {
	if text == nil {
		return new("missing")
	}
	return text
}

// inPlaceName returns the name of a pool that may have no secret yet: Gardener leaves it out then, and this library returns an error.
func inPlaceName(name hash.Name, secret *string) string {
	if secret != nil {
		return name.Text
	}
	var texts []string
	for _, input := range name.Inputs[1:] {
		texts = append(texts, input.Value)
	}
	return short(texts)
}

// short is the rule by which Gardener makes all these hashes.
func short(texts []string) string {
	var all strings.Builder
	for _, text := range texts {
		all.WriteString(digest(text))
	}
	return digest(all.String())[:5]
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// worker returns the part of the pool that Gardener itself hashes.
func (r *record) worker(p *pool) hash.Worker {
	w := hash.Worker{
		Name: p.Name, UpdateStrategy: p.WorkerPool.UpdateStrategy, MachineType: p.MachineType, Image: &p.MachineImage, Kubelet: p.KubeletConfig,
		CARotation: orNone(r.Facts.CertificateAuthorities), ServiceAccountKeyRotation: orNone(r.Facts.ServiceAccountKey),
	}
	if p.KubernetesVersion != nil {
		w.KubernetesVersion = *p.KubernetesVersion
	}
	return w
}

func orNone(r *hash.Rotation) hash.Rotation {
	if r == nil {
		return hash.Rotation{}
	}
	return *r
}

// version1 is the hash of a pool that rolls and has no node-agent secret, which Gardener up to 1.145 makes: it holds the raw config, unless the
// extension removes that, and a shorter list of the extension.
func version1(r *record, p *pool, e *extensions.Extension, known extensions.Pool) string {
	version := "1.36.0" // of the Shoot
	if p.KubernetesVersion != nil {
		version = *p.KubernetesVersion
	}
	minor := version[:strings.LastIndex(version, ".")]
	texts := []string{minor, p.MachineType, p.MachineImage.Name + p.MachineImage.Version}
	if v := p.Volume; v != nil {
		texts = append(texts, v.Size)
		if v.Type != nil {
			texts = append(texts, *v.Type)
		}
	}
	if r.Config != nil && e.Name != "openstack" {
		texts = append(texts, *r.Config)
	}
	texts = append(texts, listOfVersion1(e, known)...)
	if r.Facts.CRI != nil {
		texts = append(texts, *r.Facts.CRI)
	}
	for _, rotation := range []*hash.Rotation{r.Facts.CertificateAuthorities, r.Facts.ServiceAccountKey} {
		if at := initiated(orNone(rotation), p.Name); at != nil {
			texts = append(texts, at.UTC().String())
		}
	}
	if r.Facts.NodeLocalDNS && (minor < "1.34" || r.Facts.KubeProxyMode == "IPVS") {
		texts = append(texts, "node-local-dns")
	}
	return short(texts)
}

// listOfVersion1 returns the first of the lists that the extension hands to Gardener up to 1.145.
func listOfVersion1(e *extensions.Extension, known extensions.Pool) []string {
	switch e.Name {
	case "gcp":
		return nil
	case "openstack":
		data, err := e.Listed(nil, known)
		if err != nil {
			panic(err)
		}
		return data
	}
	return e.Own(known)
}

func initiated(r hash.Rotation, pool string) *metav1.Time {
	for _, pending := range r.PendingWorkersRollouts {
		if pending.Name == pool {
			return pending.LastInitiationTime
		}
	}
	return r.LastInitiationTime
}
