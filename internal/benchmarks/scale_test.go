package benchmarks_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
)

// collections is a type with the collections whose size grows.
type collections struct {
	List    []string                     `json:"list,omitempty"`
	Objects []fixture.NetworkInterface   `json:"objects,omitempty"`
	Keyed   []fixture.DataVolume         `json:"keyed,omitempty"   hotupdatable:"false,key=name"`
	Set     []string                     `json:"set,omitempty"     hotupdatable:"false,set"`
	Map     map[string]string            `json:"map,omitempty"`
	Amounts map[string]resource.Quantity `json:"amounts,omitempty"`
}

// growing has the kinds of collections, and for two of them the code that is written by hand. hash returns the hash of
// a collection of n elements.
var growing = []struct {
	name string
	hash func(t require.TestingT, n int) func() error
}{
	{"list-of-texts/by=library", ofCollections(func(c *collections, n int) { c.List = texts(n) })},
	{"list-of-objects/by=library", ofCollections(func(c *collections, n int) { c.Objects = interfaces(n) })},
	{"list-of-objects/by=by-hand", ofLimit(func(c *fixture.WorkerConfig, n int) { c.NetworkInterfaces = interfaces(n) })},
	{"keyed-list-in-order/by=library", ofCollections(func(c *collections, n int) {
		c.Keyed = volumes(n)
		slices.SortFunc(c.Keyed, func(a, b fixture.DataVolume) int { return strings.Compare(a.Name, b.Name) })
	})},
	{"keyed-list-shuffled/by=library", ofCollections(func(c *collections, n int) { c.Keyed = volumes(n) })},
	{"set-shuffled/by=library", ofCollections(func(c *collections, n int) { c.Set = texts(n) })},
	{"map-of-texts/by=library", ofCollections(func(c *collections, n int) {
		c.Map = map[string]string{}
		for _, text := range texts(n) {
			c.Map[text] = "value"
		}
	})},
	{"map-of-quantities/by=library", ofCollections(func(c *collections, n int) { c.Amounts = quantities(n) })},
	{"map-of-quantities/by=by-hand", ofLimit(func(c *fixture.WorkerConfig, n int) {
		c.NodeTemplate = &fixture.NodeTemplate{Capacity: quantities(n)}
	})},
}

// BenchmarkScale hashes collections of growing size.
func BenchmarkScale(b *testing.B) {
	for _, collection := range growing {
		for _, n := range []int{100, 10_000, 100_000} {
			hash := collection.hash(b, n)
			b.Run("of="+collection.name+"/n="+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := hash(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/element")
			})
		}
	}
}

// TestScale: every collection has a hash.
func TestScale(t *testing.T) {
	for _, collection := range growing {
		for _, n := range []int{0, 10, 1000} {
			require.NoError(t, collection.hash(t, n)(), "%s of %d", collection.name, n)
		}
	}
}

func ofCollections(fill func(c *collections, n int)) func(t require.TestingT, n int) func() error {
	return func(t require.TestingT, n int) func() error {
		s, err := hotupdate.SchemaOf[collections]()
		require.NoError(t, err)
		c := &collections{}
		fill(c, n)
		return func() error { _, err := s.Hash(c); return err }
	}
}

func ofLimit(fill func(c *fixture.WorkerConfig, n int)) func(t require.TestingT, n int) func() error {
	return func(_ require.TestingT, n int) func() error {
		c := &fixture.WorkerConfig{}
		fill(c, n)
		return func() error { _, err := limit.Sum(c); return err }
	}
}

// text is the i-th of texts in no order.
func text(i int) string {
	return fmt.Sprintf("example.com/%08x", uint32(i)*2654435761) //nolint:gosec // wraps around on purpose
}

func texts(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = text(i)
	}
	return list
}

func interfaces(n int) []fixture.NetworkInterface {
	list := make([]fixture.NetworkInterface, n)
	for i := range list {
		list[i] = fixture.NetworkInterface{NetworkCardIndex: new(int64(i)), DeviceIndex: 1}
	}
	return list
}

func volumes(n int) []fixture.DataVolume {
	list := make([]fixture.DataVolume, n)
	for i := range list {
		list[i].Name = text(i)
	}
	return list
}

func quantities(n int) map[string]resource.Quantity {
	m := make(map[string]resource.Quantity, n)
	for i := range n {
		m[text(i)] = *resource.NewQuantity(int64(i), resource.DecimalSI)
	}
	return m
}
