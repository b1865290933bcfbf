// Package pool tells what a change of a whole worker pool does to its machines: of what GEP-31 lists as triggers beside the
// provider config, and of the provider config.
//
// [Read] makes a [Pool] of each worker pool of a Worker or Shoot manifest, and ignores all that concerns no machine. [NewPlan] pairs the
// pools of two manifests and says of each whether it stays, comes, goes or was renamed, and what happens to its machines; [Compare] does
// so for two pools.
//
// The triggers are a type with this library's struct tags, one for each provider because extensions hash different things: [AWSV1],
// [AzureV1], [GCPV1], [OpenStackV1], [AliCloudV1], and [OtherV1] for the rest. Its differences and those of the provider config, which
// has its own [hotupdate.Schema], come in one list, the latter below providerConfig.
//
// What counts as a change is decided by package hash, which composes Gardener's names: minors, sums of reservations, the rule for
// node-local DNS. So the changes of a pool that rolls contain an Immutable or InPlace one exactly if the parts of its node-agent secret
// name changed, or what the extension adds; and an InPlace one exactly if the parts of the in-place key changed. Gardener hashes those
// parts without separators: on rare occasions two pools with different parts have one name, and then Gardener replaces nothing.
//
// A plan compares, it never names: a manifest does not hold all that a hash covers. Every comparison lists what it assumes unchanged.
// The provider config is taken to be hashed by its Schema, as package hash does; an extension that still hashes raw bytes replaces
// machines for less.
//
// The package must not know files, YAML or how a plan is shown.
//
// Source: GEP-31, "Goals", "Update Strategies" and "Worker pool hash calculations"; Gardener v1.150.
package pool
