package admission_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/admission"
)

var (
	old     = objectOf("", `{"size":"50Gi"}`)
	updated = objectOf("", `{"size":"100Gi"}`)
	change  = reviewOf("7", "UPDATE", old, updated)
)

func rolls(context.Context, []byte, []byte) (*admission.Judgement, error) {
	return &admission.Judgement{Verdict: "roll", Warnings: []string{"pool a: roll"}}, nil
}

func stops(context.Context, []byte, []byte) (*admission.Judgement, error) {
	return &admission.Judgement{Verdict: "roll", Warnings: []string{"pool a: roll", "pool b: roll"}, IsStopped: true}, nil
}

func refusesUnjudged(o *admission.Options) { o.RefusesUnjudged = true }

// TestWarns: who changes an object gets the warnings. Log and metrics have no values of it.
func TestWarns(t *testing.T) {
	t.Parallel()
	var gotOld, gotNew string
	w := start(t, func(_ context.Context, old, updated []byte) (*admission.Judgement, error) {
		gotOld = string(old)
		gotNew = string(updated)
		return rolls(nil, nil, nil) //nolint:staticcheck // is not used
	})
	a, _ := w.ask(t, change)
	assert.Equal(t, "admission.k8s.io/v1 AdmissionReview", a.APIVersion+" "+a.Kind)
	assert.Equal(t, "7", a.Response.UID)
	assert.True(t, a.Response.Allowed)
	assert.Equal(t, []string{"pool a: roll"}, a.Response.Warnings)
	assert.JSONEq(t, old, gotOld)
	assert.JSONEq(t, updated, gotNew)
	metrics := w.page(t, "/metrics")
	assert.Contains(t, metrics, "hotupdate_reviews_judged_total{verdict=\"roll\"} 1\n")
	assert.Contains(t, metrics, "hotupdate_review_duration_seconds_count 1\n")
	assert.Equal(t, "ok\n", w.page(t, "/healthz"))
	require.NoError(t, w.stop())
	for line := range strings.Lines(w.log.String()) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.Contains(
		t, w.log.String(), `"msg":"judged","uid":"7","kind":"Pool","namespace":"dev","name":"web","dryRun":false,"verdict":"roll"`,
	)
	assert.NotContains(t, w.log.String()+metrics, "Gi")
	assert.NotContains(t, w.log.String()+metrics, "ann", "the user")
}

// TestSilent: what is no update of an object itself is not judged.
func TestSilent(t *testing.T) {
	t.Parallel()
	w := start(t, func(context.Context, []byte, []byte) (*admission.Judgement, error) {
		return nil, errors.New("is judged")
	}, refusesUnjudged)
	for name, text := range map[string]string{
		"a creation":          reviewOf("7", "CREATE", "null", updated),
		"a deletion":          reviewOf("7", "DELETE", old, "null"),
		"a connection":        reviewOf("7", "CONNECT", "null", "null"),
		"a status":            strings.Replace(change, `"name":"web"`, `"subResource":"status","name":"web"`, 1),
		"an object that goes": reviewOf("7", "UPDATE", old, objectOf(`,"deletionTimestamp":"2026-11-29T08:00:00Z"`, `{"size":"100Gi"}`)),
	} {
		a, _ := w.ask(t, text)
		assert.True(t, a.Response.Allowed, name)
		assert.Equal(t, "7", a.Response.UID, name)
		assert.Empty(t, a.Response.Warnings, name)
	}
	assert.NotContains(t, w.page(t, "/metrics"), `total{reason="unreadable"} 1`)
}

