package hashstructure_test

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"time"

	upstream "github.com/mitchellh/hashstructure/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hash/hashstructure"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// nodeClassSpec resembles the spec of a Karpenter node class, with tags that are hot.
type nodeClassSpec struct {
	SubnetIDs   []string             `json:"subnetIDs,omitempty"`
	Role        string               `json:"role,omitempty"`
	UserData    *string              `json:"userData,omitempty"`
	Public      *bool                `json:"public,omitempty"`
	Devices     []device             `json:"devices,omitempty"`
	Kubelet     *kubelet             `json:"kubelet,omitempty"`
	Requirement map[string]string    `json:"requirement,omitempty" hash:"ignore"`
	Expire      metav1.Duration      `json:"expire,omitempty"`
	Since       metav1.Time          `json:"since,omitempty"`
	Raw         runtime.RawExtension `json:"raw,omitempty"`
	Free        any                  `json:"free,omitempty"`
	Tags        map[string]string    `json:"tags,omitempty"        hotupdatable:"true"`
	Weight      *int32               `json:"weight,omitempty"      hotupdatable:"ignore"`
}

type device struct {
	Name string             `json:"name"`
	Size *resource.Quantity `json:"size,omitempty" hash:"string"`
	IOPS *int64             `json:"iops,omitempty" hotupdatable:"true"`
}

type kubelet struct {
	MaxPods  *int32            `json:"maxPods,omitempty"`
	Reserved map[string]string `json:"reserved,omitempty"`
}

func quantity(text string) *resource.Quantity { return new(resource.MustParse(text)) }

// spec returns a spec without anything hot.
func spec() *nodeClassSpec {
	return &nodeClassSpec{
		SubnetIDs: []string{"subnet-1", "subnet-2"}, Role: "node", Public: new(false),
		Devices:     []device{{Name: "root", Size: quantity("20Gi")}, {Name: "data", Size: quantity("100Gi")}},
		Kubelet:     &kubelet{MaxPods: new(int32(0)), Reserved: map[string]string{"cpu": "80m", "memory": "1Gi"}},
		Requirement: map[string]string{"zone": "a"},
		Expire:      metav1.Duration{Duration: time.Hour},
		Since:       metav1.NewTime(time.Date(2024, 5, 1, 12, 0, 0, 0, time.FixedZone("CEST", 7200))),
		Raw:         runtime.RawExtension{Raw: []byte(`{"a": 1}`)},
		Free:        map[string]any{"list": []any{"x", int64(1), nil}},
	}
}

// hot sets everything that is hot or ignored.
func (s *nodeClassSpec) hot() *nodeClassSpec {
	s.Tags = map[string]string{"team": "a"}
	s.Weight = new(int32(10))
	for i := range s.Devices {
		s.Devices[i].IOPS = new(int64(3000))
	}
	return s
}

// karpenters are the options as Karpenter spells them.
func karpenters() *upstream.HashOptions {
	return &upstream.HashOptions{SlicesAsSets: true, IgnoreZeroValue: true, ZeroNil: true}
}

