// Package driver implements UpdateMachine for a driver of machine-controller-manager (MCM). The
// driver supplies only what is specific to it: the meaning of its provider spec, which resources
// are the machine's own, and how to call the cloud.
//
// # Use
//
// A driver fills in a [Definition], calls [New] once, reads classes by [Kit.Prepare] and calls
// [Kit.UpdateMachine] in its UpdateMachine. It supplies
//
//   - the projection: [Tagging.Project] tells which infrastructure tags a provider spec gives to
//     the resources of a kind. The kit projects hot parts of the request by the same function, so
//     it must be pure and must not rely on fields that are not hot;
//   - the same for attributes, such as the iops of a volume: [Group.Project], with the limits of
//     changes in [Attributes];
//   - the discovery: [Definition.Resources], or [Sharing.Resources] for many machines, returns the
//     machine's own resources with their live state;
//   - the calls: [Tagging.Set] and [Tagging.Remove], or [Tagging.Replace] on clouds that write all
//     infrastructure tags at once, and [Group.Modify].
//
// # What the kit does
//
//  1. It compares all resources with the desired state before the first call. If some changes are
//     impossible, it returns an error for each and calls nothing. Package tags has the rules of
//     infrastructure tags.
//  2. A machine in the desired state costs reads and no marker. Otherwise the kit calls BeforeWrite
//     of the request before its first call.
//  3. A call has no more resources and infrastructure tags than the cloud takes in one call. One
//     update makes its calls one after the other, so InFlight of a [machineupdate.Limiter] also
//     bounds the calls under way.
//  4. Throttled calls are repeated until the context is done, with delays that grow from one second
//     to twenty. No other call is repeated: the flow repeats the update.
//  5. A resource whose call failed gets no further call. Other resources do. The error is then a
//     [*machineupdate.PartialError].
//
// # Whole sets
//
// Where a cloud writes all infrastructure tags of a resource at once, the kit applies the plan to
// what it has read, and writes the result by [Tagging.Replace]. If the cloud takes no version as a
// condition, the kit reads the resources again immediately before each write, and before each
// repetition of it. What somebody else changes after this read, or what the read does not show yet,
// is lost: keys that others add or change return to what was read, and keys that they remove come
// back. Keys of the provider spec are not lost, because the flow repeats the update until a later
// read shows them.
//
// # Attributes
//
//  1. The attributes of a group change in one call, and only if one of them differs from the
//     resource's value or the target of a change under way. Each gets its desired value or the
//     cloud's default: no value that was read is written back.
//  2. A group of which the provider spec sets nothing is not changed, unless the applied part or an
//     attempt has set one of its attributes: only then are defaults restored. Values that people
//     tuned by hand survive the adoption.
//  3. An accepted asynchronous call returns [machineupdate.ErrPending], and so does a change under
//     way that a read shows. While the value or target of an attribute is unknown, the kit waits
//     and makes no call.
//  4. A change that the cloud accepted but did not carry out is an error, and is made again.
//  5. While the cloud refuses changes for a time (NotBefore of the request), and while the request
//     is ReadOnly, the kit only reads.
//  6. Changes that [Attributes.Check] does not admit are refused before the first call.
//     [Attributes.Validate] is the same check for admission.
//
// # Shared calls
//
// A changed tag is the same call for every machine of a pool. With [Definition.Sharing] machines
// share calls, and the kit paces them, so that the cloud refuses none. A driver says
//
//   - Key: of whom calls may be shared, such as region, endpoint and credentials;
//   - Refill: how many calls a second the cloud refills for each function, since no cloud tells it;
//   - MaxResources, unless 100 or the bound of the Rules is right;
//   - a read of many machines, and which errors are about some resources only, if the cloud has
//     them.
//
// What is sent when:
//
//  1. A pacer for each Key and function spends half of the refill, and saves up that of a second:
//     the other half is for creations and for everybody else in the account. Changes of the spec go
//     before confirmations, and these before adoptions (Rank of the request).
//  2. Who comes alone is sent at once: the first call after a quiet time, and five more. After that
//     a call with room for others waits for half a second after the last one, and twice as long for
//     confirmations and adoptions only. Ten changes of the spec wait no longer once nobody has
//     joined for 50 ms.
//  3. Set and Remove share a call if Key, Tagging and infrastructure tags are equal, and the values
//     of a removal if they are its condition. Reads share within a lane. [Group.Modify],
//     [Tagging.Replace] and the reads before an unguarded Replace never share; the first two are
//     paced. Kits never share, so a process has one for each cloud.
//  4. The resources of a machine are not cut across calls unless they exceed the bound.
//  5. A throttled call is repeated once for all of its members. A call for which Divisible returns
//     true is made again without the guilty, or in halves; ten further calls at the most, then the
//     rest fails.
//
// What holds for each machine, as if it were alone: its marker was written before it joins; nothing
// is sent after its deadline, and it joins no call that could outlast it; its context ends no call
// of others; its read is sent after it has asked; it is updated by its own answer only, and a
// missing, doubled or foreign answer is an error; errors show neither values nor resources of
// others, and another's NotFound proves nothing. A panic is an error of every member.
//
// Choose the limits by where updates run:
//
//   - In the workers of machine-controller-manager (MCM) creations wait behind updates. A
//     [machineupdate.Limiter] with InFlight a third of the workers keeps the others free. Every is
//     the time in which MCM's client makes two writes: the kit looks after the cloud. A fleet then
//     takes about four times as long as with all workers.
//   - A controller of its own, such as hotupdate/updater, needs no Limiter. Writes to the API
//     server are the bound, two for each machine until it is updated: with W writes a second and an
//     update of S seconds it needs W*S/2 workers; most of S is the waits above and the writes. Take
//     more.
//
// internal/benchmarks prints calls, refusals and times of both for 10,000 machines, on a simulated
// EC2.
//
// What the kit can do on five clouds:
//
//	cloud      Set and Remove               reads                      what it cannot
//	AWS        shared, at most 1,000 IDs    shared, 195 machines       attributes share nothing
//	Azure      one resource a call, paced   shared, lists of a group   more than 10 writes a second
//	                                                                   of a subscription and principal
//	GCP        Replace, paced               shared, lists of a zone    disks.bulkSetLabels: Replace is
//	                                                                   about one resource
//	OpenStack  one resource a call, paced   shared, lists of a project the limits are the operator's
//	Alibaba    shared, 50 of one type       paced, disks of one VM     the refills are not published
//
// Sources: Amazon EC2, Request throttling and CreateTags; Azure Resource Manager, Understand how
// Azure Resource Manager throttles requests; Compute Engine API, disks.bulkSetLabels; Compute API
// and Networking API of OpenStack, Server metadata and Tags; Alibaba Cloud ECS, TagResources and
// DescribeDisks.
//
// # Errors
//
// All errors are [*fault.Error] values, except those of BeforeWrite and of package machineupdate.
// An error of a call has the code failed-call, names the function of the Definition and the
// resources, and wraps the function's error. Clouds quote values that they refuse, so its text
// hides secrets and values of four bytes or more. The wrapped error does not.
package driver
