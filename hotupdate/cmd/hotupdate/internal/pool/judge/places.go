package judge

import (
	"slices"
	"strings"
)

// places finds findings by their pointers, without a search through all of them.
type places struct {
	at    map[string][]int // the findings at a pointer
	below map[string][]int // the findings at or below a pointer
}

// placesOf returns the places of findings.
func placesOf(all []Finding) *places {
	p := &places{at: map[string][]int{}, below: map[string][]int{}}
	for i := range all {
		p.add(i, all[i].Pointer)
	}
	return p
}

// add adds the place of one more finding.
func (p *places) add(i int, pointer string) {
	p.at[pointer] = append(p.at[pointer], i)
	p.below[pointer] = append(p.below[pointer], i)
	for above := range pointersAbove(pointer) {
		p.below[above] = append(p.below[above], i)
	}
}

// around returns the indexes of the findings at, above or below a pointer.
func (p *places) around(pointer string) []int {
	found := slices.Clone(p.below[pointer])
	for above := range pointersAbove(pointer) {
		found = append(found, p.at[above]...)
	}
	slices.Sort(found)
	return found
}

// touches reports whether a finding is at, above or below a pointer.
func (p *places) touches(pointer string) bool {
	if len(p.below[pointer]) > 0 {
		return true
	}
	for above := range pointersAbove(pointer) {
		if len(p.at[above]) > 0 {
			return true
		}
	}
	return false
}

// pointersAbove yields the pointers above a pointer, up to the whole object.
func pointersAbove(pointer string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for end := strings.LastIndexByte(pointer, '/'); end >= 0; end = strings.LastIndexByte(pointer[:end], '/') {
			if !yield(pointer[:end]) {
				return
			}
		}
	}
}
