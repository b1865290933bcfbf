// Package drivertest checks a driver that updates machines: its projection, its discovery and its
// calls, under the real update flow.
//
// The driver's client is a fake that an adopter writes on top of a [FakeCloud]: each call of the
// cloud's API becomes a method call, and each error becomes an error of the API. [Check] takes the
// machine from each [State] to each other, while the cloud throttles, fails, lags and loses
// answers. The check fails if no two states differ in a field that is Hot or InPlace, unless the
// Setup names it: a field that no function of the driver reads would be updated without an effect.
// States should also differ on every resource. Promises not checked are logged. A failure names the broken one:
//
//	desired state        every resource of the machine gets its state in the provider spec, and keeps it
//	idle                 a call changes something on each resource that it names
//	foreign keys         keys that the provider spec never carried stay, also if they are added between read and write
//	foreign members      other members of sets stay, also if they are added between read and write
//	foreign resources    no call names a resource that is equal in all states: it belongs to others
//	mandatory keys       keys and members that all states have are never missing, and such a key keeps its value
//	marker first         nothing is sent before BeforeWrite has returned nil
//	end of context       nothing is sent once the context is done
//	secrets              no error quotes the secret
//	partial failure      a failed call is reported, everything that is reported as done is done, and the rest follows
//	lost answer          a call without an answer does no harm, and is done only if a later read shows its change
//	late landing         nor does a call that takes effect after the class has changed
//	lagging reads        nor do reads that do not show the last writes
//	one attempt          a call that failed is not repeated without FakeCloud.Wait, as the retryer of an SDK does
//	throttling           a throttled call is repeated in the same update, after a delay
//	not found            the error is ErrNotFound if there is no VM, and another error if a read fails
//	added twice          a member that is there already is added, and one that is gone is removed, without an error
//	limits               a change that fits is made, and any other change is refused before anything is sent
//	case folding         keys that differ only in case are one key where the cloud ignores case
//	acceptance           an accepted change is not yet a success: the error is ErrPending until the change is done
//	reversal             a change whose reversal is wanted while it is under way is reversed
//	failed change        a change that the cloud accepted but did not carry out is made again
//	refusal              the error has a RetryError while the cloud refuses changes, and tags do not wait
//
// If the undisturbed driver breaks a promise, no disturbance is tried.
//
// [CheckRequests] lets each HTTP request of an update fail once, also those of the login and of pages of
// lists, and needs a client whose transport can be replaced.
//
// Check updates one machine. It does not check shared reads of several machines and the Key of Sharing.
// Test these with several machines.
//
// Check a driver without AnyValue in its [tags.Rules]: values that are left to others are no
// desired state.
//
// The package owns the fake cloud and the promises. It knows no provider: limits come from the
// rules that the adopter names. The drivers in examples/drivers are checked with it.
package drivertest
