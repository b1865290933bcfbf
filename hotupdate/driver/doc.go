// Package driver makes UpdateMachine of a driver for machine-controller-manager (MCM) from what only that driver knows: what its provider spec
// means, which resources are the machine's own, and how the cloud is called.
//
// # Use
//
// A driver fills in a [Definition], calls [New] once, reads classes by [Kit.Prepare] and calls [Kit.UpdateMachine] in
// its UpdateMachine. It supplies
//
//   - the projection: [Tagging.Project] tells which infrastructure tags a provider spec gives to the resources of a kind. Hot parts of the request
//     are projected by the same function, so it is pure, and does not rely on fields that are not hot;
//   - the same for attributes, such as the iops of a volume: [Group.Project], with what a change cannot do in [Attributes];
//   - the discovery: [Definition.Resources] returns the machine's own resources with what is live;
//   - the calls: [Tagging.Set] and [Tagging.Remove], or [Tagging.Replace] on clouds that write all infrastructure tags at once, and [Group.Modify].
//
// # What the kit does
//
//  1. It compares all resources with what is desired before it calls anything. If something cannot be done, all that cannot be done is returned, and
//     nothing is called. Package tags has the rules of infrastructure tags.
//  2. A machine that is as desired costs reads and no marker. Otherwise BeforeWrite of the request comes before the first call.
//  3. Calls have no more resources and infrastructure tags than the cloud takes in one. One update makes its calls one after the other, so the InFlight
//     of a [machineupdate.Limiter] bounds the calls under way as well.
//  4. Calls that the cloud throttles are made again, with delays that grow from one second to twenty, as long as the context lasts. No other call is
//     made twice: the flow repeats the update.
//  5. A resource whose call failed gets no further call. Other resources do, and the error is a [*machineupdate.PartialError].
//
// # Attributes
//
//  1. The attributes of a group change in one call, and only if one of them differs from what the resource has or is about to have. All of them get
//     what is desired, or the cloud's default: nothing that was read is written.
//  2. A group of which the provider spec sets nothing is left as it is, unless the applied part or an attempt has set something: only then are
//     defaults restored. What people tuned by hand survives the adoption.
//  3. An asynchronous call that was accepted is [machineupdate.ErrPending], and so is a change under way that a read shows. An attribute
//     whose value or target is not known is waited for, and nothing is called.
//  4. A change that the cloud accepted and did not make is made again, and is an error.
//  5. While the cloud refuses changes for a time (NotBefore of the request), and while the request is ReadOnly, the kit only reads.
//  6. What [Attributes.Check] does not admit is refused before anything is called. [Attributes.Validate] is the same for admission.
//
// # Errors
//
// All but BeforeWrite's and those of package machineupdate are [*fault.Error] values. Errors of calls have the code failed-call, name the function of
// the Definition and the resources, and wrap what the function returned. Their text hides secrets and values of four bytes or more, for clouds
// quote what they refuse; the wrapped error does not.
package driver
