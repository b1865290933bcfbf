package structtag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// likeness says how much a word looks like the key.
type likeness uint8

const (
	unlike   likeness = iota
	related           // an English word that is easily taken for the key
	alike             // at most two typing errors away
	verbatim          // the key itself
)

// liken compares without regard to case, underscores and hyphens.
func liken(word string) likeness {
	if word == key {
		return verbatim
	}
	switch folded := fold(word); {
	case folded == "updatable", folded == "updateable", folded == "hotupdate":
		return related
	case similar(folded, key, 2):
		return alike
	}
	return unlike
}

func fold(word string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(word))
}

// meantClass guesses the struct-tag word for a class that was spelled in another way; "" if there is no good guess.
func meantClass(text string) string {
	leading := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(leading) == 0 {
		return ""
	}
	for _, word := range []string{strings.Join(leading, ""), leading[0]} {
		if meant := classSynonym(fold(word)); meant != "" {
			return meant
		}
	}
	return ""
}

func classSynonym(folded string) string {
	switch folded {
	case "hot", "yes", "on", "1", "t", "y", "mutable", "updatable", key:
		return "true"
	case "immutable", "no", "off", "0", "f", "n", "static", "frozen":
		return "false"
	case "ignored", "skip", "none":
		return "ignore"
	}
	return nearest(folded, "true", "false", "inplace", "ignore")
}

// nearest returns the candidate that is one typing error away, or two if it is long; "" if there is none.
func nearest(word string, candidates ...string) string {
	folded := fold(word)
	for limit := range 3 {
		for _, c := range candidates {
			if limit <= (len(c)+1)/3 && similar(folded, c, limit) {
				return c
			}
		}
	}
	return ""
}

// similar says whether at most limit insertions, deletions, replacements and swaps of neighbours turn one word into the other.
func similar(a, b string, limit int) bool {
	apart := utf8.RuneCountInString(a) - utf8.RuneCountInString(b)
	return apart <= limit && -apart <= limit && distance([]rune(a), []rune(b)) <= limit
}

func distance(a, b []rune) int {
	d := borders(len(a), len(b))
	for i := range a {
		for j := range b {
			replaced := d[i][j]
			if a[i] != b[j] {
				replaced++
			}
			d[i+1][j+1] = min(replaced, d[i][j+1]+1, d[i+1][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d[i+1][j+1] = min(d[i+1][j+1], d[i-1][j-1]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// borders returns the table of distances with the first row and column filled: the distances from the empty word.
func borders(m, n int) [][]int {
	d := make([][]int, m+1)
	for i := range d {
		d[i] = make([]int, n+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	return d
}
