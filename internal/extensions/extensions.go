// Package extensions knows what the released provider extensions of Gardener add to the names of
// worker pools, and what they would add after adopting this library. The command hotupdate uses it
// to judge changes.
//
// Each provider has a file. Its functions imitate the released code, and the tests compare them
// with recorded answers of that code. The folder record tells how to record a new release. An
// extension that adopts the library has the original functions, and does not need this package.
package extensions

import (
	"embed"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// All returns the extensions, in the order of their names.
func All() []provider.Provider {
	return []provider.Provider{
		AliCloud().provider(), AWS().provider(), Azure().provider(), GCP().provider(), OpenStack().provider(),
	}
}

// schemas has the Schema of each provider config after adoption. The tests of the example
// extensions write it, and compare it with theirs.
//
//go:embed schemas
var schemas embed.FS

// Extension describes what an extension adds to the names of its pools.
type Extension struct {
	// Name is the type of the provider.
	Name string
	// Release is the newest release with recorded answers, such as v1.73.0; empty if there is none.
	Release string
	// Own returns the strings for the pool's own fields and its state. InPlace returns the strings
	// for a pool that is updated in place; nil if there are none.
	Own, InPlace func(Pool) []string
	// List returns the strings for the config from the Kubernetes minor ListFrom on. Below
	// ListFrom, the bytes of the config are hashed. Without a list both are empty. AllowList means
	// that the list is for every minor.
	List      func(Pool) ([]string, error)
	ListFrom  string
	AllowList bool
	// ListSince is the minor of the first release with the list: 1.67 for v1.67.0. Earlier releases
	// hash the bytes of every config unchanged, with virtual capacity, and do not support
	// Kubernetes ListFrom.
	ListSince string
	// Earlier is the earliest release with recorded answers, such as v1.63.0.
	Earlier string
	// FallsBackBefore is the minor of the first release that gives no name to a pool without a
	// node-agent secret; empty if Traits.FallsBack holds for all releases or for none. InPlaceSince
	// is the minor of the first release that is known to have rules for pools that are updated in
	// place; empty if all recorded releases have them.
	FallsBackBefore, InPlaceSince string
	// Ignores means that the release ignores configs. After adoption the extension reads hot fields
	// at every minor, and the other fields from CanonicalFrom on. Below CanonicalFrom admission
	// refuses changes of the other fields, and a config neither changes a pool's name nor is an
	// error.
	Ignores bool

	// canonical returns further strings after adoption; nil if there are none.
	canonical func(Pool) []string
	// hotLater means that further fields of the config became hot after the first release of its
	// type. The era of raw bytes still hashes these fields.
	hotLater bool
	// stripsNothing means that the release hashes the bytes of configs unchanged.
	stripsNothing bool
	traits        provider.Traits
}

// CanonicalFrom is the first Kubernetes minor for which an extension that adopts the library hashes
// canonically: no release supports it yet.
const CanonicalFrom = "1.37"

// At returns the extension as a release names pools. A release before the list gives a pool today's
// name if it supports the pool's Kubernetes version and the config has no virtual capacity.
func (e *Extension) At(release string) *Extension {
	if !isBefore(release, e.ListSince) {
		return e
	}
	earlier := *e
	earlier.List = nil
	earlier.ListFrom = ""
	earlier.stripsNothing = true
	return &earlier
}

// isBefore reports whether a release is before a minor; false if one of them is empty.
func isBefore(release, minor string) bool {
	version, isKnown := kubeminor.Read(release)
	since, isSet := kubeminor.Read(minor)
	return isKnown && isSet && version.Compare(since) < 0
}

// eras returns the eras of both kinds of pools after adoption. The last one of each is the canonical
// one, and those before it are today's.
func (e *Extension) eras(schema *hotupdate.Schema) (rolling, inPlace []hash.Era[Pool]) {
	more := []func(Pool) []string{e.Own}
	if e.canonical != nil {
		more = append(more, e.canonical)
	}
	rolling = append(e.released(), hash.Era[Pool]{
		Name: "canonical", From: CanonicalFrom, Data: hash.CanonicalData(schema, more...),
	})
	if e.InPlace == nil {
		return rolling, hash.InPlaceEras[Pool](nil, CanonicalFrom, schema)
	}
	return rolling, hash.InPlaceEras(e.InPlace, CanonicalFrom, schema, e.InPlace)
}

// released returns today's eras of pools that roll.
func (e *Extension) released() []hash.Era[Pool] {
	list := hash.Era[Pool]{Name: "hand-written list", From: e.ListFrom, Data: e.Listed}
	raw := hash.Era[Pool]{Name: "raw bytes", Data: e.rawBytes}
	switch {
	case e.Ignores:
		return []hash.Era[Pool]{{Name: "pool only", Data: e.poolOnly}}
	case e.AllowList:
		list.Name = "allow-list"
		return []hash.Era[Pool]{list}
	case e.List == nil:
		return []hash.Era[Pool]{raw}
	}
	return []hash.Era[Pool]{raw, list}
}

// poolOnly is the Data function of the era that ignores configs.
func (e *Extension) poolOnly(_ []byte, pool Pool) ([]string, error) { return e.Own(pool), nil }

// Listed is the Data function of the era with the list. It returns the strings of Own, and then
// those of List.
func (e *Extension) Listed(_ []byte, pool Pool) ([]string, error) {
	data, err := e.List(pool)
	return append(e.Own(pool), data...), err
}

// rawBytes is the Data function of the era of raw bytes. It strips the members that are hot by the Schema for this era:
// virtual capacity, which today's release strips too, and fields that no release has.
func (e *Extension) rawBytes(raw []byte, pool Pool) ([]string, error) {
	strip, err := e.stripSchema()
	if err != nil {
		return nil, err
	}
	return e.RawBytes(strip)(raw, pool)
}

// RawBytes returns the Data function of the era of raw bytes. The function returns the strings of
// Own, and then the bytes of the config without the members that are hot by the Schema.
//
// A pool without config adds no string. A config with virtual capacity alone is stripped to its
// TypeMeta, which is added: such pools are named by it.
func (e *Extension) RawBytes(strip *hotupdate.Schema) func(raw []byte, pool Pool) ([]string, error) {
	return func(raw []byte, pool Pool) ([]string, error) {
		if raw == nil {
			return e.Own(pool), nil
		}
		cut, err := e.strip(strip, raw)
		if err != nil {
			return nil, err
		}
		return append(e.Own(pool), string(cut)), nil
	}
}

// strip removes the hot members. It keeps nulls, as the releases do.
func (e *Extension) strip(schema *hotupdate.Schema, raw []byte) ([]byte, error) {
	if e.stripsNothing {
		return raw, nil
	}
	return schema.StripRawKeepNulls(raw)
}
