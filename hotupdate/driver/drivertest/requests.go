package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// CheckRequests takes the machine from one state to another, again and again, and lets each HTTP request
// of the driver fail once: requests of logins and renewals of tokens, of each page of a list, of each
// write, and of each look at an operation. NewDriver makes a driver, as in [Check], whose client sends
// through the transport that faulty returns for the fake API's own.
//
//   - A connection that breaks before the answer or within it, and an answer with status 500, 503 or 429, is
//     met by another attempt in the same update: no update fails.
//   - After 429 with a delay the request is not sent again before the delay is over.
//   - An answer that is none of the cloud's, such as an empty success or the page of a proxy, is not taken for the
//     answer that there is no VM. That update may fail, and no later one.
//   - A request without an answer ends with the context of its update, or has a deadline. So does the
//     update. That update may fail, and no later one.
//
// That holds for a write that was carried out and whose answer ends early, too. Writes of a lane whose changes
// take time are an exception: only a read tells whether the cloud has accepted such a change, so the update
// in which one of them fails may fail.
func CheckRequests[D updates](
	tb testing.TB, setup Setup,
	newDriver func(cloud *FakeCloud, faulty func(http.RoundTripper) http.RoundTripper) (D, error), from, to State,
) {
	tb.Helper()
	told := report{}
	writing := map[string]bool{}
	trial := func(f fault, at int) (sent int) {
		t := &transport{fault: f, at: at, writing: writing}
		c := &checker{
			setup: setup, states: []State{from, to}, from: &from, to: &to, promise: "requests",
			needs: map[string]bool{},
			newDriver: func(cloud *FakeCloud) (updates, error) {
				t.cloud = cloud
				return newDriver(cloud, func(base http.RoundTripper) http.RoundTripper {
					t.base = base
					return t
				})
			},
		}
		c.broken = func(promise, format string, args ...any) {
			problem := fmt.Sprintf(format, args...)
			told.add(promise+" "+f.name, fmt.Sprintf("%s (%s, request %d, %s)", problem, f.name, at, t.failed.name))
		}
		t.checker = c
		c.meet(t)
		told.tell(tb)
		return t.sent
	}
	requests := trial(fault{name: "undisturbed"}, 0)
	if requests == 0 {
		tb.Errorf("the driver sends nothing through the transport that NewDriver gets")
	}
	if len(told.promises) > 0 {
		return
	}
	for _, f := range faults() {
		before := len(told.promises)
		for at := 1; at <= requests && len(told.promises) == before; at++ { // each fault is reported once
			trial(f, at)
		}
	}
	tb.Logf("%d requests, %d faults of each", requests, len(faults()))
}

// fault is what happens to a request.
type fault struct {
	name      string
	status    int
	after     time.Duration // the delay that the answer names
	broken    error         // there is no answer
	isCut     bool          // the request is carried out, and its answer ends early
	hangs     bool
	isOfProxy bool // the answer is none of the cloud's
	page      string
}

const delay = 7 * time.Second

// slack is the real time that may pass while the clock of the cloud stands still.
const slack = time.Second

func faults() []fault {
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	return []fault{
		{name: "a reset connection", broken: reset},
		{name: "no answer before the end of the connection", broken: io.ErrUnexpectedEOF},
		{name: "an answer that ends early", isCut: true},
		{name: "status 500", status: http.StatusInternalServerError},
		{name: "status 503", status: http.StatusServiceUnavailable},
		{name: "status 429", status: http.StatusTooManyRequests},
		{name: "status 429 with a delay", status: http.StatusTooManyRequests, after: delay},
		{name: "no answer", hangs: true},
		{name: "an empty success", isOfProxy: true, status: http.StatusOK},
		{name: "a success of a proxy", isOfProxy: true, status: http.StatusOK, page: "<html></html>"},
		{name: "status 404 of a proxy", isOfProxy: true, status: http.StatusNotFound, page: "<html></html>"},
	}
}

// meet lets the flow adopt the machine and update it, while a request fails.
func (c *checker) meet(t *transport) {
	if !c.create() {
		return
	}
	c.onReturn = func(err error) {
		kind, _ := machineupdate.DriverErrorOf(err)
		isRight := err == nil || kind == machineupdate.ErrPending
		isExcused := t.excuses(c.calls, c.pass.lane)
		c.require(isRight || isExcused, c.promise, "the update fails: %v", err)
		c.require(kind != machineupdate.ErrNotFound, c.promise, "the update says that there is no VM")
	}
	for _, s := range []*State{c.from, c.to} {
		if !c.prepare(s) || !c.rest() {
			return
		}
	}
}