// TestNotJudged: a change that is not judged is let through with one warning, or refused by a server that refuses. A metric
// has the reason.
func TestNotJudged(t *testing.T) {
	t.Parallel()
	large := reviewOf("7", "UPDATE", old, objectOf("", `{"size":"`+strings.Repeat("x", 9000)+`"}`))
	for name, test := range map[string]struct {
		judge  admission.Judge
		review string
		reason admission.Reason
		want   string
		// isKnown says that the digest of the change is known, so that a person can confirm it.
		isKnown bool
	}{
		"the objects are wrong": {func(context.Context, []byte, []byte) (*admission.Judgement, error) {
			return nil, errors.New("object: spec: is wrong\nobject: more")
		}, change, admission.Unread, "not judged by hotupdate: object: spec: is wrong", true},
		"it panics": {func(context.Context, []byte, []byte) (*admission.Judgement, error) {
			panic("secret")
		}, change, admission.Failed, "not judged by hotupdate: hotupdate has failed; please report it", true},
		"it takes too long": {func(ctx context.Context, _, _ []byte) (*admission.Judgement, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, change, admission.TooLong, "not judged by hotupdate: comparing the objects takes too long", true},
		"it is too large": {rolls, large, admission.TooLarge, "not judged by hotupdate: the review has more than 8192 bytes", false},
		"a rule is wrong": {func(context.Context, []byte, []byte) (*admission.Judgement, error) {
			return &admission.Judgement{
				Verdict: "forbidden", Contrary: "a rule", Warnings: []string{"pool a: forbidden"}, IsStopped: true,
			}, nil
		}, change, admission.Contrary, "not judged by hotupdate: by the rules that hotupdate knows, Gardener refuses the change, which it has not done", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := func(o *admission.Options) { o.MaxReview = 8192 }
			w := start(t, test.judge, limit)
			a, _ := w.askBy(t, test.review, "500ms")
			assert.True(t, a.Response.Allowed)
			assert.Equal(t, []string{test.want}, a.Response.Warnings)
			assert.Contains(t, w.page(t, "/metrics"), fmt.Sprintf("hotupdate_reviews_not_judged_total{reason=%q} 1\n", test.reason))
			assert.NotContains(t, w.log.String(), "secret")
			refusing := start(t, test.judge, limit, refusesUnjudged)
			a, _ = refusing.askBy(t, test.review, "500ms")
			assert.False(t, a.Response.Allowed)
			assert.Equal(t, "7", a.Response.UID)
			assert.Equal(t, http.StatusForbidden, a.Response.Status.Code)
			assert.True(t, strings.HasPrefix(a.Response.Status.Message, test.want), a.Response.Status.Message)
			assert.Equal(t, test.isKnown, strings.Contains(a.Response.Status.Message, admission.Confirmation))
		})
	}
}

// TestContraryIsCounted: each change that Gardener admits and that it refuses by the rules here is a defect.
func TestContraryIsCounted(t *testing.T) {
	t.Parallel()
	w := start(t, func(context.Context, []byte, []byte) (*admission.Judgement, error) {
		return &admission.Judgement{Verdict: "forbidden", Contrary: "the minimum is above the maximum"}, nil
	})
	w.ask(t, change)
	assert.Contains(t, w.page(t, "/metrics"), "hotupdate_reviews_forbidden_by_gardener_total 1\n")
	assert.Contains(t, w.log.String(), "the minimum is above the maximum")
}

// TestRefuses: a change that a gate stops is refused until the object has the digest that the refusal names. Another
// change needs another digest.
func TestRefuses(t *testing.T) {
	t.Parallel()
	w := start(t, stops)
	a, _ := w.ask(t, change)
	assert.False(t, a.Response.Allowed)
	assert.Equal(t, "Forbidden", a.Response.Status.Reason)
	says, digest, _ := strings.Cut(
		a.Response.Status.Message, "; to make exactly this change, annotate the object with hotupdate.github.io/confirm=",
	)
	assert.Equal(t, "pool a: roll; pool b: roll", says)
	require.Len(t, digest, 32)
	confirmed := func(value, spec string) string {
		return reviewOf("8", "UPDATE", old, objectOf(`,"annotations":{"hotupdate.github.io/confirm":"`+value+`"}`, spec))
	}
	a, _ = w.ask(t, confirmed(digest, `{"size":"100Gi"}`))
	assert.True(t, a.Response.Allowed)
	assert.Equal(t, []string{"pool a: roll", "pool b: roll"}, a.Response.Warnings)
	for _, other := range []string{
		confirmed("true", `{"size":"100Gi"}`), confirmed(digest, `{"size":"200Gi"}`), confirmed(digest[:31], `{"size":"100Gi"}`),
	} {
		a, _ = w.ask(t, other)
		assert.False(t, a.Response.Allowed)
	}
	metrics := w.page(t, "/metrics")
	assert.Contains(t, metrics, "hotupdate_reviews_refused_total 4\n")
	assert.Contains(t, metrics, "hotupdate_reviews_confirmed_total 1\n")
}

