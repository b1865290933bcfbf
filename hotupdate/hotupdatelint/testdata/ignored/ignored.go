// Package ignored has lines that are not reported.
package ignored

import (
	"crypto/sha256"
	"encoding/json"
)

// Config is the configuration of a worker pool.
type Config struct {
	A string `json:"a" hotupdatable:"ture"` //hotupdatelint:ignore a test of the message
	//hotupdatelint:ignore another test
	B string `json:"b" hotupdatable:"ture"`
	C string `json:"c" hotupdatable:"ture"` // want `unknown class`
	//hotupdatelint:ignore
	D string `json:"d" hotupdatable:"ture"` // want `unknown class`
	//hotupdatelint:ignore a test, whose
	// reason is long
	E string `json:"e" hotupdatable:"ture"` // want `unknown class`
}

func yesterday(c *Config) [32]byte {
	b, _ := json.Marshal(c)
	//hotupdatelint:ignore names the pools of Kubernetes 1.33
	return sha256.Sum256(b)
}
