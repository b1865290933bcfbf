package hashes

import (
	"crypto/sha256"
	"encoding/json"
)

func inTest(c *Config) [32]byte {
	b, _ := json.Marshal(c)
	return sha256.Sum256(b)
}
