package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// cutDraft is a generated document that knows which of its members are hot. It can be written with and without them.
type cutDraft struct {
	bracket  byte // '{', '[' or 0
	members  []cutDraftMember
	elements []*cutDraft
	scalar   string
}

type cutDraftMember struct {
	name  string // spelled, with quotes and colon
	value *cutDraft
	hot   bool
	lead  string // white space before the name
	trail string // white space behind the value
}

// cutDrafter draws documents. Strict ones can be decoded; others have unknown members, duplicates and values of any type as well.
type cutDrafter struct {
	t      *rapid.T
	nulls  nullMembers
	strict bool
	count  int
}

func cutScalar(text string) *cutDraft { return &cutDraft{scalar: text} }

// value draws a value for a shape.
func (d *cutDrafter) value(s *cutNode, keys []string, depth int) *cutDraft {
	if !d.strict && rapid.IntRange(0, 11).Draw(d.t, "junk") == 0 {
		return cutScalar(d.junk(s))
	}
	switch s.kind {
	case cutObject:
		return d.object(s, keys, depth)
	case cutList:
		return d.list(s, depth)
	case cutDict:
		return d.dict(s, depth)
	case cutLeaf, cutHot:
	}
	return cutScalar(rapid.SampledFrom(s.samples).Draw(d.t, "sample"))
}

// junk draws a value of another type, in which nothing is hot: an array where an object is due and the other way round.
func (d *cutDrafter) junk(s *cutNode) string {
	any := []string{`1`, `"tags"`, `true`, `-0.0e1`}
	switch s.kind {
	case cutObject, cutDict:
		any = append(any, `[{"tags":1,"throughput":2}]`, `null`)
	case cutList:
		any = append(any, `{"note":1,"tags":{}}`, `null`)
	case cutLeaf, cutHot:
		any = append(any, `{"tags":{"note":1}, "throughput" : [ ]}`, `[ {} ]`)
	}
	return rapid.SampledFrom(any).Draw(d.t, "junk value")
}

// object draws members that stay, and hot ones between them.
func (d *cutDrafter) object(s *cutNode, keys []string, depth int) *cutDraft {
	o := &cutDraft{bracket: '{'}
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		field := s.members[name]
		isPossible := depth > 0 || field.kind <= cutHot
		isTaken := slices.Contains(keys, name)
		if isPossible && !isTaken && rapid.SampledFrom([]bool{false, false, true}).Draw(d.t, name) {
			d.field(o, name, field, depth)
		}
	}
	if !d.strict {
		d.disturb(o)
	}
	return o
}

func (d *cutDrafter) field(o *cutDraft, name string, field *cutNode, depth int) {
	if field.kind == cutHot {
		d.add(o, name, d.hotValue(field))
		return
	}
	value := d.value(field, nil, depth-1)
	d.member(o, name, value, value.emptied() && !field.presence)
}

// hotValue draws any value, null among them.
func (d *cutDrafter) hotValue(s *cutNode) *cutDraft {
	if rapid.IntRange(0, 5).Draw(d.t, "null") == 0 {
		return cutScalar("null")
	}
	return d.value(s, nil, 0)
}

// add adds a member with a hot value, which is stripped unless it is a null that stays.
func (d *cutDrafter) add(o *cutDraft, name string, value *cutDraft) {
	d.member(o, name, value, d.nulls == stripNulls || value.scalar != "null")
}

// disturb adds unknown members and doubles others.
func (d *cutDrafter) disturb(o *cutDraft) {
	unknown := []string{"", "Tags", "virtualcapacity", "note ", `"}, {"`, ", }", "\\", "ä", "😀", "t\x00ags"}
	for range rapid.IntRange(0, 2).Draw(d.t, "unknown") {
		value := rapid.SampledFrom(
			[]string{`null`, `{ "tags" : {"note":1} }`, `", }"`, `[{}, "]"]`, `"\\"`, `1e999`},
		).Draw(d.t, "unknown value")
		d.member(o, rapid.SampledFrom(unknown).Draw(d.t, "unknown name"), cutScalar(value), false)
	}
	if len(o.members) > 0 && rapid.IntRange(0, 3).Draw(d.t, "twice") == 0 {
		o.members = append(o.members, rapid.SampledFrom(o.members).Draw(d.t, "doubled"))
	}
}

