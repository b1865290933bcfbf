package throttling_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/examples/internal/throttling"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 02 Nov 2026 10:00:00 GMT"
	for name, test := range map[string]struct {
		retryAfter, date string
		want             time.Duration
	}{
		"seconds":              {retryAfter: "17", date: date, want: 17 * time.Second},
		"seconds, no date":     {retryAfter: " 17 ", want: 17 * time.Second},
		"none":                 {date: date},
		"negative":             {retryAfter: "-1", date: date},
		"a fraction":           {retryAfter: "1.5", date: date},
		"overflow":             {retryAfter: "9223372036854775807", date: date},
		"the largest":          {retryAfter: "2147483647", want: 2147483647 * time.Second},
		"a time":               {retryAfter: "Mon, 02 Nov 2026 10:01:00 GMT", date: date, want: time.Minute},
		"a time that is over":  {retryAfter: "Mon, 02 Nov 2026 09:00:00 GMT", date: date},
		"a time, without Date": {retryAfter: "Mon, 02 Nov 2026 10:01:00 GMT"},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Retry-After", test.retryAfter)
			header.Set("Date", test.date)
			assert.Equal(t, test.want, throttling.RetryAfter(header))
		})
	}
}

func TestError(t *testing.T) {
	cause := errors.New("too many")
	for _, after := range []time.Duration{0, -1, time.Minute} {
		err := throttling.Error(cause, after)
		kind, told := machineupdate.DriverErrorOf(err)
		assert.Equal(t, machineupdate.ErrThrottled, kind)
		assert.Equal(t, max(after, 0), told)
		assert.ErrorIs(t, err, cause)
	}
}
