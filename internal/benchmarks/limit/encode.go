// Package limit is code that a developer writes by hand for one type in a day: the canonical
// document of a fixture.WorkerConfig, its digest, and the comparison of two of them, without
// reflection. It is the measure of the library's speed.
//
// It owns nothing: it writes the bytes of package hash, which the tests compare.
package limit

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"hash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
)

var errText = errors.New("text that is not UTF-8")

// spillAt is the size of the pieces that are handed to the digest.
const spillAt = 4 << 10

// Document returns the canonical document of a configuration.
func Document(c *fixture.WorkerConfig) ([]byte, error) {
	var e encoder
	e.config(c)
	return e.buf, e.err
}

// Sum returns the digest of the canonical document.
func Sum(c *fixture.WorkerConfig) (sum [sha256.Size]byte, err error) {
	e := encoders.Get().(*encoder)
	e.config(c)
	if e.spilled {
		e.digest.Write(e.buf)
		copy(sum[:], e.digest.Sum(e.buf[:0]))
	} else {
		sum = sha256.Sum256(e.buf)
	}
	err = e.err
	clear(e.entries)
	clear(e.sorted)
	e.buf = e.buf[:0]
	e.byName = e.byName[:0]
	e.entries = e.entries[:0]
	e.sorted = e.sorted[:0]
	e.spilled = false
	e.err = nil
	encoders.Put(e)
	return sum, err
}

var encoders = sync.Pool{New: func() any {
	return &encoder{buf: make([]byte, 0, 2*spillAt), digest: sha256.New()}
}}

type encoder struct {
	buf     []byte
	digest  hash.Hash // nil: everything stays in buf
	spilled bool
	err     error
	byName  []int // indices of the data volumes
	entries []entry
	sorted  []*entry
}

type entry struct {
	key   string
	value resource.Quantity
}

func (e *encoder) spill() {
	if e.digest == nil || len(e.buf) < spillAt {
		return
	}
	if !e.spilled {
		e.digest.Reset()
		e.spilled = true
	}
	e.digest.Write(e.buf)
	e.buf = e.buf[:0]
}

func (e *encoder) config(c *fixture.WorkerConfig) {
	e.buf = append(e.buf, '{')
	comma := false
	comma = e.reservation(c.CapacityReservation, comma)
	comma = e.cpu(c.CPUOptions, comma)
	comma = e.dataVolumes(c.DataVolumes, comma)
	comma = e.profile(c.IAMInstanceProfile, comma)
	if m := c.InstanceMarketOptions; m != nil && m.MarketType != "" {
		e.open(`"instanceMarketOptions":{"marketType":`, comma)
		e.text(m.MarketType)
		e.buf = append(e.buf, '}')
		comma = true
	}
	comma = e.metadata(c.MetadataOptions, comma)
	comma = e.networkInterfaces(c.NetworkInterfaces, comma)
	if n := c.NodeTemplate; n != nil && len(n.Capacity) > 0 {
		e.open(`"nodeTemplate":{"capacity":`, comma)
		e.quantities(n.Capacity)
		e.buf = append(e.buf, '}')
		comma = true
	}
	comma = e.placement(c.Placement, comma)
	if v := c.Volume; v != nil && (v.Iops != nil || v.Throughput != nil) {
		e.open(`"volume":{`, comma)
		inner := e.integer32(`"iops":`, v.Iops, false)
		e.integer32(`"throughput":`, v.Throughput, inner)
		e.buf = append(e.buf, '}')
	}
	e.buf = append(e.buf, '}')
}

// open writes a header, after a comma if something stands before it.
func (e *encoder) open(header string, comma bool) { //nolint:revive // by hand, and fast
	if comma {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, header...)
}

func (e *encoder) reservation(r *fixture.CapacityReservation, comma bool) bool {
	if r == nil {
		return comma
	}
	if r.Preference == nil && r.ID == nil && r.ResourceGroupARN == nil {
		return comma
	}
	e.open(`"capacityReservation":{`, comma)
	inner := e.member(`"capacityReservationId":`, r.ID, false)
	inner = e.member(`"capacityReservationPreference":`, r.Preference, inner)
	e.member(`"capacityReservationResourceGroupArn":`, r.ResourceGroupARN, inner)
	e.buf = append(e.buf, '}')
	return true
}

func (e *encoder) cpu(o *fixture.CPUOptions, comma bool) bool {
	if o == nil {
		return comma
	}
	if o.AmdSevSnp == nil && o.CoreCount == nil && o.ThreadsPerCore == nil {
		return comma
	}
	e.open(`"cpuOptions":{`, comma)
	inner := e.member(`"amdSevSnp":`, o.AmdSevSnp, false)
	inner = e.integer32(`"coreCount":`, o.CoreCount, inner)
	e.integer32(`"threadsPerCore":`, o.ThreadsPerCore, inner)
	e.buf = append(e.buf, '}')
	return true
}

func (e *encoder) profile(p *fixture.Profile, comma bool) bool {
	if p == nil || p.ARN == nil && p.Name == nil {
		return comma
	}
	e.open(`"iamInstanceProfile":{`, comma)
	inner := e.member(`"arn":`, p.ARN, false)
	e.member(`"name":`, p.Name, inner)
	e.buf = append(e.buf, '}')
	return true
}

