package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// Class is a MachineClass of a pool. A pool has one for each zone, or one for all zones.
type Class struct {
	State extensions.State
	// prefix and suffix enclose the hash in the name.
	prefix, suffix string
}

// Name returns the name of the class in the form of a record.
func (c Class) Name(hash string) string { return c.prefix + hash + c.suffix }

// Classes returns the MachineClasses of the record's pool.
func (r *Release) Classes(record *Record, p *Pool) (classes []Class, _ error) {
	facts := record.Facts
	if set := facts.AvailabilitySet; set != nil {
		return []Class{{State: extensions.State{IdentityID: facts.Identity, AvailabilitySet: set}}}, nil
	}
	group, err := record.serverGroup()
	if err != nil {
		return nil, err
	}
	for i, zone := range p.Zones {
		c := Class{State: extensions.State{IdentityID: facts.Identity, ServerGroupID: group}}
		isMigrated := facts.Migrated != nil && *facts.Migrated == zone
		if subnet, isOwn := facts.Subnets[zone]; isOwn && !isMigrated {
			c.State.Subnet = &subnet
		}
		switch r.Provider {
		case "azure":
			c.suffix = "-z" + zone
		case "alicloud":
			c.prefix = zone + "-"
		default:
			c.prefix = fmt.Sprintf("z%d-", i+1)
		}
		classes = append(classes, c)
	}
	return classes, nil
}

// serverGroup returns the server group of a pool whose config asks for one.
func (r *Record) serverGroup() (*string, error) {
	if r.Config == nil || r.Facts.ServerGroup == nil {
		return nil, nil //nolint:nilnil // there is no server group
	}
	var config struct {
		ServerGroup *struct{ Policy string }
	}
	if err := json.Unmarshal([]byte(*r.Config), &config); err != nil {
		return nil, err
	}
	if config.ServerGroup == nil || config.ServerGroup.Policy == "" {
		return nil, nil //nolint:nilnil // there is no server group
	}
	return r.Facts.ServerGroup, nil
}

