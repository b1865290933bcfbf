package hashstructure_test

import (
	"slices"
	"strings"
	"testing"

	upstream "github.com/mitchellh/hashstructure/v2"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash/hashstructure"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// workerConfig has every place where hot parts can come and go.
type workerConfig struct {
	metav1.TypeMeta `json:",inline"`

	tuning `json:",inline"`
	*Extra `json:",inline"`

	Zones        []string             `json:"zones,omitempty"        hotupdatable:"false,set"`
	NodeTemplate *nodeTemplate        `json:"nodeTemplate,omitempty"`
	Marker       *nodeTemplate        `json:"marker,omitempty"       hotupdatable:"false,presence"`
	DataVolumes  []*dataVolume        `json:"dataVolumes,omitempty"  hotupdatable:"false,key=name"`
	Interfaces   []*nodeTemplate      `json:"interfaces,omitempty"`
	Slots        [2]*nodeTemplate     `json:"slots,omitempty"`
	Labels       []label              `json:"labels,omitempty"       hotupdatable:"false,key=name,hotwhen=roll:false"`
	Disks        *[]disk              `json:"disks,omitempty"        hotupdatable:"true,key=name"`
	Mounts       map[string]*disk     `json:"mounts,omitempty"       hotupdatable:"true"`
	Pools        map[int]nodeTemplate `json:"pools,omitempty"`
	Grid         [][]nodeTemplate     `json:"grid,omitempty"`
	Tags         map[string]string    `json:"tags,omitempty"         hotupdatable:"true"`
	Hint         *string              `json:"hint,omitempty"         hotupdatable:"ignore"`
	Secrets      map[string]string    `json:"secrets,omitempty"      hotupdatable:"true,sensitive=keys"`
}

type tuning struct {
	Speed *int64 `json:"speed,omitempty" hotupdatable:"true"`
	Cores int32  `json:"cores,omitempty"`
}

type Extra struct {
	Note  string        `json:"note,omitempty"  hotupdatable:"true"`
	Limit *int64        `json:"limit,omitempty"`
	Deep  *nodeTemplate `json:"deep,omitempty"`
}

type nodeTemplate struct {
	Capacity        map[string]string `json:"capacity,omitempty"`
	VirtualCapacity map[string]string `json:"virtualCapacity,omitempty" hotupdatable:"ignore"`
}

type dataVolume struct {
	Name string        `json:"name"`
	Size int64         `json:"size,omitempty"`
	IOPS *int64        `json:"iops,omitempty" hotupdatable:"true"`
	Sub  *nodeTemplate `json:"sub,omitempty"`
}

type label struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	Roll  bool   `json:"roll,omitempty"`
}

type disk struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty" hotupdatable:"inplace"`
	Note string `json:"note,omitempty"`
}

// maker draws configurations. The immutable parts are drawn first and kept, the others are drawn anew for each.
type maker struct {
	t         *rapid.T
	templates map[string]*nodeTemplate // the immutable parts by where they stand; nil is absent
}

func draw[V any](t *rapid.T, name string, values ...V) V {
	return rapid.SampledFrom(values).Draw(t, name)
}

// template returns a copy with other hot parts. If nothing else is set, its presence is hot as well.
func (m *maker) template(place string) *nodeTemplate {
	base, known := m.templates[place]
	if !known {
		base = draw(m.t, place, nil, &nodeTemplate{Capacity: map[string]string{}}, &nodeTemplate{Capacity: map[string]string{"cpu": "1"}})
		m.templates[place] = base
	}
	made := nodeTemplate{VirtualCapacity: draw(m.t, place+" hot", nil, map[string]string{}, map[string]string{"gpu": "1"})}
	if base != nil {
		made.Capacity = base.Capacity
	} else if made.VirtualCapacity == nil && draw(m.t, place+" nil", true, false) {
		return nil
	}
	return &made
}

