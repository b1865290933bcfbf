package cloudapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer is more than any answer has.
const maxAnswer = 16 << 20

// TimeoutHeader tells the cloud how long the client waits, as a Go duration.
const TimeoutHeader = "Request-Timeout"

// attempts is how often a request that the cloud throttles is made, and firstWait how long the client waits before it makes it again. It
// waits twice as long each time.
const (
	attempts  = 4
	firstWait = time.Second
)

// Client calls the API over HTTP. It repeats what the cloud throttles, a few times, as clients of clouds do: otherwise somebody who always
// begins with the same call could use up every place for the second. It repeats nothing else.
type Client struct {
	// Endpoint is the URL of the API.
	Endpoint string
	// AccessKey identifies the caller.
	AccessKey string
	// HTTP sends the requests.
	HTTP *http.Client
	// Timeout is how long the client waits for an answer.
	Timeout time.Duration
	// WithTimeout ends a context after a while; [context.WithTimeout] is what real time needs.
	WithTimeout func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Wait returns after a while, or with an error when the context is done.
	Wait func(ctx context.Context, d time.Duration) error
}

// Call makes one request. The error is an [*Error] if the cloud refused, an [*UnansweredError] if it did not answer.
func Call[Response any](ctx context.Context, c *Client, action Action, request any) (*Response, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", action, err)
	}
	answer, err := c.patiently(ctx, action, body)
	if err != nil {
		return nil, err
	}
	response := new(Response)
	if err := json.Unmarshal(answer, response); err != nil {
		return nil, &UnansweredError{Action: action, Cause: err}
	}
	return response, nil
}

// patiently makes the request until the cloud does not throttle it.
func (c *Client) patiently(ctx context.Context, action Action, body []byte) ([]byte, error) {
	wait := firstWait
	for range attempts - 1 {
		answer, err := c.post(ctx, action, body)
		if CodeOf(err) != RequestLimitExceeded {
			return answer, err
		}
		if err := c.Wait(ctx, wait); err != nil {
			return nil, fmt.Errorf("%s: %w", action, err)
		}
		wait *= 2
	}
	return c.post(ctx, action, body)
}

// post sends the request and reads the answer.
func (c *Client) post(ctx context.Context, action Action, body []byte) ([]byte, error) {
	ctx, done := c.WithTimeout(ctx, c.Timeout)
	defer done()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint+"/"+string(action), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", action, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", c.AccessKey)
	request.Header.Set(TimeoutHeader, c.Timeout.String())
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, unanswered(ctx, action, err)
	}
	// Everything was read; there is nothing to do about a connection that does not close.
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, unanswered(ctx, action, err)
	}
	if response.StatusCode == http.StatusOK {
		return answer, nil
	}
	refused := new(Error)
	if err := json.Unmarshal(answer, refused); err != nil {
		return nil, unanswered(ctx, action, err)
	}
	return nil, refused
}

// unanswered says why there was no answer. The transport's own words about it are left out: they hold the address, and depend on who of
// the two sides noticed first.
func unanswered(ctx context.Context, action Action, err error) error {
	if problem, ok := errors.AsType[*url.Error](err); ok {
		err = problem.Err
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &UnansweredError{Action: action, Cause: err}
}
