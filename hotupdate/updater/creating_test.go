package updater_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var red = map[string]string{"team": "red"}

const redVersion = `{"tags":{"team":"red"}}`

// TestCreatingRepeats: an error that passes, of the first read or of the write, costs no version.
func TestCreatingRepeats(t *testing.T) {
	t.Parallel()
	closed := func(w http.ResponseWriter) {
		connection, _, _ := w.(http.Hijacker).Hijack()
		_ = connection.Close()
	}
	refused := func(code int, reason metav1.StatusReason) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { refuse(w, code, reason) }
	}
	for name, fail := range map[string]func(http.ResponseWriter){
		"throttled": refused(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests),
		"throttled, with a time": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests)
		},
		"internal error":    refused(http.StatusInternalServerError, metav1.StatusReasonInternalError),
		"no leader of etcd": refused(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable),
		"timeout":           refused(http.StatusGatewayTimeout, metav1.StatusReasonTimeout),
		"conflict":          refused(http.StatusConflict, metav1.StatusReasonConflict),
		"forbidden":         refused(http.StatusForbidden, metav1.StatusReasonForbidden),
		"no status":         func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"closed connection": closed,
		"answer of another": func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) },
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				s := newAPIServer(t)
				if method == http.MethodPut {
					s.given(nil, map[string]string{"other": `[{}]`})
				}
				left := 2
				s.fail = func(w http.ResponseWriter, r *http.Request) bool {
					if r.Method != method || left == 0 {
						return false
					}
					left--
					fail(w)
					return true
				}
				u := s.updater()
				create(t, u, "class", red)
				assert.Equal(t, "["+redVersion+"]", s.data()["class"])
				assert.Equal(t, map[string]int{"Stored": 1}, outcomes(t, u))
				assert.Zero(t, left)
			})
		}
	}
}

// TestCreatingIsBounded: while nothing can be stored, each of many creations tries more than once, and then goes on.
func TestCreatingIsBounded(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"refused": func(w http.ResponseWriter, _ *http.Request) bool {
			refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError)
			return true
		},
		"no answer": hangs,
		"no answer to a write": func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method != http.MethodGet && hangs(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.fail = fail
			u := s.updater()
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() { create(t, u, "class", map[string]string{"n": strconv.Itoa(i)}) })
			}
			all.Wait()
			assert.Greater(t, strings.Count(s.took(), http.MethodGet), 1)
			assert.Equal(t, map[string]int{"Failed": 20}, outcomes(t, u))
		})
	}
}

// TestCreatingSurvivesAHang: a request without an answer leaves time for another one.
func TestCreatingSurvivesAHang(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	var hung atomic.Bool
	s.fail = func(_ http.ResponseWriter, r *http.Request) bool {
		return !hung.Swap(true) && hangs(nil, r)
	}
	u := s.updater()
	create(t, u, "class", red)
	assert.Equal(t, map[string]int{"Stored": 1}, outcomes(t, u))
}

// TestManyCreations: five hundred creations at once share reads and writes, whatever queries MCM's
// client may make.
func TestManyCreations(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	s.config.QPS = 20 // both are MCM's defaults
	s.config.Burst = 30
	s.fail = func(http.ResponseWriter, *http.Request) bool {
		time.Sleep(5 * time.Millisecond)
		return false
	}
	u := s.updater()
	const n = 500
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { create(t, u, fmt.Sprint("class-", i%10), map[string]string{"n": strconv.Itoa(i % 20)}) })
	}
	all.Wait()
	counts := outcomes(t, u)
	assert.Zero(t, counts["Failed"])
	assert.Equal(t, n, counts["Stored"]+counts["Known"])
	assert.GreaterOrEqual(t, counts["Stored"], 1)
	assert.Less(t, len(strings.Fields(s.took())), 100)
	require.Len(t, s.data(), 10)
	for class, text := range s.data() {
		assert.Equal(t, 2, strings.Count(text, `"n"`), class)
	}
}

