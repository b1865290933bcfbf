package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// ReadHeader reads the header alone, and allocates nothing for usual names. It does not look at the contents.
//
// The error is that of [Parse].
func ReadHeader(annotation string) (Header, error) {
	h, _, err := readHeader(annotation)
	return h, err
}

// Parse reads the annotation. It takes what [Record.Annotation] writes, byte for byte.
//
// The error is a [*fault.Error] with the code malformed-record, or future-record for a record that a later version wrote. It never quotes the
// annotation. No input panics.
func Parse(annotation string) (Record, error) {
	h, rest, err := readHeader(annotation)
	if err != nil {
		return Record{}, err
	}
	var parts []wire
	if json.Unmarshal([]byte(rest), &parts) != nil {
		return Record{}, malformed("has no contents")
	}
	r := Record{Header: h, kinds: map[string]content{}}
	for _, w := range parts {
		c, ok := w.content()
		if !ok {
			return Record{}, malformed("has something that is no hot part")
		}
		for _, kind := range w.Kinds {
			r.kinds[kind] = c
		}
		r.others = c // the last one
	}
	if r.Annotation() != annotation {
		return Record{}, malformed("is not in canonical form")
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
	applied, attempted, removed := []string{""}, []string(nil), []string(nil)
	if w.Applied != nil {
		if applied, ok = hotParts([]json.RawMessage{w.Applied}); !ok {
			return c, false
		}
	}
	if attempted, ok = hotParts(w.Attempted); !ok {
		return c, false
	}
	if removed, ok = hotParts(w.Removed); !ok {
		return c, false
	}
	c = content{applied[0], entries{}}
	c.entries.read(attempted, removed)
	return c, true
}

// hotParts reads objects in canonical JSON.
func hotParts(raw []json.RawMessage) (hots []string, ok bool) {
	for _, value := range raw {
		canonical, problem := canonjson.AppendValue(nil, value)
		if problem != nil || canonical[0] != '{' || string(canonical) != string(value) {
			return nil, false
		}
		hots = append(hots, string(value))
	}
	return hots, true
}

// readHeader reads the header, and returns the JSON of the contents.
func readHeader(annotation string) (h Header, contents string, err error) {
	if len(annotation) > maxRecord {
		return h, "", malformed("is longer than annotations may be")
	}
	rest, ok := strings.CutPrefix(annotation, versionMember)
	if !ok {
		return h, "", malformed("has no version")
	}
	number, rest := cutNumber(rest)
	switch n, err := strconv.Atoi(number); {
	case err != nil || n < version:
		return h, "", malformed("has no known version")
	case n > version:
		return h, "", &fault.Error{Kind: fault.Unsupported, Code: "future-record", What: "has a record that a later version wrote", Hint: HintRecord}
	}
	r := reader{rest: rest}
	r.header(&h)
	if r.problem != "" {
		return Header{}, "", malformed(r.problem)
	}
	rest, opened := strings.CutPrefix(r.rest, partsMember[:len(partsMember)-1])
	if !opened || !strings.HasSuffix(rest, end) {
		return Header{}, "", malformed("is not complete")
	}
	return h, rest[:len(rest)-1], nil
}

func malformed(what string) *fault.Error {
	return &fault.Error{Kind: fault.Malformed, Code: "malformed-record", What: "has a record that " + what, Hint: HintRecord}
}

// HintRecord is the hint of every error about a record.
const HintRecord = "nothing has to be done: the machine is updated and recorded anew"

func cutNumber(text string) (number, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// reader reads the members of a header one after the other.
type reader struct {
	rest    string
	problem string // the first one
}

func (r *reader) fail(problem string) {
	if r.problem == "" {
		r.problem = problem
	}
}

func (r *reader) header(h *Header) {
	h.ProviderID, _ = r.text(providerIDMember)
	if h.ProviderID == "" {
		h.Creating, _ = r.text(creatingMember)
	}
	if h.ProviderID == "" && h.Creating == "" {
		r.fail("names neither a provider ID nor a machine under creation")
	}
	var ok bool
	if h.Schema, ok = r.text(schemaMember); !ok {
		r.fail("names no schema")
	}
	h.State = r.state()
	if h.State != Calling && h.Creating != "" {
		r.fail("is of a machine under creation that is finished")
	}
	h.Since = r.since()
	if h.Retries = r.retries(); h.State != Calling && h.Retries > 0 {
		r.fail("says that something succeeded, and is retried")
	}
	h.Wanted, _ = r.text(wantedMember)
}

// text reads a member with a text. Without the member, or where it is no text, it is not ok and nothing is read.
func (r *reader) text(member string) (value string, ok bool) {
	body, ok := strings.CutPrefix(r.rest, member)
	if !ok || body == "" || body[0] != '"' {
		return "", false
	}
	for i := 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			r.rest = body[i+1:]
			return unescaped(body[:i+1]), true
		}
	}
	return "", false
}

// unescaped reads a text with its quotes; one that is malformed has no canonical form, and is not what it is read as.
func unescaped(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	_ = json.Unmarshal([]byte(quoted), &text)
	return text
}

func (r *reader) state() State {
	name, ok := r.text(stateMember)
	if !ok {
		return Settled
	}
	known := slices.Index(stateNames[:], name)
	if known <= int(Settled) {
		r.fail("has an unknown state")
		return Settled
	}
	return State(known)
}

func (r *reader) since() time.Time {
	text, _ := r.text(sinceMember)
	since, err := time.Parse(sinceLayout, text)
	if err != nil || len(text) != len(sinceLayout) { // it accepts fractions
		r.fail("has no time in whole seconds of UTC")
	}
	return since
}

func (r *reader) retries() int {
	body, ok := strings.CutPrefix(r.rest, retriesMember)
	if !ok {
		return 0
	}
	number, rest := cutNumber(body)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxRetries {
		r.fail("has an impossible number of retries")
	}
	r.rest = rest
	return n
}
