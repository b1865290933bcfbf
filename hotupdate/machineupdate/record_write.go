package machineupdate

import (
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// version is the version of the record's format.
const version = 1

// sinceLayout is RFC 3339 in UTC and whole seconds, so that it always has the same length.
const sinceLayout = "2006-01-02T15:04:05Z"

// Annotation returns the record in canonical form, which is what parseRecord reads: equal records have equal bytes.
func (r *record) Annotation() string {
	dst := make([]byte, 0, 256+len(r.Applied)+size(r.Attempted, r.Attempts))
	dst = strconv.AppendInt(append(dst, `{"v":`...), version, 10)
	if r.Creating != "" {
		dst = appendMember(dst, "creating", r.Creating)
	} else {
		dst = appendMember(dst, "providerID", r.ProviderID)
	}
	dst = appendMember(dst, "schema", r.Schema)
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
		dst = append(append(dst, `,"applied":`...), r.Applied...)
	}
	dst = appendList(dst, "attempted", r.Attempted, appendAttempted)
	dst = appendList(dst, "attempts", r.Attempts, func(dst []byte, d Digest) []byte { return append(dst, `"`+d.text()+`"`...) })
	return string(append(dst, '}'))
}

const sinceMember = `,"since":"`

// appendMember appends a member with a text. Bytes that are not UTF-8, which occur in no name, ID or fingerprint, are replaced.
func appendMember(dst []byte, name, text string) []byte {
	dst, _ = canonjson.AppendString(append(dst, `,"`+name+`":`...), strings.ToValidUTF8(text, "\uFFFD"))
	return dst
}

// appendList appends a member with a list, unless it is empty.
func appendList[E any](dst []byte, name string, list []E, element func([]byte, E) []byte) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(dst, `,"`+name+`":[`...)
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, e)
	}
	return append(dst, ']')
}

func appendAttempted(dst []byte, hot Hot) []byte {
	if hot == Nothing {
		return append(dst, "null"...)
	}
	return append(dst, hot...)
}

// wholeSeconds returns the first whole second that is not before now, so that Since is never too early.
func wholeSeconds(now time.Time) time.Time {
	return now.UTC().Add(time.Second - 1).Truncate(time.Second)
}
