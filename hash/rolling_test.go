package hash_test

import (
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// rollingEras asks eras about pools that roll.
type rollingEras[P any] struct{ eras *hash.Eras[P] }

// newRolling returns the eras of pools that roll, beside one era of the others.
func newRolling[P any](rolling []hash.Era[P]) (rollingEras[P], error) {
	eras, err := hash.NewEras(rolling, []hash.Era[P]{{Name: "in place", Data: func([]byte, P) ([]string, error) {
		return []string{"in place"}, nil
	}}})
	return rollingEras[P]{eras}, err
}

func (r rollingEras[P]) AdditionalData(version *string, raw []byte, pool P) ([]string, error) {
	lists, err := r.eras.AdditionalData(hotupdate.AutoRollingUpdate, version, raw, pool)
	return lists.Rolling, err
}

func (r rollingEras[P]) Explain(version *string) (era, why string, err error) {
	return r.eras.Explain(hotupdate.AutoRollingUpdate, version)
}
