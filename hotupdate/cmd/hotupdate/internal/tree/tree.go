// Package tree reads a JSON value from JSON or YAML and keeps the line of each part.
//
// [ParseJSON] and [ParseYAML] return the root [Node]. All readers of a manifest use its nodes: they
// have the lines for problems, and [Node.JSON] has the bytes of a provider config. The package must
// not know the meaning of a value.
//
// A nil Node is an absent value, and all methods take it.
package tree

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Kind is the kind of a JSON value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Object
)

// Node is a JSON value.
type Node struct {
	kind  Kind
	line  int
	name  string // of a member
	text  string // of a Text; of a Bool or Number its spelling
	raw   string // JSON that was read; empty if it was YAML
	as    string // the text of a Bool or Number in YAML that is not its spelling in JSON
	below []Node // the members or elements, see hold
	index index
}

// index finds the positions of many members by their name, or of many elements by the text of their
// member nameKey. It is nil for few members or elements, which are searched one by one.
type index map[string]positions

// positions are those of one name. Most names have one.
type positions struct {
	first  int
	others []int
}

// few is how many members or elements are sought one by one.
const few = 16

// nameKey is the member by which most lists of a manifest are keyed.
const nameKey = "name"

// hold sets the members or elements of an Object or List.
func (n *Node) hold(below []Node) {
	n.below = below
	n.index = nil
	if len(below) <= few {
		return
	}
	n.index = make(index, len(below))
	for i := range below {
		name := below[i].name
		if n.kind == List {
			name = below[i].At(nameKey).Text()
		}
		known, isKnown := n.index[name]
		if isKnown {
			known.others = append(known.others, i)
		} else {
			known.first = i
		}
		n.index[name] = known
	}
}

// positions yields the positions of the elements whose member, the key, has a text.
func (n *Node) positions(key, text string) iter.Seq[int] {
	if n.index != nil && key == nameKey {
		return n.index.of(text)
	}
	return func(yield func(int) bool) {
		for i, element := range n.Elements() {
			if element.At(key).Text() == text && !yield(i) {
				return
			}
		}
	}
}

func (x index) of(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		known, isKnown := x[name]
		if !isKnown || !yield(known.first) {
			return
		}
		for _, i := range known.others {
			if !yield(i) {
				return
			}
		}
	}
}

// absent stands for a nil Node.
var absent Node

// Kind returns the kind of the value. An absent value is Null.
func (n *Node) Kind() Kind { return cmp.Or(n, &absent).kind }

// Line is the line of the value, or of the name of a member, counted from 1 in the text that was
// read. It is 0 for an absent value.
func (n *Node) Line() int { return cmp.Or(n, &absent).line }

// Len returns the number of members or elements.
func (n *Node) Len() int { return len(cmp.Or(n, &absent).below) }

// At returns the value at a path of members. It is nil if a member is absent or null.
func (n *Node) At(path ...string) *Node {
	for _, name := range path {
		n = n.member(name)
	}
	if n.Kind() == Null {
		return nil
	}
	return n
}

// member returns a member, which may be null. The last of several members with one name counts.
func (n *Node) member(name string) *Node {
	if n.Kind() != Object {
		return nil
	}
	if n.index != nil {
		return n.indexed(name)
	}
	for i := len(n.below) - 1; i >= 0; i-- {
		if n.below[i].name == name {
			return &n.below[i]
		}
	}
	return nil
}

// indexed is member for an object with an index.
func (n *Node) indexed(name string) *Node {
	known, isKnown := n.index[name]
	if !isKnown {
		return nil
	}
	last := known.first
	if len(known.others) > 0 {
		last = known.others[len(known.others)-1]
	}
	return &n.below[last]
}

// Text returns the text of a Text, and nothing for other values.
func (n *Node) Text() string {
	if n.Kind() == Text {
		return n.text
	}
	return ""
}

// Number returns a Number, and false for other values.
func (n *Node) Number() (json.Number, bool) {
	if n.Kind() == Number {
		return json.Number(n.text), true
	}
	return "", false
}

