// Package hashes computes hashes of tagged types in every wrong way, and in the right ones.
package hashes

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"

	"github.com/mitchellh/hashstructure/v2"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hash"
	stable "github.com/hotupdate/providerconfig/hash/hashstructure"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Config is the configuration of a worker pool.
type Config struct {
	Zone string            `json:"zone"`
	Tags map[string]string `json:"tags" hotupdatable:"true"`
}

// Pool holds one.
type Pool struct {
	Configs []*Config
}

// Plain has no struct tags.
type Plain struct{ Zone string }

func wrong(c *Config, pool Pool) {
	b, _ := json.Marshal(c)
	_ = sha256.Sum256(b) // want `hotupdate: hashes.Config: is hashed by json.Marshal, which ignores its hotupdatable struct tags, so every hot update changes the hash; use Schema.Hash`

	_ = md5.Sum([]byte(fmt.Sprintf("%+v", *c)))               // want `hashed by fmt.Sprintf`
	_ = crc32.ChecksumIEEE(fmt.Appendf(nil, "%v", pool))      // want `hashes.Pool: is hashed by fmt.Appendf`
	_, _ = hashstructure.Hash(c, hashstructure.FormatV2, nil) // want `hashed by hashstructure.Hash`

	h := fnv.New32a()
	fmt.Fprintf(h, "%v", c)          // want `hashed by fmt.Fprintf`
	_ = json.NewEncoder(h).Encode(c) // want `hashed by json.Encode`
	_, _ = h.Write(b)                // want `hashed by json.Marshal`

	_ = sha256.Sum224([]byte("v1" + string(b))) // want `hashed by json.Marshal`

	document, err := yaml.Marshal(c)
	if err == nil {
		_ = md5.Sum(document) // want `hashed by yaml.Marshal`
	}
	_ = hash.Compose("a", string(b))                               // want `hashed by json.Marshal`
	_, _ = hash.WorkerPool(nil, fmt.Sprint(c.Tags), fmt.Sprint(c)) // want `hashed by fmt.Sprint`
}

func right(schema *hotupdate.Schema, c *Config, plain Plain, raw []byte) {
	_, _ = schema.Hash(c)
	whole, _ := json.Marshal(c)
	_, _ = schema.HashRaw(whole)
	_, _ = schema.StripRaw(whole)
	_, _ = stable.Of(schema, c, stable.Options{})
	projection, _ := stable.Projection(schema, c)
	_, _ = hashstructure.Hash(projection, hashstructure.FormatV2, nil)
	immutable, _, _ := hotupdate.Split(schema, c)
	b, _ := json.Marshal(immutable)
	_ = sha256.Sum256(b)
	fmt.Println(string(whole), c)
	_ = json.NewEncoder(io.Discard).Encode(c)

	b, _ = json.Marshal(plain)
	_ = sha256.Sum256(b)
	_ = sha256.Sum256(strip(whole)) // what another function makes of it is not followed

	p, _ := json.Marshal(plain)
	_ = sha256.Sum256(p)
	_ = sha256.Sum256(raw)
	_ = sha256.Sum256([]byte(fmt.Sprint(c.Zone)))
	sum, _ := schema.Hash(c)
	_ = sha256.Sum256([]byte(sum.String()))
	_, _ = hashstructure.Hash(plain, hashstructure.FormatV2, nil)
}

func strip(b []byte) []byte { return b }
