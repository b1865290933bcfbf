// Package pool tells what a change of a worker pool does to its machines: of its provider config, and of what GEP-31 lists as triggers
// beside it.
//
// [Read] makes a [Pool] of each worker pool of a Worker or Shoot manifest. [Compare] is a function of two pools; it lists what the pools do
// not tell and the rules that decide. [NewPlan] pairs the pools of two manifests and compares them. How a [Plan] is shown is not known here.
//
// The triggers are a type with this library's struct tags, [Triggers]. Package hash, which composes Gardener's names, decides what counts as
// a change: minors, sums of reservations, the rule for node-local DNS. So the changes of a pool that rolls contain an Immutable or InPlace one
// exactly if the parts of its node-agent secret name changed, or what the extension adds; and an InPlace one exactly if the parts of the
// in-place key changed. Gardener hashes those parts without separators: two pools with different parts can have one name, and then Gardener
// replaces nothing.
//
// A provider config is taken to be hashed by its Schema; an extension that still hashes raw bytes replaces machines for less.
//
// Source: GEP-31, "Goals", "Update Strategies" and "Worker pool hash calculations"; Gardener v1.150.
package pool
