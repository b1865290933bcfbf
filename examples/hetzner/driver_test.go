package hetzner_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/hetzner"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// api is Hetzner's API on a fake cloud.
type api struct{ *drivertest.FakeCloud }

func (a api) Server(ctx context.Context, id string) (*hetzner.Labeled, error) {
	return a.find(ctx, tags.VM, id)
}

func (a api) FloatingIP(ctx context.Context, name string) (*hetzner.Labeled, error) {
	return a.find(ctx, tags.Network, strings.TrimSuffix(name, "-m-ipv4"))
}

func (a api) find(ctx context.Context, kind tags.Kind, id string) (*hetzner.Labeled, error) {
	all, err := a.Resources(ctx)
	for _, r := range all {
		if r.Kind == kind && r.ID == id {
			return &hetzner.Labeled{ID: r.ID, Labels: r.Tags}, nil
		}
	}
	return nil, err
}

func (a api) SetServerLabels(ctx context.Context, id string, labels map[string]string) error {
	return a.Replace(ctx, tags.VM, id, "", labels)
}

func (a api) SetFloatingIPLabels(ctx context.Context, id string, labels map[string]string) error {
	return a.Replace(ctx, tags.Network, id, "", labels)
}

func with(labels map[string]string, more ...string) map[string]string {
	all := maps.Clone(labels)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// TestDriver updates a machine between three provider specs. The server 7 belongs to another
// machine.
func TestDriver(t *testing.T) {
	setup := drivertest.Setup{
		Rules:     func(tags.Kind) (tags.Rules, error) { return hetzner.Rules(), nil },
		Request:   machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "hcloud:///hel1-dc2/42"},
		Unchanged: []string{"/labels/disk"}, // a server has no disk with labels of its own
	}
	server := map[string]string{
		"mcm.gardener.cloud/cluster": "shoot--a--b", "mcm.gardener.cloud/role": "node",
		"topology.kubernetes.io/region": "hel1", "topology.kubernetes.io/zone": "hel1-dc2",
	}
	ip := map[string]string{
		"mcm.gardener.cloud/cluster": "shoot--a--b", "networking.hcloud.mcm.gardener.cloud/floating-pool": "pool",
	}
	state := func(labels string, server, ip map[string]string) drivertest.State {
		return drivertest.State{
			Spec: `{"cluster":"shoot--a--b","zone":"hel1-dc2","floatingPoolName":"pool","labels":` + labels + `}`,
			Resources: []driver.Resource{
				{Kind: tags.VM, ID: "42", Tags: server},
				{Kind: tags.Network, ID: "pool", Tags: ip},
				{Kind: tags.VM, ID: "7", Tags: map[string]string{"team": "a"}},
			},
		}
	}
	drivertest.Check(t, setup, func(cloud *drivertest.FakeCloud) (*hetzner.Driver, error) {
		return hetzner.NewDriver(func(string) hetzner.API { return api{cloud} }, cloud.Wait)
	},
		state(`{"vm":{"team":"a"},"network":{"example.com/edge":"1"}}`, with(server, "team", "a"), with(ip, "example.com/edge", "1")),
		state(`{"vm":{"team":"b","backup":"daily"}}`, with(server, "team", "b", "backup", "daily"), ip),
		state(`{}`, server, ip),
	)
}

// TestRules: admission refuses labels that the API refuses, and keys that would hide a machine from
// MCM or assign it to another cluster.
func TestRules(t *testing.T) {
	rules := hetzner.Rules()
	for key, value := range map[string]string{
		"team": "", "a": "A.b_c-1", "example.com/a_b": "1", strings.Repeat("k", 63): strings.Repeat("v", 63),
		"node.kubernetes.io/role": "worker",
	} {
		assert.Empty(t, rules.Validate(map[string]string{key: value}, nil, field.NewPath("tags")), "%s=%s", key, value)
	}
	for key, value := range map[string]string{
		"": "", "-a": "", "a/b/c": "", "/a": "", "a b": "", strings.Repeat("k", 64): "", "k": "a/b", "l": "-", "m": strings.Repeat("v", 64),
		"mcm.gardener.cloud/cluster": "other", "mcm.gardener.cloud/role": "x", "topology.kubernetes.io/zone": "x", "hetzner.cloud/x": "",
	} {
		assert.NotEmpty(t, rules.Validate(map[string]string{key: value}, nil, field.NewPath("tags")), "%s=%s", key, value)
	}
}
