package throttling

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// MaxDelay bounds the delays of [RetryAfter] and [Mark]. A cloud that has named a longer delay is asked
// once an hour, and one that has named it by mistake stops no machine for longer.
const MaxDelay = time.Hour

// Response is [Status] for the status and the header of an answer. If the answer is nil, Response
// returns err.
func Response(err error, answer *http.Response, also ...int) error {
	if answer == nil {
		return err
	}
	return Status(err, answer.StatusCode, answer.Header, also...)
}

// Status marks err, the error of a call, as throttled, with the delay in the header, if the status says
// so:
//
//   - 429, and the statuses in also, such as the 498 of OpenStack Swift;
//   - 413 and 503, if [RetryAfter] finds a delay in the header.
//
// Otherwise it returns err. The header may be nil.
func Status(err error, status int, header http.Header, also ...int) error {
	after := RetryAfter(header)
	isThrottled := status == http.StatusTooManyRequests || slices.Contains(also, status)
	isTemporary := status == http.StatusRequestEntityTooLarge || status == http.StatusServiceUnavailable
	if isThrottled || isTemporary && after > 0 {
		return Mark(err, after)
	}
	return err
}

// Mark marks err, the error of a call, as throttled. After is the delay that the cloud names; zero or
// less means that it names none, and more than [MaxDelay] is MaxDelay. The result wraps err and
// [machineupdate.ErrThrottled], and is a [*machineupdate.RetryError] if there is a delay. Mark returns nil
// for nil.
func Mark(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	throttled := fmt.Errorf("%w: %w", machineupdate.ErrThrottled, err)
	if after <= 0 {
		return throttled
	}
	return &machineupdate.RetryError{After: min(after, MaxDelay), Err: throttled}
}

// RetryAfter returns the delay that a header names, from zero to [MaxDelay]. The first of these fields
// that has a value of its form counts:
//
//   - Retry-After-Ms and X-Ms-Retry-After-Ms: a number of milliseconds;
//   - Retry-After: a number of seconds, or a date in one of the three formats of HTTP. The delay until a
//     date is counted from the header Date, so the clock of this machine does not matter. Without Date
//     the value does not count.
//
// Numbers have decimal digits only, as many as the server likes. A date that is over is a delay of
// zero. If a field occurs twice, its first value counts. RetryAfter returns zero if no field counts: the
// kit then chooses the delay.
func RetryAfter(header http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if delay, ok := number(header.Get(name), time.Millisecond); ok {
			return delay
		}
	}
	text := header.Get("Retry-After")
	if delay, ok := number(text, time.Second); ok {
		return delay
	}
	next, nextErr := http.ParseTime(trimmed(text))
	sent, sentErr := http.ParseTime(trimmed(header.Get("Date")))
	if nextErr != nil || sentErr != nil {
		return 0
	}
	return min(max(next.Sub(sent), 0), MaxDelay)
}

// number reads a number of units, 1*DIGIT in RFC 9110.
func number(text string, unit time.Duration) (delay time.Duration, ok bool) {
	text = trimmed(text)
	for _, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		// MaxDelay is so far below the largest number that this does not overflow.
		delay = min(10*delay+time.Duration(digit-'0')*unit, MaxDelay)
	}
	return delay, text != ""
}

// trimmed cuts the optional white space off a value (RFC 9110, section 5.6.3).
func trimmed(text string) string { return strings.Trim(text, " \t") }
