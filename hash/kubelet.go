package hash

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Kubelet is what of a kubelet's configuration replaces machines, or updates nodes in place.
//
// [Reserved] and [EvictionHard] have the fields of Gardener's types, so an adapter converts pointers, nil or not:
//
//	&hash.Kubelet{
//		KubeReserved:     (*hash.Reserved)(k.KubeReserved),
//		SystemReserved:   (*hash.Reserved)(k.SystemReserved),
//		EvictionHard:     (*hash.EvictionHard)(k.EvictionHard),
//		CPUManagerPolicy: k.CPUManagerPolicy,
//	}
type Kubelet struct {
	KubeReserved     *Reserved
	SystemReserved   *Reserved
	EvictionHard     *EvictionHard
	CPUManagerPolicy *string
	// Rule says what becomes of SystemReserved. It has to be the rule of the Gardener release that runs.
	Rule ReservationRule
}

// Reserved is what a kubelet keeps for daemons. Nil is not set, which is not the same as zero.
type Reserved struct {
	CPU              *resource.Quantity
	Memory           *resource.Quantity
	EphemeralStorage *resource.Quantity
	PID              *resource.Quantity
}

// EvictionHard holds a kubelet's hard eviction thresholds: quantities or percentages.
type EvictionHard struct {
	MemoryAvailable   *string
	ImageFSAvailable  *string
	ImageFSInodesFree *string
	NodeFSAvailable   *string
	NodeFSInodesFree  *string
}

// ReservationRule says which reservations Gardener's hashes cover. Changing it for a pool that has system reservations replaces its
// machines.
type ReservationRule uint8

// The rules for reservations.
const (
	// KubeReservedOnly is the rule of the newest releases: SystemReserved does not count.
	KubeReservedOnly ReservationRule = iota
	// SumOfReservations is the rule of older releases: KubeReserved and SystemReserved are added field by field, so that moving a
	// reservation from one to the other changes nothing.
	SumOfReservations
)

// String returns the rule in words.
func (r ReservationRule) String() string {
	switch r {
	case KubeReservedOnly:
		return "kubeReserved only"
	case SumOfReservations:
		return "sum of kubeReserved and systemReserved"
	}
	return "unknown"
}

// Data returns the strings that Gardener's hashes hold for a kubelet's configuration, none if it is nil:
//
//  1. the reservations as CPU-MEMORY-PID-EPHEMERAL, an absent one as <nil>. Left out if there are none at all, but not if there is an
//     object without any: that is <nil>-<nil>-<nil>-<nil>.
//  2. the hard eviction thresholds as imageFSAvailable-imageFSInodesFree-memoryAvailable-nodeFSAvailable-nodeFSInodesFree, an absent one
//     empty. Left out if nil.
//  3. the CPU manager policy. Left out if nil.
//
// Quantities are written in their canonical form, 1024Mi as 1Gi, but not by value: 1Gi and 1073741824 differ. A sum has the form of the
// kube reservation, unless that is zero. So under [SumOfReservations] moving a reservation changes nothing as long as both are written
// in one form.
//
// An unknown rule is a [*fault.Error] with "unknown-rule". The quantities are not changed. Source: Gardener v1.150.
func (k *Kubelet) Data() ([]string, error) {
	parts, err := k.parts()
	return values(parts), err
}

func (k *Kubelet) parts() ([]Part, error) {
	if k == nil {
		return nil, nil
	}
	reserved, err := k.Reservations()
	if err != nil {
		return nil, err
	}
	var parts []Part
	if reserved != nil {
		parts = append(parts, Part{PartReservations, reserved.text()})
	}
	if k.EvictionHard != nil {
		parts = append(parts, Part{PartEvictionHard, k.EvictionHard.text()})
	}
	if k.CPUManagerPolicy != nil {
		parts = append(parts, Part{PartCPUManagerPolicy, *k.CPUManagerPolicy})
	}
	return parts, nil
}

// Reservations returns the reservations that Gardener's hashes cover under the rule, nil if there are none at all: what the first
// string of [Kubelet.Data] is written from. The result may share quantities with k, and must not be changed.
//
// An unknown rule is a [*fault.Error] with "unknown-rule".
func (k *Kubelet) Reservations() (*Reserved, error) {
	if k == nil {
		return nil, nil //nolint:nilnil // no configuration has no reservations
	}
	switch k.Rule {
	case KubeReservedOnly:
		return k.KubeReserved, nil
	case SumOfReservations:
		return k.KubeReserved.plus(k.SystemReserved), nil
	}
	return nil, &fault.Error{
		Kind: fault.Misuse, Code: "unknown-rule", Field: "Kubelet.Rule", What: "has the unknown rule " + strconv.Itoa(int(k.Rule)),
		Hint: "use KubeReservedOnly or SumOfReservations",
	}
}

// plus adds field by field; nil and x are x.
func (r *Reserved) plus(other *Reserved) *Reserved {
	if r == nil {
		return other
	}
	if other == nil {
		return r
	}
	return &Reserved{
		CPU:              sum(r.CPU, other.CPU),
		Memory:           sum(r.Memory, other.Memory),
		EphemeralStorage: sum(r.EphemeralStorage, other.EphemeralStorage),
		PID:              sum(r.PID, other.PID),
	}
}

func sum(a, b *resource.Quantity) *resource.Quantity {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	both := a.DeepCopy()
	both.Add(*b)
	return &both
}

func (r *Reserved) text() string {
	return strings.Join([]string{quantity(r.CPU), quantity(r.Memory), quantity(r.PID), quantity(r.EphemeralStorage)}, "-")
}

// quantity prints a copy: Quantity's String keeps its result in the quantity, which the caller may share.
func quantity(q *resource.Quantity) string {
	if q == nil {
		return "<nil>"
	}
	c := q.DeepCopy()
	return c.String()
}

func (e *EvictionHard) text() string {
	return strings.Join([]string{
		deref(e.ImageFSAvailable), deref(e.ImageFSInodesFree), deref(e.MemoryAvailable),
		deref(e.NodeFSAvailable), deref(e.NodeFSInodesFree),
	}, "-")
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
