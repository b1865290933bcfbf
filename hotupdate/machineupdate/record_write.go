package machineupdate

import (
	"strconv"
	"time"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// version is the version of the record's format.
const version = 1

// sinceLayout is RFC 3339 in UTC and whole seconds, so that it always has the same length.
const sinceLayout = "2006-01-02T15:04:05Z"

// Annotation returns the record in canonical form, which is what parseRecord reads: equal records have equal bytes.
func (r *record) Annotation() string {
	dst := appendHead(make([]byte, 0, 256+len(r.Applied)+size(r.Attempted, r.Attempts)), r)
	dst = appendSchema(dst, r.Schema)
	if r.State != settled {
		dst = append(dst, `,"state":"`+r.State.String()+`"`...)
	}
	dst = append(dst, sinceMember...)
	dst = r.Since.UTC().AppendFormat(dst, sinceLayout)
	dst = append(dst, '"')
	if r.Retries > 0 {
		dst = strconv.AppendInt(append(dst, `,"retries":`...), int64(r.Retries), 10)
	}
	if r.Applied != "" {
		dst = appendApplied(dst, r.Applied)
	}
	dst = appendAttempted(dst, r.Attempted)
	dst = appendAttempts(dst, r.Attempts)
	return string(append(dst, '}'))
}

const sinceMember = `,"since":"`

// appendHead appends what comes before the schema.
func appendHead(dst []byte, r *record) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, version, 10)
	if r.Creating != "" {
		return appendMember(dst, "creating", r.Creating)
	}
	return appendMember(dst, "providerID", r.ProviderID)
}

func appendSchema(dst []byte, schema string) []byte { return appendMember(dst, "schema", schema) }

func appendApplied(dst []byte, applied Hot) []byte {
	return append(append(dst, `,"applied":`...), applied...)
}

// appendMember appends a member with a text. What is not UTF-8, which no name, ID or fingerprint is, becomes replacement characters.
func appendMember(dst []byte, name, text string) []byte {
	dst = append(dst, `,"`+name+`":`...)
	quoted, problem := canonjson.AppendString(dst, text)
	if problem != nil {
		quoted, _ = canonjson.AppendString(dst, string([]rune(text)))
	}
	return quoted
}

func appendAttempted(dst []byte, attempted []Hot) []byte {
	for i, hot := range attempted {
		dst = append(dst, separator(i, `,"attempted":[`)...)
		if hot == Nothing {
			dst = append(dst, "null"...)
		} else {
			dst = append(dst, hot...)
		}
	}
	return closed(dst, len(attempted))
}

func appendAttempts(dst []byte, attempts []Digest) []byte {
	for i, digest := range attempts {
		dst = append(dst, separator(i, `,"attempts":[`)...)
		dst = append(dst, `"`+digest.text()+`"`...)
	}
	return closed(dst, len(attempts))
}

func separator(i int, first string) string {
	if i == 0 {
		return first
	}
	return ","
}

func closed(dst []byte, n int) []byte {
	if n == 0 {
		return dst
	}
	return append(dst, ']')
}

// wholeSeconds returns the first whole second that is not before now: since is never too early.
func wholeSeconds(now time.Time) time.Time {
	whole := now.UTC().Truncate(time.Second)
	if whole.Before(now) {
		whole = whole.Add(time.Second)
	}
	return whole
}
