package exampletest

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// CheckHotIsFree checks that a pool has the same name with and without the hot part of its config,
// in every era, and that its infrastructure tags alone give it no other name than an empty config.
// Versions has a Kubernetes version of each era.
func CheckHotIsFree[T any](t *testing.T, p *Provider, config *T, versions ...string) {
	t.Helper()
	checkHotIsFree(t, p, config, versions)
	onlyTags := new(T)
	reflect.ValueOf(onlyTags).Elem().FieldByName("Tags").Set(reflect.ValueOf(config).Elem().FieldByName("Tags"))
	checkHotIsFree(t, p, onlyTags, versions)
}

func checkHotIsFree[T any](t *testing.T, p *Provider, config *T, versions []string) {
	t.Helper()
	schema, err := p.Schema()
	fatal(t, err)
	immutable, _, err := hotupdate.Split(schema, config)
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
			a, b := Pool(version, with), Pool(version, without)
			a.UpdateStrategy, b.UpdateStrategy = strategy, strategy
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
