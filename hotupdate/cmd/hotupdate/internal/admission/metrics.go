package admission

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Reason says why a review is not judged. It is a label of a metric.
type Reason string

// The reasons.
const (
	Busy      Reason = "busy"       // too many reviews came at once
	TooLarge  Reason = "too-large"  // the review has too many bytes
	TooLong   Reason = "too-long"   // the comparison took too much time
	Malformed Reason = "malformed"  // the body is no review
	Unread    Reason = "unreadable" // the objects cannot be compared
	Contrary  Reason = "contrary"   // by the rules here, the API server must have refused the change
	Failed    Reason = "failed"     // a defect of this program
)

var reasons = []Reason{Busy, TooLarge, TooLong, Malformed, Unread, Contrary, Failed}

// buckets are the upper bounds of the times that are counted, in seconds.
var buckets = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}

// metrics count reviews. They are safe for concurrent use.
type metrics struct {
	mutex     sync.Mutex
	judged    map[string]int // by verdict
	notJudged map[Reason]int
	contrary  int // changes that Gardener should have refused
	refused   int
	confirmed int
	times     []int // by bucket, and above all
	seconds   float64
	running   int
	expires   time.Time // the certificate
	unread    int       // certificates that could not be read
}

func newMetrics(verdicts []string) *metrics {
	m := &metrics{judged: map[string]int{}, notJudged: map[Reason]int{}, times: make([]int, len(buckets)+1)}
	for _, word := range verdicts { // rate() does not count the first event of a new counter
		m.judged[word] = 0
	}
	for _, reason := range reasons {
		m.notJudged[reason] = 0
	}
	return m
}

// change changes the metrics under the mutex.
func (m *metrics) change(by func()) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	by()
}

func (m *metrics) took(d time.Duration) {
	m.change(func() {
		i, _ := slices.BinarySearch(buckets, d.Seconds())
		m.times[i]++
		m.seconds += d.Seconds()
	})
}

// text returns the metrics in the text format of Prometheus, version 0.0.4.
func (m *metrics) text() string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var b strings.Builder
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP hotupdate_%[1]s %[3]s\n# TYPE hotupdate_%[1]s %[2]s\n", name, kind, help)
	}
	family("reviews_judged_total", "counter",
		"Updates by the gravest verdict; whether they were admitted is not known.")
	for _, word := range slices.Sorted(maps.Keys(m.judged)) {
		fmt.Fprintf(&b, "hotupdate_reviews_judged_total{verdict=%q} %d\n", word, m.judged[word])
	}
	family("reviews_not_judged_total", "counter", "Reviews that were answered without a verdict.")
	for _, reason := range slices.Sorted(maps.Keys(m.notJudged)) {
		fmt.Fprintf(&b, "hotupdate_reviews_not_judged_total{reason=%q} %d\n", reason, m.notJudged[reason])
	}
	single := func(name, kind, help string, value float64) {
		family(name, kind, help)
		fmt.Fprintf(&b, "hotupdate_%s %s\n", name, number(value))
	}
	single("reviews_forbidden_by_gardener_total", "counter",
		"Updates that Gardener has admitted, and that it refuses by the rules here: each is a defect of the rules.",
		float64(m.contrary))
	single("reviews_refused_total", "counter", "Updates that were refused.", float64(m.refused))
	single("reviews_confirmed_total", "counter", "Updates that were let through because a person confirms them.",
		float64(m.confirmed))
	single("reviews_running", "gauge", "Reviews that are answered now.", float64(m.running))
	m.histogram(&b, family)
	if !m.expires.IsZero() {
		single("certificate_expires_timestamp_seconds", "gauge", "When the certificate of the server expires.",
			float64(m.expires.Unix()))
	}
	single("certificate_unreadable_total", "counter", "Times that a changed certificate could not be used.",
		float64(m.unread))
	return b.String()
}

func (m *metrics) histogram(b *strings.Builder, family func(name, kind, help string)) {
	const name = "review_duration_seconds"
	family(name, "histogram", "Times of reviews, from the first byte to the answer.")
	sum := 0
	for i, count := range m.times {
		sum += count
		bound := math.Inf(1)
		if i < len(buckets) {
			bound = buckets[i]
		}
		fmt.Fprintf(b, "hotupdate_%s_bucket{le=%q} %d\n", name, number(bound), sum)
	}
	fmt.Fprintf(b, "hotupdate_%s_sum %s\nhotupdate_%s_count %d\n", name, number(m.seconds), name, sum)
}

// number writes a number for Prometheus.
func number(value float64) string {
	if math.IsInf(value, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
