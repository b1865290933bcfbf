package schemadiff

import (
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// renames guesses which removed field an added one was: of the same shape and class, and either the only one of that shape on both
// sides or the one whose name has the most in common.
func renames(removed, added []*fieldplan.Field) map[*fieldplan.Field]*fieldplan.Field {
	guesses := map[*fieldplan.Field]*fieldplan.Field{}
	for _, f := range removed {
		to, sure := best(f, added)
		if !sure {
			continue
		}
		if back, sure := best(to, removed); sure && back == f {
			guesses[f] = to
		}
	}
	return guesses
}

// best is the candidate of f's shape whose name is nearest; it is not sure if two are equally near, or if none is near and f is a
// plain scalar, of which there are many.
func best(f *fieldplan.Field, candidates []*fieldplan.Field) (nearest *fieldplan.Field, sure bool) {
	highest, shapes := -1, 0
	for _, c := range candidates {
		if !sameShape(f, c) {
			continue
		}
		shapes++
		switch common := inCommon(f.Name, c.Name); {
		case common > highest:
			nearest, highest, sure = c, common, true
		case common == highest:
			sure = false
		}
	}
	return nearest, sure && (shapes == 1 && len(candidates) == 1 || highest*2 >= max(len(f.Name), len(nearest.Name)))
}

// sameShape reports whether the findings between two fields would be none.
func sameShape(a, b *fieldplan.Field) bool {
	d := &differ{open: map[pair]bool{}}
	none := &fieldplan.Node{}
	d.field(pair{none, none}, a, b, spot{})
	return len(d.findings) == 0
}

// inCommon is the length of the longest text that both names contain, in any case.
func inCommon(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	longest := 0
	for i := range a {
		for j := i + longest + 1; j <= len(a) && strings.Contains(b, a[i:j]); j++ {
			longest = j - i
		}
	}
	return longest
}
