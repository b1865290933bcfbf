package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// machine has fields of every class from every origin.
type (
	machine struct {
		handedDown `hotupdatable:"inplace"`

		Plain    string           `json:"plain"`
		Tagged   string           `json:"tagged"   hotupdatable:"true"`
		Explicit string           `json:"explicit" hotupdatable:"false"`
		Below    machinePart      `json:"below"    hotupdatable:"ignore"`
		Parts    []machinePart    `json:"parts"    hotupdatable:"inplace,key=name"`
		Labels   []originLabel    `json:"labels"   hotupdatable:"false,key=name,hotwhen=trigger:false"`
		Pools    map[string]*pool `json:"pools"    hotupdatable:"false,hotwhen=mode:soft"`
		Zones    []string         `json:"zones"    hotupdatable:"true,set"`
	}
	handedDown struct {
		Handed string   `json:"handed"`
		Own    string   `json:"own"    hotupdatable:"true"`
		Deep   *handing `json:"deep"`
	}
	handing struct {
		Text string `json:"text"`
	}
	machinePart struct {
		Name string `json:"name"`
		Size int    `json:"size"`
		Hot  string `json:"hot"  hotupdatable:"true"`
	}
	originLabel struct {
		Name    string `json:"name"`
		Value   string `json:"value"`
		Trigger bool   `json:"trigger,omitempty"`
	}
	pool struct {
		Mode string             `json:"mode"`
		Size int                `json:"size"`
		Args []string           `json:"args"`
		Tags map[string]*string `json:"tags"`
		Deep struct {
			Text string `json:"text" hotupdatable:"true"`
			More string `json:"more"`
		} `json:"deep" hotupdatable:"inplace"`
	}
)

func TestOriginsOfClasses(t *testing.T) {
	for _, tc := range []struct {
		name         string
		old, updated *machine
		options      []hotupdate.Option
		want         []string
	}{
		{"default", nil, &machine{Plain: "a"}, nil, []string{"add plain: immutable, default"}},
		{"struct tag", nil, &machine{Tagged: "a", Explicit: "b"}, nil, []string{
			"add explicit: immutable, struct tag hotupdate_test.machine.Explicit",
			"add tagged: hot, struct tag hotupdate_test.machine.Tagged",
		}},
		{"inherited", nil, &machine{Below: machinePart{Name: "a", Size: 1, Hot: "b"}}, nil, []string{
			"add below.hot: hot, struct tag hotupdate_test.machinePart.Hot",
			"add below.name: ignored, inherited hotupdate_test.machine.Below",
			"add below.size: ignored, inherited hotupdate_test.machine.Below",
		}},
		{
			"handed down by an embedded struct", nil, &machine{handedDown: handedDown{Handed: "a", Own: "b", Deep: &handing{"c"}}}, nil,
			[]string{
				"add deep.text: in-place, inherited hotupdate_test.machine.handedDown",
				"add handed: in-place, struct tag hotupdate_test.machine.handedDown",
				"add own: hot, struct tag hotupdate_test.handedDown.Own",
			},
		},
		{"override of a struct tag", nil, &machine{Tagged: "a", Plain: "b"}, []hotupdate.Option{
			hotupdate.WithTag("tagged", "inplace"), hotupdate.WithTag(`["plain"]`, "true"),
		}, []string{`add plain: hot, override ["plain"]`, "add tagged: in-place, override tagged"}},
		{
			"override of a parent", nil, &machine{Below: machinePart{Name: "a", Hot: "b"}},
			[]hotupdate.Option{hotupdate.WithTag("below", "inplace")},
			[]string{
				"add below.hot: hot, struct tag hotupdate_test.machinePart.Hot",
				"add below.name: in-place, inherited below",
			},
		},
		{
			"override of what an embedded struct hands down", nil, &machine{handedDown: handedDown{Handed: "a"}},
			[]hotupdate.Option{hotupdate.WithTag("handed", "ignore")},
			[]string{
				"add handed: ignored, override handed",
			},
		},
		{
			"override inside elements", &machine{Parts: []machinePart{{Name: "a"}}}, &machine{Parts: []machinePart{{Name: "a", Size: 1}}},
			[]hotupdate.Option{hotupdate.WithTag("parts[].size", "false")},
			[]string{
				"add parts[name=a].size: immutable, override parts[].size",
			},
		},
		{"element of a keyed list", nil, &machine{Parts: []machinePart{{Name: "a", Hot: "b"}}}, nil, []string{
			"add parts[name=a]: in-place, inherited hotupdate_test.machine.Parts",
			"add parts[name=a].hot: hot, struct tag hotupdate_test.machinePart.Hot",
		}},
		{"element of a set", &machine{Zones: []string{"a", "b"}}, &machine{Zones: []string{"c", "b", "b"}}, nil, []string{
			"remove zones[=a]: hot, inherited hotupdate_test.machine.Zones",
			"add zones[=c]: hot, inherited hotupdate_test.machine.Zones",
		}},
		{
			"hotwhen holds", &machine{Labels: []originLabel{{Name: "a", Value: "b"}}},
			&machine{Labels: []originLabel{{Name: "a", Value: "c"}, {Name: "d", Value: "e"}}}, nil,
			[]string{
				"replace labels[name=a].value: hot, hotwhen hotupdate_test.machine.Labels",
				"add labels[name=d].value: hot, hotwhen hotupdate_test.machine.Labels",
			},
		},
		{
			"hotwhen does not hold", &machine{Labels: []originLabel{{Name: "a", Value: "b", Trigger: true}}},
			&machine{Labels: []originLabel{{Name: "a", Value: "c", Trigger: true}}}, nil,
			[]string{
				"replace labels[name=a].value: immutable, inherited hotupdate_test.machine.Labels",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, changeLines(t, schemaFor[machine](t, tc.options...), tc.old, tc.updated))
		})
	}
}

