// Package ratio sets the cost of work beside that of a peer, for benchmarks. Both are run by turns in one process, so
// that the machine and what else it does are the same for both. It knows no work and no peer.
package ratio

import (
	"math"
	"testing"
)

// Report runs the peer and the work by turns while the benchmark loops. It reports how many times the work costs what
// the peer costs, as the metric ×peer, and beside it the limit that the work is meant to keep. The cost is processor
// time with all goroutines, the collection of garbage and the programs that were run, where the system tells it. The
// cheapest of all turns counts for each, since other programs can only make a turn dearer.
func Report(b *testing.B, limit float64, work, peer func()) {
	b.Helper()
	cheapest := func(so float64, do func()) float64 {
		before := processorSeconds()
		do()
		return min(so, processorSeconds()-before)
	}
	ofPeer := math.Inf(+1)
	ofWork := math.Inf(+1)
	for b.Loop() {
		ofPeer = cheapest(ofPeer, peer)
		ofWork = cheapest(ofWork, work)
	}
	b.ReportMetric(ofWork/ofPeer, "×peer")
	b.ReportMetric(limit, "limit-×peer")
}
