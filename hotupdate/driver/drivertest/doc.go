// Package drivertest checks a driver that updates machines: its projection, its discovery and its calls, with the real flow around them.
//
// The driver's client is a fake that an adopter writes on top of a [Cloud]: each call of the cloud's API becomes a call of a method, and each
// error one of the API. [Check] takes the machine from each [State] to each other, while the cloud does to the driver what clouds do. So states
// should differ in whatever the driver changes, on every resource. A failure names the promise that is broken:
//
//	desired state        every resource of the machine gets what the provider spec says, and keeps it
//	idle                 a call changes something on each resource that it names
//	foreign keys         keys that the provider spec never carried stay, also if they come between read and write
//	foreign resources    no call names a resource that all states have alike: it is somebody else's
//	mandatory keys       what all states have on a resource is never missing and never has another value
//	marker first         nothing is sent before BeforeWrite has returned nil
//	end of context       nothing is sent after the context is done
//	secrets              no error quotes the secret
//	partial failure      a call that fails is told, what is told to be done is done, and the rest follows
//	lost answer          a call that was carried out although it failed does no harm
//	late landing         nor does one that lands when the class has changed meanwhile
//	lagging reads        nor do reads that do not show the last writes
//	throttling           a throttled call is made again in the same update, after a delay
//	not found            the error is ErrNotFound if there is no VM, and is not if a read fails
//	limits               a change for which there is room is made, and another one is refused before anything is sent
//	case folding         keys that differ only in case are one key where the cloud takes them for one
//	acceptance           an accepted change is no success: the error is ErrPending until the change is done
//	reversal             a change that is taken back while it is under way is taken back
//	failed change        a change that the cloud accepted and did not make is made again
//	refusal              the error has a RetryError while the cloud refuses changes for hours, and infrastructure tags do not wait
//
// If a promise is broken though nothing disturbs the driver, no disturbance is tried.
//
// It owns the fake cloud and the promises. It knows no provider: limits come from the rules that the adopter names. The driver in examples/gcp is
// checked in this way.
package drivertest