// TestMalformed: what is no review gets an error, which an API server handles by the failurePolicy.
func TestMalformed(t *testing.T) {
	t.Parallel()
	w := start(t, rolls)
	_, response := w.ask(t, `{}`)
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	client := w.client()
	defer client.CloseIdleConnections()
	yaml, err := client.Post(w.address+admission.ReviewPath, "application/yaml", strings.NewReader(change))
	require.NoError(t, err)
	require.NoError(t, yaml.Body.Close())
	assert.Equal(t, http.StatusUnsupportedMediaType, yaml.StatusCode)
	got, err := client.Get(w.address + admission.ReviewPath)
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, got.StatusCode)
	assert.Contains(t, w.page(t, "/metrics"), "hotupdate_reviews_not_judged_total{reason=\"malformed\"} 2\n")
}

// TestHungClients: clients that never send their bodies, more than there are places, keep their places for a part of their
// time only.
func TestHungClients(t *testing.T) {
	t.Parallel()
	w := start(t, rolls)
	hung := 20 * runtime.GOMAXPROCS(0)
	for range hung {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(w.address, "https://"), &tls.Config{RootCAs: w.roots, MinVersion: tls.VersionTLS12})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = fmt.Fprintf(
			conn, "POST /review?timeout=4s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		)
		require.NoError(t, err)
	}
	a, _ := w.askBy(t, change, "30s")
	assert.Equal(t, []string{"pool a: roll"}, a.Response.Warnings)
	require.Eventually(t, func() bool {
		return strings.Contains(w.page(t, "/metrics"), fmt.Sprintf("hotupdate_reviews_not_judged_total{reason=\"malformed\"} %d\n", hung))
	}, 20*time.Second, 10*time.Millisecond, "all places are free again")
}

// flooded sends reviews at once by a function that returns the answer. It returns how many were judged; the others are
// answered with a warning too. Never are more compared at once than there are processors.
func flooded(t *testing.T, reviews int, send func(w *world) string) (judged int32) {
	t.Helper()
	var running, most, isJudged, busy atomic.Int32
	w := start(t, func(context.Context, []byte, []byte) (*admission.Judgement, error) {
		now := running.Add(1)
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); {
			before = most.Load()
		}
		time.Sleep(time.Millisecond)
		running.Add(-1)
		return rolls(nil, nil, nil) //nolint:staticcheck // is not used
	})
	var group sync.WaitGroup
	for range reviews {
		group.Go(func() {
			switch body := send(w); {
			case strings.Contains(body, `"warnings":["pool a: roll"]`):
				isJudged.Add(1)
			case strings.Contains(body, "too many changes are made at once"):
				busy.Add(1)
			default:
				t.Errorf("%s", body)
			}
		})
	}
	group.Wait()
	assert.EqualValues(t, reviews, isJudged.Load()+busy.Load())
	assert.LessOrEqual(t, int(most.Load()), runtime.GOMAXPROCS(0))
	return isJudged.Load()
}

// TestFlood: many reviews come at once, each larger than the window of a stream. Those that wait for a place do not keep the
// bytes of others out of the connection.
func TestFlood(t *testing.T) {
	text := reviewOf("7", "UPDATE", old, objectOf("", `{"size":"`+strings.Repeat("x", 128<<10)+`"}`))
	var client *http.Client
	var once sync.Once
	judged := flooded(t, 150, func(w *world) string {
		once.Do(func() { client = w.client() })
		response, err := client.Post(w.address+"/review?timeout=30s", "application/json", strings.NewReader(text))
		if err != nil {
			return err.Error()
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body)
		return string(body)
	})
	client.CloseIdleConnections()
	assert.Positive(t, judged)
}

// TestFloodMemory: of reviews of a MiB that come at once, twice as many as the bound has room for, few are in memory.
func TestFloodMemory(t *testing.T) {
	const (
		size = 1 << 20
		held = 6 // times the size: as a body that grows, as objects, and as garbage
	)
	places := 9 * runtime.GOMAXPROCS(0)
	begin, end, _ := strings.Cut(reviewOf("7", "UPDATE", old, objectOf("", `{"size":"+"}`)), "+")
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // or the heap is half garbage
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	ended := make(chan struct{})
	peak := make(chan uint64)
	go watchHeap(ended, peak)
	flooded(t, 2*held*places, func(w *world) string {
		body := io.MultiReader(strings.NewReader(begin), io.LimitReader(letters{}, size), strings.NewReader(end))
		request := httptest.NewRequest(http.MethodPost, "/review?timeout=30s", body)
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		w.Handler().ServeHTTP(recorder, request)
		return recorder.Body.String()
	})
	close(ended)
	grown := <-peak - before.HeapAlloc
	t.Logf("the heap grows by %d MiB", grown>>20)
	assert.Less(t, grown, uint64(held*size*places))
}

