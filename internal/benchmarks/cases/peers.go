package cases

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/go-json-experiment/json/jsontext"
	gohugoio "github.com/gohugoio/hashstructure"
	mitchellh "github.com/mitchellh/hashstructure/v2"
	"k8s.io/apimachinery/pkg/util/dump"
	sigsjson "sigs.k8s.io/json"
	"tailscale.com/util/deephash"

	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
)

// hashPeers are what people take today to hash a value. They cannot leave out what is hot, so they
// are given a value without it.
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

// rawLimit is what nobody can save: JSON is read once to know that it is JSON, and hashed. Its bytes are
// those of one spelling. What has the bytes of the canonical document is rawByHand.
const (
	rawLimit  = "jsontext validation + SHA-256, in one spelling"
	rawByHand = "jsontext validation, sorted by hand + SHA-256 (the limit)"
)

// hashRawPeers decode, drop what is hot, which takes a line for a type that is known, and hash what
// encoding/json makes of the rest.
func hashRawPeers(raw []byte) []named {
	return []named{
		{rawByHand, func() error { _, err := limit.SumRaw(raw); return err }},
		{rawLimit, func() error {
			sha256.Sum256(raw)
			return is(jsontext.Value(raw).IsValid(), errInvalid)
		}},
		{"encoding/json, both ways + SHA-256", func() error {
			c := &fixture.WorkerConfig{}
			return errors.Join(json.Unmarshal(raw, c), sumWithoutTags(c))
		}},
		{"sigs.k8s.io/json strict + encoding/json + SHA-256", func() error {
			c := &fixture.WorkerConfig{}
			strict, err := sigsjson.UnmarshalStrict(raw, c)
			return errors.Join(append(strict, err, sumWithoutTags(c))...)
		}},
	}
}

var errInvalid = errors.New("no JSON")

func sumWithoutTags(c *fixture.WorkerConfig) error {
	c.Tags = nil
	raw, err := json.Marshal(c)
	sha256.Sum256(raw)
	return err
}
