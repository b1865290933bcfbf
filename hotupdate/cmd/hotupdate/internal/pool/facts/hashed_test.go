package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
)

// TestRowsThatRollAreHashed: the names of rolling pools cover exactly the fields whose rows say so,
// but for the strategy, which is judged.
func TestRowsThatRollAreHashed(t *testing.T) {
	p := &facts.Pool{
		Provider: "aws", DataVolumes: []facts.DataVolume{{Name: "a"}},
		Worker: hash.Worker{Name: "a", Volume: &hash.Volume{}, Kubelet: &hash.Kubelet{
			KubeReserved: &hash.Reserved{}, SystemReserved: &hash.Reserved{}, EvictionHard: &hash.EvictionHard{},
		}},
	}
	all, err := p.HashedFields()
	require.NoError(t, err)
	rolls := map[string]bool{}
	for _, f := range all {
		row := f.Row()
		rolls[row.Path] = row.Path != fields.Strategy
		assert.Equal(t, rolls[row.Path], row.Rolling == fields.Roll, f.Path)
	}
	for path, row := range fields.Pool() {
		assert.Equal(t, rolls[path], row.Rolling == fields.Roll, path)
	}
}
