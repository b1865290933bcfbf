package facts

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// mode is a mode of Gardener's admission plugin ShootResourceReservation. It fills in those
// reservations that kubeReserved lacks: in the Shoot, or in each pool (useGKEFormula) unless the Shoot
// has some.
type mode struct {
	perPool bool
	// reserves returns what the plugin fills in for a pool.
	reserves func(*Pool) hash.Reserved
}

// fillReservations completes kubeReserved, in each mode of the plugin that is possible.
func fillReservations(r Reading, given Given) filling {
	sameKubelet := sameNode(r.Old.ownKubelet(), r.Updated.ownKubelet()) &&
		sameNode(r.Old.Cluster.Kubelet, r.Updated.Cluster.Kubelet)
	formula, isKnown := given.Landscape.GKEFormula.Value()
	sameMode := sameLabels(&r)
	if isKnown {
		sameMode = sameMode || formula.appliesTo(&r.Old) == formula.appliesTo(&r.Updated)
	}
	profile := given.CloudProfile
	switch {
	case !r.Updated.OfShoot(), isFilledInNothing(r.readBack()), sameKubelet && sameMode:
		return nothing()
	case r.oneIsReadBack() && (isFilledPerPool(&r.Old) || isFilledPerPool(&r.Updated)):
		stored := fillStored(r, profile)
		if sameMode || isFilledPerPool(&r.Updated) {
			return stored
		}
		return fillStoredByLabels(r, given, stored)
	}
	isRemoved := r.Old.shootReserves() && !r.Updated.shootReserves()
	isOnBoth := r.oneIsReadBack() && !isRemoved // what the plugin has filled in is on both sides
	switch {
	case !isKnown && isOnBoth:
		return known(ofShoot.fill)
	case isKnown:
		return r.inModes(modes{formula.appliesTo(&r.Old), formula.appliesTo(&r.Updated)}, given)
	}
	static := r.inModes(modes{}, given)
	perPool := r.inModes(modes{true, true}, given)
	if isFilledPerPool(&r.Old) {
		return perPool
	}
	same := r.either(ReservationMode, static, perPool)
	if sameMode {
		return same
	}
	begins := r.inModes(modes{after: true}, given)
	ends := r.inModes(modes{before: true}, given)
	return r.either(FormulaByLabel, same, r.either(ReservationMode, begins, ends))
}

// open fills in the formula's result. If the machine type is unknown, the result may equal the
// other side's reservations, and is then an open fact.
func (m mode) open(r Reading, profile *CloudProfile, way func(mode) func(*Reading)) filling {
	unknown := way(m)
	if profile.hasMachineType(&r.Updated) {
		return known(unknown)
	}
	reserved := matching(r, unknown)
	matched := way(mode{perPool: m.perPool, reserves: func(*Pool) hash.Reserved { return reserved }})
	if keepsBy(r, unknown) == keepsBy(r, matched) {
		return known(unknown)
	}
	return filling{[]Fact{GKEReservation}, []func(*Reading){matched, unknown}}
}

// matching returns the reservations of the formula, for an unknown machine type, with which both
// sides reserve the same.
func matching(r Reading, unknown func(*Reading)) hash.Reserved {
	unknown(&r)
	all := unknownReservation
	sides := [2]*Pool{&r.Updated, &r.Old}
	for i, p := range sides {
		has := orDefault(p.Worker.Kubelet, hash.Kubelet{})
		kube := orDefault(has.KubeReserved, hash.Reserved{})
		system := orDefault(has.SystemReserved, hash.Reserved{})
		other := orDefault(sides[1-i].Worker.Kubelet, hash.Kubelet{})
		otherSystem := orDefault(other.SystemReserved, hash.Reserved{})
		all.CPU = orDefaultQuantity(missing(otherSystem.CPU, kube.CPU, system.CPU), all.CPU)
		all.Memory = orDefaultQuantity(missing(otherSystem.Memory, kube.Memory, system.Memory), all.Memory)
	}
	return all
}

// missing returns the kubeReserved with which a side with a system reservation has the same sum as
// the other side; nil if that is unknown or negative.
func missing(system, otherKube, otherSystem *resource.Quantity) *resource.Quantity {
	if !isReserved(otherKube) {
		return nil
	}
	needed := otherKube.DeepCopy()
	needed.Add(*orZero(otherSystem))
	needed.Sub(*orZero(system))
	if needed.Sign() < 0 {
		return nil
	}
	return &needed
}

// isReserved reports whether a reservation is set, and known.
func isReserved(q *resource.Quantity) bool { return q != nil && q.Sign() >= 0 }

