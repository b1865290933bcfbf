package hashstructure

import (
	"cmp"
	"hash"

	"github.com/mitchellh/hashstructure/v2"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Options are those of [hashstructure.HashOptions], with the format among them and a constructor in place of the hasher. They are
// values: one may serve any number of goroutines. Two Options that differ give different sums, in general.
type Options struct {
	// FormatV1 asks for [hashstructure.FormatV1], which misses fields that two elements of a set swap, in place of FormatV2. Their sums differ.
	FormatV1 bool
	// Hasher returns the hash function, a new one for each call. Nil stands for FNV-1 with 64 bits.
	Hasher func() hash.Hash64
	// TagName is the key of hashstructure's own struct tag, with the words ignore, -, set and string. Empty stands for "hash".
	TagName string
	// ZeroNil hashes a nil pointer as the zero value that it could point to. Without it nil is the integer 0.
	ZeroNil bool
	// IgnoreZeroValue leaves out fields with Go's zero value before ZeroNil applies. Pointers to zero and empty slices are not zero.
	IgnoreZeroValue bool
	// SlicesAsSets hashes every slice, and so every []byte and every JSON text, as if its order had no meaning.
	SlicesAsSets bool
	// UseStringer hashes the text of every field that is a [fmt.Stringer].
	UseStringer bool
}

// Karpenter returns the options by which Karpenter hashes the spec of a NodePool or of a cloud's node class.
func Karpenter() Options {
	return Options{ZeroNil: true, IgnoreZeroValue: true, SlicesAsSets: true}
}

func (o Options) tagName() string { return cmp.Or(o.TagName, "hash") }

func (o Options) format() hashstructure.Format {
	if o.FormatV1 {
		return hashstructure.FormatV1
	}
	return hashstructure.FormatV2
}

// fresh returns options for one call, as hashstructure keeps its state in them.
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
