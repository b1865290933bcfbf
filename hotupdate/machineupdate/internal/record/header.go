package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The members of a header, in their order. [Header.appendTo] writes them, and [reader.header] reads
// them.
const (
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

// sinceLayout is RFC 3339 in UTC and whole seconds, so that it always has the same length.
const sinceLayout = "2006-01-02T15:04:05Z"

// appendTo appends the members of the header. Members without a value are omitted.
func (h *Header) appendTo(dst []byte) []byte {
	if h.Creating != "" {
		dst = appendText(dst, creatingMember, h.Creating)
	} else {
		dst = appendText(dst, providerIDMember, h.ProviderID)
	}
	dst = appendText(dst, schemaMember, h.Schema)
	if h.State != Settled {
		dst = appendText(dst, stateMember, stateNames[h.State])
	}
	dst = appendTime(dst, sinceMember, h.Since)
	if h.Retries > 0 {
		dst = append(dst, retriesMember...)
		dst = strconv.AppendInt(dst, int64(h.Retries), 10)
	}
	if !h.NotBefore.IsZero() {
		dst = appendTime(dst, notBeforeMember, h.NotBefore)
	}
	if h.Drain != (Drain{}) {
		dst = appendText(dst, classMember, h.Drain.Class)
		dst = appendText(dst, nodeMember, h.Drain.Node)
		dst = appendTime(dst, drainedMember, h.Drain.Since)
	}
	if h.Wanted != "" {
		dst = appendText(dst, wantedMember, h.Wanted)
	}
	return dst
}

func appendText(dst []byte, name, value string) []byte {
	dst = append(dst, name...)
	return append(dst, quoted(value)...)
}

func appendTime(dst []byte, name string, value time.Time) []byte {
	return appendText(dst, name, value.UTC().Format(sinceLayout))
}

// reader reads the members of a header, one after the other.
type reader struct {
	rest   string // what is not read yet
	failed bool   // a required member is missing, or a value cannot be read
}

// presence says whether a member may be missing.
type presence int

const (
	optional presence = iota
	required
)

// header reads a header. If the reader has failed, the header has no meaning.
func (r *reader) header() Header {
	var h Header
	h.Creating = r.text(creatingMember, optional)
	h.ProviderID = r.text(providerIDMember, optional)
	h.Schema = r.text(schemaMember, required)
	h.State = r.state()
	h.Since = r.time(sinceMember, required)
	h.Retries = r.number(retriesMember)
	h.NotBefore = r.time(notBeforeMember, optional)
	h.Drain = r.drain()
	h.Wanted = r.text(wantedMember, optional)
	if !h.isPossible() {
		r.failed = true
	}
	return h
}

// isPossible reports whether the flow writes such a header.
func (h *Header) isPossible() bool {
	isOfVM := h.ProviderID != ""
	isOfCreation := h.Creating != ""
	switch {
	case isOfVM == isOfCreation:
		return false // a record is about a VM or about a creation
	case h.Retries > MaxRetries:
		return false
	case h.State == Calling:
		return true
	case isOfCreation || h.Retries > 0:
		return false // both need an update that has not succeeded
	case h.State == Settled:
		return h.NotBefore.IsZero()
	}
	return true
}

// state reads the state; a settled record has none.
func (r *reader) state() State {
	name := r.text(stateMember, optional)
	state := slices.Index(stateNames[:], name)
	if state < 0 {
		r.failed = true
		return Settled
	}
	return State(state)
}

// drain reads the members about a drain: all of them, or none.
func (r *reader) drain() Drain {
	var d Drain
	others := func() presence {
		if d == (Drain{}) {
			return optional
		}
		return required
	}
	d.Class = r.text(classMember, optional)
	d.Node = r.text(nodeMember, others())
	d.Since = r.time(drainedMember, others())
	return d
}

// find reads the name of a member, and reports whether it is there.
func (r *reader) find(name string, must presence) bool {
	rest, found := strings.CutPrefix(r.rest, name)
	r.rest = rest
	if must == required && !found {
		r.failed = true
	}
	return found
}

func (r *reader) number(name string) (value int) {
	if r.find(name, optional) {
		value, r.rest = cutNumber(r.rest)
	}
	return value
}

func (r *reader) time(name string, must presence) time.Time {
	if !r.find(name, must) {
		return time.Time{}
	}
	text := r.quoted()
	value, err := time.Parse(sinceLayout, text)
	if err != nil || len(text) != len(sinceLayout) { // Parse accepts fractions of a second
		r.failed = true
	}
	return value
}

func (r *reader) text(name string, must presence) string {
	if !r.find(name, must) {
		return ""
	}
	return r.quoted()
}

// quoted reads a text with its quotes. Malformed text has no canonical form, so the comparison with
// Annotation refuses it.
func (r *reader) quoted() string {
	for i := 1; i < len(r.rest); i++ {
		switch r.rest[i] {
		case '\\':
			i++
		case '"':
			text := r.rest[:i+1]
			r.rest = r.rest[i+1:]
			return unquoted(text)
		}
	}
	r.failed = true
	return ""
}

// unquoted returns the value of a text with quotes. Few texts have a backslash, and only those need
// package json.
func unquoted(text string) string {
	if !strings.Contains(text, `\`) {
		return text[1 : len(text)-1]
	}
	var value string
	_ = json.Unmarshal([]byte(text), &value)
	return value
}

// cutNumber reads a number. It returns 0 for other text and for too many digits.
func cutNumber(text string) (number int, rest string) {
	end := len(text) - len(strings.TrimLeft(text, "0123456789"))
	number, _ = strconv.Atoi(text[:end])
	return number, text[end:]
}