// fillStored completes the pools of a Shoot whose stored pools have reservations. The plugin has
// filled them in by the machine type, or a user has set them, and then the plugin does not fill
// them in again.
func fillStored(r Reading, profile *CloudProfile) filling {
	stored := mode{perPool: true, reserves: r.storedPerPool(profile)}
	formula := mode{perPool: true, reserves: profile.reservation}
	switch {
	case profile.hasMachineType(&r.Updated):
		return known(formula.fill)
	case stored.keeps(r) == formula.keeps(r):
		return known(stored.fill)
	}
	return filling{[]Fact{GKEReservation}, []func(*Reading){stored.fill, formula.fill}}
}

// fillStoredByLabels is fillStored for a Shoot whose labels change: without useGKEFormula, the
// plugin fills in nothing for a pool that loses its stored reservations.
func fillStoredByLabels(r Reading, given Given, stored filling) filling {
	formula, isKnown := given.Landscape.GKEFormula.Value()
	switch {
	case isKnown && formula.appliesTo(&r.Updated):
		return stored
	case isKnown:
		return known(ofShoot.fill)
	}
	return r.either(FormulaByLabel, stored, known(ofShoot.fill))
}

// ofShoot is the mode without useGKEFormula.
var ofShoot = mode{reserves: staticReservation}

// sameLabels reports whether the Shoot has the same labels on both sides, which the selector of
// useGKEFormula may read. The plugin leaves a Shoot alone that is being deleted.
func sameLabels(r *Reading) bool {
	return r.Updated.Deletion != "" || sameNode(r.Old.Cluster.Labels, r.Updated.Cluster.Labels)
}

// between fills in by one mode on the old side, and by another one on the new side.
func between(before, after mode) func(*Reading) {
	return func(r *Reading) {
		if !r.Old.Cluster.isReadBack { // otherwise it is the stored object
			before.fillPool(&r.Old)
		}
		after.fillPool(&r.Updated)
	}
}

// keepsBy reports whether, with a filling, names have the same strings of the kubelet on both
// sides.
func keepsBy(r Reading, fill func(*Reading)) bool {
	fill(&r)
	return SameKubelet(&r.Old, &r.Updated)
}

// SameKubelet reports whether names have the same strings of the kubelet in two pools.
func SameKubelet(old, updated *Pool) bool {
	return kubeletDigest(old.Worker.Kubelet) == kubeletDigest(updated.Worker.Kubelet)
}

// ownKubelet returns the kubelet configuration of the pool's own.
func (p *Pool) ownKubelet() *tree.Node { return p.Node.At("kubernetes", "kubelet") }

// shootReserves reports whether the Shoot has reservations, which the plugin completes in both modes.
func (p *Pool) shootReserves() bool { return p.Cluster.Kubelet.At(kubeReserved) != nil }

const kubeReserved = "kubeReserved"

// isFilledPerPool reports whether a pool was read from a cluster whose plugin fills in each pool.
func isFilledPerPool(p *Pool) bool {
	return p.Cluster.isReadBack && !p.shootReserves() && p.ownKubelet().At(kubeReserved) != nil
}

// isFilledInNothing reports whether a pool was read from a cluster whose plugin is off.
func isFilledInNothing(p *Pool) bool {
	return p.Cluster.isReadBack && !p.shootReserves() && p.ownKubelet().At(kubeReserved) == nil
}

// fill completes the kubelet configurations of a reading.
func (m mode) fill(r *Reading) { between(m, m)(r) }

// fillPool completes the kubelet configuration of a pool.
func (m mode) fillPool(p *Pool) {
	filled := m.kubelet(p)
	p.written = p.kubeletInManifest()
	p.isFilled = true
	p.Worker.Kubelet = filled
}

// kubelet returns the kubelet configuration of a pool as Gardener stores it. A configuration that
// the plugin creates replaces the Shoot's.
func (m mode) kubelet(p *Pool) *hash.Kubelet {
	isOwn := p.HasOwnKubelet
	if m.perPool && !p.shootReserves() {
		own := hash.Kubelet{SumReservations: true}
		if isOwn {
			own = *p.kubeletInManifest()
		}
		own.KubeReserved = completed(own.KubeReserved, m.reserves(p))
		return &own
	}
	if isOwn {
		return p.kubeletInManifest()
	}
	reserves := m.reserves
	if m.perPool { // a Shoot that has some gets the others in both modes
		reserves = staticReservation
	}
	ofShoot := *orDefault(p.kubeletInManifest(), hash.Kubelet{SumReservations: true})
	ofShoot.KubeReserved = completed(ofShoot.KubeReserved, reserves(p))
	return &ofShoot
}

