package login

import (
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/digest"
)

// userData is the value of a secret that machine-controller-manager passes to new machines. It differs
// from class to class, and is no credential.
const userData = "userData"

// Key returns a digest that is equal exactly for equal values of a secret, apart from userData, and
// an equal scope. It is the key of [Cache], and serves Key of driver.Sharing: updates with the same
// credentials then share calls.
//
// Secrets of one account that differ in another value have different keys: their updates share no
// calls, and each of them is paced as if it were alone.
//
// The digest is in hexadecimal. Short values can be guessed from it, so it does not belong into logs.
func Key(secret map[string][]byte, scope string) string {
	texts := []string{scope}
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		if name != userData {
			texts = append(texts, name, string(secret[name]))
		}
	}
	return digest.Of(texts)
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