// TestKnownVersion: a version that is stored costs one read, unless versions are being pruned: then
// a write tells the pruning that the version is used, whatever version it is.
func TestKnownVersion(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	s.given(nil, map[string]string{"class": "[{}," + redVersion + "]"})
	u := s.updater()
	create(t, u, "class", red)
	assert.Equal(t, "GET", s.took())
	for _, tags := range []map[string]string{red, nil} {
		s.given(map[string]string{mark: "true"}, map[string]string{"class": "[{}," + redVersion + "]"})
		create(t, u, "class", tags)
		assert.Equal(t, "GET PUT", s.took())
		assert.NotContains(t, s.stored.Annotations, mark)
		assert.Equal(t, "[{},"+redVersion+"]", s.data()["class"])
	}
}

// TestStoreBeyondItsBounds: what others have written, in any length and form, delays only creations
// of its own class.
func TestStoreBeyondItsBounds(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return `[{"tags":{"long":"` + strings.Repeat("x", n-24) + `"}}]` }
	for name, tc := range map[string]struct {
		data  map[string]string
		class string // that nothing can be added to
	}{
		"a class beyond its bound":        {map[string]string{"long": long(200 << 10)}, "long"},
		"a class beyond the bound of all": {map[string]string{"long": long(900 << 10)}, "long"},
		"a class that is no list":         {map[string]string{"long": `{"tags":`}, "long"},
		"all classes beyond the bound": {func() map[string]string {
			data := map[string]string{}
			for i := range 9 {
				data[fmt.Sprint("long-", i)] = long(95 << 10)
			}
			return data
		}(), "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.given(nil, tc.data)
			u := s.updater()
			if tc.class == "long" {
				create(t, u, "class", red)
				assert.Equal(t, "["+redVersion+"]", s.data()["class"])
				assert.Equal(t, tc.data["long"], s.data()["long"])
				assert.Equal(t, map[string]int{"Stored": 1}, outcomes(t, u))
			}
			s.took()
			create(t, u, tc.class, red)
			assert.Equal(t, "GET", s.took(), "another attempt would not help")
			assert.Equal(t, tc.data[tc.class], s.data()[tc.class])
			assert.Equal(t, 1, outcomes(t, u)["Failed"])
		})
	}
}

// TestStoreIsBeingDeleted: what is written to a ConfigMap that waits for its finalizers is lost with it. The creation waits for the end.
func TestStoreIsBeingDeleted(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	s.given(nil, map[string]string{"class": "[" + redVersion + "]"})
	s.stored.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	s.stored.Finalizers = []string{"foregroundDeletion"}
	u := s.updater()
	time.AfterFunc(time.Second, func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.stored = nil
	})
	create(t, u, "class", red)
	assert.Equal(t, map[string]int{"Stored": 1}, outcomes(t, u))
	assert.Equal(t, "["+redVersion+"]", s.data()["class"])
}

// TestNoProviderSpec: a class without a provider spec is a mistake of the caller, and no version.
func TestNoProviderSpec(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	u := s.updater()
	for _, spec := range [][]byte{nil, {}, []byte("null"), []byte("{}")} {
		u.Creating(t.Context(), &metav1.ObjectMeta{Name: "m"}, &metav1.ObjectMeta{Name: "class"}, spec)
	}
	assert.Equal(t, map[string]int{"Unreadable": 4}, outcomes(t, u))
	assert.Empty(t, s.took())
	u.Creating(t.Context(), &metav1.ObjectMeta{Name: "m"}, &metav1.ObjectMeta{Name: "class"}, []byte(`{"tags":{}}`))
	assert.Equal(t, 1, outcomes(t, u)["Known"])
	assert.Empty(t, s.data(), "a version without Hot leaves needs no entry")
}

// TestNilUpdater: a driver that has none stores nothing.
func TestNilUpdater(t *testing.T) {
	t.Parallel()
	create(t, nil, "class", red)
}
