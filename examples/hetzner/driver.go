// Package hetzner is the driver of a cloud that package tags does not know. The rules of its labels
// are one literal, see [Rules]. A call of Hetzner's API replaces all labels of one server or one
// floating IP, without a version that would show a conflict.
package hetzner

import (
	"context"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec has the fields of the driver's provider spec that an update reads.
type ProviderSpec struct {
	Cluster          string     `json:"cluster"`
	Zone             string     `json:"zone"`
	FloatingPoolName string     `json:"floatingPoolName,omitempty"`
	Labels           *tags.Tags `json:"labels,omitempty"           hotupdatable:"true"` // network: on floating IPs
}

// Rules are the rules of labels. Sources: Hetzner Cloud API, Labels; the driver, CreateMachine and
// ListMachines. The API documents no limit for the number of labels.
func Rules() tags.Rules {
	return tags.Rules{
		Key: tags.Text{Max: 253 + 1 + 63, Match: regexp.MustCompile(
			`^([0-9A-Za-z]([-.0-9A-Za-z]{0,251}[0-9A-Za-z])?/)?[0-9A-Za-z]([-_.0-9A-Za-z]{0,61}[0-9A-Za-z])?$`)},
		Value: tags.Text{
			Max: 63, Match: regexp.MustCompile(`^([0-9A-Za-z]([-_.0-9A-Za-z]{0,61}[0-9A-Za-z])?)?$`),
		},
		MaxTags:      64,
		ClusterKeys:  []string{"mcm.gardener.cloud/cluster"},
		RoleKeys:     []string{"mcm.gardener.cloud/role"},
		ReservedKeys: []string{"topology.kubernetes.io/*", "networking.hcloud.mcm.gardener.cloud/*", "hetzner.cloud/*"},
	}
}

// API has the calls of an update. A client marks the error of a throttled call
// (rate_limit_exceeded) with Throttled of package hotupdate/driver/answer.
type API interface {
	Server(ctx context.Context, id string) (*Labeled, error)       // GET /servers/ID; nil if there is none
	FloatingIP(ctx context.Context, name string) (*Labeled, error) // GET /floating_ips?name=NAME
	SetServerLabels(ctx context.Context, id string, labels map[string]string) error
	SetFloatingIPLabels(ctx context.Context, id string, labels map[string]string) error
}

// Labeled is a server or a floating IP.
type Labeled struct {
	ID     string
	Labels map[string]string
}

// Driver implements UpdateMachine of the driver, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[ProviderSpec, *machine]

// machine is the machine of one update.
type machine struct {
	api      API
	name, id string
	class    *ProviderSpec
}

// NewDriver makes a driver. Connect makes a client with the token in the secret. Wait is nil except
// in tests.
func NewDriver(connect func(token string) API, wait func(ctx context.Context, d time.Duration) error) (*Driver, error) {
	schema, err := hotupdate.SchemaOf[ProviderSpec]()
	if err != nil {
		return nil, err
	}
	return driver.New(driver.Definition[ProviderSpec, *machine]{
		Schema: schema, Resources: own, Wait: wait,
		Connect: func(_ context.Context, r *machineupdate.UpdateMachineRequest, class *ProviderSpec) (*machine, error) {
			api := connect(strings.TrimSpace(string(r.Secret["token"])))
			return &machine{api, r.Machine, path.Base(r.ProviderID), class}, nil // hcloud:///ZONE/ID
		},
		Tags: []driver.Tagging[ProviderSpec, *machine]{ // one for each kind, because their mandatory keys differ
			tagging(tags.VM, API.SetServerLabels, func(class *ProviderSpec, _ string) map[string]string {
				region, _, _ := strings.Cut(class.Zone, "-")
				return map[string]string{
					"mcm.gardener.cloud/cluster": class.Cluster, "mcm.gardener.cloud/role": "node",
					"topology.kubernetes.io/region": region, "topology.kubernetes.io/zone": class.Zone,
				}
			}),
			tagging(tags.Network, API.SetFloatingIPLabels, func(class *ProviderSpec, _ string) map[string]string {
				return map[string]string{
					"mcm.gardener.cloud/cluster":                         class.Cluster,
					"networking.hcloud.mcm.gardener.cloud/floating-pool": class.FloatingPoolName,
				}
			}),
		},
	})
}

func tagging(
	kind tags.Kind, set func(API, context.Context, string, map[string]string) error,
	mandatory func(class *ProviderSpec, machine string) map[string]string,
) driver.Tagging[ProviderSpec, *machine] {
	return driver.Tagging[ProviderSpec, *machine]{
		Kinds: []tags.Kind{kind}, Rules: Rules(), Mandatory: mandatory,
		Project: func(spec *ProviderSpec, kind tags.Kind) map[string]string { return spec.Labels.Of(kind) },
		Replace: func(ctx context.Context, m *machine, r *driver.Resource, all map[string]string) error {
			return set(m.api, ctx, r.ID, all)
		},
	}
}

// own finds the server and the floating IP that the launch created. Volumes belong to the CSI
// driver.
func own(ctx context.Context, m *machine) ([]driver.Resource, error) {
	server, err := m.api.Server(ctx, m.id)
	if err != nil || server == nil {
		return nil, err
	}
	found := []driver.Resource{{Kind: tags.VM, ID: server.ID, Tags: server.Labels}}
	if m.class.FloatingPoolName != "" {
		ip, err := m.api.FloatingIP(ctx, m.class.FloatingPoolName+"-"+m.name+"-ipv4")
		if err != nil {
			return nil, err
		}
		if ip != nil {
			found = append(found, driver.Resource{Kind: tags.Network, ID: ip.ID, Tags: ip.Labels})
		}
	}
	return found, nil
}
