package fleet

import (
	"fmt"
	"io"
	"time"
)

// row is a scenario with its expected results. Zero expects nothing.
type row struct {
	name string
	Scenario

	calls   int
	updated time.Duration
}

// defaultLatency has times that EC2 and API servers have on a usual day.
func defaultLatency() Latency {
	return Latency{
		Describe: 100 * time.Millisecond, Tag: 200 * time.Millisecond, Run: 2 * time.Second,
		Write: 10 * time.Millisecond,
	}
}

// rows are the scenarios of the report.
func rows(machines int) []row {
	mcm := Scenario{
		Machines: machines, Classes: 1, Workers: 50, Writes: 100, DescribeRefill: 20, Latency: defaultLatency(),
	}
	own := mcm
	own.Workers = 500
	own.Writes = 200
	own.Own = true
	alone := mcm
	unfiltered := mcm
	third := mcm
	classes := own
	alone.Alone = true
	unfiltered.Alone = true
	unfiltered.DescribeRefill = 10
	third.InFlight = 16
	classes.Classes = 20
	return []row{
		{"MCM's 50 workers, 100 writes a second; today", alone, 0, 0},
		{"the same, reads without a filter; today", unfiltered, 0, 0},
		{"the same, shared", mcm, 10_000, 210 * time.Second},
		{"the same, a third of the workers by the Limiter", third, 0, 0},
		{"500 workers of the updater's own, 200 writes a second", own, 1500, 110 * time.Second},
		{"the same, 20 classes, queued class by class", classes, 2500, 130 * time.Second},
	}
}

// Report runs all scenarios and writes a table.
func Report(out io.Writer, machines int) error {
	l := defaultLatency()
	fmt.Fprintf(out, "%d machines of a VM, an interface and two volumes get another tag. Simulated, with the real "+
		"kit: Describe %v, CreateTags %v, write %v. Wanted values are in parentheses.\n\n",
		machines, l.Describe, l.Tag, l.Write)
	fmt.Fprint(out, "| updates by | calls to EC2, confirmations included | refused | all updated after "+
		"| all confirmed after | a creation waits at the longest |\n|---|---|---|---|---|---|\n")
	for _, one := range rows(machines) {
		r, err := one.Run()
		if err != nil {
			return err
		}
		if r.Wrong > 0 {
			return fmt.Errorf("%s: %d machines have a wrong tag", one.name, r.Wrong)
		}
		none := wanted("")
		if one.calls > 0 {
			none = wanted("0")
		}
		fmt.Fprintf(out, "| %s | %d%s | %d%s | %s%s | %s | %s |\n", one.name, r.Calls, wanted(one.calls),
			r.Refused, none, seconds(r.Updated), wanted(one.updated), seconds(r.Confirmed),
			r.Waited.Round(10*time.Millisecond))
	}
	return single(out)
}

// single compares a machine that has no other machine to share calls with, and a machine that does not
// share calls.
func single(out io.Writer) error {
	var took [2]time.Duration
	for i := range took {
		s := Scenario{
			Machines: 1, Classes: 1, Workers: 1, Writes: 100, Alone: i == 0, DescribeRefill: 20,
			Latency: defaultLatency(),
		}
		r, err := s.Run()
		if err != nil {
			return err
		}
		took[i] = r.Updated
	}
	fmt.Fprintf(out, "\nOne machine alone is updated after %v; without sharing and pacing after %v.\n",
		took[1], took[0])
	return nil
}

func wanted[V comparable](v V) string {
	if v == *new(V) {
		return ""
	}
	return fmt.Sprintf(" (%v)", v)
}

func seconds(d time.Duration) string {
	return fmt.Sprint(d.Round(time.Second/10).Seconds(), " s")
}
