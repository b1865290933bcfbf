package answer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// dates are one time in the three formats of RFC 9110, section 5.6.7, with its own examples.
var dates = []string{
	"Sun, 06 Nov 1994 08:49:37 GMT",  // IMF-fixdate
	"Sunday, 06-Nov-94 08:49:37 GMT", // of RFC 850
	"Sun Nov  6 08:49:37 1994",       // of asctime()
}

func TestRetryAfter(t *testing.T) {
	const sent = "Sun, 06 Nov 1994 08:48:37 GMT" // a minute before
	for name, test := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"no header":           {nil, 0},
		"no field":            {http.Header{"Date": {sent}}, 0},
		"of RFC 9110":         {http.Header{"Retry-After": {"120"}}, 2 * time.Minute},
		"white space":         {http.Header{"Retry-After": {" \t120\t "}}, 2 * time.Minute},
		"other white space":   {http.Header{"Retry-After": {"\u00a0120"}}, 0},
		"zero":                {http.Header{"Retry-After": {"0"}}, 0},
		"zeros":               {http.Header{"Retry-After": {"000000000000000000000000000000017"}}, 17 * time.Second},
		"almost the longest":  {http.Header{"Retry-After": {"3599"}}, 3599 * time.Second},
		"the longest":         {http.Header{"Retry-After": {"3600"}}, answer.MaxDelay},
		"too long":            {http.Header{"Retry-After": {"3601"}}, answer.MaxDelay},
		"years":               {http.Header{"Retry-After": {"2147483648"}}, answer.MaxDelay},
		"more than a number":  {http.Header{"Retry-After": {"99999999999999999999999999999999999999999"}}, answer.MaxDelay},
		"negative":            {http.Header{"Retry-After": {"-1"}}, 0},
		"with a sign":         {http.Header{"Retry-After": {"+1"}}, 0},
		"a fraction":          {http.Header{"Retry-After": {"1.5"}}, 0},
		"an exponent":         {http.Header{"Retry-After": {"1e3"}}, 0},
		"a unit":              {http.Header{"Retry-After": {"5s"}}, 0},
		"other digits":        {http.Header{"Retry-After": {"١٢"}}, 0},
		"a list":              {http.Header{"Retry-After": {"1, 2"}}, 0},
		"empty":               {http.Header{"Retry-After": {""}, "Date": {sent}}, 0},
		"twice":               {http.Header{"Retry-After": {"1", "2"}}, time.Second},
		"without Date":        {http.Header{"Retry-After": {dates[0]}}, 0},
		"malformed Date":      {http.Header{"Retry-After": {dates[0]}, "Date": {"yesterday"}}, 0},
		"a date that is over": {http.Header{"Retry-After": {sent}, "Date": {dates[0]}}, 0},
		"a date far ahead":    {http.Header{"Retry-After": {"Fri, 31 Dec 1999 23:59:59 GMT"}, "Date": {sent}}, answer.MaxDelay},
		"centuries ahead": {
			http.Header{"Retry-After": {"Fri, 31 Dec 9999 23:59:59 GMT"}, "Date": {"Mon, 01 Jan 0001 00:00:00 GMT"}}, answer.MaxDelay,
		},
		"not a date":        {http.Header{"Retry-After": {"Sun, 31 Feb 1994 08:49:37 GMT"}, "Date": {sent}}, 0},
		"milliseconds":      {http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"2"}}, 1500 * time.Millisecond},
		"of a service":      {http.Header{"X-Ms-Retry-After-Ms": {"900"}, "Retry-After": {"1"}}, 900 * time.Millisecond},
		"both":              {http.Header{"X-Ms-Retry-After-Ms": {"900"}, "Retry-After-Ms": {"800"}}, 800 * time.Millisecond},
		"many milliseconds": {http.Header{"Retry-After-Ms": {"99999999999999999999"}}, answer.MaxDelay},
		"no milliseconds":   {http.Header{"Retry-After-Ms": {"0"}, "Retry-After": {"9"}}, 0},
		"malformed":         {http.Header{"Retry-After-Ms": {"-1"}, "X-Ms-Retry-After-Ms": {"1.5"}, "Retry-After": {"9"}}, 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, answer.RetryAfter(test.header))
		})
	}
}