// value is template for places that are no pointers.
func (m *maker) value(place string) nodeTemplate {
	if made := m.template(place); made != nil {
		return *made
	}
	return nodeTemplate{}
}

type immutable struct {
	zones   []string
	cores   int32
	limit   *int64
	marker  bool
	volumes []dataVolume
	labels  []label
	disks   []string
	grid    [][]nodeTemplate
	pools   int
}

func drawImmutable(t *rapid.T) immutable {
	return immutable{
		zones:   draw(t, "zones", nil, []string{}, []string{"b", "a"}),
		cores:   draw(t, "cores", int32(0), int32(4)),
		limit:   draw(t, "limit", nil, new(int64)),
		marker:  draw(t, "marker", true, false),
		volumes: draw(t, "volumes", nil, []dataVolume{{Name: "a"}}, []dataVolume{{Name: "b", Size: 1}, {Name: "a"}}),
		labels: draw(
			t, "labels", nil, []label{{Name: "l", Roll: true}},
			[]label{{Name: "m", Value: "v", Roll: true}, {Name: "l", Value: "v", Roll: true}},
		),
		disks: draw(t, "disks", nil, []string{"d"}, []string{"e", "d"}),
		grid:  draw(t, "grid", nil, [][]nodeTemplate{}, [][]nodeTemplate{nil, {}, {{Capacity: map[string]string{"cpu": "1"}}}}),
		pools: draw(t, "pools", 0, 1, 2),
	}
}

// with returns a configuration with these immutable parts and freshly drawn other ones.
func (m *maker) with(i immutable) *workerConfig {
	c := &workerConfig{
		Zones: i.zones, NodeTemplate: m.template("nodeTemplate"), Slots: [2]*nodeTemplate{m.template("slot 0"), m.template("slot 1")},
	}
	c.Cores = i.cores
	c.Speed = draw(m.t, "speed", nil, new(int64))
	c.Hint = draw(m.t, "hint", nil, new(string))
	c.Tags = draw(m.t, "tags", nil, map[string]string{}, map[string]string{"k": "v"})
	c.Secrets = draw(m.t, "secrets", nil, map[string]string{"k": "v"})
	deep := m.template("deep")
	note := draw(m.t, "note", "", "n")
	hasExtra := i.limit != nil || deep != nil || note != ""
	if hasExtra || draw(m.t, "extra", true, false) {
		c.Extra = &Extra{Note: note, Limit: i.limit, Deep: deep}
	}
	if i.marker {
		c.Marker = &nodeTemplate{VirtualCapacity: draw(m.t, "marker hot", nil, map[string]string{"gpu": "1"})}
	}
	for _, v := range i.volumes {
		v.IOPS = draw(m.t, "iops", nil, new(int64))
		v.Sub = m.template("sub " + v.Name)
		c.DataVolumes = append(c.DataVolumes, &v)
	}
	c.Interfaces = []*nodeTemplate{m.template("interface 0"), m.template("interface 1")}
	for n := range i.pools {
		if c.Pools == nil {
			c.Pools = map[int]nodeTemplate{}
		}
		c.Pools[n] = m.value("pool " + strings.Repeat("i", n))
	}
	for _, row := range i.grid {
		row = slices.Clone(row)
		for n := range row {
			row[n].VirtualCapacity = draw(m.t, "grid hot", nil, map[string]string{"gpu": "1"})
		}
		c.Grid = append(c.Grid, row)
	}
	if i.grid != nil && c.Grid == nil {
		c.Grid = [][]nodeTemplate{}
	}
	m.addLabels(c, i)
	m.addDisks(c, i)
	return c
}

// addLabels puts hot labels among the others.
func (m *maker) addLabels(c *workerConfig, i immutable) {
	c.Labels = slices.Clone(i.labels)
	if len(c.Labels) == 0 && draw(m.t, "no labels", true, false) {
		c.Labels = []label{}
	}
	for _, name := range draw(m.t, "hot labels", nil, []string{"h"}, []string{"h", "g"}) {
		at := rapid.IntRange(0, len(c.Labels)).Draw(m.t, "at")
		c.Labels = slices.Insert(c.Labels, at, label{Name: name, Value: draw(m.t, "value", "", "v")})
	}
}

