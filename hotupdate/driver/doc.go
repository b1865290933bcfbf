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
//   - Key: of whom calls may be shared, such as region, endpoint and credentials;
//   - Buckets: the cloud's quotas, since no cloud tells them, and which functions draw from them;
//   - a read of many machines, and which errors are about some resources only, if the cloud has
//     them.
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
// A [Definition] has functions in its fields, where an interface could ask for a type with the
// methods Set, Remove, Replace and Modify, and find an optional batch reader as [io.ReaderFrom] is
// found. The wiring of AWS, GCP, OpenStack, Hetzner and a new cloud was written in both forms: 256
// lines with fields, 280 with methods. Of thirteen mistakes in it, the compiler finds four with
// fields, [New] finds eight, and one is silent until package drivertest runs: Set and Remove are
// swapped. With methods the compiler finds two, New finds five, two are impossible, and four are
// silent, since one method serves several kinds and groups, where a forgotten branch does nothing,
// and since an optional method with another signature is not found.
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
