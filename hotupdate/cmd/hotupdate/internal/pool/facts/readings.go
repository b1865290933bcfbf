package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Fact decides about machines, and is neither in the manifests nor in the CloudProfile.
type Fact uint8

// The facts.
const (
	ReservationMode  Fact = iota // useGKEFormula of the admission plugin ShootResourceReservation
	GKEReservation               // the formula's result for the machine type
	DNSByDefault                 // whether ShootNodeLocalDNSEnabledByDefault ran when the Shoot was created
	StoredImage                  // the machine image that the pool has
	DefaultImage                 // the newest machine image of the CloudProfile
	StoredVersion                // the Kubernetes version that the Shoot has
	DefaultVersion               // the newest Kubernetes version of the CloudProfile
	ClusterVersion               // the version of the cluster of a Worker
	FormulaByLabel               // whether the selector of that plugin reads a label that changes
	KeptEncryption               // whether the extension's admission keeps the encryption of volumes
	FilledEncryption             // whether that admission encrypted volumes when they were created
	KeptReservation              // whether the plugin's values stay when the manifest is applied
	KeptByServer                 // the same, where client-side apply removes it
	ExtensionRelease             // the release of the extension
	DNSByVersion                 // whether the version that both sides leave out is 1.34 or newer
)

// Reading is a pair of pools as Gardener's API server stores them when the new manifest is applied
// after the old one.
type Reading struct{ Old, Updated Pool }

// Readings are the readings that two manifests allow.
type Readings struct {
	// Open are the facts that are not known. Each has two values.
	Open []Fact
	// All has one reading for each combination of their values. Bit i of the position says which
	// value of Open[i] was taken.
	All []Reading
}

// Given has the facts that are known in addition to the manifests.
type Given struct {
	CloudProfile *CloudProfile // nil if it is not known
	Landscape    Landscape
	// Way says how a manifest is applied.
	Way verdict.Fact[apply.Method]
}

// ReadingsOf returns the readings of a pool on both sides.
//
// Gardener stores values that a user leaves out: defaults, and values that its admission plugins
// fill in. It keeps some of them when the user applies another manifest, such as the image of a
// pool. If one of the manifests was read from a cluster, it has these values for both.
func ReadingsOf(old, updated Pool, given Given) Readings {
	read := Readings{All: []Reading{{old, updated}}}
	if !updated.OfShoot() && updated.Kind != Worker {
		return read
	}
	complete(&read.All[0])
	for _, fill := range fillers {
		read.fill(fill(read.All[0], given))
	}
	return read
}

// fillers compute the values that Gardener fills in.
var fillers = []func(Reading, Given) filling{
	fillVersion, fillImage, fillNodeLocalDNS, fillMinor, fillReservations, fillEncryption,
}

// filling completes a reading, in one way for each combination of the values of open facts.
type filling struct {
	open []Fact
	ways []func(*Reading)
}

// known is a filling that no open fact decides.
func known(way func(*Reading)) filling { return filling{ways: []func(*Reading){way}} }

// nothing is the filling that keeps the manifests' values.
func nothing() filling { return known(func(*Reading) {}) }

// either completes a reading in the first way or in the second one, which an open fact decides.
func either(fact Fact, first, second filling) filling {
	both := filling{open: []Fact{fact}}
	for _, more := range slices.Concat(first.open, second.open) {
		if !slices.Contains(both.open, more) {
			both.open = append(both.open, more)
		}
	}
	for i := range 1 << len(both.open) {
		one := [2]filling{first, second}[i&1]
		both.ways = append(both.ways, one.ways[both.narrowed(i, one.open)])
	}
	return both
}

// narrowed returns the position of a combination of values among the combinations of fewer facts.
func (f filling) narrowed(position int, fewer []Fact) (narrow int) {
	for bit, fact := range fewer {
		value := position >> slices.Index(f.open, fact) & 1
		narrow |= value << bit
	}
	return narrow
}

// after returns the filling with something done before it.
func (f filling) after(first func(*Reading)) filling {
	then := filling{open: f.open}
	for _, way := range f.ways {
		then.ways = append(then.ways, func(r *Reading) {
			first(r)
			way(r)
		})
	}
	return then
}

// fill completes all readings.
func (r *Readings) fill(f filling) {
	all := make([]Reading, 0, len(f.ways)*len(r.All))
	for _, way := range f.ways {
		for i := range r.All {
			all = append(all, r.All[i])
			way(&all[len(all)-1])
		}
	}
	r.Open = append(r.Open, f.open...)
	r.All = all
}

// oneIsReadBack reports whether one of the manifests was read from a cluster, and the other was not.
func (r *Reading) oneIsReadBack() bool {
	return r.Old.Cluster.isReadBack != r.Updated.Cluster.isReadBack
}

// readBack returns the pool that was read from a cluster, the old one if both were or none was.
func (r *Reading) readBack() *Pool {
	if r.Updated.Cluster.isReadBack && !r.Old.Cluster.isReadBack {
		return &r.Updated
	}
	return &r.Old
}

// complete replaces the images in a user's old manifest by the images in the cluster.
func complete(r *Reading) {
	if r.oneIsReadBack() && r.Updated.Cluster.isReadBack {
		completeImage(&r.Old.Worker, r.Updated.Worker)
	}
}

// completeImage replaces an old image, which may be partial, by the image in the cluster.
func completeImage(user *hash.Worker, cluster hash.Worker) {
	image := cluster.Image
	if image == nil {
		return
	}
	became := user.Image == nil || user.Image.Name == image.Name && beginsWith(image.Version, user.Image.Version)
	if became {
		user.Image = image
	}
}

