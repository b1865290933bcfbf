// Package recorded has the answers of released extensions about drawn worker pools: the names that
// they give, and what their admission refuses. The command record, in the folder beside, writes the
// files. The package is for tests only.
package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
)

//go:embed testdata/*.jsonl.gz
var files embed.FS

// Release has the records of a release of an extension.
type Release struct {
	Provider, Release, Gardener string
	// Kubernetes are the minors that this release of Gardener supports.
	Kubernetes []string
	// Pools is the number of recorded pools, and Fields the number of values of each field.
	Pools  int
	Fields map[string]int
	// Records are all records. If package effort asks for less, they are every tenth new pool with
	// its edits.
	Records []Record
}

// Record is a pool that an extension was asked about, with its answers.
type Record struct {
	// Index is the place of the record in the file. Edit is the path of the member in which the
	// pool differs from the previous one; empty for a new pool.
	Index int `json:"-"`
	Edit  string
	Pool  json.RawMessage
	// Config is the text of the provider config; nil if the pool has none.
	Config *string
	Facts  Facts
	// Names are the hashes at the end of the names of MachineClasses, with their zones. Data are
	// the strings that the extension's exported function returns for the config; nil if there is
	// none.
	Names, Data []string
	Error       string
	// Refused has the kinds and fields that admission refuses of the pool. RefusedUpdate has those
	// that it refuses of the edit.
	Refused, RefusedUpdate []string
}

// Facts are facts about the Shoot and the infrastructure of a pool.
type Facts struct {
	CertificateAuthorities, ServiceAccountKey *hash.Rotation
	NodeLocalDNS                              bool
	KubeProxyMode                             string
	CRI                                       *string

	Identity, AvailabilitySet, Migrated, ServerGroup *string
	Subnets                                          map[string]string
}

// Pool is the pool of a record.
type Pool struct {
	provider.WorkerPool

	UpdateStrategy      string
	NodeAgentSecretName *string
	Zones               []string
	KubeletConfig       *hash.Kubelet
}

// Names returns the names of the recorded releases, such as aws-v1.73.0, sorted.
func Names() (names []string) {
	entries, _ := files.ReadDir("testdata") // embedded
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), suffix))
	}
	return names
}

const suffix = ".jsonl.gz"

// Read returns a recorded release.
func Read(name string) (*Release, error) {
	packed, err := files.ReadFile(path.Join("testdata", name+suffix))
	if err != nil {
		return nil, err
	}
	return read(packed)
}

// Newest returns the newest recorded release of each provider.
func Newest() (newest map[string]*Release, _ error) {
	newest = map[string]*Release{}
	for _, name := range Names() {
		release, err := Read(name)
		if err != nil {
			return nil, err
		}
		if before := newest[release.Provider]; before == nil || before.GardenerMinor() < release.GardenerMinor() {
			newest[release.Provider] = release
		}
	}
	return newest, nil
}

// ReadFile returns the release of a file outside of the test data, such as a file with other draws.
func ReadFile(name string) (*Release, error) {
	packed, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return read(packed)
}

func read(packed []byte) (*Release, error) {
	text, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(text)
	release := &Release{}
	if err := readLine(lines, release); err != nil {
		return nil, err
	}
	kept := false
	groups := 0
	for i := 0; ; i++ {
		r := Record{Index: i}
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		isNew := !bytes.HasPrefix(line, []byte(`{"edit":`))
		if isNew {
			kept = effort.Takes(groups)
			groups++
		}
		if !kept {
			continue
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
		release.Records = append(release.Records, r)
	}
	return release, nil
}

func readLine(lines *bufio.Reader, into any) error {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// GardenerMinor returns the minor version of Gardener that the release links.
func (r *Release) GardenerMinor() int {
	_, rest, _ := strings.Cut(r.Gardener, ".")
	minor, _, _ := strings.Cut(rest, ".")
	number, _ := strconv.Atoi(minor) // a recorded version is valid
	return number
}

// Extension returns the rules of this library for today's release.
func (r *Release) Extension() *extensions.Extension {
	all := []*extensions.Extension{
		extensions.AliCloud(), extensions.AWS(), extensions.Azure(), extensions.GCP(), extensions.OpenStack(),
	}
	i := slices.IndexFunc(all, func(e *extensions.Extension) bool { return e.Name == r.Provider })
	return all[i]
}

// IsLikeToday reports whether today's release gives the pool the same name. Releases without a list
// support no minor of the list, and hash virtual capacity.
func (r *Release) IsLikeToday(record *Record, p *Pool) bool {
	e := r.Extension()
	isInPlace := p.WorkerPool.UpdateStrategy.InPlace()
	hasOtherList := isInPlace && r.HasOneList()
	switch {
	case e.At(r.Release) == e:
		return !hasOtherList
	case hasOtherList || record.HasVirtualCapacity():
		return false
	case p.KubernetesVersion == nil:
		return true
	}
	from, _ := kubeminor.Read(e.ListFrom)
	version, _ := kubeminor.Read(*p.KubernetesVersion)
	return version.Compare(from) < 0
}

// HasVirtualCapacity reports whether the config has virtual capacity.
func (r *Record) HasVirtualCapacity() bool { return strings.Contains(r.Text(), `"virtualCapacity"`) }

// Read returns the pool of the record, with its config.
func (r *Record) Read() (*Pool, error) {
	p := &Pool{}
	if err := json.Unmarshal(r.Pool, p); err != nil {
		return nil, err
	}
	strategy, err := hotupdate.ParseStrategy(p.UpdateStrategy)
	if err != nil {
		return nil, err
	}
	p.WorkerPool.UpdateStrategy = strategy
	p.WorkerPool.Zones = p.Zones
	if r.Config != nil {
		p.ProviderConfig = []byte(*r.Config)
	}
	return p, nil
}

// IsStored reports whether the config has the form in which an API server stores it: compact, with
// sorted members. Every config that reaches an extension has this form.
func (r *Record) IsStored() bool {
	if r.Config == nil {
		return true
	}
	config, err := jsonpatch.Parse([]byte(*r.Config))
	if err != nil {
		return false
	}
	stored, err := json.Marshal(config)
	return err == nil && string(stored) == *r.Config
}

// Text returns the text of the config for a message.
func (r *Record) Text() string {
	if r.Config == nil {
		return "none"
	}
	return *r.Config
}

// Cause names the difference from the previous record.
func (r *Record) Cause() string {
	if r.Edit == "" {
		return "everything"
	}
	return r.Edit
}

// Hashes returns the distinct hashes in the names, without zones, in the order of the zones.
func (r *Record) Hashes() (hashes []string) {
	for _, name := range r.Names {
		parts := strings.Split(name, "-")
		i := slices.IndexFunc(parts, func(part string) bool { return len(part) == len("a1b2c") })
		if !slices.Contains(hashes, parts[i]) {
			hashes = append(hashes, parts[i])
		}
	}
	return hashes
}
