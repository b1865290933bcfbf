package cases

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
)

// collections is a type with the collections whose size is swept.
type collections struct {
	List    []string                     `json:"list,omitempty"`
	Objects []fixture.NetworkInterface   `json:"objects,omitempty"`
	Keyed   []fixture.DataVolume         `json:"keyed,omitempty"   hotupdatable:"false,key=name"`
	Set     []string                     `json:"set,omitempty"     hotupdatable:"false,set"`
	Map     map[string]string            `json:"map,omitempty"`
	Amounts map[string]resource.Quantity `json:"amounts,omitempty"`
}

// Series is one kind of collection in all sizes.
type Series struct {
	Name string
	At   func(n int) (func() error, error) // hashes a collection of n elements
}

// Scale returns the kinds of collections, and beside two of them the limit.
func Scale() []Series {
	return []Series{
		{"list of texts", ofCollections(func(c *collections, n int) {
			for i := range n {
				c.List = append(c.List, name(i))
			}
		})},
		{"list of objects", ofCollections(func(c *collections, n int) { c.Objects = interfaces(n) })},
		{"keyed list, in order", ofCollections(func(c *collections, n int) {
			c.Keyed = volumes(n)
			slices.SortFunc(c.Keyed, func(a, b fixture.DataVolume) int { return strings.Compare(a.Name, b.Name) })
		})},
		{"keyed list, shuffled", ofCollections(func(c *collections, n int) { c.Keyed = volumes(n) })},
		{"set of texts, shuffled", ofCollections(func(c *collections, n int) {
			for i := range n {
				c.Set = append(c.Set, name(i))
			}
		})},
		{"map of texts", ofCollections(func(c *collections, n int) {
			c.Map = map[string]string{}
			for i := range n {
				c.Map[name(i)] = "value"
			}
		})},
		{"map of quantities", ofCollections(func(c *collections, n int) { c.Amounts = quantities(n) })},
		{
			"by hand: list of objects",
			ofLimit(func(c *fixture.WorkerConfig, n int) { c.NetworkInterfaces = interfaces(n) }),
		},
		{
			"by hand: map of quantities", ofLimit(func(c *fixture.WorkerConfig, n int) {
				c.NodeTemplate = &fixture.NodeTemplate{Capacity: quantities(n)}
			}),
		},
	}
}

func ofCollections(fill func(c *collections, n int)) func(n int) (func() error, error) {
	return func(n int) (func() error, error) {
		s, err := hotupdate.SchemaOf[collections]()
		c := &collections{}
		fill(c, n)
		return func() error { _, err := s.Hash(c); return err }, err
	}
}

func ofLimit(fill func(c *fixture.WorkerConfig, n int)) func(n int) (func() error, error) {
	return func(n int) (func() error, error) {
		c := &fixture.WorkerConfig{}
		fill(c, n)
		return func() error { _, err := limit.Sum(c); return err }, nil
	}
}

// name is the i-th of names in no order.
func name(i int) string {
	return fmt.Sprintf("example.com/%08x", uint32(i)*2654435761)
} //nolint:gosec // wraps around on purpose

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
		list[i].Name = name(i)
	}
	return list
}

func quantities(n int) map[string]resource.Quantity {
	m := make(map[string]resource.Quantity, n)
	for i := range n {
		m[name(i)] = *resource.NewQuantity(int64(i), resource.DecimalSI)
	}
	return m
}
