package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

const version = 1

// sinceLayout is RFC 3339 in UTC and whole seconds, so that it always has the same length.
const sinceLayout = "2006-01-02T15:04:05Z"

// Annotation returns the record in canonical form, the only one that [Parse] reads: equal records
// have equal bytes.
func (r *Record) Annotation() string {
	kinds := map[string][]string{} // the body of a content to its kinds
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		if body := r.kinds[kind].body; body != r.others.body {
			kinds[body] = append(kinds[body], quoted(kind))
		}
	}
	c := codec{dst: append(make([]byte, 0, 512+2*len(r.others.body)), versionMember...)}
	c.dst = strconv.AppendInt(c.dst, version, 10)
	c.header(r.Header)
	c.dst = append(c.dst, partsMember...)
	for _, body := range slices.SortedFunc(maps.Keys(kinds),
		func(a, b string) int { return slices.Compare(kinds[a], kinds[b]) }) {
		c.dst = append(c.dst, strings.TrimSuffix(`{"kinds":`+list(kinds[body])+`,`+body, ",")+`},`...)
	}
	return string(append(c.dst, `{`+r.others.body+end...))
}

// The text around the header and the contents of a record.
const (
	versionMember = `{"v":`
	partsMember   = `,"parts":[`
	end           = `}]}`
)

// replacement replaces bytes that are not UTF-8.
const replacement = "\uFFFD"

// quoted returns a text as JSON. Bytes that are not UTF-8, which occur in no name, ID or
// fingerprint, are replaced.
func quoted(text string) string {
	dst, _ := canonjson.AppendString(nil, strings.ToValidUTF8(text, replacement))
	return string(dst)
}

// Parse reads the annotation. It accepts only the exact bytes that [Record.Annotation] writes.
//
// The error is a [*fault.Error] with the code malformed-record, or future-record for a record that
// a later version wrote. It never quotes the annotation. No input panics.
func Parse(annotation string) (Record, error) {
	h, rest, err := ReadHeader(annotation)
	if err != nil {
		return Record{}, err
	}
	var parts []wire
	if json.Unmarshal([]byte(rest), &parts) != nil {
		return Record{}, malformed()
	}
	r := Record{Header: h, kinds: map[string]content{}}
	for _, w := range parts {
		c, ok := w.content()
		if !ok {
			return Record{}, malformed()
		}
		for _, kind := range w.Kinds {
			r.kinds[kind] = c
		}
		r.others = c // the last part
	}
	if r.Annotation() != annotation {
		return Record{}, malformed()
	}
	return r, nil
}

// wire is the JSON of a content.
type wire struct {
	Kinds     []string          `json:"kinds"`
	Applied   json.RawMessage   `json:"applied"`
	Attempted []json.RawMessage `json:"attempted"`
	Removed   []json.RawMessage `json:"removed"`
}

func (w *wire) content() (c content, ok bool) {
	isNone := func(hot json.RawMessage) bool { return !IsHotPart(hot) }
	if slices.ContainsFunc(slices.Concat(w.Attempted, w.Removed), isNone) {
		return c, false
	}
	attempted := make([]string, len(w.Attempted))
	for i, hot := range w.Attempted {
		attempted[i] = string(hot)
	}
	beside := entriesOf(attempted)
	for _, hot := range w.Removed {
		beside.lack(leaves{}, leavesOf(string(hot)))
	}
	return newContent(string(w.Applied), beside), w.Applied == nil || IsHotPart(w.Applied)
}

// IsHotPart reports whether a text is a JSON object in canonical form.
func IsHotPart(raw json.RawMessage) bool {
	canonical, problem := canonjson.AppendValue(nil, raw)
	return problem == nil && canonical[0] == '{' && string(canonical) == string(raw)
}

// ReadHeader reads only the header, and allocates nothing for usual names. It returns the JSON of
// the contents unchecked. The error is that of [Parse]. Every scrape of the metrics reads the
// headers of all machines, for which package json takes ten to a hundred times as long.
func ReadHeader(annotation string) (h Header, contents string, err error) {
	rest, ok := strings.CutPrefix(annotation, versionMember)
	number, rest := cutNumber(rest)
	switch {
	case !ok || number < version || len(annotation) > maxRecord:
		return h, "", malformed()
	case number > version:
		return h, "", &fault.Error{
			Kind: fault.Unsupported, Code: "future-record", What: "has a record that a later version wrote", Hint: Hint,
		}
	}
	c := codec{rest: rest, reads: true, ok: true}
	h = c.header(h)
	contents, opened := strings.CutPrefix(c.rest, partsMember[:len(partsMember)-1])
	if !c.ok || !opened || !strings.HasSuffix(contents, end) {
		return Header{}, "", malformed()
	}
	return h, contents[:len(contents)-1], nil
}

