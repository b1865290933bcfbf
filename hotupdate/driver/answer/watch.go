package answer

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// Watch is a transport for an SDK whose errors wrap neither the answer nor the error of the connection. It
// remembers how the last request ended. Use one for each client, or for each login. It is safe for
// concurrent use; of requests at once, the one that ended last counts.
type Watch struct {
	// Next sends the requests. Nil is [http.DefaultTransport].
	Next http.RoundTripper

	mutex  sync.Mutex
	answer *http.Response // without its body
	err    error
}

// RoundTrip implements [http.RoundTripper].
func (w *Watch) RoundTrip(request *http.Request) (*http.Response, error) {
	next := w.Next
	if next == nil {
		next = http.DefaultTransport
	}
	response, err := next.RoundTrip(request)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.err = err
	w.answer = nil
	if response != nil {
		w.answer = &http.Response{StatusCode: response.StatusCode, Header: response.Header}
		if response.Body != nil && isSuccess(response) { // of a failure, the status counts
			response.Body = &watched{response.Body, w}
		}
	}
	return response, err
}

// Told marks the error of a call as [Response] does, by the answer to the last request or by the
// error of its connection, even if that ended the body of a success early. If the last request was
// answered in another way, the error is returned unchanged.
func (w *Watch) Told(err error, throttled ...int) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case err == nil:
		return nil
	case w.err != nil:
		return Unavailable(err)
	}
	return Response(err, w.answer, throttled...)
}

// watched is the body of a success. A body that ends early is a broken connection.
type watched struct {
	io.ReadCloser

	of *Watch
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.of.mutex.Lock()
		b.of.err = err
		b.of.mutex.Unlock()
	}
	return n, err //nolint:wrapcheck // the reader wants it as it is
}
