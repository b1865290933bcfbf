// Package tags decides which infrastructure tags a driver sets and removes on the VM, the network interfaces and the disks of a
// machine, so that afterwards each carries the desired and the mandatory ones, and those of others as they were.
//
// An infrastructure tag is a key with a value on a cloud resource: a tag on AWS, Azure and Alibaba Cloud, a label or a network tag on
// GCP, an item of metadata on OpenStack. It is not a Go struct tag.
//
// # Use
//
//   - Admission: [Cloud.Validate] tells a user everything that the cloud, the driver or MCM would not accept, before a machine is touched.
//   - Extension: [Rules.Sanitize] turns pool labels into infrastructure tags and reports those that it could not turn.
//   - Driver: [Rules.Effective] merges the maps of its spec, [Rules.Plan] compares them with what is live, [Rules.Batches] cuts
//     the result into calls.
//
// # Rules of the plan
//
//  1. Owned are triples of kind, key and value: those of the last-applied spec and of every attempt since, and, as long as a success
//     is not confirmed, those of the spec that was last-applied before it (see [State]). A spec without tags, nil or empty, is an
//     attempt to remove them all, and owns nothing. A [State] belongs to one kind; triples of another kind own nothing here.
//  2. Only desired and mandatory keys are set. Mandatory keys are merged last: their value wins.
//  3. A key that is neither desired nor mandatory is removed if its live value is owned. A key that somebody re-created with another
//     value is theirs and stays.
//  4. Keys that MCM, the driver or the cloud relies on are reserved. They are never removed, not even if they are owned.
//  5. A plan changes nothing but what live shows to differ. Reads of a cloud lag, and requests land late: a plan may miss what an earlier one
//     has sent. So a success counts only after a second plan, made when all requests have landed and reads have caught up, has
//     found nothing else, or has been carried out as well. Until then every attempt stays owned (see [State]).
//  6. A desired key that is live with a foreign value becomes ours. The plan sets it and reports a takeover.
//  7. All other keys are foreign. They are never touched, and count towards the limit.
//  8. Resources are named by ID. Pass only those that the launch created: volumes of a CSI driver and interfaces of a CNI belong to others.
//  9. Too many keys, keys that are one key to the cloud, and reserved keys are errors. Then nothing is planned for any resource.
//  10. After a plan was applied and desired recorded as last-applied without attempts, the next plan is empty.
//
// # Edge cases
//
//   - nil and empty maps are the same.
//   - Where a cloud does not tell keys apart by case (Azure, OpenStack), they are compared folded throughout. The plan sets a key in the
//     spelling that is live. Several spellings of one key on one resource are removed only if all of them are owned, because such a
//     cloud may remove all of them at once.
//   - GCP's network tags have no value, and so neither has their ownership: a key that somebody removed and created again is
//     indistinguishable from ours, and is removed with ours. Choose keys that nobody else uses. In [Tags] they are keys with an empty value.
//   - Where a cloud takes neither a value nor a version as a condition ([Unguarded]), a key that changes hands between the read and
//     the removal is removed. The window is the lag of reads.
//   - A value that others set equal to ours is ours.
//
// # Errors
//
// Validation returns a [field.ErrorList]. Everything else returns, joined, values of type [*fault.Error]. Neither shows the
// value of an infrastructure tag: it may be secret. Codes, actions and the types of field errors are stable; texts are not.
//
// # Sources
//
// One table holds the limits, each with its source. The mandatory keys, and the boundary condition that tags added by other means than the
// machine class are preserved as they are, come from the hot-update proposal, sections "Boundary Condition" and "What is available today".
package tags
