package hashstructure

import (
	"hash"

	"github.com/mitchellh/hashstructure/v2"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Format is the version of hashstructure's algorithm. The zero value is the one that hashstructure recommends.
type Format uint8

// The formats. Their sums have nothing in common.
const (
	FormatV2 Format = iota // [hashstructure.FormatV2]
	FormatV1               // [hashstructure.FormatV1], in which the elements of a set can swap their fields unnoticed
)

// String returns the name of the format: v1 or v2.
func (f Format) String() string {
	switch f {
	case FormatV2:
		return "v2"
	case FormatV1:
		return "v1"
	}
	return "unknown"
}

// Options are those of [hashstructure.HashOptions], with the format among them and a constructor in place of the hasher. They are
// values: one may serve any number of goroutines. Two Options that differ give different sums, in general.
type Options struct {
	// Format is the version of the algorithm.
	Format Format
	// Hasher returns the hash function, a new one for each call. Nil stands for FNV-1 with 64 bits.
	Hasher func() hash.Hash64
	// TagName is the key of hashstructure's own struct tag, with the words ignore, -, set and string. Empty stands for "hash".
	TagName string
	// ZeroNil hashes a nil pointer as the zero value that it could point to. Without it nil is the integer 0.
	ZeroNil bool
	// IgnoreZeroValue leaves out fields with Go's zero value, before ZeroNil is applied. A pointer to zero and an empty slice are not
	// zero.
	IgnoreZeroValue bool
	// SlicesAsSets hashes every slice, and so every []byte and every JSON text, as if its order had no meaning.
	SlicesAsSets bool
	// UseStringer hashes the text of every field that is a [fmt.Stringer].
	UseStringer bool
}

// Karpenter returns the options by which Karpenter hashes the spec of a NodePool or of a cloud's node class.
func Karpenter() Options {
	return Options{Format: FormatV2, ZeroNil: true, IgnoreZeroValue: true, SlicesAsSets: true}
}

// defaultTagName is hashstructure's.
const defaultTagName = "hash"

func (o Options) tagName() string {
	if o.TagName == "" {
		return defaultTagName
	}
	return o.TagName
}

// format returns hashstructure's name of the format.
func (o Options) format() (hashstructure.Format, error) {
	switch o.Format {
	case FormatV2:
		return hashstructure.FormatV2, nil
	case FormatV1:
		return hashstructure.FormatV1, nil
	}
	return 0, &fault.Error{Kind: fault.Misuse, Code: "unknown-format", What: "the options name no format", Hint: "use FormatV2 or FormatV1"}
}

// fresh returns options for one call: hashstructure keeps its state in them, so that two goroutines that share them get wrong sums
// without an error.
func (o Options) fresh() (*hashstructure.HashOptions, error) {
	options := &hashstructure.HashOptions{
		TagName: o.TagName, ZeroNil: o.ZeroNil, IgnoreZeroValue: o.IgnoreZeroValue, SlicesAsSets: o.SlicesAsSets, UseStringer: o.UseStringer,
	}
	if o.Hasher == nil {
		return options, nil
	}
	if options.Hasher = o.Hasher(); options.Hasher == nil {
		return nil, &fault.Error{Kind: fault.Misuse, Code: "no-hasher", What: "the options' Hasher returned nil", Hint: "return a new hash.Hash64, or leave Hasher out"}
	}
	return options, nil
}