func TestSumIsThatOfADirectCall(t *testing.T) {
	s, err := hotupdate.SchemaOf[nodeClassSpec]()
	require.NoError(t, err)
	for _, tc := range []struct {
		name    string
		options hashstructure.Options
		format  upstream.Format
		direct  func() *upstream.HashOptions
		reason  string
	}{
		{"Karpenter", hashstructure.Karpenter(), upstream.FormatV2, karpenters, "sums of a fleet must not change on adoption"},
		{
			"zero value",
			hashstructure.Options{},
			upstream.FormatV2, func() *upstream.HashOptions { return nil },
			"the zero value is hashstructure's default",
		},
		{
			"format v1",
			hashstructure.Options{FormatV1: true},
			upstream.FormatV1, func() *upstream.HashOptions { return nil },
			"for users of hashstructure 1.x",
		},
		{
			"ZeroNil",
			hashstructure.Options{ZeroNil: true},
			upstream.FormatV2,
			func() *upstream.HashOptions { return &upstream.HashOptions{ZeroNil: true} }, "each option alone",
		},
		{
			"IgnoreZeroValue",
			hashstructure.Options{IgnoreZeroValue: true},
			upstream.FormatV2,
			func() *upstream.HashOptions { return &upstream.HashOptions{IgnoreZeroValue: true} }, "each option alone",
		},
		{
			"SlicesAsSets",
			hashstructure.Options{SlicesAsSets: true},
			upstream.FormatV2,
			func() *upstream.HashOptions { return &upstream.HashOptions{SlicesAsSets: true} }, "each option alone",
		},
		{
			"UseStringer",
			hashstructure.Options{UseStringer: true},
			upstream.FormatV2,
			func() *upstream.HashOptions { return &upstream.HashOptions{UseStringer: true} }, "each option alone",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			byPointer, err := upstream.Hash(spec(), tc.format, tc.direct())
			require.NoError(t, err)
			byValue, err := upstream.Hash(*spec(), tc.format, tc.direct())
			require.NoError(t, err)
			for _, config := range []*nodeClassSpec{spec(), spec().hot()} {
				got, err := hashstructure.Of(s, config, tc.options)
				require.NoError(t, err)
				assert.Equal(t, byPointer, got, tc.reason)
				assert.Equal(t, byValue, got, "Karpenter hands over a value")
			}
		})
	}
}

// TestGoldenSums pins sums: the same bytes on every platform, release after release.
func TestGoldenSums(t *testing.T) {
	s, err := hotupdate.SchemaOf[nodeClassSpec]()
	require.NoError(t, err)
	for _, tc := range []struct {
		name    string
		config  *nodeClassSpec
		options hashstructure.Options
		want    string
	}{
		{"Karpenter", spec(), hashstructure.Karpenter(), "16816059443908664279"},
		{"Karpenter, empty", nil, hashstructure.Karpenter(), "5017412114182463958"},
		{"format v2", spec(), hashstructure.Options{}, "4124901722233219198"},
		{"format v1", spec(), hashstructure.Options{FormatV1: true}, "12776603138904652656"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := hashstructure.Of(s, tc.config, tc.options)
			require.NoError(t, err)
			assert.Equal(t, tc.want, strconv.FormatUint(got, 10))
		})
	}
}

// KeptPart and MixedPart are embedded by pointer.
type (
	KeptPart struct {
		Kept int `json:"kept"`
	}
	MixedPart struct {
		Mixed int `json:"mixed"`
		Hot   int `json:"hot"   hotupdatable:"true"`
	}
)

// TestEmbeddedPointersAreHashed: hashstructure distinguishes an embedded pointer to an empty struct from nil. It counts
// as nil only if it has only hot parts.
func TestEmbeddedPointersAreHashed(t *testing.T) {
	type config struct {
		*KeptPart  `json:",inline"`
		*MixedPart `json:",inline"`
	}
	s, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	projection, err := hashstructure.Projection(s, &config{&KeptPart{}, &MixedPart{Hot: 1}})
	require.NoError(t, err)
	assert.Equal(t, &config{&KeptPart{}, nil}, projection)
	projection, err = hashstructure.Projection(s, &config{nil, &MixedPart{Mixed: 1}})
	require.NoError(t, err)
	assert.Equal(t, &config{nil, &MixedPart{Mixed: 1}}, projection)
}

