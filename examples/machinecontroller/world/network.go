package world

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// ErrKilled is the error of requests of a killed process.
var ErrKilled = errors.New("the process was killed")

// network sends all requests of one process. It can stop the process at a request, before it is
// sent, or after its answer has arrived and before the process reads it.
type network struct {
	mu     sync.Mutex
	killed bool
	frozen chan struct{} // closed when the process continues; nil if it runs
	hooks  []hook
}

// hook runs once, after the answer of a request has arrived.
type hook struct {
	text string
	do   func()
	lose bool // also lose the answer
}

// errLost is the error of a request whose answer was lost.
var errLost = errors.New("the answer was lost")

// wrap returns a transport for requests of the process.
func (n *network) wrap(transport http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		said := r.Method + " " + r.URL.Path + " "
		if r.Body != nil {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			said += string(body)
			r = r.Clone(r.Context())
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		if err := n.pass(); err != nil {
			return nil, err
		}
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		response, err := transport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		hook := n.hookOf(said)
		if hook.do != nil {
			hook.do()
		}
		err = n.pass()
		if err == nil && hook.lose {
			err = errLost
		}
		if err != nil {
			return nil, errors.Join(err, response.Body.Close())
		}
		return response, nil
	})
}

// pass waits until the process runs. It returns an error if the process was killed.
func (n *network) pass() error {
	n.mu.Lock()
	frozen := n.frozen
	n.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.killed {
		return ErrKilled
	}
	return nil
}

func (n *network) hook(h hook) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hooks = append(n.hooks, h)
}

// hookOf removes and returns the first hook for a request.
func (n *network) hookOf(said string) hook {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := slices.IndexFunc(n.hooks, func(h hook) bool { return strings.Contains(said, h.text) })
	if at < 0 {
		return hook{}
	}
	found := n.hooks[at]
	n.hooks = slices.Delete(n.hooks, at, at+1)
	return found
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
