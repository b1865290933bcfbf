package record

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

const version = 1

// sinceLayout is RFC 3339 in UTC and whole seconds, so that it always has the same length.
const sinceLayout = "2006-01-02T15:04:05Z"

// Annotation returns the record in canonical form, the only one that [Parse] reads: equal records have equal bytes.
func (r *Record) Annotation() string {
	kinds := map[string][]string{} // by the body of their content
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		if body := r.kinds[kind].body; body != r.others.body {
			kinds[body] = append(kinds[body], quoted(kind))
		}
	}
	dst := r.Header.appendTo(make([]byte, 0, 512+2*len(r.others.body)))
	dst = append(dst, partsMember...)
	for _, body := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return slices.Compare(kinds[a], kinds[b]) }) {
		dst = appendList(append(dst, `{"kinds":`...), kinds[body])
		if body != "" {
			dst = append(dst, ',')
		}
		dst = append(append(dst, body...), `},`...)
	}
	return string(append(append(append(dst, '{'), r.others.body...), end...))
}

// What surrounds the contents of a record.
const (
	partsMember = `,"parts":[`
	end         = `}]}`
)

func (h *Header) appendTo(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, versionMember...), version, 10)
	if h.Creating != "" {
		dst = append(append(dst, creatingMember...), quoted(h.Creating)...)
	} else {
		dst = append(append(dst, providerIDMember...), quoted(h.ProviderID)...)
	}
	dst = append(append(dst, schemaMember...), quoted(h.Schema)...)
	if h.State != Settled {
		dst = append(append(dst, stateMember...), quoted(h.State.String())...)
	}
	dst = append(append(dst, sinceMember...), quoted(h.Since.UTC().Format(sinceLayout))...)
	if h.Retries > 0 {
		dst = strconv.AppendInt(append(dst, retriesMember...), int64(h.Retries), 10)
	}
	if !h.NotBefore.IsZero() {
		dst = append(append(dst, notBeforeMember...), quoted(h.NotBefore.UTC().Format(sinceLayout))...)
	}
	if h.Drain != (Drain{}) {
		dst = append(append(dst, classMember...), quoted(h.Drain.Class)...)
		dst = append(append(dst, nodeMember...), quoted(h.Drain.Node)...)
		dst = append(append(dst, drainedMember...), quoted(h.Drain.Since.UTC().Format(sinceLayout))...)
	}
	if h.Wanted != "" {
		dst = append(append(dst, wantedMember...), quoted(h.Wanted)...)
	}
	return dst
}

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

// replacement stands for bytes that are not UTF-8.
const replacement = "\uFFFD"

// quoted returns a text as JSON. Bytes that are not UTF-8, which occur in no name, ID or fingerprint, are replaced.
func quoted(text string) string {
	dst, _ := canonjson.AppendString(nil, strings.ToValidUTF8(text, replacement))
	return string(dst)
}
