package answer

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// MaxDelay bounds the delays of [RetryAfter] and [Throttled]. A cloud that names a longer delay is
// asked once an hour, so a delay that was named by mistake stops no machine for longer.
const MaxDelay = time.Hour

// HeaderRetryAfter is the header that names a delay (RFC 9110, section 10.2.3).
const HeaderRetryAfter = "Retry-After"

// Response is [Status] for the status and the header of an answer. A nil answer, or one without a
// status, means that there was none. A success (2xx) with an error means that the body may be
// incomplete. In both cases, the error of a broken connection in err makes the call [Unavailable],
// and any other error is returned unchanged. Errors of broken connections are a [*url.Error], which
// net/http returns, a [net.Error], and [io.EOF] or [io.ErrUnexpectedEOF], by which an answer ends
// too early.
func Response(err error, answer *http.Response, throttled ...int) error {
	isAnswered := answer != nil && answer.StatusCode != 0
	switch {
	case isAnswered && !isSuccess(answer):
		return Status(err, answer.StatusCode, answer.Header, throttled...)
	case isBroken(err):
		return Unavailable(err)
	}
	return err
}

func isSuccess(answer *http.Response) bool { return answer.StatusCode/100 == 2 }

func isBroken(err error) bool {
	_, isOfURL := errors.AsType[*url.Error](err)
	_, isOfNet := errors.AsType[net.Error](err)
	isEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	return isOfURL || isOfNet || isEnd
}

// Status marks err, the error of a call, by the status of the answer:
//
//   - as [Throttled] with the delay of [RetryAfter]: 429, and the statuses in throttled, such as the 498
//     of OpenStack Swift;
//   - as Throttled, if RetryAfter finds a delay in the header: 413 and 503;
//   - as [Unavailable]: 408, 500, 502, 503 and 504 otherwise.
//
// Any other error is returned as it is. The header may be nil.
func Status(err error, status int, header http.Header, throttled ...int) error {
	after := RetryAfter(header)
	isThrottled := status == http.StatusTooManyRequests || slices.Contains(throttled, status)
	isTemporary := status == http.StatusRequestEntityTooLarge || status == http.StatusServiceUnavailable
	switch {
	case isThrottled || isTemporary && after > 0:
		return Throttled(err, after)
	case slices.Contains(unanswered, status):
		return Unavailable(err)
	}
	return err
}

// unanswered are the statuses that say nothing about the request.
var unanswered = []int{
	http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout,
}

// Throttled marks err, the error of a call, as throttled. After is the delay that the cloud names; zero
// or less means that it names none, and more than [MaxDelay] is MaxDelay. The result wraps err and
// [machineupdate.ErrThrottled], and is a [*machineupdate.RetryError] if there is a delay. Throttled
// returns nil for nil.
func Throttled(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	throttled := fmt.Errorf("%w: %w", machineupdate.ErrThrottled, err)
	if after <= 0 {
		return throttled
	}
	return &machineupdate.RetryError{After: min(after, MaxDelay), Err: throttled}
}

// Unavailable marks err as the error of a call that the cloud failed to answer for a cause that may
// be temporary, such as another change of the resource that is under way. The call may have taken
// effect. The result has the text of err, wraps it, and is a [machineupdate.ErrUnavailable].
// Unavailable returns nil for nil.
func Unavailable(err error) error {
	if err == nil {
		return nil
	}
	return &unavailable{err}
}

// unavailable is an error with a kind beside its own text. Joined with the kind, as fmt.Errorf does
// for two verbs %w, it would have none: see [machineupdate.DriverErrorOf].
type unavailable struct{ err error }

func (u *unavailable) Error() string        { return u.err.Error() }
func (u *unavailable) Unwrap() error        { return u.err }
func (u *unavailable) Is(target error) bool { return target == error(machineupdate.ErrUnavailable) }

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
	text := header.Get(HeaderRetryAfter)
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
		// This cannot overflow: MaxDelay is far below the largest number.
		delay = min(10*delay+time.Duration(digit-'0')*unit, MaxDelay)
	}
	return delay, text != ""
}

// trimmed cuts the optional white space off a value (RFC 9110, section 5.6.3).
func trimmed(text string) string { return strings.Trim(text, " \t") }
