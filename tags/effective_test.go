package tags_test

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

func TestEffective(t *testing.T) {
	tests := []struct {
		name                           string
		cloud                          tags.Cloud
		kind                           tags.Kind
		base, perKind, mandatory, want string
		reason                         string
	}{
		{"nothing", tags.AWS, tags.VM, "", "", "", "", "nothing is desired"},
		{"base only", tags.AWS, tags.VM, "a=1", "", "", "a=1", "the spec of today holds one flat map"},
		{"per kind only", tags.AWS, tags.VM, "", "a=1", "", "a=1", "a spec without a flat map"},
		{"per kind wins over base", tags.AWS, tags.VM, "a=1 b=1", "a=2", "", "a=2 b=1", "the more specific one wins"},
		{"mandatory wins over all", tags.AWS, tags.VM, "m=1", "m=2 a=1", "m=3", "a=1 m=3", "merged last"},
		{"case counts", tags.AWS, tags.VM, "Owner=1", "owner=2", "OWNER=3", "OWNER=3 Owner=1 owner=2", "AWS tells keys apart by case"},
		{
			"case is ignored", tags.Azure, tags.VM, "Owner=1 a=1", "owner=2", "", "a=1 owner=2",
			"one key to Azure: that of the later layer remains",
		},
		{
			"case is ignored for mandatory", tags.Azure, tags.VM, "name=1", "NAME=2", "Name=3", "Name=3",
			"one key to Azure: the mandatory one remains",
		},
		{
			"two spellings in one layer", tags.Azure, tags.VM, "Owner=1 owner=2", "", "", "Owner=1 owner=2",
			"picking one would lose the other; Plan refuses both",
		},
		{
			"labels that are left alone", tags.Azure, tags.VM, "azure-x=1 a=1", "", "", "a=1",
			"the extension writes the flat map, with pool labels in it",
		},
		{"only labels that are left alone", tags.AWS, tags.VM, "Name=1", "", "", "", "nothing is left"},
		{"reserved key of a user", tags.Azure, tags.VM, "", "azure-x=1", "", "azure-x=1", "Plan refuses it"},
		{"keys only", tags.GCP, tags.Network, "", "a=x", "b=", "a= b=", "network tags have no values"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, test.kind)
			got := rules.Effective(parse(test.base), parse(test.perKind), parse(test.mandatory))
			if want := parse(test.want); !maps.Equal(got, want) || (got == nil) != (want == nil) {
				t.Errorf("Effective = %v, want %v: %s", got, want, test.reason)
			}
		})
	}
}

func TestEffectiveSharesNothing(t *testing.T) {
	rules := rulesOf(t, tags.AWS, tags.VM)
	base := parse("a=1")
	perKind := parse("b=2")
	mandatory := parse("c=3")
	got := rules.Effective(base, perKind, mandatory)
	got["new"] = "x"
	if len(base)+len(perKind)+len(mandatory) != 3 {
		t.Error("the result shares memory with its parts")
	}
}

// drawLayer draws a layer whose values tell which one it is.
func drawLayer(t *rapid.T, label string) map[string]string {
	m := map[string]string{}
	for _, key := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID).Draw(t, label) {
		if rapid.Bool().Draw(t, "capital") {
			key = strings.ToUpper(key)
		}
		m[key] = label
	}
	return m
}

// lastLayerWith returns the value of the last layer that has the key, whatever its spelling.
func lastLayerWith(key string, layers ...map[string]string) string {
	last := ""
	for _, layer := range layers {
		for k, value := range layer {
			if strings.EqualFold(k, key) {
				last = value
			}
		}
	}
	return last
}

// A plan of the effective map never clashes between layers, whatever they hold.
func TestEffectiveCanBePlanned(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	rapid.Check(t, func(t *rapid.T) {
		base := drawLayer(t, "base")
		perKind := drawLayer(t, "perKind")
		mandatory := drawLayer(t, "mandatory")
		desired := rules.Effective(base, perKind, mandatory)
		plans, err := rules.Plan(tags.PlanInput{Desired: desired, Mandatory: mandatory}, []string{"r"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range plans[0].Set {
			if want := lastLayerWith(tag.Key, base, perKind, mandatory); tag.Value != want {
				t.Fatalf("%s is that of %s, want that of %s", tag.Key, tag.Value, want)
			}
		}
	})
}
