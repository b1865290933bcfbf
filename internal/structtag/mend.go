package structtag

import "reflect"

// Mend returns the whole struct tag with the key and its value in the right spelling, if it is certain what was meant: where nothing is wrong but
// quotes, and the case, spaces, hyphens and underscores of known words.
//
// The result is false if the struct tag has no problem, or another one. A mended struct tag has no problems, and reflect sees all of it.
func Mend(tag reflect.StructTag) (mended reflect.StructTag, ok bool) {
	found := find(string(tag))
	if _, _, problems := Parse(tag); len(problems) == 0 || len(found) > 1 || fold(found[0].word) != key {
		return tag, false
	}
	f := found[0]
	value, ok := mend(f.value)
	text := tag[:f.at] + reflect.StructTag(pair(value)) + tag[f.at+len(f.text):]
	if _, present, problems := Parse(text); !ok || !present || len(problems) > 0 || !isConventional(string(text)) {
		return tag, false
	}
	return text, true
}

// isConventional reports whether reflect sees all pairs of a struct tag.
func isConventional(tag string) bool {
	for at := 0; ; {
		start, _, end := nextPair(tag, at)
		if end < 0 {
			return start == len(tag)
		}
		at = end
	}
}