// member puts a member at any place.
func (d *cutDrafter) member(o *cutDraft, name string, value *cutDraft, hot bool) {
	gap := rapid.SampledFrom([]string{"", "", "", " ", "\n", "\r\n\t", "  "})
	m := cutDraftMember{
		name: d.spell(name) + gap.Draw(d.t, "gap") + ":" + gap.Draw(d.t, "gap"), value: value, hot: hot,
		lead: gap.Draw(d.t, "lead"), trail: gap.Draw(d.t, "trail"),
	}
	o.members = slices.Insert(o.members, rapid.IntRange(0, len(o.members)).Draw(d.t, "place"), m)
}

// spell writes a name, with escapes that need not be.
func (d *cutDrafter) spell(name string) string {
	text, _ := json.Marshal(name)
	isPlain := rapid.IntRange(0, 2).Draw(d.t, "plain") > 0
	isSpecial := name == "" || name[0] >= 0x80 || strings.ContainsAny(name[:1], `"\`)
	if isPlain || isSpecial {
		return string(text)
	}
	form := rapid.SampledFrom([]string{`"\u%04x`, `"\u%04X`}).Draw(d.t, "form")
	return fmt.Sprintf(form, name[0]) + string(text[2:])
}

// list draws elements, all of which stay.
func (d *cutDrafter) list(s *cutNode, depth int) *cutDraft {
	l := &cutDraft{bracket: '['}
	for range rapid.IntRange(0, 3).Draw(d.t, "elements") {
		if !d.strict && rapid.IntRange(0, 9).Draw(d.t, "invalid") == 0 {
			l.elements = append(
				l.elements, cutScalar(rapid.SampledFrom([]string{"null", "[]", "1", `[{"note":1}]`}).Draw(d.t, "invalid element")),
			)
			continue
		}
		element, _ := d.element(s, depth)
		l.elements = append(l.elements, element)
	}
	return l
}

// dict draws entries. Those whose presence is hot are hot unless something in them stays.
func (d *cutDrafter) dict(s *cutNode, depth int) *cutDraft {
	m := &cutDraft{bracket: '{'}
	for _, key := range rapid.SliceOfNDistinct(
		rapid.SampledFrom([]string{"a", "tags", "note", "}", `"`, "b"}), 0, 3, rapid.ID[string],
	).Draw(d.t, "keys") {
		if s.hotMap && rapid.IntRange(0, 5).Draw(d.t, "null") == 0 {
			d.add(m, key, cutScalar("null"))
			continue
		}
		element, selected := d.element(s, depth)
		d.member(m, key, element, (selected || s.hotMap) && !element.keeps(s.keys))
	}
	return m
}

// element draws an element with what identifies it, and whether its selector holds.
func (d *cutDrafter) element(s *cutNode, depth int) (element *cutDraft, selected bool) {
	shape := s.elem
	selected = s.hotElem != nil && rapid.Bool().Draw(d.t, "selected")
	if selected {
		shape = s.hotElem
	}
	element = d.object(shape, s.keys, depth-1)
	for _, key := range s.keys {
		if key != s.selector {
			d.count++
			d.member(element, key, cutScalar(fmt.Sprintf(`"key %d"`, d.count)), false)
		} else if value := d.selector(s, shape); value != "" {
			d.member(element, key, cutScalar(value), false)
		}
	}
	return element, selected
}

// selector draws a value that selects this shape; empty if it is absent.
func (d *cutDrafter) selector(s, shape *cutNode) string {
	selects := func(value string) bool { return (value == s.selected) == (shape == s.hotElem) }
	var values []string
	if selects(s.zero) {
		values = append(values, "")
	}
	for _, sample := range s.elem.members[s.selector].samples {
		if selects(cutLiteral(sample)) {
			values = append(values, sample)
		}
	}
	return rapid.SampledFrom(values).Draw(d.t, "selector")
}

// emptied reports whether all members that the value has are hot.
func (v *cutDraft) emptied() bool {
	return len(v.members) > 0 && !slices.ContainsFunc(v.members, func(m cutDraftMember) bool { return !m.hot })
}

// keeps reports whether the value has more than hot members and keys.
func (v *cutDraft) keeps(keys []string) bool {
	return slices.ContainsFunc(v.members, func(m cutDraftMember) bool {
		var name string
		_ = json.Unmarshal([]byte(m.name[:strings.LastIndexByte(m.name, ':')]), &name)
		return !m.hot && !slices.Contains(keys, name)
	})
}

