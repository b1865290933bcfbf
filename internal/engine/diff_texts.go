package engine

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

var differs = sync.Pool{New: func() any { return &differ{} }}

// release returns the memory to the pool, without references to the compared values.
func (d *differ) release() {
	clear(d.trail.Path[:cap(d.trail.Path)])
	next := differ{walk: walk{trail: Trail{Path: d.trail.Path}}, entries: d.entries, texts: d.texts}
	recycle(&next.trail.Path, maxPooled/8)
	recycle(&next.entries, maxPooled/4)
	for i := range next.texts {
		recycle(&next.texts[i], maxPooledBytes/4)
	}
	if d.program != nil && d.program.whole.hides {
		for _, text := range next.texts {
			clear(text[:cap(text)])
		}
	}
	*d = next
	differs.Put(d)
}

// recycle empties memory for the next use, or drops it if it is too large. It must hold no
// references to users' values any more.
func recycle[S ~[]T, T any](s *S, most int) {
	if cap(*s) > most {
		*s = nil
	}
	*s = (*s)[:0]
}

// textEntry is a key whose values differ, or are invalid, in two maps of strings.
type textEntry struct {
	key  string
	text [2]string
	has  [2]bool
}

func (e *textEntry) values() (values twoValues) {
	for i := range values {
		if e.has[i] {
			values[i] = reflect.ValueOf(&e.text[i]).Elem()
		}
	}
	return values
}

// textsIn returns a map of strings, and nil for a missing value.
func textsIn(v reflect.Value) map[string]string {
	if m := valueOf(v); exists(m) {
		return textsAt(m)
	}
	return nil
}

// textMaps compares maps of strings, the usual shape of infrastructure tags. It looks the keys of
// each map up in the other and sorts only the keys that differ. It returns false and does nothing
// for other maps, and if a key is invalid.
func (d *differ) textMaps(s sides) bool {
	if d.program.whole.of(s[0].node).kind != textMapKind {
		return false
	}
	defer func() { clear(d.entries) }() // the pool must not keep users' values
	if !d.findEntries(textsIn(s[0].value), textsIn(s[1].value)) {
		return false
	}
	slices.SortFunc(d.entries, func(a, b textEntry) int { return strings.Compare(a.key, b.key) })
	for i := range d.entries {
		e := &d.entries[i]
		key := Element{Key: e.key}
		d.element(s, key.Step(s[0].node), e.values(), s[0].node)
	}
	return true
}

// findEntries collects the entries that differ or are not valid UTF-8. It returns false if a key is
// not valid UTF-8.
func (d *differ) findEntries(before, after map[string]string) bool {
	d.entries = d.entries[:0]
	shared := 0
	for key, old := range before {
		text, ok := after[key]
		if ok {
			shared++
		}
		if !canonjson.IsUTF8(key) {
			return false
		}
		if !ok || text != old || !canonjson.IsUTF8(old) {
			d.entries = append(d.entries, textEntry{key: key, text: [2]string{old, text}, has: [2]bool{true, ok}})
		}
	}
	if shared == len(after) {
		return true
	}
	for key, text := range after {
		if _, ok := before[key]; !ok {
			d.entries = append(d.entries, textEntry{key: key, text: [2]string{1: text}, has: [2]bool{1: true}})
		}
		if !canonjson.IsUTF8(key) {
			return false
		}
	}
	return true
}
