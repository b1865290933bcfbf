package crd

import (
	"errors"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// maxSteps bounds the work for all patterns of a CRD. The released CRD that needs most steps, that of
// Gardener's Garden, needs a ninth of them.
const maxSteps = 1 << 26

// recognizer recognizes the meaning of patterns. Each text is read once.
type recognizer struct {
	known map[string]structtag.Meaning
	left  int // the steps that are left
}

func newRecognizer() *recognizer {
	return &recognizer{known: map[string]structtag.Meaning{"": structtag.Undeclared}, left: maxSteps}
}

// meaningOf recognizes a pattern that admits durations of Go only, or quantities of Kubernetes only,
// beside words such as Never. It is Undeclared for any other pattern. It is false if no steps are left
// to read the pattern: what it means must not depend on the patterns before it.
//
// Some texts are both: 5m is five minutes, and five thousandths. So a pattern of durations must
// admit hours or seconds, and a pattern of quantities a binary unit such as Gi.
func (r *recognizer) meaningOf(pattern string) (m structtag.Meaning, ok bool) {
	if m, isKnown := r.known[pattern]; isKnown {
		return m, true
	}
	if r.left <= 0 {
		return structtag.Undeclared, false
	}
	m = r.read(pattern)
	if r.left <= 0 {
		return structtag.Undeclared, false
	}
	r.known[pattern] = m
	return m, true
}

func (r *recognizer) read(pattern string) structtag.Meaning {
	admits, err := compilePattern(pattern)
	if err != nil {
		return structtag.Undeclared
	}
	switch {
	case r.only(admits, durations()) && r.some(admits, hoursOrSeconds()):
		return structtag.AsDuration
	case r.only(admits, quantities()) && r.some(admits, binaryQuantities()):
		return structtag.AsQuantity
	}
	return structtag.Undeclared
}

var (
	durations = languageOf(
		`^(?:[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)|[A-Za-z]*)$`)
	hoursOrSeconds   = languageOf(`^[-+]?(?:[0-9.]+[a-zµμ]+)*[0-9.]+[hs]$`)
	quantities       = languageOf(quantityPattern + `|^(?:[0-9.]*%|[A-Za-z]*)$`)
	binaryQuantities = languageOf(`^[-+]?[0-9.]+[KMGTPE]i$`)
)

// language is the set of texts that match a pattern.
type language struct{ prog *syntax.Prog }

// compilePattern compiles a pattern as the API server does. Conditions on anything but the ends of a
// text are not supported.
func compilePattern(pattern string) (language, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return language{}, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return language{}, err
	}
	if len(prog.Inst) > maxInstructions {
		return language{}, errors.ErrUnsupported
	}
	for _, i := range prog.Inst {
		if i.Op == syntax.InstEmptyWidth && syntax.EmptyOp(i.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
			return language{}, errors.ErrUnsupported
		}
	}
	return language{prog}, nil
}

// languageOf returns a function that compiles a pattern at its first call.
func languageOf(pattern string) func() language {
	return sync.OnceValue(func() language {
		l, _ := compilePattern(pattern) // a test uses each
		return l
	})
}

// only reports whether every text of l is one of other.
func (r *recognizer) only(l, other language) bool {
	return !r.walk(l, other, func(isIn, isInOther bool) bool { return isIn && !isInOther })
}

// some reports whether some text of l is one of other.
func (r *recognizer) some(l, other language) bool {
	return r.walk(l, other, func(isIn, isInOther bool) bool { return isIn && isInOther })
}

// The bounds of the search. A pattern that needs more is not recognized.
const (
	maxInstructions = 500
	maxStates       = 1000
)

// walk reads all texts with two languages side by side, and reports whether the search finds one
// for which a condition holds. It is true, too, if the search is not exhaustive. A step is one place
// of one of the programs, for one character after one state.
func (r *recognizer) walk(a, b language, holds func(isInA, isInB bool) bool) bool {
	type pair struct{ a, b string }
	samples := samplesOf(a.prog, b.prog)
	start := [2]states{a.start(), b.start()}
	seen := map[pair]bool{}
	queue := [][2]states{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if holds(a.accepts(at[0]), b.accepts(at[1])) || len(seen) > maxStates || r.left <= 0 {
			return true
		}
		r.left -= len(samples) * (len(a.prog.Inst) + len(b.prog.Inst))
		for _, c := range samples {
			next := [2]states{a.step(at[0], c), b.step(at[1], c)}
			if id := (pair{next[0].id(), next[1].id()}); !seen[id] {
				seen[id] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// states are the places in a program that a text may have reached, in order. The text matches from
// now on, whatever follows, if some place is the end of the program.
type states struct {
	at      []uint32
	isStart bool // no character has been read
}

func (s states) id() string {
	id := make([]rune, 0, len(s.at)+1)
	for _, pc := range s.at {
		id = append(id, rune(pc)) //nolint:gosec // programs are short
	}
	if s.isStart {
		id = append(id, unicode.MaxRune)
	}
	return string(id)
}

func (l language) start() states { return states{[]uint32{uint32(l.prog.Start)}, true} } //nolint:gosec // is small

// reach adds the places that are reached from pc without reading a character.
func (l language) reach(from []uint32, holds syntax.EmptyOp) (reached []uint32) {
	seen := make([]bool, len(l.prog.Inst))
	for queue := slices.Clone(from); len(queue) > 0; {
		pc := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		reached = append(reached, pc)
		switch i := l.prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			queue = append(queue, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			queue = append(queue, i.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^holds == 0 {
				queue = append(queue, i.Out)
			}
		case syntax.InstMatch, syntax.InstFail, syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny,
			syntax.InstRuneAnyNotNL:
		}
	}
	return reached
}

func (s states) begins() syntax.EmptyOp {
	if s.isStart {
		return syntax.EmptyBeginText
	}
	return 0
}

// accepts reports whether the text that was read matches if it ends here.
func (l language) accepts(s states) bool {
	return l.matches(l.reach(s.at, s.begins()|syntax.EmptyEndText))
}

func (l language) matches(places []uint32) bool {
	return slices.ContainsFunc(places, func(pc uint32) bool { return l.prog.Inst[pc].Op == syntax.InstMatch })
}

// step reads one more character. A match may begin anywhere in a text, and what follows it is free.
func (l language) step(s states, r rune) states {
	next := states{}
	for _, pc := range l.reach(s.at, s.begins()) {
		switch i := l.prog.Inst[pc]; {
		case i.Op == syntax.InstMatch:
			next.at = append(next.at, pc)
		case i.Op >= syntax.InstRune && i.Op <= syntax.InstRuneAnyNotNL && i.MatchRune(r):
			next.at = append(next.at, i.Out)
		}
	}
	next.at = append(next.at, uint32(l.prog.Start)) //nolint:gosec // is small
	slices.Sort(next.at)
	next.at = slices.Compact(next.at)
	return next
}

// samplesOf returns a character of each class that two programs distinguish.
func samplesOf(programs ...*syntax.Prog) []rune {
	bounds := []rune{0, '\n', '\n' + 1, unicode.MaxRune}
	for _, p := range programs {
		for i := range p.Inst {
			for _, r := range p.Inst[i].Rune {
				bounds = append(bounds, r, r+1)
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) { // of a class without case
					bounds = append(bounds, f, f+1)
				}
			}
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}
