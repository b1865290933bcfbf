package structtag

import (
	"strconv"
	"strings"
)

const key = "hotupdatable"

// finding is one place of a struct tag where the key stands, or where it was meant.
type finding struct {
	state  state
	at     int    // where the text starts in the struct tag
	text   string // what stands there, from the key to the end of its value
	value  string // the class and the options, as far as they can be made out
	bare   bool   // the key has no value at all
	before string // the well-formed pairs before it
	junk   string // what stands between them and text
}

// state says what keeps reflect from seeing a finding.
type state uint8

const (
	seen       state = iota // nothing
	malformed               // it does not follow the convention key:"value" itself
	hidden                  // it follows the convention, but something before it does not
	misspelled              // the key is only almost right
)

// find returns every finding in a struct tag, in order.
//
// It reads key:"value" pairs exactly as [reflect.StructTag.Lookup] does. All that is not a pair of the key itself, and all from the
// first malformed or mispaired pair on, is then searched loosely: there, a finding is a problem.
func find(tag string) []finding {
	var found []finding
	at := 0
	for {
		start, colon, end := nextPair(tag, at)
		if end < 0 {
			break
		}
		switch {
		case tag[start:colon] == key:
			found = append(found, wellFormed(start, tag[start:end], tag[colon+1:end]))
		case valueEnd(tag, colon+1, len(tag)) < 0:
			return append(found, search(tag, start, len(tag))...)
		default:
			found = append(found, search(tag, start, end)...)
		}
		at = end
	}
	return append(found, search(tag, at, len(tag))...)
}

// nextPair returns where the next pair starts, has its colon and ends. The end is -1 if there is no pair, or a malformed one.
func nextPair(tag string, at int) (start, colon, end int) {
	for at < len(tag) && tag[at] == ' ' {
		at++
	}
	start = at
	for at < len(tag) && !isBlank(tag[at]) && tag[at] != ':' && tag[at] != '"' {
		at++
	}
	if at == start || !strings.HasPrefix(tag[at:], `:"`) {
		return start, at, -1
	}
	return start, at, quoteEnd(tag, at+1)
}

