package hash

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Kubelet holds the parts of a kubelet's configuration whose changes replace machines, or update
// nodes in place. Hashed are the reservations, the hard eviction thresholds and the CPU manager
// policy, each if it is set. Quantities count by their text: 1Gi and 1073741824 differ.
//
// [Reserved] and [EvictionHard] have the fields of Gardener's types, so an adapter converts
// pointers, nil or not:
//
//	&hash.Kubelet{
//		KubeReserved:     (*hash.Reserved)(k.KubeReserved),
//		SystemReserved:   (*hash.Reserved)(k.SystemReserved),
//		EvictionHard:     (*hash.EvictionHard)(k.EvictionHard),
//		CPUManagerPolicy: k.CPUManagerPolicy,
//	}
//
// Gardener's hashes cover these strings, none if the Kubelet is nil:
//
//  1. the reservations as CPU-MEMORY-PID-EPHEMERAL, an absent one as <nil>. Left out if there is no
//     such object. An empty object is <nil>-<nil>-<nil>-<nil>.
//  2. the hard eviction thresholds as
//     imageFSAvailable-imageFSInodesFree-memoryAvailable-nodeFSAvailable-nodeFSInodesFree, an
//     absent one empty. Left out if nil.
//  3. the CPU manager policy. Left out if nil.
//
// Quantities are written in their canonical form, 1024Mi as 1Gi, but not by value: 1Gi and
// 1073741824 differ. A sum has the suffix form of the kube reservation, unless that is zero. So
// under SumReservations moving a reservation changes nothing as long as both have the same form.
//
// Source: Gardener v1.150.
type Kubelet struct {
	KubeReserved     *Reserved     `json:"kubeReserved"`
	SystemReserved   *Reserved     `json:"systemReserved"`
	EvictionHard     *EvictionHard `json:"evictionHard"`
	CPUManagerPolicy *string       `json:"cpuManagerPolicy"`
	// SumReservations adds SystemReserved to KubeReserved field by field, as older Gardener
	// releases do, so moving a reservation from one to the other changes nothing. Newer releases
	// ignore SystemReserved. Set it as the running release does: another setting replaces the
	// machines of pools that have system reservations.
	SumReservations bool `json:"-"`
}

// Reserved holds the resources that a kubelet reserves for daemons. Nil means not set, which
// differs from zero.
type Reserved struct {
	CPU              *resource.Quantity `json:"cpu"`
	Memory           *resource.Quantity `json:"memory"`
	EphemeralStorage *resource.Quantity `json:"ephemeralStorage"`
	PID              *resource.Quantity `json:"pid"`
}

// EvictionHard holds a kubelet's hard eviction thresholds: quantities or percentages.
type EvictionHard struct {
	MemoryAvailable   *string `json:"memoryAvailable"`
	ImageFSAvailable  *string `json:"imageFSAvailable"`
	ImageFSInodesFree *string `json:"imageFSInodesFree"`
	NodeFSAvailable   *string `json:"nodeFSAvailable"`
	NodeFSInodesFree  *string `json:"nodeFSInodesFree"`
}

// parts returns the strings that Gardener's hashes cover.
func (k *Kubelet) parts() []part {
	if k == nil {
		return nil
	}
	return []part{
		ifSet(KubeletReservations, k.Reservations(), (*Reserved).text),
		ifSet("kubelet hard eviction", k.EvictionHard, (*EvictionHard).text),
		{"kubelet CPU manager policy", k.CPUManagerPolicy},
	}
}

// Reservations returns the reservations that Gardener's hashes cover, the first string of a
// [Kubelet]; nil without reservations. The result may share quantities with k, and
// must not be changed.
func (k *Kubelet) Reservations() *Reserved {
	switch {
	case k == nil:
		return nil
	case k.SumReservations:
		return k.KubeReserved.plus(k.SystemReserved)
	}
	return k.KubeReserved
}

// plus adds field by field; nil and x are x.
func (r *Reserved) plus(other *Reserved) *Reserved {
	switch {
	case r == nil:
		return other
	case other == nil:
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
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	both := a.DeepCopy()
	both.Add(*b)
	return &both
}

func (r *Reserved) text() string {
	return strings.Join([]string{quantity(r.CPU), quantity(r.Memory), quantity(r.PID), quantity(r.EphemeralStorage)},
		"-")
}

// quantity prints a copy: Quantity's String caches its result in the quantity, which may be shared.
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
