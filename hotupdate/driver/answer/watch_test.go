package answer_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

type transport func() (*http.Response, error)

func (t transport) RoundTrip(*http.Request) (*http.Response, error) { return t() }

// TestWatch: an error that tells nothing is marked by the last request.
func TestWatch(t *testing.T) {
	var response *http.Response
	var broken error
	w := &answer.Watch{Next: transport(func() (*http.Response, error) { return response, broken })}
	opaque := errors.New("cannot fetch token")
	require.Same(t, opaque, w.Told(opaque), "there was no request")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://cloud.test", http.NoBody)
	require.NoError(t, err)
	for _, step := range []struct {
		response *http.Response
		broken   error
		kind     machineupdate.DriverError
		after    time.Duration
	}{
		{nil, errors.New("reset"), machineupdate.ErrUnavailable, 0},
		{&http.Response{StatusCode: 200}, nil, "", 0},
		{&http.Response{StatusCode: 500}, nil, machineupdate.ErrUnavailable, 0},
		{&http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}}, nil, machineupdate.ErrThrottled, 7 * time.Second},
		{&http.Response{StatusCode: 400}, nil, "", 0},
	} {
		response = step.response
		broken = step.broken
		got, err := w.RoundTrip(request) //nolint:bodyclose // there is none
		assert.Same(t, step.response, got)
		assert.Equal(t, step.broken, err)
		kind, after := machineupdate.DriverErrorOf(w.Told(opaque))
		assert.Equal(t, step.kind, kind)
		assert.Equal(t, step.after, after)
		require.ErrorIs(t, w.Told(opaque), opaque)
		require.NoError(t, w.Told(nil))
	}
}