// TestDates: each format counts, in both fields.
func TestDates(t *testing.T) {
	for _, next := range dates {
		for _, sent := range dates {
			minute := regexp.MustCompile(`08:49:`).ReplaceAllString(sent, "08:48:")
			header := http.Header{"Retry-After": {next}, "Date": {minute}}
			assert.Equal(t, time.Minute, answer.RetryAfter(header), "%s after %s", next, minute)
		}
	}
}

// FuzzRetryAfter compares with numbers of any size, and with the layouts of dates.
func FuzzRetryAfter(f *testing.F) {
	f.Add("", "", "120", dates[0])
	f.Add("1500", "x", "-1", "")
	f.Add("", "99999999999999999999999", dates[1], dates[2])
	f.Add(" 0", "\t7\t", dates[0], "Sun, 06 Nov 1994 07:49:38 GMT")
	f.Add("٣", "", "Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT")
	f.Fuzz(func(t *testing.T, own, service, plain, date string) {
		header := http.Header{"Retry-After-Ms": {own}, "X-Ms-Retry-After-Ms": {service}, "Retry-After": {plain}, "Date": {date}}
		assert.Equal(t, delayOf(own, service, plain, date), answer.RetryAfter(header))
	})
}

// delayOf is the documentation of RetryAfter as code.
func delayOf(own, service, plain, date string) time.Duration {
	for _, field := range []struct {
		text string
		unit time.Duration
	}{{own, time.Millisecond}, {service, time.Millisecond}, {plain, time.Second}} {
		digits := regexp.MustCompile(`^[ \t]*([0-9]+)[ \t]*$`).FindStringSubmatch(field.text)
		if digits == nil {
			continue
		}
		count, _ := new(big.Int).SetString(digits[1], 10)
		delay := count.Mul(count, big.NewInt(int64(field.unit)))
		if delay.Cmp(big.NewInt(int64(answer.MaxDelay))) > 0 {
			return answer.MaxDelay
		}
		return time.Duration(delay.Int64())
	}
	next, hasNext := timeOf(plain)
	sent, hasSent := timeOf(date)
	seconds := next.Unix() - sent.Unix()
	switch {
	case !hasNext || !hasSent || seconds < 0:
		return 0
	case seconds > int64(answer.MaxDelay/time.Second):
		return answer.MaxDelay
	}
	return next.Sub(sent)
}

func timeOf(text string) (time.Time, bool) {
	text = regexp.MustCompile(`^[ \t]*(.*?)[ \t]*$`).ReplaceAllString(text, "$1")
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 MST", "Mon Jan _2 15:04:05 2006"} {
		if parsed, err := time.Parse(layout, text); err == nil {
			return parsed, true
		}
	}
	return time.Time{}, false
}

// TestStatus goes through all statuses, with and without a delay.
func TestStatus(t *testing.T) {
	cause := errors.New("refused")
	withDelay := map[int]bool{413: true, 503: true}
	unanswered := map[int]bool{408: true, 500: true, 502: true, 503: true, 504: true}
	for status := range 1000 {
		for header, after := range map[string]time.Duration{"7": 7 * time.Second, "": 0} {
			always := status == 429 || status == 498
			var want machineupdate.DriverError
			wantAfter := time.Duration(0)
			switch {
			case always || withDelay[status] && after > 0:
				want = machineupdate.ErrThrottled
				wantAfter = after
			case unanswered[status]:
				want = machineupdate.ErrUnavailable
			}
			fields := http.Header{"Retry-After": {header}}
			for name, err := range map[string]error{
				"Status":   answer.Status(cause, status, fields, 498),
				"Response": answer.Response(cause, &http.Response{StatusCode: status, Header: fields}, 498),
			} {
				kind, told := machineupdate.DriverErrorOf(err)
				require.Equal(t, want, kind, "%s of %d %q", name, status, header)
				require.ErrorIs(t, err, cause)
				require.Equal(t, wantAfter, told)
				if want == "" {
					require.Same(t, cause, err, "the error as it is")
				}
			}
		}
	}
}

