package benchmarks_test

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
)

// hashPeers are what people use today to hash a value. They cannot leave out what is hot, so they get a value without
// it.
func hashPeers(c *fixture.WorkerConfig) []way {
	deep := deephash.HasherForType[*fixture.WorkerConfig]()
	return []way{
		{"encoding-json", func() error {
			raw, err := json.Marshal(c)
			sha256.Sum256(raw)
			return err
		}},
		{"tailscale-deephash", func() error { deep(&c); return nil }},
		{"mitchellh-hashstructure", func() error { _, err := mitchellh.Hash(c, mitchellh.FormatV2, nil); return err }},
		{"gohugoio-hashstructure", func() error { _, err := gohugoio.Hash(c, nil); return err }},
		{"kubernetes-dump", func() error {
			_, err := fmt.Fprintf(fnv.New32a(), "%v", dump.ForHash(c))
			return err
		}},
	}
}

// hashRawPeers decode, drop what is hot, which takes a line for a type that is known, and hash the result of
// encoding/json. The first of them only validates and hashes the bytes as they are spelled, which no implementation
// can save.
func hashRawPeers(raw []byte) []way {
	return []way{
		{"validated-as-spelled", func() error {
			sha256.Sum256(raw)
			return isRight(jsontext.Value(raw).IsValid())
		}},
		{"encoding-json", func() error {
			c := &fixture.WorkerConfig{}
			return errors.Join(json.Unmarshal(raw, c), sumWithoutTags(c))
		}},
		{"sigs-json-strict", func() error {
			c := &fixture.WorkerConfig{}
			strict, err := sigsjson.UnmarshalStrict(raw, c)
			return errors.Join(append(strict, err, sumWithoutTags(c))...)
		}},
	}
}

func sumWithoutTags(c *fixture.WorkerConfig) error {
	c.Tags = nil
	raw, err := json.Marshal(c)
	sha256.Sum256(raw)
	return err
}
