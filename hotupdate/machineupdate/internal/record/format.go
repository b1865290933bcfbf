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
	dst := append(r.Header.appendTo(make([]byte, 0, 512+2*len(r.others.body))), partsMember...)
	for _, body := range slices.SortedFunc(maps.Keys(kinds),
		func(a, b string) int { return slices.Compare(kinds[a], kinds[b]) }) {
		dst = append(dst, strings.TrimSuffix(`{"kinds":`+list(kinds[body])+`,`+body, ",")+`},`...)
	}
	return string(append(dst, `{`+r.others.body+end...))
}

// The text around the contents of a record.
const (
	partsMember = `,"parts":[`
	end         = `}]}`
)

func (h *Header) appendTo(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, versionMember...), version, 10)
	put := func(holds bool, member, value string) {
		if holds {
			dst = append(append(dst, member...), value...)
		}
	}
	put(h.Creating != "", creatingMember, quoted(h.Creating))
	put(h.Creating == "", providerIDMember, quoted(h.ProviderID))
	put(true, schemaMember, quoted(h.Schema))
	put(h.State != Settled, stateMember, quoted(h.State.String()))
	put(true, sinceMember, stamp(h.Since))
	put(h.Retries > 0, retriesMember, strconv.Itoa(h.Retries))
	put(!h.NotBefore.IsZero(), notBeforeMember, stamp(h.NotBefore))
	isDrained := h.Drain != Drain{}
	put(isDrained, classMember, quoted(h.Drain.Class))
	put(isDrained, nodeMember, quoted(h.Drain.Node))
	put(isDrained, drainedMember, stamp(h.Drain.Since))
	put(h.Wanted != "", wantedMember, quoted(h.Wanted))
	return dst
}

// stamp returns a time as JSON.
func stamp(t time.Time) string { return quoted(t.UTC().Format(sinceLayout)) }

// The members of the header, in their order.
const (
	versionMember    = `{"v":`
	creatingMember   = `,"creating":`
	providerIDMember = `,"providerID":`
	schemaMember     = `,"schema":`
	stateMember      = `,"state":`
	sinceMember      = `,"since":`
	retriesMember    = `,"retries":`
	notBeforeMember  = `,"notBefore":`
	classMember      = `,"class":`
	nodeMember       = `,"node":`
	drainedMember    = `,"drained":`
	wantedMember     = `,"wanted":`
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
	r := reader{rest: rest, ok: true}
	r.header(&h)
	contents, opened := strings.CutPrefix(r.rest, partsMember[:len(partsMember)-1])
	if !r.ok || !opened || !strings.HasSuffix(contents, end) {
		return Header{}, "", malformed()
	}
	return h, contents[:len(contents)-1], nil
}

func malformed() *fault.Error {
	return &fault.Error{
		Kind: fault.Malformed, Code: "malformed-record", What: "has a record that no version writes", Hint: Hint,
	}
}

// Hint is the hint of every error about a record.
const Hint = "nothing has to be done: the machine is updated and recorded anew"

// cutNumber reads a number. It returns 0 for other text and for too many digits.
func cutNumber(text string) (number int, rest string) {
	end := len(text) - len(strings.TrimLeft(text, "0123456789"))
	number, _ = strconv.Atoi(text[:end])
	return number, text[end:]
}

// reader reads the members of a header one after the other.
type reader struct {
	rest string
	ok   bool // all members so far could be read
}

func (r *reader) header(h *Header) {
	if h.ProviderID = r.text(providerIDMember); h.ProviderID == "" {
		h.Creating = r.text(creatingMember)
	}
	schema := strings.HasPrefix(r.rest, schemaMember)
	h.Schema = r.text(schemaMember)
	state := r.text(stateMember)
	known := state == "" || slices.Contains(stateNames[Calling:], state)
	h.State = State(max(slices.Index(stateNames[:], state), 0))
	h.Since = r.time(sinceMember)
	if rest, retried := strings.CutPrefix(r.rest, retriesMember); retried {
		h.Retries, r.rest = cutNumber(rest)
	}
	if strings.HasPrefix(r.rest, notBeforeMember) {
		h.NotBefore = r.time(notBeforeMember)
	}
	if strings.HasPrefix(r.rest, classMember) {
		h.Drain = Drain{r.text(classMember), r.text(nodeMember), r.time(drainedMember)}
	}
	h.Wanted = r.text(wantedMember)
	r.ok = r.ok && schema && known && (h.ProviderID != "" || h.Creating != "") && h.Retries <= MaxRetries &&
		(h.State == Calling || h.Creating == "" && h.Retries == 0) && (h.State != Settled || h.NotBefore.IsZero())
}

func (r *reader) time(member string) time.Time {
	text := r.text(member)
	t, err := time.Parse(sinceLayout, text)
	r.ok = r.ok && err == nil && len(text) == len(sinceLayout) // Parse takes fractions
	return t
}

// text reads a member with a text, and returns an empty text if the member is missing.
func (r *reader) text(member string) string {
	body, ok := strings.CutPrefix(r.rest, member)
	if !ok {
		return ""
	}
	for i := 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			r.rest = body[i+1:]
			return unescaped(body[:i+1])
		}
	}
	r.ok = false
	return ""
}

// unescaped reads a text with its quotes. Malformed text has no canonical form, so the comparison
// with Annotation refuses it.
func unescaped(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	_ = json.Unmarshal([]byte(quoted), &text)
	return text
}
