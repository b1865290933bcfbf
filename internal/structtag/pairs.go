package structtag

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// finding is one occurrence of the key, or of a misspelling of it, in a struct tag.
type finding struct {
	at      int          // index of text in the struct tag
	text    string       // from the key to the end of its value
	word    string       // the key as it is spelled
	value   string       // the class and the options, if they can be recognised; "" if there is no value
	problem *fault.Error // why reflect does not see the finding; nil if it does
}

const (
	goString    = `"(?:[^"\\]|\\.)*"`
	onePair     = ` *([^\x00- \x7f:"]+):(` + goString + `)` // as reflect reads it
	blank       = `[\x00- \x7f]`                            // ends a key for reflect
	wrongQuotes = "\"'`\\“”‘’"
)

var (
	nextPair = lazyregexp.New(`(?s)^` + onePair)
	allPairs = lazyregexp.New(`(?s)^(?:` + onePair + `)* *$`)
	word     = lazyregexp.New("[^\\x00- \\x7f:=\"'`,;|()\\[\\]{}<>\\\\]+")
	isMarked = lazyregexp.New(`^` + blank + `*[:="]`) // the text begins with a mark before a value
	hasMark  = lazyregexp.New(`[:=]` + blank + `*$`)  // the text ends with a mark before a value
	runsOn   = lazyregexp.New(`^[^\x00- \x7f]`)       // no blank
	// looseValue is what follows a key that reflect does not see: a Go string, or other text behind
	// a mark up to a blank.
	looseValue = lazyregexp.New(`(?s)^(?:"?[\x00- \x7f:=]*(` + goString + `)|"?` + blank +
		`*[:=][\x00- \x7f:=]*([` + regexp.QuoteMeta(wrongQuotes) + `]*(?:'[^']*'|[^\x00- \x7f"])*)"?)?`)
)

// find returns every finding in a struct tag, in order.
//
// Pairs of the form key:"value" are read as [reflect.StructTag.Lookup] reads them. Other keys, and
// all text from the first malformed pair on, are searched for the key and its misspellings. A
// finding there is a problem.
func find(tag string) (found []finding) {
	for at := 0; ; {
		pair := nextPair().FindStringSubmatchIndex(tag[at:])
		if pair == nil {
			return append(found, search(tag, at, len(tag))...)
		}
		start := at + pair[2]
		colon := at + pair[3]
		end := at + pair[1]
		rest := tag[end:]
		switch {
		case tag[start:colon] == key:
			found = append(found, wellFormed(start, tag[start:end]))
		// the closing quote was meant to open a value
		case hasMark().MatchString(tag[colon+2:end-1]) && runsOn().MatchString(rest) && !nextPair().MatchString(rest):
			return append(found, search(tag, start, len(tag))...)
		case tag[start:colon] != "json": // nearly every field has json, which is not searched
			found = append(found, search(tag, start, colon)...)
		}
		at = end
	}
}

// wellFormed returns the finding for a pair with the key. Reflect does not see it if the value is
// no Go string.
func wellFormed(at int, text string) finding {
	value, ok := unquoted(text[len(key)+1:])
	f := finding{at: at, text: text, word: key, value: value}
	if !ok {
		f.problem = f.hidden()
	}
	return f
}

// hidden is the problem that reflect does not see the finding.
func (f finding) hidden() *fault.Error {
	value, ok := mend(f.value)
	if !ok {
		value = "CLASS[,OPTION...]"
	}
	hint := "write " + tick(pair(value))
	switch {
	case f.word != key:
		return problem("misspelled-key", "has misspelled struct tag "+tick(f.text), hint)
	case f.text == pair(value):
		hint += ` behind key:"value" pairs, with spaces between them`
		return problem("malformed-tag", "has struct tag "+tick(f.text)+
			" behind malformed text, where reflect does not see it", hint)
	}
	return problem("malformed-tag", "has malformed struct tag "+tick(f.text), hint)
}

// unquoted returns a text without its double quotes. If Go does not know its escapes, it returns
// them unchanged, and false.
func unquoted(quoted string) (value string, ok bool) {
	if value, err := strconv.Unquote(quoted); err == nil {
		return value, true
	}
	return strings.Trim(quoted, `"`), false
}

// search returns the occurrences of the key and of its misspellings in tag[from:to]. The text
// before is well-formed.
func search(tag string, from, to int) (found []finding) {
	for _, match := range word().FindAllStringIndex(tag[from:to], -1) {
		start := from + match[0]
		end := from + match[1]
		if last := len(found) - 1; last >= 0 && start < found[last].at+len(found[last].text) {
			continue
		}
		if isKey(tag[start:end], tag[from:start], tag[end:]) {
			found = append(found, loose(tag, start, end))
		}
	}
	return found
}

// isKey reports whether a word is meant as the key. Before a mark, or alone, every similar word is.
func isKey(word, before, behind string) bool {
	isAlone := strings.TrimSpace(before+behind) == ""
	switch {
	case !isLikeKey(word):
		return false
	case isAlone, isMarked().MatchString(behind):
		return true
	}
	return !slices.Contains(related, fold(word)) && !hasMark().MatchString(before)
}

// loose returns the finding for the key in tag[start:end].
func loose(tag string, start, end int) finding {
	match := looseValue().FindStringSubmatch(tag[end:])
	f := finding{at: start, word: tag[start:end], value: match[2]}
	if start > 0 && tag[start-1] == '"' {
		f.at--
	}
	f.text = tag[f.at : end+len(match[0])]
	if match[1] != "" {
		f.value, _ = unquoted(match[1])
	} else if body := strings.TrimLeft(f.value, wrongQuotes); body != f.value {
		f.value = strings.TrimRight(body, wrongQuotes+",;")
	} else {
		f.value = strings.TrimRight(body, ",;")
	}
	f.problem = f.hidden()
	return f
}

const key = "hotupdatable"

// related are English words that are easily confused with the key.
var related = []string{"updatable", "updateable", "hotupdate"}

// isLikeKey reports whether a word is the key, differs from it by at most two typing errors, or is
// related.
func isLikeKey(word string) bool {
	return slices.Contains(related, fold(word)) || fieldpath.Differences(fold(word), key) <= 2
}

var withoutSeparators = strings.NewReplacer("_", "", "-", "", " ", "")

// fold removes differences in case, underscores, hyphens and spaces.
func fold(word string) string { return withoutSeparators.Replace(strings.ToLower(word)) }

// isCertain reports whether a word is certainly the key, in the spelling of one dictionary or another.
func isCertain(word string) bool {
	folded := fold(word)
	return folded == key || folded == "hotupdateable"
}
