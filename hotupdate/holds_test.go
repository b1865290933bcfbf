package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestHolds: a leaf of a record is Hot exactly if the Schema has a Hot field there that can hold it.
func TestHolds(t *testing.T) {
	type disk struct {
		Name string `json:"name"`
		IOPS int    `json:"iops,omitempty" hotupdatable:"true"`
	}
	type label struct {
		Name  string `json:"name"`
		Value string `json:"value"`
		Roll  bool   `json:"roll"`
	}
	type volume struct {
		Size resource.Quantity `json:"size"`
		IOPS *int              `json:"iops,omitempty" hotupdatable:"true"`
		Hot  *struct{}         `json:"hot,omitempty"  hotupdatable:"true,presence"`
	}
	type tree struct {
		Value string           `json:"value,omitempty" hotupdatable:"true"`
		Fixed string           `json:"fixed,omitempty"`
		Below map[string]*tree `json:"below,omitempty"`
	}
	type shapes struct {
		Image  string                       `json:"image,omitempty"`
		Tags   map[string]string            `json:"tags,omitempty"   hotupdatable:"true"`
		Kinds  map[string]map[string]string `json:"kinds,omitempty"  hotupdatable:"true"`
		Keys   []string                     `json:"keys,omitempty"   hotupdatable:"true,set"`
		Disks  []disk                       `json:"disks,omitempty"  hotupdatable:"false,key=name"`
		Labels []label                      `json:"labels,omitempty" hotupdatable:"false,key=name,hotwhen=roll:false"`
		Volume *volume                      `json:"volume,omitempty"`
		Free   json.RawMessage              `json:"free,omitempty"   hotupdatable:"true"`
		Tree   *tree                        `json:"tree,omitempty"`
		Fixed  map[string]string            `json:"fixed,omitempty"`
		Marked map[string]label             `json:"marked,omitempty" hotupdatable:"false,hotwhen=roll:false"`
		Slash  *string                      `json:"a/b~c,omitempty"  hotupdatable:"true"`
	}
	schema := schemaFor[shapes](t)
	for _, tc := range []struct {
		pointer string
		shape   byte
		want    bool
		reason  string
	}{
		{"/tags/k", '"', true, "an entry of a hot map"},
		{"/tags/k", 0, true, "its absence"},
		{"/tags", '{', true, "an empty map"},
		{"/tags", '"', false, "a map holds no text"},
		{"/tags/k", '{', false, "an entry is a text"},
		{"/tags/k/l", '"', false, "a text has no members"},
		{"/kinds/vm/k", '"', true, "a map of maps"},
		{"/keys", '[', true, "an element of a list"},
		{"/keys", '"', false, "a list is no text"},
		{"/keys/0", '"', false, "elements have no pointers of their own"},
		{"/disks", '[', true, "elements have a hot field"},
		{"/labels", '[', true, "elements may be hot"},
		{"/marked/k/value", '"', true, "in an element of a map that may be hot"},
		{"/marked/k", 0, true, "and its absence"},
		{"/volume/iops", '3', true, "a hot number in an immutable object"},
		{"/volume/hot", '{', true, "an empty object"},
		{"/volume/size", '"', false, "immutable"},
		{"/volume", '{', true, "the object with something hot in it"},
		{"/free", '[', true, "free JSON"},
		{"/free/a/b", '"', true, "below free JSON"},
		{"/tree/value", '"', true, "in a type that contains itself"},
		{"/tree/below/x/below/y/value", '"', true, "deep in it"},
		{"/tree/below/x/fixed", '"', false, "what is immutable in it"},
		{"/tree/below/x/below", '{', true, "something hot may be below"},
		{"/image", '"', false, "immutable"},
		{"/fixed/k", '"', false, "an entry of an immutable map"},
		{"/fixed/k", 0, false, "and its absence"},
		{"/gone", '"', false, "no field"},
		{"", '{', true, "the root"},
		{"/a~1b~0c", '"', true, "a name with escapes"},
	} {
		assert.Equal(t, tc.want, schema.Holds(hotupdate.Hot, tc.pointer, tc.shape), "%s %c: %s", tc.pointer, tc.shape, tc.reason)
	}
	var missing *hotupdate.Schema
	assert.False(t, missing.Holds(hotupdate.Hot, "", '{'))
	for class, want := range map[hotupdate.Class]string{hotupdate.Hot: "/volume/iops", hotupdate.Immutable: "/image"} {
		for _, pointer := range []string{"/volume/iops", "/image"} {
			assert.Equal(t, pointer == want, schema.Holds(class, pointer, '3'), pointer)
		}
	}
	assert.False(t, schema.Holds(hotupdate.InPlace, "", '{'))
}

// TestHoldsBeside: a pointer to a member of the configuration excludes everything below; any other pointer excludes nothing.
func TestHoldsBeside(t *testing.T) {
	type options struct {
		Tokens string `json:"tokens,omitempty" hotupdatable:"inplace"`
	}
	type config struct {
		Image   string  `json:"image,omitempty"`
		Options options `json:"options,omitempty"`
		Slash   string  `json:"a/b~c,omitempty"   hotupdatable:"inplace"`
	}
	schema := schemaFor[config](t)
	for _, tc := range []struct {
		pointers []string
		want     bool
	}{
		{nil, true},
		{[]string{"/options"}, true},
		{[]string{"/options", "/a~1b~0c"}, false},
		{[]string{"/a~1b~0c", "/image", "/options"}, false},
		{[]string{"/options/tokens", "/a~1b~0c"}, true},
		{[]string{"/options", "/a~1b~0c/d"}, true},
	} {
		assert.Equal(t, tc.want, schema.HoldsBeside(hotupdate.InPlace, tc.pointers), "%v", tc.pointers)
	}
	assert.False(t, schema.HoldsBeside(hotupdate.Hot, nil))
	assert.False(t, (*hotupdate.Schema)(nil).HoldsBeside(hotupdate.InPlace, nil))
}
