package main

import (
	"fmt"
	"io"
	"time"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// progress keeps one line of a terminal that shows how far a long run is. A nil progress shows nothing.
type progress struct {
	out         io.Writer
	now         func() time.Time
	began, told time.Time
	isShown     bool
}

// The line appears after some time, and changes at most once in an interval.
const (
	progressAfter = 2 * time.Second
	progressEvery = time.Second / 4
)

func newProgress(out io.Writer, now func() time.Time) *progress {
	return &progress{out: out, now: now, began: now()}
}

// tell shows a verb and counts, such as: compared 1,200 of 3,000 objects. All is 0 if the total is
// not known.
func (p *progress) tell(did string, done, all int) {
	if p == nil {
		return
	}
	now := p.now()
	if now.Sub(p.began) < progressAfter || now.Sub(p.told) < progressEvery {
		return
	}
	p.told = now
	p.isShown = true
	of := ""
	if all > 0 {
		of = " of " + plaintext.Thousands(all)
	}
	fmt.Fprintf(p.out, "\r%s %s%s objects%s", did, plaintext.Thousands(done), of, clearLine)
}

// end removes the line.
func (p *progress) end() {
	if p != nil && p.isShown {
		fmt.Fprint(p.out, "\r"+clearLine)
	}
}

// clearLine is ECMA-48's sequence that clears the rest of a line.
const clearLine = "\x1b[K"