// TestNoAnswer: only a broken connection is known to say nothing about the request.
func TestNoAnswer(t *testing.T) {
	cause := errors.New("refused")
	assert.Same(t, cause, answer.Response(cause, nil))
	broken := fmt.Errorf("read: %w", &url.Error{Op: "Get", URL: "https://cloud.test", Err: io.ErrUnexpectedEOF})
	err := answer.Response(broken, nil)
	kind, _ := machineupdate.DriverErrorOf(err)
	assert.Equal(t, machineupdate.ErrUnavailable, kind)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, broken.Error(), err.Error(), "the text stays")
	for _, cause := range []error{
		&net.OpError{Op: "read", Err: syscall.ECONNRESET}, io.EOF, fmt.Errorf("body: %w", io.ErrUnexpectedEOF), context.DeadlineExceeded,
	} {
		for _, none := range []*http.Response{nil, {}} {
			kind, _ := machineupdate.DriverErrorOf(answer.Response(cause, none))
			assert.Equal(t, machineupdate.ErrUnavailable, kind, cause)
		}
	}
	refused := answer.Response(broken, &http.Response{StatusCode: http.StatusBadRequest})
	assert.Equal(t, broken, refused, "the answer counts")
}

// TestBodyThatEndsEarly: a success of which the body does not come is no answer. A success with another error is final.
func TestBodyThatEndsEarly(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusAccepted} {
		success := &http.Response{StatusCode: status}
		cut := fmt.Errorf("read the body: %w", io.ErrUnexpectedEOF)
		err := answer.Response(cut, success)
		kind, _ := machineupdate.DriverErrorOf(err)
		assert.Equal(t, machineupdate.ErrUnavailable, kind)
		require.ErrorIs(t, err, cut)
		malformed := errors.New("malformed body")
		assert.Same(t, malformed, answer.Response(malformed, success))
	}
}

// TestNil: the error of a call that succeeded is none.
func TestNil(t *testing.T) {
	assert.NoError(t, answer.Response(nil, nil))
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		assert.NoError(t, answer.Response(nil, &http.Response{StatusCode: status}))
		assert.NoError(t, answer.Status(nil, status, http.Header{"Retry-After": {"1"}}))
	}
	assert.NoError(t, answer.Throttled(nil, time.Second))
	assert.NoError(t, answer.Unavailable(nil))
	kind, after := machineupdate.DriverErrorOf(
		answer.Response(errors.New("refused"), &http.Response{StatusCode: http.StatusTooManyRequests}),
	)
	assert.Equal(t, machineupdate.ErrThrottled, kind)
	assert.Zero(t, after)
}

func TestUnavailable(t *testing.T) {
	cause := errors.New("a task is under way")
	err := answer.Unavailable(cause)
	kind, after := machineupdate.DriverErrorOf(fmt.Errorf("server: %w", err))
	assert.Equal(t, machineupdate.ErrUnavailable, kind)
	assert.Zero(t, after)
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, machineupdate.ErrUnavailable)
	require.NotErrorIs(t, err, machineupdate.ErrThrottled)
	assert.Equal(t, cause.Error(), err.Error(), "the text stays")
}

func TestThrottled(t *testing.T) {
	cause := errors.New("too many")
	for after, want := range map[time.Duration]time.Duration{
		math.MinInt64: 0, -1: 0, 0: 0, 1: 1, time.Minute: time.Minute,
		answer.MaxDelay: answer.MaxDelay, answer.MaxDelay + 1: answer.MaxDelay, math.MaxInt64: answer.MaxDelay,
	} {
		err := answer.Throttled(cause, after)
		kind, told := machineupdate.DriverErrorOf(err)
		assert.Equal(t, machineupdate.ErrThrottled, kind)
		assert.Equal(t, want, told, strconv.FormatInt(int64(after), 10))
		assert.ErrorIs(t, err, cause)
		_, hasDelay := errors.AsType[*machineupdate.RetryError](err)
		assert.Equal(t, want > 0, hasDelay)
	}
}
