package answer_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
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

// TestWatchedBody: a success whose body ends early is a broken connection. Of a failure the status counts, and the next
// request counts alone.
func TestWatchedBody(t *testing.T) {
	status := 0
	var end error
	header := http.Header{"Retry-After": {"7"}}
	w := &answer.Watch{Next: transport(func() (*http.Response, error) {
		body := io.MultiReader(strings.NewReader("{"), iotest.ErrReader(end))
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body)}, nil
	})}
	opaque := errors.New("cannot fetch token")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://cloud.test", http.NoBody)
	require.NoError(t, err)
	for _, step := range []struct {
		status int
		end    error
		kind   machineupdate.DriverError
		after  time.Duration
	}{
		{200, io.ErrUnexpectedEOF, machineupdate.ErrUnavailable, 0},
		{200, io.EOF, "", 0},
		{201, errors.New("reset"), machineupdate.ErrUnavailable, 0},
		{429, io.ErrUnexpectedEOF, machineupdate.ErrThrottled, 7 * time.Second},
		{400, io.ErrUnexpectedEOF, "", 0},
	} {
		status = step.status
		end = step.end
		got, err := w.RoundTrip(request)
		require.NoError(t, err)
		text, err := io.ReadAll(got.Body)
		assert.Equal(t, "{", string(text))
		if !errors.Is(step.end, io.EOF) {
			assert.Equal(t, step.end, err)
		}
		require.NoError(t, got.Body.Close())
		kind, after := machineupdate.DriverErrorOf(w.Told(opaque))
		assert.Equal(t, step.kind, kind, step.status)
		assert.Equal(t, step.after, after)
		require.ErrorIs(t, w.Told(opaque), opaque)
	}
}
