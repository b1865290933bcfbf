package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

const version = 1

// Annotation returns the record in canonical form, the only one that [Parse] reads: equal records
// have equal bytes.
//
// It does not use package json: struct tags would repeat the names and the order of the members,
// which [ReadHeader] needs, and writing a large record, which each pass does several times to know
// its size, would take three times as long.
func (r *Record) Annotation() string {
	kinds := map[string][]string{} // the body of a content to its kinds
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		if body := r.kinds[kind].body; body != r.others.body {
			kinds[body] = append(kinds[body], quoted(kind))
		}
	}
	byKinds := func(a, b string) int { return slices.Compare(kinds[a], kinds[b]) }
	dst := make([]byte, 0, 512+2*len(r.others.body))
	dst = append(dst, versionMember...)
	dst = strconv.AppendInt(dst, version, 10)
	dst = r.Header.appendTo(dst)
	dst = append(dst, partsMember...)
	for _, body := range slices.SortedFunc(maps.Keys(kinds), byKinds) {
		dst = append(dst, `{"kinds":`...)
		dst = append(dst, list(kinds[body])...)
		if body != "" {
			dst = append(dst, ',')
			dst = append(dst, body...)
		}
		dst = append(dst, `},`...)
	}
	dst = append(dst, '{')
	dst = append(dst, r.others.body...)
	dst = append(dst, end...)
	return string(dst)
}

// The text around the header and the contents of a record.
const (
	versionMember = `{"v":`
	partsName     = `,"parts":`
	partsMember   = partsName + `[`
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
// the contents unchecked. [Parse] has the same errors. Every scrape of the metrics reads the
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
	r := reader{rest: rest}
	h = r.header()
	parts, opened := strings.CutPrefix(r.rest, partsName)
	closed := strings.HasSuffix(parts, end)
	if r.failed || !opened || !closed {
		return Header{}, "", malformed()
	}
	return h, strings.TrimSuffix(parts, "}"), nil
}

func malformed() *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "malformed-record", What: "has a record that no version writes", Hint: Hint,
	}
}

// Hint is the hint of every error about a record that cannot be read.
const Hint = "remove values that only this record names, and that are no longer wanted, from the machine's " +
	"resources: they stay there, although the machine is updated and gets a new record"
