package hash

import (
	"errors"
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// PoolEras are the eras of all pools of an extension. Extensions have always hashed pools that roll
// and pools that are updated in place differently, so each kind has separate eras.
//
// They are immutable and safe for concurrent use if the functions of the eras are. The zero value
// and nil have no eras: their methods return an error.
type PoolEras[P any] struct{ rolling, inPlace *Eras[P] }

// NewPoolEras checks both lists of eras, as [NewEras] does. [InPlaceEras] are the eras of most
// extensions.
func NewPoolEras[P any](rolling, inPlace []Era[P]) (*PoolEras[P], error) {
	ofRolling, rollingErr := NewEras(rolling)
	if rollingErr != nil {
		rollingErr = fmt.Errorf("pools that roll: %w", rollingErr)
	}
	ofInPlace, inPlaceErr := NewEras(inPlace)
	if inPlaceErr != nil {
		inPlaceErr = fmt.Errorf("pools that are updated in place: %w", inPlaceErr)
	}
	if err := errors.Join(rollingErr, inPlaceErr); err != nil {
		return nil, err
	}
	return &PoolEras[P]{ofRolling, ofInPlace}, nil
}

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

// AdditionalData returns the additional data of a pool, by the era of its kind that is in force.
// [hotupdate.StrategyOf] and [hotupdate.RawConfig] read Gardener's fields. Version, raw config and
// errors are the same as in [Eras.AdditionalData]. An unknown strategy is also an error.
func (e *PoolEras[P]) AdditionalData(
	strategy hotupdate.Strategy, kubernetesVersion *string, raw []byte, pool P,
) (lists AdditionalData, err error) {
	eras, err := e.Of(strategy)
	if err != nil {
		return AdditionalData{}, err
	}
	data, err := eras.AdditionalData(kubernetesVersion, raw, pool)
	switch {
	case err != nil:
		return AdditionalData{}, err
	case strategy == hotupdate.AutoRollingUpdate:
		return AdditionalData{Rolling: data}, nil
	}
	return AdditionalData{InPlace: data}, nil
}

// Of returns the eras of pools with a strategy, for [Eras.Explain] and [ServeEras].
func (e *PoolEras[P]) Of(strategy hotupdate.Strategy) (*Eras[P], error) {
	if _, err := hotupdate.ParseStrategy(strategy.String()); err != nil {
		return nil, err
	}
	switch {
	case e == nil || e.rolling == nil:
		return nil, noEras()
	case strategy == hotupdate.AutoRollingUpdate:
		return e.rolling, nil
	}
	return e.inPlace, nil
}