// rest advances the clock until the flow has nothing left to do.
func (c *checker) rest() bool {
	for range 300 {
		calls := c.calls
		after := c.reconcile()
		if after == 0 && c.calls == calls {
			c.rested()
			return true
		}
		c.later(max(after, time.Second))
	}
	c.broken(c.promise, "the machine is never settled")
	return false
}

// transport sends requests, of which one fails.
type transport struct {
	fault
	at      int // the number of this request
	base    http.RoundTripper
	cloud   *FakeCloud
	checker *checker

	mutex  sync.Mutex
	sent   int
	failed sentRequest
	since  time.Time
	update int // the number of the update in which it failed

	hasFollowed bool // the same request was sent again
	// the requests that have changed the cloud while nothing failed
	writing map[string]bool
}

// sentRequest is a request as it was sent.
type sentRequest struct{ name, body string }

func (r *sentRequest) text() string { return r.name + "\n" + r.body }

// excuses reports whether an update may fail because of its failed request: without an answer it ends with
// its context, an answer of a proxy may stand for any error, and a write of a lane whose changes take time
// is not repeated.
func (t *transport) excuses(update int, lane string) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	isOfUpdate := t.update == update
	takesTime := lane != "" && t.writing[t.failed.text()]
	mayFail := t.hangs || t.isOfProxy || takesTime
	return isOfUpdate && mayFail
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	request := sentRequest{r.Method + " " + r.URL.String(), t.read(r)}
	if t.at == 0 {
		return t.learn(r, request.text())
	}
	var now time.Time
	var update int
	t.cloud.locked(func() {
		now = t.cloud.now
		update = t.checker.calls
	})
	t.mutex.Lock()
	t.sent++
	isFailing := t.sent == t.at
	isAgain := t.failed == request && !t.hasFollowed
	since := t.since
	if isFailing {
		t.failed = request
		t.since = now
		t.update = update
	}
	if isAgain {
		t.hasFollowed = true
	}
	t.mutex.Unlock()
	if isAgain && now.Sub(since) < t.after-slack {
		t.breaks("is sent again after %v", now.Sub(since))
	}
	switch {
	case !isFailing:
		return t.base.RoundTrip(r)
	case t.hangs:
		return nil, t.hang(r.Context())
	case t.isCut:
		return t.cut(r)
	case t.broken != nil:
		return nil, t.broken
	}
	header := http.Header{"Content-Type": {"text/html"}}
	if t.after > 0 {
		header.Set(answer.HeaderRetryAfter, strconv.Itoa(int(t.after.Seconds())))
	}
	return &http.Response{
		Status: fmt.Sprint(t.status, " ", http.StatusText(t.status)), StatusCode: t.status, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(t.page)), Request: r,
	}, nil
}

// learn sends a request while no other one is under way, and notes whether it changes the cloud.
func (t *transport) learn(r *http.Request, text string) (*http.Response, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.sent++
	writes := func() (n int) {
		t.cloud.locked(func() { n = t.checker.pass.writes })
		return n
	}
	before := writes()
	response, err := t.base.RoundTrip(r)
	t.writing[text] = t.writing[text] || writes() > before
	return response, err
}

// cut carries a request out. Half of the answer comes.
func (t *transport) cut(r *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	half := bytes.NewReader(text[:len(text)/2])
	response.Body = io.NopCloser(io.MultiReader(half, iotest.ErrReader(io.ErrUnexpectedEOF)))
	return response, nil
}

func (t *transport) breaks(format string, args ...any) {
	t.cloud.locked(func() { t.checker.require(false, t.checker.promise, format, args...) })
}

// read reads a body, which the request keeps.
func (t *transport) read(r *http.Request) string {
	if r.Body == nil {
		return ""
	}
	text, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(text))
	return string(text)
}

// patience is how long a request may take to end after its context.
const patience = 3 * time.Second

var errHangs = errors.New("drivertest: the request hangs")

// hang cancels the update. The request ends with it, or its deadline is trusted.
func (t *transport) hang(ctx context.Context) error {
	t.cloud.locked(func() { t.checker.pass.cancel() })
	_, hasDeadline := ctx.Deadline()
	limit := patience
	if hasDeadline {
		limit /= 30
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(limit):
	}
	if !hasDeadline {
		t.breaks("the request has no deadline, and does not end with its update")
	}
	return errHangs
}