// TestFlips: if hotwhen begins or ceases to hold, the sides have different classes, and the stricter one counts.
func TestFlips(t *testing.T) {
	value := "v"
	for _, tc := range []struct {
		name         string
		old, updated *machine
		want         []string
	}{
		{
			"ceases to hold", &machine{Labels: []originLabel{{Name: "a", Value: "b"}}},
			&machine{Labels: []originLabel{{Name: "a", Value: "c", Trigger: true}}},
			[]string{
				"add labels[name=a].trigger: immutable, inherited hotupdate_test.machine.Labels",
				"replace labels[name=a].value: immutable, inherited hotupdate_test.machine.Labels",
			},
		},
		{
			"begins to hold", &machine{Labels: []originLabel{{Name: "a", Value: "b", Trigger: true}}},
			&machine{Labels: []originLabel{{Name: "a", Value: "c"}}},
			[]string{
				"remove labels[name=a].trigger: immutable, inherited hotupdate_test.machine.Labels",
				"replace labels[name=a].value: immutable, inherited hotupdate_test.machine.Labels",
			},
		},
		{
			"in a map", &machine{Pools: map[string]*pool{"a": {Mode: "soft", Args: []string{"x"}}}},
			&machine{Pools: map[string]*pool{"a": {Mode: "hard", Args: []string{"y"}}}},
			[]string{
				"replace pools[a].args[0]: immutable, inherited hotupdate_test.machine.Pools",
				"replace pools[a].mode: immutable, inherited hotupdate_test.machine.Pools",
			},
		},
		{"class of its own", &machine{Pools: map[string]*pool{"a": {Mode: "soft"}}}, func() *machine {
			p := &pool{Mode: "hard"}
			p.Deep.Text = "t"
			p.Deep.More = "m"
			return &machine{Pools: map[string]*pool{"a": p}}
		}(), []string{
			"add pools[a].deep.more: in-place, inherited hotupdate_test.pool.Deep",
			"add pools[a].deep.text: hot, struct tag hotupdate_test.pool.Deep.Text",
			"replace pools[a].mode: immutable, inherited hotupdate_test.machine.Pools",
		}},
		{
			"nothing but the selector", &machine{Pools: map[string]*pool{"a": {Mode: "soft", Size: 1}}},
			&machine{Pools: map[string]*pool{"a": {Mode: "hard", Size: 1}}},
			[]string{
				"replace pools[a].mode: immutable, inherited hotupdate_test.machine.Pools",
			},
		},
		{
			"between values that do not hold", &machine{Pools: map[string]*pool{"a": {Mode: "hard", Size: 1}}},
			&machine{Pools: map[string]*pool{"a": {Mode: "harder", Size: 2}}},
			[]string{
				"replace pools[a].mode: immutable, inherited hotupdate_test.machine.Pools",
				"replace pools[a].size: immutable, inherited hotupdate_test.machine.Pools",
			},
		},
		{"element comes", nil, &machine{Pools: map[string]*pool{"a": {Mode: "soft"}, "b": {Mode: "hard"}, "c": nil}}, []string{
			"add pools[a].mode: hot, hotwhen hotupdate_test.machine.Pools",
			"add pools[b].mode: immutable, inherited hotupdate_test.machine.Pools",
			"add pools[c]: immutable, inherited hotupdate_test.machine.Pools",
		}},
		{"element goes", &machine{Pools: map[string]*pool{"a": {Mode: "soft"}, "b": {Mode: "hard"}}}, nil, []string{
			"remove pools[a].mode: hot, hotwhen hotupdate_test.machine.Pools",
			"remove pools[b].mode: immutable, inherited hotupdate_test.machine.Pools",
		}},
		{
			"null in a map that was hot", &machine{Pools: map[string]*pool{"a": {Mode: "soft"}}},
			&machine{Pools: map[string]*pool{"a": {Mode: "hard", Tags: map[string]*string{"k": nil, "l": &value}}}},
			[]string{
				"replace pools[a].mode: immutable, inherited hotupdate_test.machine.Pools",
				"add pools[a].tags[k]: immutable, inherited hotupdate_test.machine.Pools",
				"add pools[a].tags[l]: immutable, inherited hotupdate_test.machine.Pools",
			},
		},
		{
			"null in a map that becomes hot", &machine{Pools: map[string]*pool{"a": {Mode: "hard", Tags: map[string]*string{"k": nil}}}},
			&machine{Pools: map[string]*pool{"a": {Mode: "soft", Tags: map[string]*string{"k": nil}}}},
			[]string{
				"replace pools[a].mode: immutable, inherited hotupdate_test.machine.Pools",
				"remove pools[a].tags[k]: immutable, inherited hotupdate_test.machine.Pools",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, changeLines(t, schemaFor[machine](t), tc.old, tc.updated))
		})
	}
}
