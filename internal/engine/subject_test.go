package engine_test

import (
	"reflect"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// config has a field for each way in which memory is used.
type config struct {
	*Far `json:",inline"`

	Text     string                       `json:"text"`
	TextP    **word                       `json:"textP"`
	Default  string                       `json:"default"  hotupdatable:"false,default=usual"`
	Int64    int64                        `json:"int64"`
	Bytes    []byte                       `json:"bytes"`
	Quantity resource.Quantity            `json:"quantity"`
	Texts    []string                     `json:"texts"`
	Lists    [][]string                   `json:"lists"`
	Kids     []*config                    `json:"kids"`
	Next     *config                      `json:"next"`
	Array    [2]place                     `json:"array"`
	Set      []string                     `json:"set"      hotupdatable:"false,set"`
	Named    []named                      `json:"named"    hotupdatable:"false,key=name"`
	Ranked   []ranked                     `json:"ranked"   hotupdatable:"false,key=rank"`
	Tags     map[string]string            `json:"tags"`
	Words    map[word]word                `json:"words"`
	Capacity map[string]resource.Quantity `json:"capacity"`
	Counts   map[string]int               `json:"counts"`
	Tree     map[string]place             `json:"tree"`
	HotTree  map[string]*place            `json:"hotTree"  hotupdatable:"true"`
	HotNamed []named                      `json:"hotNamed" hotupdatable:"true,key=name"`
	Hot      *hot                         `json:"hot"      hotupdatable:"true"`
	Ignored  string                       `json:"ignored"  hotupdatable:"ignore"`
}

type word string

// Far is reached through a pointer.
type Far struct {
	FarText  string `json:"farText"`
	FarPlace *place `json:"farPlace"`
}

type place struct {
	Zone  string `json:"zone"`
	Kept  int    `json:"kept"            hotupdatable:"false"`
	Below *place `json:"below,omitempty"`
}

// hot has a part that is not hot.
type hot struct {
	Trees map[string][]named `json:"trees" hotupdatable:"false"`
}

type named struct {
	Name  string  `json:"name"`
	Extra *string `json:"extra"`
	Place place   `json:"place"`
}

type ranked struct {
	Rank int16  `json:"rank"`
	Text string `json:"text"`
}

func plan(t require.TestingT) *fieldplan.Plan {
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	return p
}
