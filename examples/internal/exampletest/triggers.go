package exampletest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/workerpool"
)

// CheckTriggers changes one field of a pool after the other, and sees to it that the pool gets another name exactly if package workerpool,
// which knows the triggers of each provider, says that its machines are replaced: in every era, of which versions has one each.
func (p *Provider) CheckTriggers(t *testing.T, provider string, versions ...string) {
	t.Helper()
	for _, version := range versions {
		changes := poolChanges()
		for _, name := range slices.Sorted(maps.Keys(changes)) {
			t.Run(version+"/"+name, func(t *testing.T) {
				old, updated := Pool(version, nil), Pool(version, nil)
				changes[name](updated)
				comparison, err := workerpool.Compare(poolOf(provider, old), poolOf(provider, updated), workerpool.Options{})
				fatal(t, err)
				before, after := p.fullName(t, old), p.fullName(t, updated)
				if renamed := before.Digest != after.Digest; renamed != (comparison.Outcome == hotupdate.Roll) {
					t.Errorf("the outcome is %s, but the hash changes: %t", comparison.Outcome, renamed)
				}
			})
		}
	}
}

// poolChanges each change one thing of the pool that [Pool] returns.
func poolChanges() map[string]func(*gardener.WorkerPool) {
	return map[string]func(*gardener.WorkerPool){
		"nothing": func(*gardener.WorkerPool) {},
		"patch version": func(p *gardener.WorkerPool) {
			*p.KubernetesVersion = strings.TrimSuffix(*p.KubernetesVersion, "0") + "7"
		},
		"labels":                func(p *gardener.WorkerPool) { p.Labels["team"] = "red" },
		"machine type":          func(p *gardener.WorkerPool) { p.MachineType = "small" },
		"machine image":         func(p *gardener.WorkerPool) { p.MachineImage.Version = "2" },
		"root size":             func(p *gardener.WorkerPool) { p.Volume.Size = "21Gi" },
		"root type":             func(p *gardener.WorkerPool) { p.Volume.Type = new("fast") },
		"root encryption":       func(p *gardener.WorkerPool) { p.Volume.Encrypted = new(true) },
		"data volume size":      func(p *gardener.WorkerPool) { p.DataVolumes[0].Size = "31Gi" },
		"data volume type":      func(p *gardener.WorkerPool) { p.DataVolumes[1].Type = new("slow") },
		"data volume encrypted": func(p *gardener.WorkerPool) { p.DataVolumes[0].Encrypted = new(true) },
		"data volume renamed":   func(p *gardener.WorkerPool) { p.DataVolumes[0].Name = "z" },
		"data volume gone":      func(p *gardener.WorkerPool) { p.DataVolumes = p.DataVolumes[1:] },
		"data volumes reordered": func(p *gardener.WorkerPool) {
			slices.Reverse(p.DataVolumes)
		},
	}
}

// poolOf returns the pool as package workerpool takes it.
func poolOf(provider string, p *gardener.WorkerPool) workerpool.Pool {
	pool := workerpool.Pool{Worker: p.Worker(), Provider: provider, Encrypted: p.Volume.Encrypted}
	for _, v := range p.DataVolumes {
		pool.DataVolumes = append(pool.DataVolumes, workerpool.DataVolume(v))
	}
	return pool
}

// fullName hashes a pool whose node-agent secret is named as Gardener names it.
func (p *Provider) fullName(t *testing.T, pool *gardener.WorkerPool) hash.Name {
	t.Helper()
	secret, err := hash.NodeAgentSecretName(pool.Worker())
	fatal(t, err)
	pool.NodeAgentSecretName = &secret.Text
	name, err := p.Hash(pool)
	fatal(t, err)
	return name
}
