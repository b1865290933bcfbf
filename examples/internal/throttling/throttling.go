// Package throttling translates a cloud's answer to too many calls for the kit.
package throttling

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Error marks the error of a throttled call. The kit repeats the call, after the delay that the
// cloud names. A delay of zero or less means that it names none.
func Error(err error, after time.Duration) error {
	throttled := fmt.Errorf("%w: %w", machineupdate.ErrThrottled, err)
	if after <= 0 {
		return throttled
	}
	return &machineupdate.RetryError{After: after, Err: throttled}
}

// RetryAfter returns the delay in the header Retry-After: a number of seconds, or the time of the
// next attempt (RFC 9110, Retry-After). The header Date says which time it was at the server, so no
// clock of this machine is read. The delay is zero if the header is absent or malformed.
func RetryAfter(header http.Header) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	next, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return max(next.Sub(sent), 0)
}
