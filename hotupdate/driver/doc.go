// Package driver implements UpdateMachine for a driver of machine-controller-manager (MCM). The
// driver supplies only what is specific to it: the meaning of its provider spec, which resources
// are the machine's own, and how to call the cloud.
//
// # Use
//
// A driver fills in a [Definition], calls [New] once, passes [Kit.Driver] or [Kit.Describe] to the
// update flow, and calls [Kit.UpdateMachine] in its UpdateMachine. It supplies
//
//   - the projection: [Tagging.Project] tells which infrastructure tags a provider spec gives to
//     the resources of a kind. The kit projects hot parts of the request by the same function, so
//     it must be pure and must not rely on fields that are not hot;
//   - the same for attributes, such as the iops of a volume: [AttributeGroup.Project], with the
//     limits of changes in [Attributes], and for sets, such as security groups: [Set.Members];
//   - the discovery: [Definition.Resources], or [Sharing.Resources] for many machines, returns the
//     machine's own resources with their live state;
//   - the calls: [Tagging.Set] and [Tagging.Remove], or [Tagging.Replace] on clouds that write all
//     infrastructure tags at once, [AttributeGroup.Modify], and [Set.AddMember] and
//     [Set.RemoveMember].
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
//     to twenty, or as long as the cloud says, up to a minute. A call that the cloud fails to answer,
//     see [machineupdate.ErrUnavailable], is made at most four times. No other call is repeated: the
//     flow repeats the update.
//  5. A resource whose call failed gets no further call. Other resources do. The error is then a
//     [*machineupdate.PartialError].
//
// # Shared calls
//
// A changed tag is the same call for every machine of a pool. With [Definition.Sharing] machines
// share calls, and the kit paces them, so that the cloud refuses none. A driver says
//
//   - Key: which machines may share calls, by region, endpoint and credentials;
//   - Buckets: the quotas from the cloud's documentation, since no API reports them, and which
//     functions draw from them;
//   - optionally a read of many machines, and which errors concern only some of the resources of a
//     call.
//
// # Logins and answers
//
// Package [github.com/hotupdate/providerconfig/hotupdate/driver/login] lets updates with the same
// credentials share a client, so that not each of them logs in. Package
// [github.com/hotupdate/providerconfig/hotupdate/driver/answer] tells from the answer of a cloud whether
// the kit may repeat a call: after throttling, with the delay in the header, or because the cloud
// failed to answer.
//
// # Fields and methods
//
// A [Definition] has functions in fields instead of an interface, because more mistakes are found:
// a method would serve several kinds and groups, where a forgotten branch does nothing, and an
// optional method with a wrong signature would be ignored. [New] reports a missing function.
//
// # Specification
//
// Which calls are made, when they wait, what they share, how attributes and sets change, what is lost
// on clouds that write all infrastructure tags at once, and which limits fit where:
// https://github.com/hotupdate/providerconfig/blob/main/hotupdate/driver/CALLS.md.
//
// # Errors
//
// All errors are [*fault.Error] values, except errors of BeforeWrite and of package machineupdate.
// An error of a call has the code failed-call, names the function of the Definition and the
// resources, and wraps the function's error. Clouds quote values that they refuse, so its text
// hides secrets and values of four bytes or more. The wrapped error does not.
package driver
