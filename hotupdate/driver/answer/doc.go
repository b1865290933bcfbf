// Package answer tells the kit of package driver what the answer of a cloud means: whether a call that
// failed may be made again, and when.
//
// # Use
//
// A driver translates the errors of its SDK in one function, Translate of the Definition. It gets
// the errors of all functions that call the cloud, Connect included. [Response] and [Status] decide
// by the answer over HTTP. [Throttled] and [Unavailable] are for clouds and calls that report it in
// another way, such as a code in the body. All return nil for nil.
//
// An error has one of three meanings:
//
//   - The call was throttled, because there were too many: the kit repeats it in the same update, and
//     slows down other calls that share its quota. After a delay of more than a minute the flow
//     repeats the update. See [machineupdate.ErrThrottled] and [machineupdate.RetryError].
//   - The cloud failed to answer, for a cause that may be temporary: the kit makes the call at most
//     four times. See [machineupdate.ErrUnavailable].
//   - Any other error is final for the update. The flow repeats the update, first after 15 seconds,
//     and then after growing delays.
//
// A driver turns the retryer of its SDK off, so that only the kit repeats calls, and only those
// that are marked.
//
// An SDK may hide the answer in an error that does not wrap it: take the cause out first, or let [Watch]
// look at the requests, as for the logins of Azure and Google Cloud, whose errors have a text only. For
// example, gophercloud does so if a renewal of the login fails, or the request after it. The causes
// are ErrReauth of ErrUnableToReauthenticate, and ErrOriginal of ErrErrorAfterReauthentication.
//
// # Sources
//
//   - RFC 6585, section 4: the status 429 Too Many Requests.
//   - RFC 9110, sections 15.5.14 and 15.6.4: the statuses 413 Content Too Large and 503 Service
//     Unavailable say with the header Retry-After that they are temporary. A 413 without the header
//     is an ordinary error: a quota may be used up.
//   - RFC 9110, sections 15.5.9 and 15.6: the statuses 408, 500, 502, 503 and 504 say nothing about the
//     request.
//   - RFC 9110, section 10.2.3: the header Retry-After, and section 5.6.7: its dates.
//   - Azure SDK for Go, azcore: the headers Retry-After-Ms and X-Ms-Retry-After-Ms.
package answer
