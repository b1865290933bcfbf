package cases

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"

	gohugoio "github.com/gohugoio/hashstructure"
	mitchellh "github.com/mitchellh/hashstructure/v2"
	"k8s.io/apimachinery/pkg/util/dump"
	"tailscale.com/util/deephash"

	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
)

// hashPeers are what people take today to hash a value. They cannot leave out what is hot, so they are given a value without it.
func hashPeers(c *fixture.WorkerConfig) []named {
	deep := deephash.HasherForType[*fixture.WorkerConfig]()
	return []named{
		{"encoding/json + SHA-256", func() error {
			raw, err := json.Marshal(c)
			sha256.Sum256(raw)
			return err
		}},
		{"tailscale deephash", func() error { deep(&c); return nil }},
		{"mitchellh/hashstructure", func() error { _, err := mitchellh.Hash(c, mitchellh.FormatV2, nil); return err }},
		{"gohugoio/hashstructure", func() error { _, err := gohugoio.Hash(c, nil); return err }},
		{"Kubernetes DeepHashObject", func() error {
			_, err := fmt.Fprintf(fnv.New32a(), "%v", dump.ForHash(c))
			return err
		}},
	}
}