// fillVersion completes the Kubernetes version: names depend on its minor. Without one, Gardener
// takes the newest version of the CloudProfile, see defaultKubernetesVersion.
func fillVersion(r Reading, given Given) filling {
	before := r.Old.Worker.KubernetesVersion
	after := r.Updated.Worker.KubernetesVersion
	switch {
	case before == after && !r.Updated.Cluster.removesVersion:
		return known(dropPartialVersions)
	case !r.Updated.OfShoot():
		if before == "" || after == "" {
			return mayBeSame(ClusterVersion)
		}
		return nothing()
	case isWithoutMinor(before) && !r.Old.Cluster.isReadBack:
		return mayBeSame(StoredVersion)
	case !isWithoutMinor(after):
		return nothing()
	}
	latest := given.CloudProfile.latestVersion(after)
	if latest == "" { // there is no CloudProfile, or it has no version
		return mayBeSame(DefaultVersion)
	}
	return known(func(r *Reading) { r.Updated.Worker.KubernetesVersion = latest })
}

// isWithoutMinor reports whether a version is missing, or has only the first number.
func isWithoutMinor(version string) bool {
	return strings.Trim(strings.TrimSuffix(version, "."), "0123456789") == ""
}

// dropPartialVersions removes versions without a minor, which say nothing about a name.
func dropPartialVersions(r *Reading) {
	for _, p := range []*Pool{&r.Old, &r.Updated} {
		if p.OfShoot() && isWithoutMinor(p.Worker.KubernetesVersion) {
			p.Worker.KubernetesVersion = ""
		}
	}
}

// mayBeSame is a filling with a version that may be the same on both sides, or not.
func mayBeSame(fact Fact) filling {
	return filling{[]Fact{fact}, []func(*Reading){sameVersion, dropPartialVersions}}
}

// sameVersion copies the known version to both sides.
func sameVersion(r *Reading) {
	dropPartialVersions(r)
	version := cmp.Or(r.Old.Worker.KubernetesVersion, r.Updated.Worker.KubernetesVersion)
	r.Old.Worker.KubernetesVersion = version
	r.Updated.Worker.KubernetesVersion = version
}

// fillNodeLocalDNS completes whether node-local DNS is enabled: an admission plugin may have enabled
// it when the Shoot was created. It stays until a manifest says something else.
func fillNodeLocalDNS(r Reading, _ Given) filling {
	isSet := func(p Pool) bool { return p.Cluster.dns != nil || p.Cluster.isReadBack }
	if !r.Updated.OfShoot() || isSet(r.Old) {
		return nothing()
	}
	with := func(enabled bool) func(*Reading) {
		return func(r *Reading) {
			r.Old.Worker.NodeLocalDNS = enabled
			if !setsNodeLocalDNS(r.Old, r.Updated) {
				r.Updated.Worker.NodeLocalDNS = enabled
			}
		}
	}
	// the name of a rolling pool, and the setting, which counts for a pool that is updated in place
	type change struct{ name, setting bool }
	changes := func(enabled bool) change {
		filled := r
		with(enabled)(&filled)
		return change{
			nodeLocalDNSCounts(filled.Old.Worker) != nodeLocalDNSCounts(filled.Updated.Worker),
			filled.Old.Worker.NodeLocalDNS != filled.Updated.Worker.NodeLocalDNS,
		}
	}
	if changes(false) == changes(true) {
		return known(with(false))
	}
	return filling{[]Fact{DNSByDefault}, []func(*Reading){with(false), with(true)}}
}

// fillMinor makes it an open fact whether a version that neither side has is 1.34 or newer, if
// node-local DNS or the mode of kube-proxy changes: from 1.34 on, node-local DNS counts in another
// way. It does not matter for pools that are updated in place, whose names do not cover it.
func fillMinor(r Reading, _ Given) filling {
	before := r.Old.Worker
	after := r.Updated.Worker
	sameMode := before.KubeProxyMode == after.KubeProxyMode
	sameDNS := before.NodeLocalDNS == after.NodeLocalDNS && sameNode(r.Old.Cluster.dns, r.Updated.Cluster.dns)
	isKnown := before.KubernetesVersion != "" || after.KubernetesVersion != ""
	isSame := sameMode && sameDNS
	isUnhashed := before.UpdateStrategy.InPlace() && after.UpdateStrategy.InPlace()
	if isKnown || isSame || isUnhashed {
		return nothing()
	}
	newer := func(r *Reading) {
		r.Old.dnsMinor = minorOfDNS
		r.Updated.dnsMinor = minorOfDNS
	}
	return filling{[]Fact{DNSByVersion}, []func(*Reading){func(*Reading) {}, newer}}
}

// setsNodeLocalDNS reports whether the new manifest says whether node-local DNS is enabled: it has the
// member, sets it to null, or has no system components any more, which removes what Gardener has
// filled in there. Without that, the other settings of node-local DNS leave it as it is.
func setsNodeLocalDNS(old, updated Pool) bool {
	isRemoved := old.Cluster.components != nil && updated.Cluster.components == nil
	return updated.Cluster.dns.At("enabled") != nil || updated.Cluster.removesDNS || isRemoved
}

// nodeLocalDNSCounts reports whether the name of a rolling pool has the part about node-local DNS.
func nodeLocalDNSCounts(w hash.Worker) bool {
	w.UpdateStrategy = hotupdate.AutoRollingUpdate
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, unknownVersion)
	name, err := hash.NodeAgentSecretName(w)
	return err == nil && name.Value(hash.NodeLocalDNS) != nil
}

// sameNode reports whether two pools have one configuration.
func sameNode(a, b *tree.Node) bool { return a == b || tree.Equal(a, b) }
