package facts

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The admission of the provider extensions has mutating webhooks for Shoots. On an update they fill in:
//
//   - alicloud v1.71: whether the volumes of a pool are encrypted, as in the old Shoot, see fillEncryption; new data
//     volumes, and root volumes of customized images when the pool is created, are encrypted;
//   - all five: overlay in spec.networking.providerConfig, as in the old Shoot (azure v1.62 for cilium only);
//     beside it, snatToUpstreamDNS (gcp v1.54, alicloud) or createPodRoutes (openstack v1.57);
//   - aws v1.73: useCustomRouteController and the load balancer controller in the control plane's config;
//   - aws, azure, openstack: forceTCPToUpstreamDNS of node-local DNS.
//
// No name of a machine depends on the members above the pools, and none of the five fills in a
// member of a pool's provider config, such as instanceMetadataOptions for AWS. It is unknown what
// other extensions fill in there, see MayBeFilledIn.
//
// Source: pkg/admission/mutator/shoot.go of each extension.

// alicloud is the type of the provider.
const alicloud = "alicloud"

// MayBeFilledIn reports whether the admission of an unknown extension may have filled in a field
// that one of two provider configs lacks: the other one was read from a cluster.
func MayBeFilledIn(old, updated *Pool, op hotupdate.Op) bool {
	inOld := old.Cluster.isReadBack
	inNew := updated.Cluster.isReadBack
	isRemoved := inOld && !inNew && op == hotupdate.OpRemove
	isAdded := inNew && !inOld && op == hotupdate.OpAdd
	return updated.OfShoot() && (isRemoved || isAdded)
}

// fillEncryption completes whether volumes are encrypted. If the new manifest leaves it out, the
// admission of the extension for Alibaba Cloud keeps it, and encrypts data volumes that the old
// pool does not have: mutateShootUpdate. If the old manifest left it out, the stored value may have
// been filled in when the volume was created. It is unknown whether a landscape runs that webhook,
// or ran it then.
func fillEncryption(r Reading, _ Given) filling {
	isOf := r.Updated.OfShoot() && r.Updated.Provider == alicloud
	if !isOf {
		return nothing()
	}
	fill := func(r *Reading) { r.fillOldEncryption() }
	filled := r
	isFilled := filled.fillOldEncryption()
	afterFilled := filled
	keeps := r.keepsEncryption()
	keeps = afterFilled.keepsEncryption() || keeps
	kept := nothing()
	if keeps {
		kept = either(KeptEncryption, known(func(r *Reading) { r.keepsEncryption() }), nothing())
	}
	if !isFilled {
		return kept
	}
	return either(FilledEncryption, kept.after(fill), kept)
}

// fillOldEncryption encrypts the old volumes whose encryption the old manifest leaves out and the
// new manifest sets to another value. It reports whether there are any.
func (r *Reading) fillOldEncryption() (fills bool) {
	if r.Old.Cluster.isReadBack {
		return false
	}
	on := true
	hasRoot := r.Old.Worker.Volume != nil
	if hasRoot && r.Old.Encrypted == nil && r.Updated.Encrypted != nil {
		r.Old.Encrypted = &on
		fills = true
	}
	isOpen := map[string]bool{} // the volumes that the new manifest has and leaves out, too
	for _, v := range r.Updated.DataVolumes {
		isOpen[v.Name] = v.Encrypted == nil
	}
	r.Old.DataVolumes = slices.Clone(r.Old.DataVolumes)
	for i := range r.Old.DataVolumes {
		v := &r.Old.DataVolumes[i]
		if v.Encrypted == nil && !isOpen[v.Name] {
			v.Encrypted = &on
			fills = true
		}
	}
	return fills
}

// keepsEncryption copies the encryption of old volumes to new volumes without it, and encrypts
// added data volumes. It reports whether there are any.
func (r *Reading) keepsEncryption() (keeps bool) {
	if r.Updated.Encrypted == nil && r.Old.Encrypted != nil && r.Updated.Worker.Volume != nil {
		r.Updated.Encrypted = r.Old.Encrypted
		keeps = true
	}
	on := true
	old := map[string]*bool{}
	for _, v := range r.Old.DataVolumes {
		old[v.Name] = v.Encrypted
	}
	r.Updated.DataVolumes = slices.Clone(r.Updated.DataVolumes)
	for i := range r.Updated.DataVolumes {
		v := &r.Updated.DataVolumes[i]
		before, isOld := old[v.Name]
		if !isOld {
			before = &on
		}
		if v.Encrypted == nil && before != nil {
			v.Encrypted = before
			keeps = true
		}
	}
	return keeps
}
