package karpenter_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/karpenter-provider-aws/pkg/apis"
	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// spellings has values of the text fields that are compared by meaning. In each list, some values
// mean the same.
var spellings = map[string][]string{
	"blockDeviceMappings[].ebs.volumeSize": {"1Gi", "1024Mi", "2Gi"},
	"kubelet.evictionHard[]":               {"5%", "1Gi", "1024Mi", "100Mi"},
	"kubelet.evictionSoft[]":               {"5%", "1Gi", "1024Mi", "100Mi"},
	"kubelet.evictionSoftGracePeriod[]":    {"1m", "60s", "1h"},
	"kubelet.kubeReserved[]":               {"100m", "0.1", "1Gi"},
	"kubelet.systemReserved[]":             {"100m", "0.1", "1Gi"},
}

// sameMeaning returns the options that remove the differences between the Go type and the CRD.
// TestCRDsBesideTypes lists these differences.
func sameMeaning() (ofType, ofCRD []hotupdate.Option) {
	both := []hotupdate.Option{hotupdate.WithTag("tags", "true"), hotupdate.WithTag("blockDeviceMappings", "false,key=deviceName")}
	for _, path := range []string{"evictionHard", "evictionSoft", "kubeReserved", "systemReserved"} {
		ofType = append(ofType, hotupdate.WithTag("kubelet."+path, "false,as=quantity"))
	}
	for path, value := range map[string]string{
		"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled", "httpPutResponseHopLimit": "1", "httpTokens": "required",
	} {
		ofType = append(ofType, hotupdate.WithTag("metadataOptions."+path, "false,default="+value))
	}
	ofCRD = []hotupdate.Option{hotupdate.WithTag("kubelet.evictionSoftGracePeriod", "false,as=duration")}
	return append(ofType, both...), append(ofCRD, both...)
}

// form is one description of the type, with its functions for specs in JSON.
type form struct {
	name string
	hash func(raw []byte) (hotupdate.Sum, error)
	diff func(old, updated []byte) (hotupdate.Changes, error)
}

func formsOfNodeClass(t *testing.T) []form {
	t.Helper()
	ofType, ofCRD := sameMeaning()
	byType, err := hotupdate.SchemaOf[awsv1.EC2NodeClassSpec](ofType...)
	require.NoError(t, err)
	exported, err := json.Marshal(byType)
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	crd, err := yaml.YAMLToJSON(apis.EC2NodeClassCRD)
	require.NoError(t, err)
	byCRD, err := hotupdate.SchemaOfCRD(crd, "v1", ofCRD...)
	require.NoError(t, err)
	typed := form{
		"Go value",
		func(raw []byte) (hotupdate.Sum, error) { return byType.Hash(typedSpec(t, raw)) },
		func(old, updated []byte) (hotupdate.Changes, error) {
			return byType.Diff(typedSpec(t, old), typedSpec(t, updated))
		},
	}
	return []form{
		typed,
		{"JSON by the Go type", byType.HashRaw, byType.DiffRaw},
		{"JSON by the exported Schema", loaded.HashRaw, loaded.DiffRaw},
		{"JSON by the CRD", byCRD.HashRaw, byCRD.DiffRaw},
	}
}

// typedSpec reads a spec that has only fields of the Go type.
func typedSpec(t *testing.T, raw []byte) *awsv1.EC2NodeClassSpec {
	t.Helper()
	spec := &awsv1.EC2NodeClassSpec{}
	require.NoError(t, yaml.UnmarshalStrict(raw, spec))
	return spec
}

