package exampletest

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// testHotIsFree checks in every era that a pool has the same name with and without the hot part of
// its config. It also checks a config that has only infrastructure tags.
func (p *Provider[C, I, S]) testHotIsFree(t *testing.T) {
	if len(p.Eras) == 0 {
		t.Fatal("the row has no Eras")
	}
	config := filled[C](t)
	p.checkHotIsFree(t, config, []string{Canonical})
	if p.RemoveBecameHot != nil {
		p.RemoveBecameHot(config)
	}
	versions := append(slices.Clone(p.Eras), Canonical)
	p.checkHotIsFree(t, config, versions)
	onlyTags := new(C)
	reflect.ValueOf(onlyTags).Elem().FieldByName("Tags").Set(reflect.ValueOf(config).Elem().FieldByName("Tags"))
	p.checkHotIsFree(t, onlyTags, versions)
}

func (p *Provider[C, I, S]) checkHotIsFree(t *testing.T, config *C, versions []string) {
	t.Helper()
	immutable, _, err := hotupdate.Split(p.schema(t), config)
	fatal(t, err)
	with, err := json.Marshal(config)
	fatal(t, err)
	without, err := json.Marshal(immutable)
	fatal(t, err)
	if string(with) == string(without) {
		t.Fatal("the config has no hot part")
	}
	for _, version := range versions {
		for _, strategy := range []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate} {
			a := Pool(version, with)
			b := Pool(version, without)
			a.UpdateStrategy = strategy
			b.UpdateStrategy = strategy
			named, err := p.Hash(a)
			fatal(t, err)
			unnamed, err := p.Hash(b)
			fatal(t, err)
			if named.Digest != unnamed.Digest {
				t.Errorf("%s, %s: the hot part of the config gives the pool another name", version, strategy)
			}
		}
	}
}