// Reading describes the value that YAML reads from a word that looks like a text: the boolean false
// for n, the number 8 for 010. It is empty for an ordinary text.
func (n *Node) Reading() string {
	if n == nil || n.as == "" {
		return ""
	}
	kind := "number"
	if n.kind == Bool {
		kind = "boolean"
	}
	return "the " + kind + " " + n.text + ", as YAML reads " + n.as
}

// IsTrue reports whether the value is true.
func (n *Node) IsTrue() bool { return n.Kind() == Bool && n.text == "true" }

// Members yields the members of an Object, in the order of the text.
func (n *Node) Members() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		for i := range n.Len() {
			if n.kind != Object || !yield(n.below[i].name, &n.below[i]) {
				return
			}
		}
	}
}

// Elements yields the elements of a List.
func (n *Node) Elements() iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) {
		for i := range n.Len() {
			if n.kind != List || !yield(i, &n.below[i]) {
				return
			}
		}
	}
}

// Duplicates returns the names that several members of an Object have.
func (n *Node) Duplicates() (names []string) {
	seen := make(map[string]bool, n.Len())
	for name := range n.Members() {
		if seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}

// Steps returns the steps of a path as [Node.Find] takes them.
func Steps(path string) (steps []string) {
	for _, step := range fieldpath.ParseShown(path) {
		name := step.Name
		if step.Ordinal > 0 {
			name += "#" + strconv.Itoa(step.Ordinal+1)
		}
		steps = append(steps, name)
	}
	return steps
}

// Find returns the last node on a path that exists, and how many steps lead to it. A step is the
// name of a member, the position of an element or, as in name=a, the key of one. The second with this
// key is name=a#2.
func (n *Node) Find(path []string) (found *Node, steps int) {
	for _, step := range path {
		below := n.step(step)
		if below == nil {
			break
		}
		n = below
		steps++
	}
	return n, steps
}

func (n *Node) step(step string) *Node {
	if n.Kind() != List {
		return n.member(step)
	}
	i, err := strconv.Atoi(step)
	isPosition := err == nil && strconv.Itoa(i) == step
	if isPosition && 0 <= i && i < len(n.below) {
		return &n.below[i]
	}
	if key, text, byKey := strings.Cut(step, "="); byKey {
		return n.numbered(key, text)
	}
	return nil
}

// numbered is Keyed for a text that may end with a number, as in a#2: the second element with the key.
func (n *Node) numbered(key, text string) *Node {
	if found := n.Keyed(key, text); found != nil {
		return found
	}
	at := strings.LastIndexByte(text, '#')
	if at < 0 {
		return nil
	}
	number, err := strconv.Atoi(text[at+1:])
	if err != nil {
		return nil
	}
	for i := range n.positions(key, text[:at]) {
		number--
		if number == 0 {
			return &n.below[i]
		}
	}
	return nil
}

// Keyed returns the first element of a List whose member, the key, has a text. It is nil if there is none.
func (n *Node) Keyed(key, text string) *Node {
	if i, isThere := n.Position(key, text); isThere {
		return &n.below[i]
	}
	return nil
}

// Position returns the position of the element that Keyed returns. It is false if there is none.
func (n *Node) Position(key, text string) (at int, isThere bool) {
	if n.Kind() != List {
		return 0, false
	}
	for i := range n.positions(key, text) {
		return i, true
	}
	return 0, false
}

// Repeats reports whether a member, the key, of several elements of a List has a text.
func (n *Node) Repeats(key, text string) bool {
	if n.Kind() != List {
		return false
	}
	times := 0
	for range n.positions(key, text) {
		times++
		if times > 1 {
			return true
		}
	}
	return false
}

// Value returns the value as encoding/json decodes it, with numbers as [json.Number]. Null takes
// the place of members that are null; they are left out if it is nil.
func (n *Node) Value(null any) any {
	switch n.Kind() {
	case Bool:
		return n.text == "true"
	case Number:
		return json.Number(n.text)
	case Text:
		return n.text
	case List:
		list := make([]any, len(n.below))
		for i := range n.below {
			list[i] = n.below[i].Value(null)
		}
		return list
	case Object:
		object := make(map[string]any, len(n.below))
		for name, member := range n.Members() {
			value := member.Value(null)
			if value == nil {
				value = null
			}
			object[name] = value
		}
		maps.DeleteFunc(object, func(_ string, member any) bool { return member == nil })
		return object
	case Null:
	}
	return nil
}

// JSON returns the value in JSON: the bytes that were read, or for YAML the bytes of kubectl's
// conversion, with the members in the order of their names. It is empty for an absent value.
func (n *Node) JSON() []byte {
	switch {
	case n == nil:
		return nil
	case n.raw != "":
		return []byte(n.raw)
	}
	return n.appendSorted(nil, appendSpelling)
}

// Stored returns the value in the JSON in which an API server stores an object of an unknown type: compact, with the
// members in the order of their names, and each number as the int64 or float64 that it is. It is empty for an absent
// value, and false if a number is neither.
func (n *Node) Stored() (stored []byte, isStorable bool) {
	if n == nil {
		return nil, true
	}
	isStorable = true
	stored = n.appendSorted(make([]byte, 0, len(n.raw)), func(dst []byte, spelling string) []byte {
		if integer, err := strconv.ParseInt(spelling, 10, 64); err == nil {
			return strconv.AppendInt(dst, integer, 10)
		}
		fraction, err := strconv.ParseFloat(spelling, 64)
		isStorable = isStorable && err == nil
		encoded, _ := json.Marshal(fraction) // is no number only if it is not storable
		return append(dst, encoded...)
	})
	return stored, isStorable
}

// appendSpelling appends a number in the spelling that was read.
func appendSpelling(dst []byte, spelling string) []byte { return append(dst, spelling...) }

// appendSorted appends the value as encoding/json encodes it, with the members in the order of their names. Function
// number appends a number by its spelling.
func (n *Node) appendSorted(dst []byte, number func(dst []byte, spelling string) []byte) []byte {
	switch n.kind {
	case Null, Bool:
		return n.AppendJSON(dst)
	case Number:
		return number(dst, n.text)
	case Text:
		return appendEncoded(dst, n.text)
	case List:
		dst = append(dst, '[')
		for i := range n.below {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.below[i].appendSorted(dst, number)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, member := range n.sorted() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendEncoded(dst, member.name), ':')
			dst = member.appendSorted(dst, number)
		}
		return append(dst, '}')
	}
	return dst
}

