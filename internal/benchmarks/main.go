// Command benchmarks sets the library beside code that is written by hand for one type, and beside
// what else there is.
//
//	cd internal/benchmarks && go run .
//
// It prints tables in Markdown and draws how the time per element grows with the size of a
// collection into scale.svg. Times are the best of many short turns in one process, in which all
// cases take turns; ratios hold from machine to machine better than times.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/hotupdate/providerconfig/internal/benchmarks/fleet"
	"github.com/hotupdate/providerconfig/internal/benchmarks/measure"
)

func main() {
	turns := flag.Int("turns", 30, "how often each case is timed")
	slice := flag.Duration("slice", 2*time.Millisecond, "how long each turn takes, at least")
	picture := flag.String("svg", "scale.svg",
		"where the plot goes; if empty, only the summary is printed, as it stands in the README")
	machines := flag.Int("machines", 10_000, "how many machines get another tag, in a simulation of seconds; 0 is none")
	only := flag.Bool("fleet", false, "simulate only the machines")
	flag.Parse()
	r := &report{options: measure.Options{Turns: *turns, Slice: *slice}, out: os.Stdout}
	var err error
	if !*only {
		err = r.run(*picture)
	}
	isWanted := *only || *picture != ""
	if err == nil && isWanted && *machines > 0 {
		err = fleet.Report(os.Stdout, *machines)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
