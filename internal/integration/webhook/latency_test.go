package webhook_test

import (
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

var latencies = flag.Int("latencies", 20, "how many changes the times are measured of")

// answering starts a webhook that admits everything, and passes each review on.
func answering(t *testing.T, pass func(review []byte)) (address string, ca []byte) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct{ Request struct{ UID string } }
		text, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(text, &review)
		pass(text)
		_, _ = fmt.Fprintf(
			w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.Request.UID,
		)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "https://"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// TestLatencies prints how long changes of a Shoot take, in dry runs, behind the webhook and behind
// a webhook that does nothing.
func TestLatencies(t *testing.T) {
	w := newWorld(t)
	_, stderr, code := w.kubectl(t, shootNamed(t, "times"), "apply", "-f", "-")
	require.Zero(t, code, stderr)
	address, ca := answering(t, func([]byte) {})
	h := w.serve(t, time.Now().Add(time.Hour))
	config := *w.config
	config.QPS = -1
	client, err := dynamic.NewForConfig(&config)
	require.NoError(t, err)
	shoots := client.Resource(gardener.WithResource("shoots")).Namespace("garden-dev")
	measured := func(name string) {
		var times []time.Duration
		for i := range *latencies + 3 {
			patch := fmt.Appendf(nil, `{"spec":{"region":"r%d"}}`, i)
			started := time.Now()
			_, err := shoots.Patch(t.Context(), "times", types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{"All"}})
			require.NoError(t, err)
			if i >= 3 { // by then the connections are open
				times = append(times, time.Since(started))
			}
		}
		slices.Sort(times)
		t.Logf("%s: p50 %v, p99 %v of %d changes", name, times[len(times)/2], times[len(times)*99/100], len(times))
	}
	w.use(t, "base", address, ca)
	measured("a webhook that does nothing")
	w.use(t, "base", h.address, h.ca)
	measured("hotupdate serve")
	require.NotEqual(t, "0", h.metric(t, "hotupdate_review_duration_seconds_count"))
}
