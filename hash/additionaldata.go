package hash

import "github.com/hotupdate/providerconfig/hotupdate"

// InPlaceEras are the eras of pools that are updated in place, for an extension that has never
// hashed their config. The first era is today's list, unchanged. The canonical hash begins with a
// minor that no release supports yet: before it, admission refuses changes of the config, or a
// change has no effect.
//
// Today returns the list that today's release hands to Gardener's WorkerPoolHash for these pools. It
// is nil if that list is nil or empty, as for Azure, GCP, OpenStack and Alibaba Cloud. The extension
// for AWS hands over whether the root volume is encrypted.
func InPlaceEras[P any](
	today func(pool P) []string, from string, schema *hotupdate.Schema, more ...func(pool P) []string,
) []Era[P] {
	first := Era[P]{Name: "nothing", Data: func([]byte, P) ([]string, error) { return nil, nil }}
	if today != nil {
		first = Era[P]{Name: "pool only", Data: func(_ []byte, pool P) ([]string, error) { return today(pool), nil }}
	}
	return []Era[P]{first, {Name: "canonical", From: from, Data: CanonicalData(schema, more...)}}
}

// AdditionalData is what Gardener's WorkerPoolHash takes. Only the list of the pool's strategy is
// set, since the function reads no other.
//
// Gardener v1.146 and newer take both lists. Gardener v1.145 and older take three: a list for
// version 1 of their hash, then Rolling, then InPlace. Version 1 names pools that roll and have no
// node-agent secret. A fleet may still have such pools, so the list for version 1 must stay exactly
// what today's release hands over: for AWS and Azure it is another list than Rolling.
//
// Version 1 also hashes the raw provider config of the given pool. Where today's release sets that to
// nil before the call, it must stay nil. Elsewhere replace it by [hotupdate.Schema.StripRaw] of it,
// with a Schema in which only the new members are hot.
type AdditionalData struct{ Rolling, InPlace []string }