func (e *encoder) metadata(o *fixture.MetadataOptions, comma bool) bool {
	if o == nil || o.HTTPPutResponseHopLimit == nil && o.HTTPTokens == nil {
		return comma
	}
	e.open(`"instanceMetadataOptions":{`, comma)
	inner := e.integer32(`"httpPutResponseHopLimit":`, o.HTTPPutResponseHopLimit, false)
	e.member(`"httpTokens":`, o.HTTPTokens, inner)
	e.buf = append(e.buf, '}')
	return true
}

func (e *encoder) placement(p *fixture.Placement, comma bool) bool {
	if p == nil {
		return comma
	}
	hasHost := p.Affinity != nil || p.HostID != nil || p.Tenancy != nil
	hasGroup := p.GroupID != nil || p.PartitionNumber != nil
	if !hasHost && !hasGroup {
		return comma
	}
	e.open(`"placement":{`, comma)
	inner := e.member(`"affinity":`, p.Affinity, false)
	inner = e.member(`"groupId":`, p.GroupID, inner)
	inner = e.member(`"hostId":`, p.HostID, inner)
	inner = e.integer64(`"partitionNumber":`, p.PartitionNumber, inner)
	e.member(`"tenancy":`, p.Tenancy, inner)
	e.buf = append(e.buf, '}')
	return true
}

// dataVolumes writes the data volumes by name. Those of one name keep their order.
func (e *encoder) dataVolumes(volumes []fixture.DataVolume, comma bool) bool {
	if len(volumes) == 0 {
		return comma
	}
	for i := range volumes {
		e.byName = append(e.byName, i)
	}
	slices.SortFunc(e.byName, func(a, b int) int {
		if order := strings.Compare(volumes[a].Name, volumes[b].Name); order != 0 {
			return order
		}
		return cmp.Compare(a, b)
	})
	e.open(`"dataVolumes":[`, comma)
	for i, at := range e.byName {
		e.dataVolume(&volumes[at], i > 0)
		e.spill()
	}
	e.buf = append(e.buf, ']')
	return true
}

func (e *encoder) dataVolume(v *fixture.DataVolume, comma bool) {
	e.open(`{`, comma)
	inner := e.integer32(`"iops":`, v.Iops, false)
	e.open(`"name":`, inner)
	e.text(v.Name)
	e.member(`"snapshotID":`, v.SnapshotID, true)
	e.integer32(`"throughput":`, v.Throughput, true)
	e.buf = append(e.buf, '}')
}

func (e *encoder) networkInterfaces(interfaces []fixture.NetworkInterface, comma bool) bool {
	if len(interfaces) == 0 {
		return comma
	}
	e.open(`"networkInterfaces":[`, comma)
	for i := range interfaces {
		e.networkInterface(&interfaces[i], i > 0)
		e.spill()
	}
	e.buf = append(e.buf, ']')
	return true
}

func (e *encoder) networkInterface(n *fixture.NetworkInterface, comma bool) {
	e.open(`{`, comma)
	inner := e.member(`"description":`, n.Description, false)
	if n.DeviceIndex != 0 {
		inner = e.integer64(`"deviceIndex":`, &n.DeviceIndex, inner)
	}
	inner = e.integer64(`"networkCardIndex":`, n.NetworkCardIndex, inner)
	if r := n.NetworkCardRange; r != nil && (r.From != 0 || r.To != 0) {
		inner = e.indexRange(r, inner)
	}
	inner = e.member(`"subnetID":`, n.SubnetID, inner)
	if n.Type != nil && *n.Type != "interface" {
		e.member(`"type":`, n.Type, inner)
	}
	e.buf = append(e.buf, '}')
}

func (e *encoder) indexRange(r *fixture.IndexRange, comma bool) bool {
	e.open(`"networkCardIndexRange":{`, comma)
	inner := false
	if r.From != 0 {
		inner = e.integer64(`"from":`, &r.From, false)
	}
	if r.To != 0 {
		e.integer64(`"to":`, &r.To, inner)
	}
	e.buf = append(e.buf, '}')
	return true
}

func (e *encoder) quantities(m map[string]resource.Quantity) {
	for key, value := range m {
		e.entries = append(e.entries, entry{key, value})
	}
	for i := range e.entries {
		e.sorted = append(e.sorted, &e.entries[i])
	}
	slices.SortFunc(e.sorted, func(a, b *entry) int { return strings.Compare(a.key, b.key) })
	e.buf = append(e.buf, '{')
	for i, entry := range e.sorted {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.text(entry.key)
		e.buf = append(e.buf, ':', '"')
		e.quantity(&entry.value)
		e.buf = append(e.buf, '"')
		e.spill()
	}
	e.buf = append(e.buf, '}')
}

// quantity writes whole numbers, and fractions of which Kubernetes has at most nine digits.
func (e *encoder) quantity(q *resource.Quantity) {
	if i, ok := q.AsInt64(); ok {
		e.buf = strconv.AppendInt(e.buf, i, 10)
		return
	}
	exact := q.DeepCopy()
	e.buf = append(e.buf, strings.TrimRight(strings.TrimRight(exact.AsDec().String(), "0"), ".")...)
}

func (e *encoder) member(header string, s *string, comma bool) bool {
	if s == nil {
		return comma
	}
	e.open(header, comma)
	e.text(*s)
	return true
}

func (e *encoder) integer32(header string, i *int32, comma bool) bool {
	if i == nil {
		return comma
	}
	e.open(header, comma)
	e.buf = strconv.AppendInt(e.buf, int64(*i), 10)
	return true
}

func (e *encoder) integer64(header string, i *int64, comma bool) bool {
	if i == nil {
		return comma
	}
	e.open(header, comma)
	e.buf = strconv.AppendInt(e.buf, *i, 10)
	return true
}
