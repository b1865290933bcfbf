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
//   - the discovery: [Definition.Resources] returns the machine's own resources with their live
//     state;
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
// # Errors
//
// All errors are [*fault.Error] values, except those of BeforeWrite and of package machineupdate.
// An error of a call has the code failed-call, names the function of the Definition and the
// resources, and wraps the function's error. Clouds quote values that they refuse, so its text
// hides secrets and values of four bytes or more. The wrapped error does not.
package driver
