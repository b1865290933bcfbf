package facts

import (
	"cmp"

	"github.com/hotupdate/providerconfig/hash"
)

// GardenerKey returns the names that Gardener's own code computes for the pool: of the node agent's
// secret, and the hash of a pool that is updated in place. The names of machines depend on it.
func (p *Pool) GardenerKey() (string, error) {
	w := p.Worker
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, p.dnsMinor, unknownVersion)
	secret, err := hash.NodeAgentSecretName(w)
	if err != nil || !w.UpdateStrategy.InPlace() {
		return secret.Text, Located(w.Name, "", err)
	}
	name, err := hash.WorkerPoolInPlace(&secret.Text, w)
	return name.Text, Located(w.Name, "", err)
}
