package facts

import (
	"slices"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// Reservations that the plugin ShootResourceReservation has filled in stay in the stored Shoot if a
// manifest is merged into it. So the stored Shoot is computed from an old manifest and the plugin's
// values. The new manifest is applied to it, and the plugin completes the result.

// modes say whether the plugin fills in by the machine type on each side, see [mode].
type modes struct{ before, after bool }

// inModes completes kubeReserved where the modes are known.
func (r *Reading) inModes(m modes, given Given) filling {
	in := func(way apply.Method) filling {
		if m == (modes{}) {
			return known(r.applied(m, way)(ofShoot))
		}
		perPool := mode{perPool: true, reserves: given.CloudProfile.reservation}
		return perPool.open(*r, given.CloudProfile, r.applied(m, way))
	}
	way, isKnown := given.Way.Value()
	switch {
	case !r.isOfManifests():
		return in(apply.Replace) // the object of the new side already has the result of its way
	case isKnown:
		return in(way)
	}
	return r.inAnyWay(in(apply.Client), in(apply.Server), in(apply.Replace))
}

// inAnyWay completes kubeReserved where the way of applying is not known.
func (r *Reading) inAnyWay(client, server, replace filling) filling {
	switch {
	case r.isSame(client, server):
		return r.either(KeptReservation, client, replace)
	case r.isSame(client, replace):
		return r.either(KeptByServer, server, client)
	}
	return r.either(KeptReservation, r.either(KeptByServer, server, client), replace)
}

// either is the function either, but the fact is not open if both fillings give the same.
func (r *Reading) either(fact Fact, first, second filling) filling {
	if r.isSame(first, second) {
		return first
	}
	return either(fact, first, second)
}

// isSame reports whether two fillings have the same open facts and, whatever their values, the same verdict on names.
func (r *Reading) isSame(first, second filling) bool {
	if !slices.Equal(first.open, second.open) {
		return false
	}
	for i := range first.ways {
		if keepsBy(*r, first.ways[i]) != keepsBy(*r, second.ways[i]) {
			return false
		}
	}
	return true
}

// isOfManifests reports whether both sides are manifests, so that the stored Shoot has to be computed.
func (r *Reading) isOfManifests() bool {
	return !r.Old.Cluster.isReadBack && !r.Updated.Cluster.isReadBack
}

// applied returns the filling for a way of applying and a mode of the formula.
func (r *Reading) applied(m modes, way apply.Method) func(perPool mode) func(*Reading) {
	return func(perPool mode) func(*Reading) {
		before := ofShoot
		if m.before {
			before = perPool
		}
		after := ofShoot
		if m.after {
			after = perPool
		}
		return func(r *Reading) {
			if !r.isOfManifests() {
				between(before, after)(r)
				return
			}
			stored := kubeletsOf(&r.Old).filled(before, &r.Old)
			result := r.merged(stored, way).filled(after, &r.Updated)
			r.Old.setFilled(stored.effective())
			r.Updated.setFilled(result.effective())
		}
	}
}

// setFilled sets the kubelet configuration that Gardener has filled in.
func (p *Pool) setFilled(kubelet *hash.Kubelet) {
	p.written = p.kubeletInManifest()
	p.isFilled = true
	p.Worker.Kubelet = kubelet
}

// kubelets are the kubelet configurations of a Shoot and of a pool, nil if there is none.
type kubelets struct{ ofShoot, own *hash.Kubelet }

// kubeletsOf returns the configurations of a manifest.
func kubeletsOf(p *Pool) kubelets {
	return kubelets{kubeletIn(p.Cluster.Kubelet), kubeletIn(p.ownKubelet())}
}

// effective returns the configuration that is in force for a pool: its own, or else the Shoot's.
func (k kubelets) effective() *hash.Kubelet {
	if k.own != nil {
		return k.own
	}
	return k.ofShoot
}

// filled returns the configurations as the plugin completes them: admission.go of
// shootresourcereservation.
func (k kubelets) filled(m mode, p *Pool) kubelets {
	if m.perPool && orDefault(k.ofShoot, hash.Kubelet{}).KubeReserved == nil {
		k.own = withReserved(k.own, m.reserves(p))
		return k
	}
	k.ofShoot = withReserved(k.ofShoot, staticReservation(p))
	return k
}

// withReserved returns a configuration with the reservations that it lacks.
func withReserved(kubelet *hash.Kubelet, by hash.Reserved) *hash.Kubelet {
	if by == (hash.Reserved{}) {
		return kubelet
	}
	filled := *orDefault(kubelet, hash.Kubelet{SumReservations: true})
	filled.KubeReserved = completed(filled.KubeReserved, by)
	return &filled
}

// merged returns the stored configurations after the new manifest was applied.
func (r *Reading) merged(stored kubelets, way apply.Method) kubelets {
	before := kubeletsOf(&r.Old)
	after := kubeletsOf(&r.Updated)
	replacesLists := way == apply.Client && r.replacesLists()
	ofShoot := keeping{way, replacesLists, r.Old.Cluster.spec, r.Updated.Cluster.spec}
	own := keeping{way, false, r.Old.Node, r.Updated.Node}
	if replacesLists {
		own.way = apply.Replace
	}
	return kubelets{
		ofShoot: ofShoot.merged(before.ofShoot, stored.ofShoot, after.ofShoot),
		own:     own.merged(before.own, stored.own, after.own),
	}
}

// replacesLists reports whether kubectl apply replaces the list of pools.
func (r *Reading) replacesLists() bool {
	of := r.Updated.Cluster.ReplacesLists
	return of != nil && of()
}

// keeping finds which filled-in reservations stay in the spec of a Shoot or in a pool.
type keeping struct {
	way        apply.Method
	byJSON     bool       // kubectl apply takes a JSON merge patch
	old, added *tree.Node // of the manifests
}

// merged returns a new configuration with the values that stay from the stored one, which the
// plugin has completed.
func (k keeping) merged(before, stored, after *hash.Kubelet) *hash.Kubelet {
	kept := k.of(before, stored)
	switch {
	case kept != (hash.Reserved{}):
		return withReserved(after, kept)
	case k.empties(wayToReserved[:2], stored):
		return nil
	case k.empties(wayToReserved, stored):
		emptied := *after
		emptied.KubeReserved = nil
		return &emptied
	}
	return after
}

// empties reports whether server-side apply writes null for an object that is empty in the new
// manifest. It does so once it has removed members of the old manifest. A member that is null in
// the old manifest exists only if the plugin has filled it in.
func (k keeping) empties(path []string, stored *hash.Kubelet) bool {
	added := k.added.At(path...)
	isEmpty := added.Kind() == tree.Object && added.Len() == 0
	if k.way != apply.Server || !isEmpty {
		return false
	}
	for name, was := range k.old.At(path...).Members() {
		if was.Kind() != tree.Null || isFilledIn(stored, name) {
			return true
		}
	}
	return false
}

// isFilledIn reports whether a stored configuration has reservations, or one of them.
func isFilledIn(stored *hash.Kubelet, name string) bool {
	reserved := orDefault(stored, hash.Kubelet{}).KubeReserved
	if reserved == nil {
		return false
	}
	has := map[string]bool{
		kubeReserved: true, "cpu": reserved.CPU != nil, "memory": reserved.Memory != nil, "pid": reserved.PID != nil,
	}
	return has[name]
}

// of returns the reservations that were filled into a manifest and stay.
func (k keeping) of(manifest, stored *hash.Kubelet) (kept hash.Reserved) {
	if k.way == apply.Replace || stored == nil {
		return kept
	}
	for i := range wayToReserved {
		if k.removes(wayToReserved[:i+1]) {
			return kept
		}
	}
	all := *orDefault(stored.KubeReserved, hash.Reserved{})
	has := *orDefault(orDefault(manifest, hash.Kubelet{}).KubeReserved, hash.Reserved{})
	if has.CPU == nil && !k.removesMember("cpu") {
		kept.CPU = all.CPU
	}
	if has.Memory == nil && !k.removesMember("memory") {
		kept.Memory = all.Memory
	}
	if has.PID == nil && !k.removesMember("pid") {
		kept.PID = all.PID
	}
	return kept
}

// wayToReserved is the path to the reservations, in a Shoot's spec and in a pool.
var wayToReserved = []string{"kubernetes", "kubelet", kubeReserved}

// removes reports whether applying removes an object with everything in it. It removes an object
// that the old manifest has and the new one leaves out. Client-side apply also removes an object
// that the new manifest sets to null. For server-side apply, null is an empty object, see
// structured-merge-diff.
func (k keeping) removes(path []string) bool {
	isLeftOut := has(k.old, path) && !has(k.added, path)
	return isLeftOut || k.way == apply.Client && k.setsNull(path)
}

// removesMember is removes for a single reservation, which null removes in both ways of applying.
func (k keeping) removesMember(name string) bool {
	path := append(slices.Clone(wayToReserved), name)
	return k.removes(path) || k.setsNull(path)
}

// setsNull reports whether the new manifest sets a member to null. In a JSON merge patch of kubectl, null counts only
// if the old manifest does not have it.
func (k keeping) setsNull(path []string) bool {
	isKept := k.byJSON && isNull(k.old, path)
	return isNull(k.added, path) && !isKept
}

// has reports whether a manifest has a member, which may be null.
func has(n *tree.Node, path []string) bool { return n.At(path...) != nil || isNull(n, path) }

// isNull reports whether a manifest has null as a member.
func isNull(n *tree.Node, path []string) bool {
	last := len(path) - 1
	return n.At(path[:last]...).Removes(path[last])
}
