package facts

import "slices"

// The admission of the provider extensions has mutating webhooks for Shoots. On an update they fill in:
//
//   - alicloud v1.71: whether the volumes of a pool are encrypted, as in the old Shoot, see fillEncryption;
//   - all five: overlay in spec.networking.providerConfig, as in the old Shoot (azure v1.62 for cilium only);
//     beside it, snatToUpstreamDNS (gcp v1.54, alicloud) or createPodRoutes (openstack v1.57);
//   - aws v1.73: useCustomRouteController and the load balancer controller in the control plane's config;
//   - aws, azure, openstack: forceTCPToUpstreamDNS of node-local DNS.
//
// No name of a machine depends on the members above the pools. Custom extensions are not known.
//
// Source: pkg/admission/mutator/shoot.go of each extension.

// alicloud is the type of the provider.
const alicloud = "alicloud"

// fillEncryption completes whether volumes are encrypted: if the new manifest leaves it out, the admission of
// the extension for Alibaba Cloud keeps it, see mutateShootUpdate. Whether a landscape runs that webhook is not
// known.
func fillEncryption(r Reading, _ Given) filling {
	isOf := r.Updated.OfShoot() && r.Updated.Provider == alicloud
	if !isOf || !r.keepsEncryption() {
		return nothing()
	}
	keep := func(r *Reading) { r.keepsEncryption() }
	return filling{[]Fact{KeptEncryption}, []func(*Reading){keep, func(*Reading) {}}}
}

// keepsEncryption gives to the new volumes what only the old ones say, and reports whether there is something.
func (r *Reading) keepsEncryption() (keeps bool) {
	if r.Updated.Encrypted == nil && r.Old.Encrypted != nil && r.Updated.Worker.Volume != nil {
		r.Updated.Encrypted = r.Old.Encrypted
		keeps = true
	}
	old := map[string]*bool{}
	for _, v := range r.Old.DataVolumes {
		old[v.Name] = v.Encrypted
	}
	r.Updated.DataVolumes = slices.Clone(r.Updated.DataVolumes)
	for i := range r.Updated.DataVolumes {
		v := &r.Updated.DataVolumes[i]
		if v.Encrypted == nil && old[v.Name] != nil {
			v.Encrypted = old[v.Name]
			keeps = true
		}
	}
	return keeps
}
