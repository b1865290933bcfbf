package verdict

import (
	"math/bits"
	"slices"
	"strings"
)

// Set has the verdicts that can still come true. The zero value is empty. Sets are compared with ==.
//
// A set is not bounded if something was not judged: then each verdict that is at least as grave as
// the mildest one can come true.
type Set struct {
	verdicts  uint32 // bit 0 is None
	unbounded bool
}

// Only is the set of some verdicts.
func Only(verdicts ...Verdict) (s Set) {
	for _, v := range verdicts {
		s.verdicts |= 1 << (v - None)
	}
	return s
}

// Any is the set that is not bounded: each verdict on a change can come true that is not [Indeterminate].
func Any() Set {
	certain := slices.DeleteFunc(OfChanges(), func(v Verdict) bool { return v == Indeterminate })
	s := Only(certain...)
	s.unbounded = true
	return s
}

// Has reports whether a verdict can come true.
func (s Set) Has(v Verdict) bool { return s.verdicts&(1<<(v-None)) != 0 }

// IsEmpty reports whether the set has no verdict.
func (s Set) IsEmpty() bool { return s.verdicts == 0 }

// IsBounded reports whether only the listed verdicts can come true.
func (s Set) IsBounded() bool { return !s.unbounded }

// IsOne reports whether only one verdict can come true.
func (s Set) IsOne() bool { return bits.OnesCount32(s.verdicts) == 1 }

// Mildest returns the mildest verdict: what happens at least. It is None for the empty set.
func (s Set) Mildest() Verdict {
	if s.IsEmpty() {
		return None
	}
	return None + Verdict(bits.TrailingZeros32(s.verdicts))
}

// Verdicts returns the verdicts, the gravest first.
func (s Set) Verdicts() (verdicts []Verdict) {
	for v := None; v <= Removed; v++ {
		if s.Has(v) {
			verdicts = append(verdicts, v)
		}
	}
	slices.Reverse(verdicts)
	return verdicts
}

// Or returns the verdicts of both sets: those under one value of a fact, and those under another one.
func (s Set) Or(other Set) Set {
	return Set{s.verdicts | other.verdicts, s.unbounded || other.unbounded}
}

// And returns the verdicts on two changes together: of each two verdicts, the graver one.
func (s Set) And(other Set) Set {
	switch {
	case s.IsEmpty():
		return other
	case other.IsEmpty():
		return s
	}
	both := Set{unbounded: s.unbounded || other.unbounded}
	for _, a := range s.Verdicts() {
		for _, b := range other.Verdicts() {
			both = both.Or(Only(max(a, b)))
		}
	}
	return both
}

// WithoutMachines returns the verdicts for a pool without machines to replace or update. It does
// not change a set that is not bounded.
func (s Set) WithoutMachines() Set {
	if s.unbounded {
		return s
	}
	return s.As(func(v Verdict) Verdict {
		if v.NeedsMachines() {
			return None
		}
		return v
	})
}

// As returns the verdicts that a function makes of those in the set.
func (s Set) As(made func(Verdict) Verdict) Set {
	all := Set{unbounded: s.unbounded}
	for _, v := range s.Verdicts() {
		all = all.Or(Only(made(v)))
	}
	return all
}

// Words returns the words of the verdicts, the gravest first.
func (s Set) Words() []string { return Words(s.Verdicts()) }

// String lists the verdicts for people: roll, hot-update or none. For a set that is not bounded, it
// names only the mildest verdict.
func (s Set) String() string {
	words := s.Words()
	switch {
	case s.unbounded && s.Has(None):
		return "any verdict"
	case s.unbounded:
		return s.Mildest().String() + " or a graver verdict"
	case len(words) < 2:
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
