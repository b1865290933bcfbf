package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/internal/benchmarks/cases"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/measure"
	"github.com/hotupdate/providerconfig/internal/benchmarks/plot"
)

// report measures and shows.
type report struct {
	options measure.Options
	out     io.Writer
	groups  []group
}

// group is an operation with its results for each size.
type group struct {
	name  string
	sizes [][]*measure.Case
}

func (r *report) run(picture string) error {
	fmt.Fprintf(r.out, "%s, %s, %d processors, %s\n\n", time.Now().UTC().Format(time.DateOnly), processor(),
		runtime.NumCPU(), runtime.Version())
	if err := r.measure(); err != nil {
		return err
	}
	r.summary()
	if picture == "" {
		return nil
	}
	for _, g := range r.groups {
		r.table(g)
	}
	return r.scale(picture)
}

// processor is the name of the machine's processor, where it is easily known.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, ": \t\n")
		}
	}
	return runtime.GOARCH
}

func (r *report) measure() error {
	for _, size := range fixture.Sizes() {
		groups, err := cases.Groups(size)
		if err != nil {
			return err
		}
		for i, g := range groups {
			if len(r.groups) <= i {
				r.groups = append(r.groups, group{name: g.Name})
			}
			measured, err := r.group(g)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", size.Name, g.Name, err)
			}
			r.groups[i].sizes = append(r.groups[i].sizes, measured)
		}
	}
	return nil
}

func (r *report) group(g cases.Group) ([]*measure.Case, error) {
	measured := make([]*measure.Case, len(g.Cases))
	for i, c := range g.Cases {
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		measured[i] = &measure.Case{Name: c.Name, Run: func() { _ = c.Run() }}
	}
	measure.InTurns(r.options, measured)
	return measured, nil
}

// summary is a line for each operation: the library beside the limit and the best peer.
func (r *report) summary() {
	fmt.Fprintln(r.out,
		"| typical configuration | this library | allocations | times the limit | best of the others | is slower by |")
	fmt.Fprintln(r.out, "|---|---|---|---|---|---|")
	for _, g := range r.groups {
		typical := g.sizes[1]
		own := named(typical, func(name string) bool { return name == cases.Library })
		limit := named(typical, isLimit)
		best := named(typical, func(name string) bool { return name != cases.Library && !isLimit(name) })
		fmt.Fprintf(r.out, "| %s | %s | %.0f | %s | %s | %s |\n", g.name, took(own.PerOp), own.Allocs,
			ratio(own, limit), nameOf(best), ratio(best, own))
	}
	fmt.Fprintln(r.out)
}

func isLimit(name string) bool { return strings.HasSuffix(name, "(the limit)") }

// named is the fastest of the cases whose name is wanted, or nil.
func named(measured []*measure.Case, wanted func(name string) bool) *measure.Case {
	var best *measure.Case
	for _, c := range measured {
		if wanted(c.Name) && (best == nil || c.PerOp < best.PerOp) {
			best = c
		}
	}
	return best
}

func nameOf(c *measure.Case) string {
	if c == nil {
		return "-"
	}
	return c.Name
}

// ratio says how many times as long a takes as b.
func ratio(a, b *measure.Case) string {
	if a == nil || b == nil || b.PerOp == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a.PerOp)/float64(b.PerOp))
}

// took rounds a time to three digits.
func took(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// table shows all cases of an operation: times, in parentheses how many times the limit's, or the
// library's where there is none, and allocations.
func (r *report) table(g group) {
	fmt.Fprintf(r.out, "| %s |", g.name)
	for _, size := range fixture.Sizes() {
		fmt.Fprintf(r.out, " %s, %d B |", size.Name, size.Bytes)
	}
	fmt.Fprintln(r.out, "\n|---|---|---|---|")
	for i, c := range g.sizes[0] {
		fmt.Fprintf(r.out, "| %s |", c.Name)
		for _, measured := range g.sizes {
			base := cmp.Or(named(measured, isLimit),
				named(measured, func(name string) bool { return name == cases.Library }))
			fmt.Fprintf(r.out, " %s (%s), %.0f allocs |", took(measured[i].PerOp),
				ratio(measured[i], base), measured[i].Allocs)
		}
		fmt.Fprintln(r.out)
	}
	fmt.Fprintln(r.out)
}

// counts are the sizes of collections.
var counts = []int{10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000}

// scale measures collections of growing size, shows the ends as a table and draws all as a plot.
func (r *report) scale(picture string) error {
	p := plot.Plot{Title: "hash: time per element", XLabel: "elements", YLabel: "nanoseconds per element"}
	fmt.Fprintln(r.out,
		"| hash of a collection | ns per element at 100 | at 10,000 | at 100,000 | memory at 100,000 "+
			"|\n|---|---|---|---|---|")
	for _, series := range cases.Scale() {
		line := plot.Line{Name: series.Name}
		var memory uint64
		perElement := map[int]float64{}
		for _, n := range counts {
			run, err := series.At(n)
			if err != nil {
				return err
			}
			perElement[n] = r.perElement(run, n)
			line.Points = append(line.Points, plot.Point{X: float64(n), Y: perElement[n]})
			memory = measure.Allocated(func() { _ = run() })
		}
		p.Lines = append(p.Lines, line)
		fmt.Fprintf(r.out, "| %s | %.0f | %.0f | %.0f | %d KiB |\n", series.Name, perElement[100], perElement[10_000],
			perElement[100_000], memory>>10)
	}
	slices.SortStableFunc(p.Lines, func(a, b plot.Line) int { return cmp.Compare(b.Points[0].Y, a.Points[0].Y) })
	var drawn bytes.Buffer
	if err := p.Write(&drawn); err != nil {
		return err
	}
	return os.WriteFile(picture, drawn.Bytes(), 0o644) //nolint:gosec // a picture for everybody
}

func (r *report) perElement(run func() error, n int) float64 {
	c := &measure.Case{Run: func() { _ = run() }}
	measure.InTurns(measure.Options{Turns: max(r.options.Turns/2, 3), Slice: r.options.Slice}, []*measure.Case{c})
	return float64(c.PerOp.Nanoseconds()) / float64(n)
}