// addDisks puts disks with nothing but hot parts among the others.
func (m *maker) addDisks(c *workerConfig, i immutable) {
	var disks []disk
	c.Mounts = draw(m.t, "no mounts", nil, map[string]*disk{})
	for _, name := range i.disks {
		disks = append(disks, disk{Name: name, Type: "ssd", Note: draw(m.t, "disk note", "", "n")})
	}
	for _, name := range draw(m.t, "hot disks", nil, []string{"y"}, []string{"y", "x"}) {
		at := rapid.IntRange(0, len(disks)).Draw(m.t, "at")
		disks = slices.Insert(disks, at, disk{Name: name, Note: draw(m.t, "disk note", "", "n")})
	}
	for _, d := range disks {
		if c.Mounts == nil {
			c.Mounts = map[string]*disk{}
		}
		c.Mounts[d.Name] = &disk{Type: d.Type, Note: d.Note}
	}
	if draw(m.t, "null mount", true, false) && c.Mounts != nil {
		c.Mounts["null"] = nil
	}
	if disks != nil || draw(m.t, "no disks", true, false) {
		c.Disks = &disks
	}
}

func drawOptions(t *rapid.T) hashstructure.Options {
	return hashstructure.Options{
		FormatV1:        draw(t, "format v1", true, false),
		ZeroNil:         draw(t, "ZeroNil", true, false),
		IgnoreZeroValue: draw(t, "IgnoreZeroValue", true, false),
		SlicesAsSets:    draw(t, "SlicesAsSets", true, false),
		UseStringer:     draw(t, "UseStringer", true, false),
	}
}

// direct calls hashstructure with the same options.
func direct(v any, o hashstructure.Options) (uint64, error) {
	format := upstream.FormatV2
	if o.FormatV1 {
		format = upstream.FormatV1
	}
	options := &upstream.HashOptions{
		ZeroNil: o.ZeroNil, IgnoreZeroValue: o.IgnoreZeroValue, SlicesAsSets: o.SlicesAsSets, UseStringer: o.UseStringer,
	}
	return upstream.Hash(v, format, options)
}

func documentOf(t *rapid.T, s *hotupdate.Schema, config any) string {
	document, err := s.Document(config)
	require.NoError(t, err)
	return string(document)
}

func TestPropertyHotChangesKeepTheSum(t *testing.T) {
	s, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{t: t, templates: map[string]*nodeTemplate{}}
		parts := drawImmutable(t)
		options := drawOptions(t)
		before := m.with(parts)
		after := m.with(parts)
		require.Equal(t, documentOf(t, s, before), documentOf(t, s, after), "they differ in hot parts only")

		first, err := hashstructure.Of(s, before, options)
		require.NoError(t, err)
		second, err := hashstructure.Of(s, after, options)
		require.NoError(t, err)
		require.Equal(t, first, second)
	})
}

func TestPropertySumIsTheDirectCallOnTheProjection(t *testing.T) {
	s, err := hotupdate.SchemaOf[workerConfig]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{t: t, templates: map[string]*nodeTemplate{}}
		config := m.with(drawImmutable(t))
		options := drawOptions(t)
		got, err := hashstructure.Of(s, config, options)
		require.NoError(t, err)
		projection, err := hashstructure.Projection(s, config)
		require.NoError(t, err)
		want, err := direct(projection, options)
		require.NoError(t, err)
		require.Equal(t, want, got)

		require.Equal(t, documentOf(t, s, config), documentOf(t, s, projection))
		again, err := hashstructure.Projection(s, projection)
		require.NoError(t, err)
		require.Equal(t, projection, again, "nothing is left to take out")
	})
}