// sorted returns the members of an Object in the order of their names. The last of several with one name counts.
func (n *Node) sorted() []*Node {
	members := make([]*Node, len(n.below))
	for i := range members {
		members[len(members)-1-i] = &n.below[i]
	}
	slices.SortStableFunc(members, func(a, b *Node) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(members, func(a, b *Node) bool { return a.name == b.name })
}

// appendEncoded appends a text as encoding/json encodes it.
func appendEncoded(dst []byte, text string) []byte {
	for i := range len(text) {
		isPlain := ' ' <= text[i] && text[i] <= '~' && strings.IndexByte(`"\<>&`, text[i]) < 0
		if !isPlain {
			encoded, _ := json.Marshal(text) // every text can be encoded
			return append(dst, encoded...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

// AppendJSON appends the value in JSON, with all members in the order of the text, including
// duplicates. An absent value is null. Text is written without escapes that it does not need, and
// as UTF-8. White space is kept as in the JSON that was read; otherwise there is none.
func (n *Node) AppendJSON(dst []byte) []byte {
	if n != nil && isWrittenAlike(n.raw) {
		return append(dst, n.raw...)
	}
	switch n.Kind() {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, n.text...)
	case Text:
		return appendText(dst, n.text)
	case List:
		dst = append(dst, '[')
		for i := range n.below {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.below[i].AppendJSON(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range n.below {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, n.below[i].name), ':')
			dst = n.below[i].AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return dst
}

// isWrittenAlike reports whether there is JSON whose texts are written as [Node.AppendJSON] writes them.
func isWrittenAlike(raw string) bool {
	return raw != "" && strings.IndexByte(raw, '\\') < 0 && utf8.ValidString(raw)
}

// appendText appends a text in JSON. Invalid UTF-8 is replaced.
func appendText(dst []byte, text string) []byte {
	if written, problem := canonjson.AppendString(dst, text); problem == nil {
		return written
	}
	written, _ := canonjson.AppendString(dst, strings.ToValidUTF8(text, "\ufffd")) // is valid now
	return written
}
