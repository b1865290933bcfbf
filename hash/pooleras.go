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

// InPlaceEras are the eras of pools that are updated in place, for an extension that has hashed
// nothing of their config so far: Gardener's own part alone, and the canonical hash from a minor on
// that no release supports yet. In the first era admission refuses changes of the config, or the
// change has no effect.
func InPlaceEras[P any](from string, schema *hotupdate.Schema, more ...func(pool P) []string) []Era[P] {
	return []Era[P]{
		{Name: "nothing", Data: func([]byte, P) ([]string, error) { return nil, nil }},
		{Name: "canonical", From: from, Data: CanonicalData(schema, more...)},
	}
}

// AdditionalData is what Gardener's WorkerPoolHash takes. Only the list of the pool's strategy is set, since
// the function reads no other.
//
// Gardener v1.146 and newer take both lists. Gardener v1.145 and older take Rolling twice, for
// their versions 1 and 2, and then InPlace. Version 1 is for pools without a node-agent secret. It
// also hashes the raw provider config, unless the config of the given pool is set to nil: leave
// that as it is in today's release, and where it is not nil, replace it by
// [hotupdate.Schema.StripRaw] of it.
type AdditionalData struct{ Rolling, InPlace []string }

// AdditionalData returns the additional data of a pool, by the era of its kind that is in force. Version, raw
// config and errors are the same as in [Eras.AdditionalData]. An unknown strategy is also an error.
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
