package hotupdate

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
)

// Sum is the SHA-256 of one configuration: of its canonical document, in format v1. The SHA-256 of all
// parts of a name is a Digest of package hash: two types, so that one is never taken for the other.
// Sums are comparable.
type Sum [sha256.Size]byte

// sumPrefix names the format in a Sum's text.
const sumPrefix = "v1:"

// Hash returns the SHA-256 of config's canonical document, see the package documentation. It
// changes exactly if [Schema.Diff] lists an Immutable or InPlace change. Hash a configuration
// before defaulting and conversion.
//
// The configuration is a value of the Schema's type or a pointer to one; nil is the empty
// configuration. All values that cannot be written are returned as errors, joined.
func (s *Schema) Hash(config any) (Sum, error) {
	v, err := s.value(config)
	if err != nil {
		return Sum{}, err
	}
	return engine.Of(s.plan()).Sum(v)
}

// HashRaw is [Schema.Hash] for raw JSON, read as by [Schema.Decode].
func (s *Schema) HashRaw(raw []byte) (Sum, error) {
	if !s.isMissing() {
		if sum, ok := engine.Of(s.plan()).SumRaw(raw); ok {
			return sum, nil
		}
	}
	v, err := s.read(raw)
	if err != nil {
		return Sum{}, err
	}
	return engine.Of(s.plan()).Sum(v)
}

// Document returns the canonical document of config, the bytes that [Schema.Hash] hashes. Two
// documents explain why two hashes differ.
func (s *Schema) Document(config any) ([]byte, error) {
	return s.document(s.value(config))
}

// DocumentRaw is [Schema.Document] for raw JSON, read as by [Schema.Decode].
func (s *Schema) DocumentRaw(raw []byte) ([]byte, error) {
	if !s.isMissing() {
		if document, ok := engine.Of(s.plan()).AppendRaw(nil, raw); ok {
			return document, nil
		}
	}
	return s.document(s.read(raw))
}

func (s *Schema) document(config reflect.Value, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return engine.Of(s.plan()).Append(nil, config)
}

// String returns "v1:" and 64 lower-case hexadecimal digits. [Sum.UnmarshalText] inverts it.
func (s Sum) String() string { return sumPrefix + hex.EncodeToString(s[:]) }

// AdditionalData returns what an extension hands to Gardener's WorkerPoolHash as additional data.
// The same strings serve pools that roll and pools that are updated in place, because the
// MachineClass must change in both.
func (s Sum) AdditionalData() []string { return []string{s.String()} }

// MarshalText returns the same text as String.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText returned, strictly: no other case, no white space. The code
// of the error is malformed-sum.
func (s *Sum) UnmarshalText(text []byte) error {
	var sum Sum
	decoded, err := hex.DecodeString(strings.TrimPrefix(string(text), sumPrefix))
	copy(sum[:], decoded)
	if err != nil || sum.String() != string(text) {
		return &fault.Error{
			Kind: fault.Invalid, Code: "malformed-sum", Where: "text of a sum",
			What: "is not as MarshalText writes it",
			Hint: "write " + sumPrefix + " and 64 lower-case hexadecimal digits",
		}
	}
	*s = sum
	return nil
}