// letters is a text without an end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// watchHeap measures the heap until it is told to end.
func watchHeap(ended chan struct{}, peak chan uint64) {
	most := uint64(0)
	for {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
		select {
		case <-ended:
			peak <- most
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// TestBusy: while all comparisons hang, other reviews are answered in time.
func TestBusy(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w := start(t, func(context.Context, []byte, []byte) (*admission.Judgement, error) {
		<-release                   // does not end with its context
		return rolls(nil, nil, nil) //nolint:staticcheck // is not used
	})
	var group sync.WaitGroup
	for range 20 * runtime.GOMAXPROCS(0) {
		group.Go(func() {
			started := time.Now()
			a, _ := w.askBy(t, change, "1s")
			assert.True(t, a.Response.Allowed)
			assert.Len(t, a.Response.Warnings, 1)
			assert.Less(t, time.Since(started), 5*time.Second)
		})
	}
	group.Wait()
	close(release)
	require.Eventually(t, func() bool {
		a, _ := w.ask(t, change)
		return len(a.Response.Warnings) == 1 && a.Response.Warnings[0] == "pool a: roll"
	}, 10*time.Second, 10*time.Millisecond, "the places are free again")
}

// TestCertificate: a renewed certificate is used, a broken one is not, and an expired one is refused by clients.
func TestCertificate(t *testing.T) {
	t.Parallel()
	var shift atomic.Int64
	var o admission.Options
	w := start(t, rolls, func(given *admission.Options) {
		given.Clock = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
		o = *given
	})
	serial := func() string {
		t.Helper()
		conn, err := tls.Dial("tcp", strings.TrimPrefix(w.address, "https://"), &tls.Config{RootCAs: w.roots, MinVersion: tls.VersionTLS12})
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	first := serial()
	w.renew(t, &o, time.Now().Add(2*time.Hour))
	assert.Equal(t, first, serial(), "the files are not read at each handshake")
	shift.Add(int64(11 * time.Second))
	second := serial()
	assert.NotEqual(t, first, second)
	require.NoError(t, os.WriteFile(o.KeyFile, []byte("no key"), 0o600))
	shift.Add(int64(11 * time.Second))
	assert.Equal(t, second, serial())
	assert.Contains(t, w.page(t, "/metrics"), "hotupdate_certificate_unreadable_total 1\n")
	w.renew(t, &o, time.Now().Add(-time.Hour))
	shift.Add(int64(11 * time.Second))
	_, err := w.client().Get(w.address + "/healthz")
	var invalid *tls.CertificateVerificationError
	require.ErrorAs(t, err, &invalid)
	assert.Contains(t, w.log.String(), "the certificate has expired")
	w.renew(t, &o, time.Now().Add(time.Hour))
	shift.Add(int64(11 * time.Second))
	assert.Equal(t, "ok\n", w.page(t, "/healthz"))
}

// TestStart: a server does not start without its certificate.
func TestStart(t *testing.T) {
	t.Parallel()
	_, err := admission.New(admission.Options{Judge: rolls, CertFile: "no.crt", KeyFile: "no.key"})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestEndsWithItsWork: a server that is told to end answers what has begun.
func TestEndsWithItsWork(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	w := start(t, func(context.Context, []byte, []byte) (*admission.Judgement, error) {
		close(began)
		time.Sleep(200 * time.Millisecond)
		return rolls(nil, nil, nil) //nolint:staticcheck // is not used
	})
	done := make(chan answer, 1)
	go func() {
		a, _ := w.ask(t, change)
		done <- a
	}()
	<-began
	require.NoError(t, w.stop())
	assert.Equal(t, []string{"pool a: roll"}, (<-done).Response.Warnings)
	_, err := net.Dial("tcp", strings.TrimPrefix(w.address, "https://"))
	require.Error(t, err)
}

func TestBudget(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[string]time.Duration{
		"3s": 2700 * time.Millisecond, "30s": 27 * time.Second, "": 2700 * time.Millisecond, "-1s": 2700 * time.Millisecond,
		"1h": 2700 * time.Millisecond, "soon": 2700 * time.Millisecond,
	} {
		assert.Equal(t, want, admission.BudgetOf(timeout), timeout)
	}
}