// without writes the value as it was before hot members were inserted.
func (v *cutDraft) without() string {
	var parts []string
	switch v.bracket {
	case '{':
		for _, m := range v.members {
			if !m.hot {
				parts = append(parts, m.lead+m.name+m.value.without()+m.trail)
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, e := range v.elements {
			parts = append(parts, e.without())
		}
		return "[" + strings.Join(parts, " , ") + "]"
	default:
		return v.scalar
	}
}

// with writes the value with hot members inserted: behind the value of the member before, or before the name of the first.
func (v *cutDraft) with() string {
	var parts []string
	switch v.bracket {
	case '{':
		return "{" + v.insert() + "}"
	case '[':
		for _, e := range v.elements {
			parts = append(parts, e.with())
		}
		return "[" + strings.Join(parts, " , ") + "]"
	default:
		return v.scalar
	}
}

func (v *cutDraft) insert() string {
	first := slices.IndexFunc(v.members, func(m cutDraftMember) bool { return !m.hot })
	if first < 0 {
		first = len(v.members)
	}
	var b strings.Builder
	if first < len(v.members) {
		b.WriteString(v.members[first].lead)
	}
	for i, m := range v.members[:first] {
		if i > 0 || first == len(v.members) {
			b.WriteString(m.lead)
		}
		b.WriteString(m.name + m.value.with() + m.trail)
		if i+1 < len(v.members) {
			b.WriteString(",")
		}
	}
	if 0 < first && first < len(v.members) {
		b.WriteString(v.members[0].lead)
	}
	pending := ""
	for i, m := range v.members[first:] {
		switch {
		case m.hot:
			b.WriteString(m.trail + "," + m.lead + m.name + m.value.with())
			continue
		case i > 0:
			b.WriteString(pending + "," + m.lead)
		}
		b.WriteString(m.name + m.value.with())
		pending = m.trail
	}
	return b.String() + pending
}

// layouts are how a document is printed.
var cutLayouts = []struct {
	name  string
	apply func(raw string) string
}{
	{"as drawn", func(raw string) string { return raw }},
	{"compact", func(raw string) string { return cutPrinted(json.Compact, raw) }},
	{"two spaces", func(raw string) string { return cutPrinted(cutIndent("", "  "), raw) }},
	{"tabs", func(raw string) string { return cutPrinted(cutIndent("", "\t"), raw) }},
	{"prefix", func(raw string) string { return cutPrinted(cutIndent("    ", "   "), raw) }},
	{"CRLF", func(raw string) string {
		return strings.ReplaceAll(cutPrinted(cutIndent("", "  "), raw), "\n", "\r\n") + "\r\n"
	}},
	{"only line ends", func(raw string) string { return "\n" + cutPrinted(cutIndent("", ""), raw) }},
}

func cutIndent(prefix, indent string) func(*bytes.Buffer, []byte) error {
	return func(out *bytes.Buffer, raw []byte) error { return json.Indent(out, raw, prefix, indent) }
}

// cutPrinted changes the white space between tokens and nothing else.
func cutPrinted(print func(*bytes.Buffer, []byte) error, raw string) string {
	var out bytes.Buffer
	if print(&out, []byte(raw)) != nil {
		return "not JSON"
	}
	return out.String()
}

// TestInsertingHotMembersAndCuttingGivesTheOriginalBytes is what StripRaw is for.
func TestInsertingHotMembersAndCuttingGivesTheOriginalBytes(t *testing.T) {
	s := cutSchema(t)
	shape := cutShape()
	for _, nulls := range []nullMembers{stripNulls, keepNulls} {
		rapid.Check(t, func(t *rapid.T) {
			d := &cutDrafter{t: t, nulls: nulls, strict: rapid.Bool().Draw(t, "strict")}
			draft := d.object(shape, nil, 4)
			before := draft.without()
			after := draft.with()
			if d.strict { // checkStrip compares the documents
				_, err := s.DocumentRaw([]byte(after))
				require.NoError(t, err, after)
			}
			require.True(t, json.Valid([]byte(before)), before)
			for _, layout := range cutLayouts {
				got, err := nulls.strip(s, []byte(layout.apply(after)))
				require.NoError(t, err)
				require.Equal(t, layout.apply(before), string(got), "%s: %q", layout.name, after)
			}
			checkStrip(t, s, []byte(after), nulls)
			checkStrip(t, s, []byte(after), 1-nulls)
		})
	}
}
