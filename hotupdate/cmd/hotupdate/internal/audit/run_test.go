//go:build !race

package audit_test

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// run audits a fleet that is written while it is read, and returns the findings and the lines of what cannot be read.
func run(tb testing.TB, r *audit.Releases, f *fleet, form string) (made *report.Report, findings map[string]string, planted []int) {
	tb.Helper()
	in, out := io.Pipe()
	done := make(chan []int, 1)
	go func() {
		broken, err := f.write(out, form)
		_ = out.CloseWithError(err)
		done <- broken
	}()
	findings = map[string]string{}
	made, err := r.Run(tb.Context(), manifest.Documents([]string{manifest.Stdin}, in), audit.Options{
		Provider: "fleet",
		Each: func(p *audit.JudgedPool) error {
			if p.Verdict != "none" {
				if _, twice := findings[p.Title()]; twice {
					return fmt.Errorf("%s is judged twice", p.Title())
				}
				findings[p.Title()] = p.Verdict
			}
			return nil
		},
	})
	require.NoError(tb, err)
	return made, findings, <-done
}

// TestFleet: what is planted in a fleet is found, and nothing else.
func TestFleet(t *testing.T) {
	both := releases(t)
	sizes := map[string]int{asList: 2500, asLines: 500, asDocuments: 120} // enough for each finding
	if effort.All() {
		sizes = map[string]int{asList: 25_000, asLines: 2000, asDocuments: 500}
	}
	for form, shoots := range sizes {
		t.Run(form, func(t *testing.T) {
			f := newFleet(shoots)
			made, findings, planted := run(t, both, f, form)
			assert.Equal(t, f.findings, findings)
			assert.Equal(t, f.skipped, made.Objects.Skipped)
			assert.Equal(t, f.pools, total(made.Sum).Pools)
			var broken []int
			for _, u := range made.NotJudged {
				broken = append(broken, u.Line)
			}
			assert.Equal(t, planted, broken)
			byVerdict := map[string]int{}
			for _, v := range findings {
				byVerdict[v]++
			}
			for _, v := range []string{"forbidden", "roll", "class-renamed", "indeterminate", "invalid", "becomes-readable", "none"} {
				if v != "none" {
					assert.Equal(t, byVerdict[v], total(made.Sum, v).Pools, v)
				}
			}
			assert.Equal(t, map[string]bool{"": true, "nonsense": true, "tags[]": true, "token": true, "volume.iops": true}, pathsOf(made))
			for _, d := range report.Dimensions() {
				sum := 0
				for _, counts := range made.Groups[d] {
					sum += counts.Of(slices.Collect(maps.Keys(counts))...).Pools
				}
				assert.Equal(t, f.pools, sum, d)
			}
			assert.Len(t, made.Groups[report.ByMinor], 6)
		})
	}
}

// total adds up the numbers of some verdicts, or of all.
func total(sum []report.Summand, words ...string) (count report.Count) {
	for _, s := range sum {
		if len(words) == 0 || slices.Contains(words, s.Verdict) {
			count = count.Plus(s.Count)
		}
	}
	return count
}

// pathsOf are the fields that causes blame.
func pathsOf(r *report.Report) map[string]bool {
	paths := map[string]bool{}
	for _, c := range r.Causes {
		paths[c.Path] = true
	}
	return paths
}

// TestMemoryIsFlat: at the end of a List of many small Workers no more is held than at its beginning, but for what happens to be under way.
// Of an item that cannot be read, its place and the problem are held.
func TestMemoryIsFlat(t *testing.T) {
	workers := 40_000
	more := uint64(300 << 10) // a map of all identities would take at least 12 bytes for each
	if effort.All() {
		workers = 300_000
		more = 1 << 20
	}
	in, out := io.Pipe()
	go func() {
		fmt.Fprint(out, `{"kind":"List","items":[`)
		for i := range workers {
			fmt.Fprintf(out,
				`{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":"a","namespace":"b","uid":"%036d"},`+
					`"spec":{"type":"fleet","pools":[{"name":"a","kubernetesVersion":"1.35.1"}]}},`+"\n", i)
			if i%300 == 0 {
				fmt.Fprintf(out, "{%q 1},\n", strings.Repeat("x", 5000))
			}
		}
		fmt.Fprint(out, "{}]}")
		_ = out.Close()
	}()
	judged := 0
	held := map[int]uint64{workers / 20: 0, workers * 19 / 20: 0}
	made, err := releases(t).Run(t.Context(), manifest.Documents([]string{manifest.Stdin}, in), audit.Options{
		Each: func(*audit.JudgedPool) error { // one in each object
			judged++
			if _, look := held[judged]; look {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				held[judged] = m.HeapAlloc
			}
			return nil
		},
	})
	require.NoError(t, err)
	assert.Equal(t, workers, made.Objects.Judged)
	require.NotZero(t, held[workers*19/20])
	assert.Less(t, held[workers*19/20], held[workers/20]+more)
}
