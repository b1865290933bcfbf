package leaf

import (
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// textKinds are the kinds of strings whose meaning is declared.
var textKinds = map[structtag.Meaning]Kind{
	structtag.AsText: String, structtag.AsQuantity: QuantityText, structtag.AsDuration: DurationText,
	structtag.AsCIDR: CIDRText, structtag.AsDNS: DNSText, structtag.AsTime: TimeText,
}

// TextKind returns the kind of strings with a meaning, and NotALeaf for an undeclared meaning.
func TextKind(m structtag.Meaning) Kind { return textKinds[m] }

// Meaning returns the declared meaning of strings of kind k. It is Undeclared for String and for
// kinds that are no strings.
func (k Kind) Meaning() structtag.Meaning {
	for m, kind := range textKinds {
		if kind == k && k != String {
			return m
		}
	}
	return structtag.Undeclared
}

// IsText reports whether k is String or a kind of strings with a meaning.
func (k Kind) IsText() bool { return k == String || k.Meaning() != structtag.Undeclared }

// normalize returns one spelling for all texts with the same meaning. Text that has not the form of
// kind k is returned unchanged. The result is normal itself, so it never equals another text that
// has not the form.
func (k Kind) normalize(text string) string {
	normal := text
	ok := false
	//exhaustive:ignore
	switch k {
	case QuantityText:
		normal, ok = normalQuantity(text)
	case DurationText:
		d, err := time.ParseDuration(text)
		normal = d.String()
		ok = err == nil
	case CIDRText:
		prefix, err := netip.ParsePrefix(text)
		normal = prefix.Masked().String()
		ok = err == nil
	case DNSText:
		normal, ok = normalName(text)
	case TimeText:
		normal, ok = normalTime(text)
	}
	if !ok {
		return text
	}
	return normal
}

func normalQuantity(text string) (string, bool) {
	q, err := ParseQuantity(text)
	if err != nil {
		return "", false
	}
	quoted, problem := AppendQuantity(nil, &q)
	return strings.Trim(string(quoted), `"`), problem == nil
}

// normalName writes a domain name in lower case (RFC 4343) and without the dot of the root. Names
// with other characters than ASCII are not normalized: which of them are the same differs between
// versions of Unicode.
func normalName(text string) (string, bool) {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return "", false
		}
	}
	name := strings.TrimSuffix(text, ".")
	return strings.ToLower(name), name != "" && !strings.HasSuffix(name, ".")
}

// rfc3339 is the form of a time. Package time reads more, and how much more differs between its
// releases.
var rfc3339 = lazyregexp.New(
	`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)

// normalTime writes a time of RFC 3339 in UTC, as the leaf Time is written.
func normalTime(text string) (string, bool) {
	t, err := time.Parse(time.RFC3339, text)
	t = t.UTC()
	isTime := err == nil && rfc3339().MatchString(text)
	return t.Format(nanoseconds), isTime && t.Year() >= 0 && t.Year() <= 9999
}
