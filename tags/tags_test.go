package tags_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/hotupdate/providerconfig/tags"
)

func TestTagsJSON(t *testing.T) {
	tests := []struct {
		name, reason, want string
		input              tags.Tags
	}{
		{"empty", "an optional field of a spec leaves nothing behind", `{}`, tags.Tags{VM: map[string]string{}}},
		{
			"all kinds", "the names are those of the hot-update proposal", `{"vm":{"a":"1"},"network":{"b":"2"},"disk":{"c":"3"}}`,
			tags.Tags{VM: map[string]string{"a": "1"}, Network: map[string]string{"b": "2"}, Disk: map[string]string{"c": "3"}},
		},
		{
			"keys only", "a network tag of GCP is a key with an empty value", `{"network":{"bastion":""}}`,
			tags.Tags{Network: map[string]string{"bastion": ""}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(test.input)
			if err != nil || string(got) != test.want {
				t.Errorf("Marshal = %s, %v; want %s: %s", got, err, test.want, test.reason)
			}
			var back tags.Tags
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			for _, kind := range tags.Kinds() {
				if !maps.Equal(back.Of(kind), test.input.Of(kind)) {
					t.Errorf("%v does not survive JSON", kind)
				}
			}
		})
	}
}

func TestDeepCopySharesNothing(t *testing.T) {
	original := tags.Tags{VM: map[string]string{"a": "1"}, Network: map[string]string{}, Disk: map[string]string{"c": "3"}}
	clone := original.DeepCopy()
	if !reflect.DeepEqual(*clone, original) {
		t.Fatalf("DeepCopy = %v, want %v", clone, original)
	}
	if clone.Network == nil {
		t.Error("an empty map became nil")
	}
	for _, kind := range tags.Kinds() {
		clone.Of(kind)["new"] = "x"
		if _, ok := original.Of(kind)["new"]; ok {
			t.Errorf("the copy shares its %v map", kind)
		}
	}
}

func TestNilTags(t *testing.T) {
	var none *tags.Tags
	if none.DeepCopy() != nil {
		t.Error("the copy of nil is not nil")
	}
	if none.Of(tags.VM) != nil {
		t.Error("nil has a map")
	}
	if clone := (&tags.Tags{}).DeepCopy(); clone.VM != nil || clone.Network != nil || clone.Disk != nil {
		t.Error("nil maps became maps")
	}
}

func TestOfUnknownKind(t *testing.T) {
	all := tags.Tags{VM: one("a", "1"), Network: one("a", "1"), Disk: one("a", "1")}
	for _, kind := range []tags.Kind{"", "x"} {
		if all.Of(kind) != nil {
			t.Errorf("%v has a map", kind)
		}
	}
}

// Names of kinds and clouds are stable: they go into records, logs and metrics.
func TestNames(t *testing.T) {
	if got := fmt.Sprint(tags.Kinds()); got != "[vm network disk]" {
		t.Errorf("kinds %s", got)
	}
	if got := fmt.Sprint(
		[]tags.Cloud{tags.AWS, tags.Azure, tags.GCP, tags.OpenStack, tags.AliCloud},
	); got != "[AWS Azure GCP OpenStack Alibaba Cloud]" {
		t.Errorf("clouds %s", got)
	}
}