// completed returns reservations with CPU, memory and process IDs, which are filled in.
func completed(reserved *hash.Reserved, by hash.Reserved) *hash.Reserved {
	all := *orDefault(reserved, hash.Reserved{})
	all.CPU = orDefaultQuantity(all.CPU, by.CPU)
	all.Memory = orDefaultQuantity(all.Memory, by.Memory)
	all.PID = orDefaultQuantity(all.PID, by.PID)
	return &all
}

func orDefaultQuantity(set, otherwise *resource.Quantity) *resource.Quantity {
	if set != nil {
		return set
	}
	return otherwise
}

// keeps reports whether names have the same strings of the kubelet on both sides.
func (m mode) keeps(r Reading) bool { return keepsBy(r, m.fill) }

func kubeletDigest(k *hash.Kubelet) hash.Digest {
	// a pool with a name and a version has no error
	name, _ := hash.NodeAgentSecretName(hash.Worker{Name: "a", KubernetesVersion: unknownVersion, Kubelet: k})
	return name.Digest
}

// storedPerPool returns what the plugin has filled into the pool of a Shoot that was read from a
// cluster, or else what it fills in by the machine type.
func (r *Reading) storedPerPool(profile *CloudProfile) func(*Pool) hash.Reserved {
	var stored *hash.Reserved
	for _, p := range []*Pool{&r.Old, &r.Updated} {
		if p.Cluster.isReadBack && p.HasOwnKubelet {
			stored = p.kubeletInManifest().KubeReserved
		}
	}
	return func(p *Pool) hash.Reserved { return *completed(stored, profile.reservation(p)) }
}

// staticReservation returns what the plugin fills into a Shoot.
func staticReservation(*Pool) hash.Reserved {
	return hash.Reserved{
		CPU:    resource.NewMilliQuantity(80, resource.DecimalSI),
		Memory: resource.NewQuantity(gibi, resource.BinarySI),
		PID:    processIDs(),
	}
}

func processIDs() *resource.Quantity { return resource.NewQuantity(20_000, resource.DecimalSI) }

// unknownReservation stands for the formula's result for an unknown machine type. It is negative,
// since no user reserves a negative amount.
var unknownReservation = hash.Reserved{
	CPU: resource.NewQuantity(-1, resource.DecimalSI), Memory: resource.NewQuantity(-1, resource.DecimalSI),
	PID: processIDs(),
}

// hasMachineType reports whether the CloudProfile has the machine type of a pool.
func (p *CloudProfile) hasMachineType(of *Pool) bool { return p != nil && p.machineType(of) != nil }

// reservation returns what the plugin fills into a pool by its machine type:
// calculateResourceReservationForMachineType. The CloudProfile may be nil.
func (p *CloudProfile) reservation(of *Pool) hash.Reserved {
	if !p.hasMachineType(of) {
		return unknownReservation
	}
	machine := p.machineType(of)
	cpu := quantityIn(machine.At("cpu"))
	memory := quantityIn(machine.At("memory"))
	return hash.Reserved{
		CPU:    resource.NewMilliQuantity(reservedCPU(orZero(cpu).MilliValue()), resource.BinarySI),
		Memory: resource.NewQuantity(reservedMemory(orZero(memory).Value()), resource.BinarySI),
		PID:    processIDs(),
	}
}

func orZero(q *resource.Quantity) *resource.Quantity {
	return orDefaultQuantity(q, &resource.Quantity{})
}

// reservedCPU returns the reserved thousandths of a core: 6 % of the first core, 1 % of the second,
// half a percent of the third and fourth, and a quarter of all others.
func reservedCPU(milli int64) (reserved int64) {
	if milli > 0 {
		reserved = 60
	}
	if milli > 1000 {
		reserved += 10
	}
	if milli > 2000 {
		reserved += (min(milli/1000, 4) - 2) * 5
	}
	if milli > 4000 {
		reserved += (milli/1000 - 4) * 5 / 2
	}
	return reserved
}

// memoryShare is the share of the memory between two sizes that is reserved.
type memoryShare struct {
	from, to          int64 // bytes
	dividend, divisor int64
}

const (
	mebi = 1 << 20
	gibi = 1 << 30
)

var memoryShares = []memoryShare{
	{0, 4 * gibi, 1, 4},
	{4 * gibi, 8 * gibi, 1, 5},
	{8 * gibi, 16 * gibi, 1, 10},
	{16 * gibi, 128 * gibi, 6, 100},
	{128 * gibi, 1 << 62, 2, 100},
}

// reservedMemory returns the reserved bytes. Gardener divides before it multiplies.
func reservedMemory(memory int64) (reserved int64) {
	if memory < gibi {
		return 255 * mebi
	}
	for _, share := range memoryShares {
		if memory >= share.from {
			reserved += (min(memory, share.to) - share.from) / share.divisor * share.dividend
		}
	}
	return reserved
}