// TestTypedRawAndCRDAgree draws specs with all fields of the CRD. Two of them have one hash by the Go type exactly if
// their JSON has one by the exported Schema and by the CRD, and all forms list the same changes. Optional fields that
// are no pointers in Go are absent, or not zero.
func TestTypedRawAndCRDAgree(t *testing.T) {
	forms := formsOfNodeClass(t)
	schema := specOf(t, apis.EC2NodeClassCRD, "v1")
	missing := schema.leaves(map[string]bool{}, "")
	delete(missing, "blockDeviceMappings[].deviceName") // the key: another name is another element
	equal := 0
	different := 0
	rapid.Check(t, func(draw *rapid.T) {
		a := schema.drawObject(draw, "", slices.Sorted(maps.Keys(schema.members())))
		b := maps.Clone(a)
		names := slices.Sorted(maps.Keys(schema.members()))
		if rapid.Bool().Draw(draw, "only some fields") {
			names = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID).Draw(draw, "fields")
		}
		for _, name := range names {
			delete(b, name)
		}
		maps.Copy(b, schema.drawObject(draw, "", names))
		raws := [2][]byte{rawOf(draw, a), rawOf(draw, b)}
		same, changes := forms[0].both(draw, raws)
		for _, f := range forms[1:] {
			sameHere, changesHere := f.both(draw, raws)
			require.Equal(draw, same, sameHere, "%s: %s %s", f.name, raws[0], raws[1])
			require.Equal(draw, changes, changesHere, "%s: %s %s", f.name, raws[0], raws[1])
		}
		for _, c := range changes {
			delete(missing, keysInPath.ReplaceAllString(c.Path, "[]"))
		}
		if same {
			equal++
		} else {
			different++
		}
	})
	assert.Positive(t, equal)
	assert.Positive(t, different)
	if effort.All() { // a tenth of the draws changes fewer fields
		assert.Empty(t, missing, "no change of these fields was drawn")
	}
}

func rawOf(t require.TestingT, spec any) []byte {
	raw, err := json.Marshal(spec)
	require.NoError(t, err)
	return raw
}

// both compares two specs by one form. It drops the name of what declares a field's class, which
// differs between forms.
func (f form) both(t require.TestingT, raws [2][]byte) (isSame bool, changes hotupdate.Changes) {
	first, err := f.hash(raws[0])
	require.NoError(t, err, f.name)
	second, err := f.hash(raws[1])
	require.NoError(t, err, f.name)
	changes, err = f.diff(raws[0], raws[1])
	require.NoError(t, err, f.name)
	for i := range changes {
		changes[i].Origin = ""
		changes[i].Source = ""
	}
	return first == second, changes
}

// keysInPath matches what stands between the brackets of a path.
var keysInPath = regexp.MustCompile(`\[[^]]*\]`)

// leaves adds the paths of all scalars.
func (s openAPI) leaves(paths map[string]bool, path string) map[string]bool {
	if elements := s.elements(); elements != nil {
		return elements.leaves(paths, path+"[]")
	}
	if s.isScalar() {
		paths[path] = true
	}
	for name, member := range s.members() {
		member.leaves(paths, below(path, name))
	}
	return paths
}

func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// drawObject draws some of the members with these names, and those that are required.
func (s openAPI) drawObject(draw *rapid.T, path string, names []string) map[string]any {
	object := map[string]any{}
	for _, name := range names {
		at := below(path, name)
		if s.requires(name) || rapid.Bool().Draw(draw, "has "+at) {
			object[name] = s.members()[name].draw(draw, at)
		}
	}
	return object
}

// draw draws one of few values, so that two draws are often equal.
func (s openAPI) draw(draw *rapid.T, path string) any {
	elements := s.elements()
	members := s.members()
	switch s["type"] {
	case "object":
		if elements == nil {
			return s.drawObject(draw, path, slices.Sorted(maps.Keys(members)))
		}
		entries := map[string]any{}
		for _, key := range rapid.SampledFrom([][]string{nil, {"cpu"}, {"memory"}, {"cpu", "memory"}}).Draw(draw, "keys of "+path) {
			entries[key] = elements.draw(draw, path+"[]")
		}
		return entries
	case "array":
		return elements.drawList(draw, path)
	case "integer":
		least, _ := s["minimum"].(float64)
		return least + float64(rapid.IntRange(0, 1).Draw(draw, path))
	case "boolean":
		return path == "blockDeviceMappings[].rootVolume" || rapid.Bool().Draw(draw, path) // in Go, rootVolume is no pointer
	}
	texts := spellings[path]
	for _, value := range asList(s["enum"]) {
		texts = append(texts, value.(string))
	}
	if len(texts) == 0 {
		texts = []string{"a", "b"}
	}
	return rapid.SampledFrom(texts).Draw(draw, path)
}

// drawList draws elements of schema s. Elements of blockDeviceMappings get different device names.
func (s openAPI) drawList(draw *rapid.T, path string) []any {
	list := []any{}
	devices := rapid.Permutation([]string{"/dev/xvda", "/dev/xvdb"}).Draw(draw, "devices")
	for i := range rapid.IntRange(0, 2).Draw(draw, "length of "+path) {
		element := s.draw(draw, path+"[]")
		if path == "blockDeviceMappings" {
			element.(map[string]any)["deviceName"] = devices[i]
		}
		list = append(list, element)
	}
	return list
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}
