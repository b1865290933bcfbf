// Package login keeps the clients of a driver: an update takes the client of an earlier update with
// the same credentials, and the token in it, instead of logging in.
//
// # Use
//
// A driver makes one [Cache] with [New] and its function that logs in, and calls [Cache.Client] in the
// function Connect that it gives to package driver. A cloud whose requests are signed with a static
// key has no login, and needs no Cache. [Key] is also for such a cloud: it serves the function Key
// of driver.Sharing.
//
// A client serves many machines at once, so it must be safe for concurrent use. A client of
// gophercloud is, if openstack.NewClient or config.NewProviderClient made its ProviderClient. A
// ProviderClient that is made otherwise has no lock for its token until UseTokenLock is called.
//
// # Credentials
//
//   - A client belongs to all values of a secret, and to a scope, such as a region. A changed value
//     is another client, so a rotated secret is used at once.
//   - The value userData is left out: it is the cloud-init of the machines, with a bootstrap token.
//   - The login gets only these values, as a copy. So it cannot use a value of another update.
//   - The Cache keeps a SHA-256 digest of the values, and no value.
//   - A value may name a file, such as the token of a workload identity. A file that changes is not
//     another client: the SDK has to read it again.
//
// # Logins
//
//   - At most one login is under way for the same values. All callers that ask meanwhile share its
//     client or its error.
//   - A login has a separate context, with the values of the context of the caller that began it. The
//     context ends after [Timeout]. A caller whose context ends waits no longer, and the login goes
//     on.
//   - A login that ignores the end of its context is given up: its callers get an error, its client
//     is not used, and the next call logs in again.
//   - A failed login is not kept: the next call logs in again.
//   - A panic in a login is an error of all of its callers.
//
// # How long a client is used
//
//   - For an hour after its login. Clients renew their tokens by themselves if the SDK does so. A
//     client is dropped without being closed, because updates may still use it.
//   - Until [Cache.Forget] drops it. Call it where the cloud refuses a token, usually with status 401,
//     and the SDK does not log in again by itself: gophercloud does with AllowReauth, a token source of
//     golang.org/x/oauth2 does not.
//   - A Cache keeps at most 100 clients. It drops the client that was used least recently.
//
// Nothing has to be closed when the process ends.
package login
