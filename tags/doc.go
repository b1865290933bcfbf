// Package tags decides which infrastructure tags a driver sets and removes on the VM, the network
// interfaces and the disks of a machine. Afterwards each resource carries the desired and the
// mandatory tags, and the tags of others unchanged.
//
// An infrastructure tag is a key with a value on a cloud resource: a tag on AWS, Azure and Alibaba
// Cloud, a label or a network tag on GCP, an item of metadata on OpenStack. A Go struct tag is
// something else.
//
// # Use
//
//   - Admission: [Cloud.Validate] reports everything that the cloud, the driver or MCM would not
//     accept, before a machine is touched.
//   - Extension: [Rules.Sanitize] turns pool labels into infrastructure tags and reports the labels
//     that it cannot convert.
//   - A cloud that this package does not know is described by a literal of [Rules], with the same
//     methods.
//   - Driver: [Rules.Effective] merges the maps of its spec, [Rules.Plan] compares the result with
//     the live tags, [Rules.Batches] splits the plans into calls.
//
// # Rules of the plan
//
//  1. We own triples of kind, key and value: the triples of the last-applied spec and of every
//     attempt since, and, until a success is confirmed, of the spec that was last-applied before it
//     (see [PlanInput]). A spec without tags, nil or empty, is an attempt to remove them all, and
//     owns nothing. A [PlanInput] belongs to one kind, and owns no keys of another.
//  2. Only desired and mandatory keys are set. Mandatory keys are merged last: their value wins.
//  3. A key that is neither desired nor mandatory is removed if its live value is owned. A key that
//     others created again with another value stays.
//  4. Keys that MCM, the driver or the cloud relies on are reserved. They are never removed, not
//     even if they are owned. Users must not write them. In a flat map, which the extension writes
//     and which contains pool labels, a reserved key is mandatory or left alone: see
//     [Rules.LeftAlone].
//  5. A plan changes only keys whose live value differs. Reads of a cloud lag, and requests land
//     late, so a plan may miss what an earlier one has sent. So a success counts only after a
//     second plan, made when all requests have landed and reads have caught up, is empty or has
//     also been carried out. Until then every attempt stays owned (see [PlanInput]).
//  6. A desired key that is live with a value that we do not own becomes ours. The plan sets it and
//     reports a takeover. If the last success applied the key with the value to set, the plan
//     also reports it as rewritten: others have changed it since.
//  7. All other keys are foreign. They are never changed, and count towards the limit.
//  8. Resources are identified by ID. Pass only resources that the launch created: volumes of a CSI
//     driver and interfaces of a CNI belong to others.
//  9. Too many keys, keys that the cloud takes for the same key, and reserved keys are errors. Then
//     nothing is planned for any resource.
//  10. After a plan was applied and desired recorded as last-applied without attempts, the next
//     plan is empty.
//  11. A desired key that [Rules.AnyValue] names is right with any live value: the plan sets the
//     key where it is missing, and never overwrites it, not even a value of ours. Another value in
//     the spec reaches only resources without the key; on the others the plan reports it as kept.
//     Ownership does not change: once the key is not wanted, rule 3 removes it if its live value is
//     owned. A value of others stays, and so does a value of ours that is no longer recorded.
//
// # Edge cases
//
//   - nil and empty maps mean the same.
//   - Where a cloud ignores the case of keys (Azure, OpenStack), keys are compared
//     case-insensitively throughout. The plan sets a key in its live spelling. Several spellings of
//     one key on one resource are removed only if all of them are owned, because such a cloud may
//     remove all of them at once.
//   - GCP's network tags have no value, so ownership is by key alone: a key that others removed
//     and created again is indistinguishable from ours, and is removed as ours. Choose keys that
//     others do not use. In [Tags] network tags are keys with an empty value.
//   - Where a cloud takes neither a value nor a version as a condition ([Unguarded]), a key to
//     which others give a new value between the read and the removal is removed. The window is the
//     lag of reads. If such a cloud writes all infrastructure tags at once, every key that others
//     set in this window is lost, and every key that others remove comes back.
//   - A value that others set, and that equals ours, counts as ours.
//   - A key of [Rules.AnyValue] that a lagging read does not show is set again, over others' value.
//
// # Errors
//
// Validation returns a [field.ErrorList]. Everything else returns errors of type [*fault.Error],
// joined. Neither shows the value of an infrastructure tag: it may be secret. Codes, actions and
// the types of field errors are stable; texts are not.
//
// # Sources
//
// One table holds the limits, each with its source. The mandatory keys, and the boundary condition
// that tags from other sources than the machine class are preserved, come from the hot-update
// proposal, sections "Boundary Condition" and "What is available today".
package tags
