package login

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// userData is the value of a secret that machine-controller-manager passes to new machines. It differs
// from class to class, and is no credential.
const userData = "userData"

// Key returns a digest that is equal exactly for equal values of a secret, apart from userData, and
// an equal scope. It is the key of [Cache], and serves Key of driver.Sharing: updates with the same
// credentials then share calls.
//
// The digest is in hexadecimal. Short values can be guessed from it, so it does not belong into logs.
func Key(secret map[string][]byte, scope string) string {
	hash := sha256.New()
	add := func(part string) { _, _ = fmt.Fprintf(hash, "%d %s", len(part), part) } // a hash returns no errors
	add(scope)
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		if name != userData {
			add(name)
			add(string(secret[name]))
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Value returns the value of the first of these names that a secret has, without white space around
// it. It is empty if the secret has none of them. Many drivers read a value by its present and by its
// former name.
func Value(secret map[string][]byte, names ...string) string {
	for _, name := range names {
		if value, ok := secret[name]; ok {
			return strings.TrimSpace(string(value))
		}
	}
	return ""
}