func malformed() *fault.Error {
	return &fault.Error{
		Kind: fault.Malformed, Code: "malformed-record", What: "has a record that no version writes", Hint: Hint,
	}
}

// Hint is the hint of every error about a record that cannot be read.
const Hint = "the machine is updated and recorded anew; values that only this record has, and that are no longer " +
	"wanted, stay on the machine: remove them there"

// cutNumber reads a number. It returns 0 for other text and for too many digits.
func cutNumber(text string) (number int, rest string) {
	end := len(text) - len(strings.TrimLeft(text, "0123456789"))
	number, _ = strconv.Atoi(text[:end])
	return number, text[end:]
}

// header writes a header, or reads it into an empty one and returns that. Both follow the order of the
// members here.
func (c *codec) header(h Header) Header {
	state := stateNames[h.State]
	c.text(`,"creating":`, &h.Creating, h.Creating != "")
	c.text(`,"providerID":`, &h.ProviderID, h.Creating == "")
	c.text(`,"schema":`, &h.Schema, true)
	c.text(`,"state":`, &state, state != "")
	c.time(`,"since":`, &h.Since, true)
	c.number(`,"retries":`, &h.Retries)
	c.time(`,"notBefore":`, &h.NotBefore, !h.NotBefore.IsZero())
	c.text(`,"class":`, &h.Drain.Class, h.Drain != Drain{})
	c.text(`,"node":`, &h.Drain.Node, h.Drain != Drain{})
	c.time(`,"drained":`, &h.Drain.Since, h.Drain != Drain{})
	c.text(`,"wanted":`, &h.Wanted, h.Wanted != "")
	known := slices.Index(stateNames[:], state)
	h.State = State(max(known, 0))
	c.ok = c.ok && known >= 0 && (h.ProviderID == "") != (h.Creating == "") && h.Retries <= MaxRetries &&
		(h.State == Calling || h.Creating == "" && h.Retries == 0) && (h.State != Settled || h.NotBefore.IsZero())
	return h
}

// codec writes members to dst, or reads them from rest, one after the other.
type codec struct {
	dst   []byte
	rest  string
	reads bool
	ok    bool // all members so far could be read
}

// member writes or reads the name of a member, and reports whether its value follows. A required
// member is written, and must be found; any other is not written, and may be found.
func (c *codec) member(name string, required bool) (follows bool) {
	switch follows = required; {
	case c.reads:
		c.rest, follows = strings.CutPrefix(c.rest, name)
		c.ok = c.ok && (follows || !required)
	case required:
		c.dst = append(c.dst, name...)
	}
	return follows
}

func (c *codec) number(name string, value *int) {
	switch follows := c.member(name, *value > 0); {
	case follows && c.reads:
		*value, c.rest = cutNumber(c.rest)
	case follows:
		c.dst = strconv.AppendInt(c.dst, int64(*value), 10)
	}
}

func (c *codec) time(name string, value *time.Time, required bool) {
	var text string
	if !c.reads {
		text = value.UTC().Format(sinceLayout)
	}
	if follows := c.text(name, &text, required); follows && c.reads {
		t, err := time.Parse(sinceLayout, text)
		*value, c.ok = t, c.ok && err == nil && len(text) == len(sinceLayout) // Parse takes fractions
	}
}

func (c *codec) text(name string, value *string, required bool) (follows bool) {
	follows = c.member(name, required)
	switch {
	case follows && c.reads:
		*value = c.readText()
	case follows:
		c.dst = append(c.dst, quoted(*value)...)
	}
	return follows
}

// readText reads a text with its quotes. Malformed text has no canonical form, so the comparison with
// Annotation refuses it.
func (c *codec) readText() (text string) {
	for i := 1; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '\\':
			i++
		case '"':
			text, c.rest = c.rest[:i+1], c.rest[i+1:]
			if !strings.Contains(text, `\`) {
				return text[1:i]
			}
			var unescaped string
			_ = json.Unmarshal([]byte(text), &unescaped)
			return unescaped
		}
	}
	c.ok = false
	return ""
}