// quoteEnd returns the index after the double-quoted text that starts at an index, or -1 if its quote is never closed.
func quoteEnd(tag string, at int) int {
	for i := at + 1; i < len(tag); i++ {
		switch tag[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func wellFormed(at int, text, quoted string) finding {
	value, err := strconv.Unquote(quoted)
	if err != nil {
		return finding{state: malformed, at: at, text: text, value: quoted[1 : len(quoted)-1]}
	}
	return finding{state: seen, at: at, text: text, value: value}
}

// search looks for the key and its near-misses in tag[from:to].
//
// Double-quoted text after a colon or an equals sign is a value and is passed over. A quote anywhere else means that quotes are not
// paired as they look, so from there on nothing counts as quoted.
func search(tag string, from, to int) []finding {
	var found []finding
	stray := false
	for at := from; at < to; {
		if tag[at] == '"' {
			if end := valueEnd(tag, at, to); end > 0 && !stray {
				at = end
				continue
			}
			stray = true
		}
		end := wordEnd(tag[:to], at)
		if end > at && isKey(tag[from:to], at-from, end-from) {
			var f finding
			f, end = loose(tag, from, at, end, to)
			found = append(found, f)
		}
		at = max(end, at+1)
	}
	return found
}

// valueEnd returns the index after the quoted value that starts at an index, or -1 if none does. Text that ends with a colon and runs
// straight on into something else is no value: the quote that closes it was meant to open one.
func valueEnd(tag string, at, to int) int {
	if !endsWithMark(tag[:at]) {
		return -1
	}
	end := quoteEnd(tag[:to], at)
	if end > 0 && endsWithMark(tag[at+1:end-1]) && runsOn(tag, end) {
		return -1
	}
	return end
}

// runsOn says whether something other than a blank or a pair stands right behind a closing quote.
func runsOn(tag string, at int) bool {
	_, _, end := nextPair(tag, at)
	return end < 0 && at < len(tag) && !isBlank(tag[at])
}

// endsWithMark says whether a colon or an equals sign ends a text, blanks aside.
func endsWithMark(text string) bool {
	text = strings.TrimRightFunc(text, isBlank[rune])
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "=")
}

func wordEnd(tag string, at int) int {
	for at < len(tag) && !isBlank(tag[at]) && !strings.ContainsRune(":=\"'`,;|()[]{}<>\\", rune(tag[at])) {
		at++
	}
	return at
}

// isKey says whether a word of a text stands for the key. With a colon, an equals sign or a quote behind it, every near-miss does. Without,
// it may be a value, or an English word in some prose.
func isKey(text string, start, end int) bool {
	like := liken(text[start:end])
	behind := strings.TrimLeftFunc(text[end:], isBlank[rune])
	switch {
	case like == unlike:
		return false
	case behind != "" && strings.ContainsRune(`:="`, rune(behind[0])):
		return true
	case endsWithMark(text[:start]):
		return false
	case like == related:
		return strings.TrimFunc(text, isSeparatorRune) == text[start:end]
	}
	return true
}

// loose describes the key in tag[start:end] that reflect does not see, and returns the index after its value. Up to from all is well.
func loose(tag string, from, start, end, to int) (finding, int) {
	word, tail := tag[start:end], tag[end:to]
	opened := start > from && tag[start-1] == '"'
	if opened {
		start--
		tail = strings.TrimPrefix(tail, `"`)
	}
	a := readArgument(tail)
	after := to - len(tail) + a.length
	f := finding{
		state: malformed, at: start, text: tag[start:after], value: a.value, bare: a.absent,
		before: strings.TrimFunc(tag[:from], isBlank[rune]), junk: strings.TrimFunc(tag[from:start], isBlank[rune]),
	}
	if f.junk == "" && from != start {
		f.junk = strings.Trim(tag[from:start], " ") // a tab or a newline
	}
	switch {
	case word != key:
		f.state = misspelled
	case a.conventional && !opened:
		f.state = hidden
	}
	return f, after
}

// argument is what follows a key that reflect does not see.
type argument struct {
	value        string
	length       int // of the text that holds it, marks and quotes included
	absent       bool
	conventional bool // written as :"value"
}

func readArgument(tail string) argument {
	lead := len(tail) - len(strings.TrimLeftFunc(tail, func(r rune) bool { return isBlank(r) || r == ':' || r == '=' }))
	marks := tail[:lead]
	quoted := strings.HasPrefix(tail[lead:], `"`)
	switch end := quoteEnd(tail, lead); {
	case quoted && end > 0:
		value, err := strconv.Unquote(tail[lead:end])
		if err != nil {
			value = tail[lead+1 : end-1]
		}
		return argument{value: value, length: end, conventional: marks == ":" && err == nil}
	case !quoted && (!strings.ContainsAny(marks, ":=") || isNextPair(tail, lead)):
		return argument{absent: true, length: len(strings.TrimRightFunc(marks, isBlank[rune]))}
	}
	value, length := unquotedValue(tail[lead:])
	return argument{value: value, length: lead + length, absent: value == ""}
}

// isNextPair says whether a key without value is followed, after a blank, by another pair.
func isNextPair(tail string, at int) bool {
	_, _, end := nextPair(tail, at)
	return end > 0 && at > 0 && isBlank(tail[at-1])
}

// unquotedValue reads up to a blank or a double quote outside single quotes, and takes wrong quotes and a comma off the ends.
func unquotedValue(text string) (value string, length int) {
	const wrong = "\"'`\\“”‘’"
	body := strings.TrimLeft(text, wrong)
	lead := len(text) - len(body)
	end := bodyEnd(body, lead == 0)
	length = lead + end
	if strings.HasPrefix(body[end:], `"`) {
		length++
		comma := strings.LastIndexByte(body[:end], ',')
		next := body[comma+1 : end] // the key of another pair, if it ends with a colon
		if comma >= 0 && strings.HasSuffix(next, ":") && !strings.Contains(next, "=") {
			end, length = comma, lead+comma
		}
	}
	value = body[:end]
	if lead > 0 {
		value = strings.TrimRight(value, wrong)
	}
	return strings.TrimRight(value, ",;"), length
}

func bodyEnd(body string, singleQuotes bool) int {
	quoted := false
	for i := range len(body) {
		switch {
		case body[i] == '\'' && singleQuotes:
			quoted = !quoted
		case !quoted && (isBlank(body[i]) || body[i] == '"'):
			return i
		}
	}
	if quoted {
		return bodyEnd(body, false)
	}
	return len(body)
}

// isBlank says whether a character ends a key for reflect: a space or a control character.
func isBlank[C byte | rune](c C) bool { return c <= ' ' || c == 0x7f }

func isSeparatorRune(r rune) bool { return isBlank(r) || r == ',' || r == ';' || r == '|' }