// TestSumOfFreeJSONIsThatOfADirectCall: hashstructure hashes the spelling of JSON, so a copy must keep it.
func TestSumOfFreeJSONIsThatOfADirectCall(t *testing.T) {
	s, err := hotupdate.SchemaOf[nodeClassSpec]()
	require.NoError(t, err)
	config := &nodeClassSpec{Free: json.RawMessage(`{ "a": "<" }`)}
	want, err := upstream.Hash(config, upstream.FormatV2, nil)
	require.NoError(t, err)
	got, err := hashstructure.Of(s, config, hashstructure.Options{})
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestManyGoroutinesOneOptions fails, and the race detector reports, if calls share hashstructure's options.
func TestManyGoroutinesOneOptions(t *testing.T) {
	s, err := hotupdate.SchemaOf[nodeClassSpec]()
	require.NoError(t, err)
	options := hashstructure.Karpenter()
	config := spec().hot()
	want, err := hashstructure.Of(s, config, options)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				got, err := hashstructure.Of(s, config, options)
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			}
		})
	}
	group.Wait()
}

func TestProjection(t *testing.T) {
	s, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	virtual := map[string]string{"gpu": "1"}
	for _, tc := range []struct {
		name         string
		config, want *workerConfig
		reason       string
	}{
		{"nil", nil, &workerConfig{}, "the empty configuration"},
		{
			"TypeMeta", &workerConfig{TypeMeta: metav1.TypeMeta{Kind: "K"}}, &workerConfig{TypeMeta: metav1.TypeMeta{Kind: "K"}},
			"hashstructure hashes it, as in a direct call",
		},
		{"hot fields", &workerConfig{Tags: virtual, Hint: new("h")}, &workerConfig{}, "are zero"},
		{
			"immutable fields", &workerConfig{Zones: []string{"b", "a", "a"}}, &workerConfig{Zones: []string{"b", "a", "a"}},
			"nothing is sorted",
		},
		{"empty immutable list", &workerConfig{Zones: []string{}}, &workerConfig{Zones: []string{}}, "empty is not nil"},
		{
			"object with hot parts only", &workerConfig{NodeTemplate: &nodeTemplate{VirtualCapacity: virtual}}, &workerConfig{},
			"it may not have been there before the first hot part",
		},
		{
			"empty object that could have hot parts", &workerConfig{NodeTemplate: &nodeTemplate{}}, &workerConfig{},
			"the same configuration with its hot parts removed",
		},
		{
			"object with another part", &workerConfig{NodeTemplate: &nodeTemplate{Capacity: map[string]string{}, VirtualCapacity: virtual}},
			&workerConfig{NodeTemplate: &nodeTemplate{Capacity: map[string]string{}}}, "an empty map is something",
		},
		{
			"object whose presence counts", &workerConfig{Marker: &nodeTemplate{VirtualCapacity: virtual}},
			&workerConfig{Marker: &nodeTemplate{}}, "the struct tag says presence",
		},
		{"embedded pointer", &workerConfig{Extra: &Extra{Note: "n"}}, &workerConfig{}, "as if it were named"},
		{
			"element with hot parts only", &workerConfig{Interfaces: []*nodeTemplate{{VirtualCapacity: virtual}, nil}},
			&workerConfig{Interfaces: []*nodeTemplate{nil, nil}}, "places stay",
		},
		{
			"hot elements", &workerConfig{Labels: []label{{Name: "a", Value: "1"}, {Name: "b", Roll: true}, {Name: "c"}}},
			&workerConfig{Labels: []label{{Name: "b", Roll: true}}}, "hotwhen holds",
		},
		{"hot elements only", &workerConfig{Labels: []label{{Name: "a"}}}, &workerConfig{}, "the list may not have been there before"},
		{
			"elements of a hot list", &workerConfig{Disks: &[]disk{{Name: "a", Note: "n"}, {Name: "b", Type: "ssd"}}},
			&workerConfig{Disks: &[]disk{{Name: "b", Type: "ssd"}}}, "what is not hot in it is kept",
		},
		{
			"entries of a hot map", &workerConfig{Mounts: map[string]*disk{"a/~": {Note: "n"}, "b/~": {Type: "ssd", Note: "n"}, "c": nil}},
			&workerConfig{Mounts: map[string]*disk{"b/~": {Type: "ssd"}}}, "as in a list",
		},
		{
			"entries of an immutable map", &workerConfig{Pools: map[int]nodeTemplate{-1: {VirtualCapacity: virtual}}},
			&workerConfig{Pools: map[int]nodeTemplate{-1: {}}}, "their presence counts",
		},
		{
			"lists in a list", &workerConfig{Grid: [][]nodeTemplate{{{VirtualCapacity: virtual}}, {}, nil}},
			&workerConfig{Grid: [][]nodeTemplate{{{}}, {}, nil}}, "empty is not nil",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := hashstructure.Projection(s, tc.config)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got, tc.reason)
		})
	}
}

