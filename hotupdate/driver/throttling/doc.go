// Package throttling tells the kit of package driver which errors of a cloud say that there were too
// many calls, and when the next one may succeed.
//
// # Use
//
// A driver translates the errors of its SDK in one function. [Response] and [Status] decide by the
// answer of the cloud. [Mark] is for clouds and calls that say it otherwise, such as by a code in the
// body. All three return nil for nil, so they take the error of every call.
//
// The kit repeats a throttled call in the same update if the delay is at most twenty seconds, and
// slows down other calls that share its quota. After a longer delay the flow repeats the update. See
// [machineupdate.ErrThrottled] and [machineupdate.RetryError].
//
// # Sources
//
//   - RFC 6585, section 4: the status 429 Too Many Requests.
//   - RFC 9110, sections 15.5.14 and 15.6.4: the statuses 413 Content Too Large and 503 Service
//     Unavailable say with the header Retry-After that they are temporary. Without it they are errors
//     like any other: a quota may be used up, or a call may have been carried out.
//   - RFC 9110, section 10.2.3: the header Retry-After, and section 5.6.7: its dates.
//   - Azure SDK for Go, azcore: the headers Retry-After-Ms and X-Ms-Retry-After-Ms.
package throttling
