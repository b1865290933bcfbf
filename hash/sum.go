package hash

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Sum is the SHA-256 digest of a canonical document of format v1. Sums are comparable.
type Sum [sha256.Size]byte

// prefix names the format in a Sum's text.
const prefix = "v1:"

// Of hashes a configuration: a value of the Schema's type or a pointer to one. Nil is the empty configuration. The errors are those of
// [Document].
func Of(s *hotupdate.Schema, config any) (Sum, error) { return s.SumDocument(config) }

// OfRaw hashes raw JSON, read as strictly as by [hotupdate.Schema.Decode]. Nothing, white space and null are the empty configuration.
func OfRaw(s *hotupdate.Schema, raw []byte) (Sum, error) { return s.SumDocumentRaw(raw) }

// Document returns the canonical document of a configuration, the bytes that [Of] hashes.
//
// A value that cannot be written is an error, all of them joined: see [hotupdate.Errors].
func Document(s *hotupdate.Schema, config any) ([]byte, error) {
	return s.AppendDocument(nil, config)
}

// DocumentRaw returns the canonical document of raw JSON, the bytes that [OfRaw] hashes.
func DocumentRaw(s *hotupdate.Schema, raw []byte) ([]byte, error) {
	return s.AppendDocumentRaw(nil, raw)
}

// String returns "v1:" and 64 lower-case hexadecimal digits. [Parse] inverts it.
func (s Sum) String() string { return prefix + hex.EncodeToString(s[:]) }

// AdditionalData returns what an extension hands to Gardener's WorkerPoolHash as additional data. The same strings serve pools that
// roll and pools that are updated in place, for the MachineClass must change in both.
func (s Sum) AdditionalData() []string { return []string{s.String()} }

// MarshalText returns the same text as String.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText returned. The error is that of [Parse].
func (s *Sum) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

// Parse reads a Sum's text, strictly: no other case, no white space. The error is a [*fault.Error] with the code malformed-sum.
func Parse(text string) (Sum, error) {
	var sum Sum
	digits, known := strings.CutPrefix(text, prefix)
	switch {
	case !known:
		return sum, malformedSum("does not begin with " + prefix + ", the format")
	case len(digits) != 2*len(sum):
		return sum, malformedSum("has " + strconv.Itoa(len(digits)) + " digits")
	case strings.Trim(digits, "0123456789abcdef") != "":
		return sum, malformedSum("has a character that is no lower-case hexadecimal digit")
	}
	_, err := hex.Decode(sum[:], []byte(digits))
	return sum, err
}

func malformedSum(what string) error {
	return &fault.Error{Kind: fault.Malformed, Code: "malformed-sum", Where: "text of a sum", What: what, Hint: "write v1: and 64 lower-case hexadecimal digits"}
}