func TestProjectionOfAPointerType(t *testing.T) {
	s, err := hotupdate.SchemaOf[*nodeClassSpec]()
	require.NoError(t, err)
	config := spec().hot()
	got, err := hashstructure.Of(s, &config, hashstructure.Karpenter())
	require.NoError(t, err)
	want, err := upstream.Hash(spec(), upstream.FormatV2, karpenters())
	require.NoError(t, err)
	assert.Equal(t, want, got)
	empty, err := hashstructure.Projection[*nodeClassSpec](s, nil)
	require.NoError(t, err)
	assert.Equal(t, &nodeClassSpec{}, *empty, "the root is never nil")
}

func TestProjectionOfAPointerToANilPointer(t *testing.T) {
	type doubled struct {
		Name **string `json:"name,omitempty"`
	}
	s, err := hotupdate.SchemaOf[doubled]()
	require.NoError(t, err)
	got, err := hashstructure.Projection(s, &doubled{Name: new(*string)})
	require.NoError(t, err)
	assert.Equal(t, &doubled{}, got, "an exception that the package documentation names")
}

// TestProjectionByItself: the element itself decides about its hashed part, with or without a path to it.
func TestProjectionByItself(t *testing.T) {
	type secret struct {
		Keys map[string]disk `json:"keys,omitempty" hotupdatable:"true,sensitive=keys"`
	}
	s, err := hotupdate.SchemaOf[secret]()
	require.NoError(t, err)
	projection, err := hashstructure.Projection(s, &secret{Keys: map[string]disk{"k": {Type: "t", Note: "n"}, "hot": {Note: "n"}}})
	require.NoError(t, err)
	assert.Equal(t, &secret{Keys: map[string]disk{"k": {Type: "t"}}}, projection, "keys are hidden")

	workers, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	other, err := hashstructure.Projection(workers, &workerConfig{Labels: []label{{Name: "a"}, {Name: "a", Roll: true}}})
	require.NoError(t, err)
	assert.Equal(t, &workerConfig{Labels: []label{{Name: "a", Roll: true}}}, other, "two of one key, of which one is hot")
}

func TestProjectionSharesNoMemory(t *testing.T) {
	s, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	config := func() *workerConfig {
		return &workerConfig{
			Zones:  []string{"a"},
			Labels: []label{{Name: "hot"}, {Name: "kept", Roll: true}},
			Mounts: map[string]*disk{"hot": {Note: "n"}, "kept": {Type: "ssd"}},
			Pools:  map[int]nodeTemplate{1: {Capacity: map[string]string{"cpu": "1"}}},
		}
	}
	original := config()
	projection, err := hashstructure.Projection(s, original)
	require.NoError(t, err)
	projection.Zones[0] = "b"
	projection.Labels[0].Name = "changed"
	projection.Mounts["kept"].Type = "hdd"
	projection.Pools[1].Capacity["cpu"] = "2"
	assert.Equal(t, config(), original)
}

func BenchmarkOf(b *testing.B) {
	s, err := hotupdate.SchemaOf[nodeClassSpec]()
	require.NoError(b, err)
	config := spec().hot()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := hashstructure.Of(s, config, hashstructure.Karpenter()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDirect(b *testing.B) {
	config := spec()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := upstream.Hash(config, upstream.FormatV2, karpenters()); err != nil {
			b.Fatal(err)
		}
	}
}