// Worker returns the part of the pool that Gardener itself hashes. Up to v1.139, Gardener adds the
// reservations of the system to those of the kubelet. From v1.144 on it does not.
func (r *Release) Worker(record *Record, p *Pool) hash.Worker {
	kubelet := p.KubeletConfig
	if kubelet != nil {
		kubelet.SumReservations = r.GardenerMinor() < 144
	}
	w := hash.Worker{
		Name: p.Name, UpdateStrategy: p.WorkerPool.UpdateStrategy, MachineType: p.MachineType, Image: &p.MachineImage,
		Kubelet: kubelet, CARotation: orNone(record.Facts.CertificateAuthorities),
		ServiceAccountKeyRotation: orNone(record.Facts.ServiceAccountKey),
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

// HasOneList reports whether the extension hands Gardener one list for all pools. Up to v1.119,
// Gardener has no separate list for pools that are updated in place.
func (r *Release) HasOneList() bool { return r.GardenerMinor() < 120 }

// IsFirstVersion reports whether Gardener up to v1.145 names the pool by the first version of its
// hash.
func (r *Release) IsFirstVersion(p *Pool) bool {
	isRolling := p.WorkerPool.UpdateStrategy == hotupdate.AutoRollingUpdate
	return p.NodeAgentSecretName == nil && (isRolling || r.HasOneList())
}

// HashWith returns the hash of a pool to which its extension adds strings, by this library's functions.
func (r *Release) HashWith(record *Record, p *Pool, additional []string) (string, error) {
	if p.WorkerPool.UpdateStrategy == hotupdate.AutoRollingUpdate {
		name, err := hash.WorkerPool(p.NodeAgentSecretName, additional...)
		return name.Text, err
	}
	secret := p.NodeAgentSecretName
	if secret == nil {
		secret = new("missing")
	}
	name, err := hash.WorkerPoolInPlace(secret, r.Worker(record, p), additional...)
	if p.NodeAgentSecretName != nil || err != nil {
		return name.Text, err
	}
	var texts []string // Gardener leaves the secret out; this library returns an error
	for _, input := range name.Inputs[1:] {
		texts = append(texts, input.Value)
	}
	return short(texts), nil
}

// short returns the hash of strings by the rule that all of Gardener's hashes have.
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

// FirstVersion returns the hash of a pool that rolls and has no node-agent secret. It covers the
// raw config, unless the extension removes the config. It also covers a list of the extension,
// which is shorter than the list of the second version.
func (r *Release) FirstVersion(record *Record, p *Pool, list []string) string {
	version := shootVersion
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
	if record.Config != nil && r.Provider != "openstack" {
		texts = append(texts, *record.Config)
	}
	texts = append(texts, list...)
	facts := record.Facts
	if facts.CRI != nil {
		texts = append(texts, *facts.CRI)
	}
	for _, rotation := range []*hash.Rotation{facts.CertificateAuthorities, facts.ServiceAccountKey} {
		if at := initiated(orNone(rotation), p.Name); at != nil {
			texts = append(texts, at.UTC().String())
		}
	}
	// Up to v1.126, node-local DNS is always hashed.
	counts := r.GardenerMinor() < 127 || minor < "1.34" || facts.KubeProxyMode == "IPVS"
	if facts.NodeLocalDNS && counts {
		texts = append(texts, "node-local-dns")
	}
	return short(texts)
}

// shootVersion is the Kubernetes version of the Shoot of each record.
const shootVersion = "1.36.0"

func initiated(r hash.Rotation, pool string) *metav1.Time {
	for _, pending := range r.PendingWorkersRollouts {
		if pending.Name == pool {
			return pending.LastInitiationTime
		}
	}
	return r.LastInitiationTime
}

// Manifest returns a Worker with pools of records. The configs have the form in which an API server
// stores them. The pools are renamed to p0, p1 and so on, because the names of pools that roll do
// not depend on their own names. All records must have the identity, the subnets and the kind of
// infrastructure of the first record.
func (r *Release) Manifest(records ...*Record) ([]byte, error) {
	var pools []any
	status := map[string]any{}
	for i, record := range records {
		var p map[string]json.RawMessage
		if err := json.Unmarshal(record.Pool, &p); err != nil {
			return nil, err
		}
		name := fmt.Sprintf("p%d", i)
		p["name"] = json.RawMessage(strconv.Quote(name))
		if record.Config != nil {
			p["providerConfig"] = json.RawMessage(*record.Config)
		}
		pools = append(pools, p)
		for list, dependency := range record.Facts.dependencies() {
			dependency["poolName"] = name
			all, _ := status[list].([]any)
			status[list] = append(all, dependency)
		}
	}
	spec := map[string]any{"type": r.Provider, "region": "region", "pools": pools}
	if r.Provider == "azure" {
		spec["infrastructureProviderStatus"] = records[0].Facts.infrastructure()
	}
	return json.Marshal(map[string]any{
		"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "Worker",
		"metadata": map[string]any{"name": "worker", "namespace": "shoot--p--s"}, "spec": spec,
		"status": map[string]any{"providerStatus": status},
	})
}

// InfrastructureKey is equal for records that one Worker can have.
func (f Facts) InfrastructureKey() string {
	text, _ := json.Marshal(f.infrastructure()) // maps of texts always encode
	return string(text)
}

// infrastructure returns the status of an infrastructure of Azure.
func (f Facts) infrastructure() map[string]any {
	networks := map[string]any{
		"layout": "SingleSubnet", "subnets": []any{map[string]any{"name": "nodes", "purpose": "nodes"}},
	}
	if len(f.Subnets) > 0 {
		var subnets []any
		for _, zone := range []string{"1", "2", "3"} {
			subnets = append(subnets, map[string]any{
				"name": f.Subnets[zone], "purpose": "nodes", "zone": zone,
				"migrated": f.Migrated != nil && *f.Migrated == zone,
			})
		}
		networks = map[string]any{"layout": "MultipleSubnet", "subnets": subnets}
	}
	status := map[string]any{"networks": networks, "zoned": f.AvailabilitySet == nil}
	if f.Identity != nil {
		status["identity"] = map[string]any{"id": *f.Identity}
	}
	return status
}

// dependencies returns the dependencies of a pool in the extension's status.
func (f Facts) dependencies() map[string]map[string]any {
	all := map[string]map[string]any{}
	if f.AvailabilitySet != nil {
		all["vmoDependencies"] = map[string]any{"id": "id", "name": *f.AvailabilitySet}
	}
	if f.ServerGroup != nil {
		all["serverGroupDependencies"] = map[string]any{"id": *f.ServerGroup, "name": "n"}
	}
	return all
}
