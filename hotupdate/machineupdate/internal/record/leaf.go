package record

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// place identifies a leaf. Element is the element of a list of scalars, in canonical JSON, and
// empty for every other leaf.
type place struct{ pointer, element string }

// json returns the JSON at the pointer if the leaf has the value: an element is alone in its list. It is
// empty if nothing is there.
func (p place) json(value string) string {
	if p.element != "" {
		return list([]string{p.element})
	}
	return value
}

// absent is the value of an absent leaf: no JSON is empty.
const absent = ""

// leaves are the leaves of a hot part with their values. The value of an element is the element.
type leaves map[place]string

// leavesOf reads a hot part in canonical JSON; an unknown hot part has no leaves.
func leavesOf(hot string) leaves {
	all := leaves{}
	for pointer, value := range valuesOf(hot) {
		elements := scalars(value)
		for _, element := range elements {
			all[place{pointer, string(element)}] = string(element)
		}
		if len(elements) == 0 {
			all[place{pointer: pointer}] = string(value)
		}
	}
	return all
}

// valuesOf returns the values of a document in canonical JSON by pointer. A list is one value. An
// empty document has no values.
func valuesOf(document string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if document != "" {
		read(all, "", json.RawMessage(document))
	}
	return all
}

func read(all map[string]json.RawMessage, pointer string, value json.RawMessage) {
	var members map[string]json.RawMessage
	if value[0] == '{' {
		_ = json.Unmarshal(value, &members) // it is canonical
	}
	for name, member := range members {
		read(all, fieldpath.Below(pointer, name), member)
	}
	if len(members) == 0 && pointer != "" {
		all[pointer] = value
	}
}

// Filter returns a document in canonical JSON with only the values whose pointers keep accepts. A
// list is one value.
func Filter(document string, keep func(pointer string) bool) string {
	kept := object{}
	for pointer, value := range valuesOf(document) {
		if keep(pointer) {
			kept.put(leaf{place{pointer: pointer}, string(value)})
		}
	}
	return kept.document()
}

// scalars returns the elements of a list of scalars; none if the value is anything else.
func scalars(value json.RawMessage) []json.RawMessage {
	if value[0] != '[' {
		return nil
	}
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		return nil
	}
	isComposite := func(e json.RawMessage) bool { return e[0] == '{' || e[0] == '[' }
	if slices.ContainsFunc(elements, isComposite) {
		return nil
	}
	return elements
}

func (l leaves) sorted() []leaf {
	all := make([]leaf, 0, len(l))
	for p, value := range l {
		all = append(all, leaf{p, value})
	}
	slices.SortFunc(all, leaf.compare)
	return all
}

// frozen splits the leaves into Hot leaves and frozen ones.
func (l leaves) frozen(isHot IsHot) (hot, frozen leaves) {
	return split(l, func(p place, value string) bool { return isHot(p.pointer, p.json(value)) })
}

func split[M ~map[K]V, K comparable, V any](all M, isHot func(K, V) bool) (hot, frozen M) {
	hot = M{}
	frozen = M{}
	for key, value := range all {
		if isHot(key, value) {
			hot[key] = value
		} else {
			frozen[key] = value
		}
	}
	return hot, frozen
}

// hotPart returns the leaves of one hot part as such.
func (l leaves) hotPart() string {
	return append(layOut[string](l.sorted()), nothing)[0]
}

// object is a hot part under construction, or an object in it. Its members are objects, leaves as
// JSON, and lists of leaves as JSON.
type object map[string]any

// put adds a leaf, and reports whether it fits. Elements of one list are added in order.
func (o object) put(l leaf) bool {
	names := fieldpath.Names(l.pointer)
	last := len(names) - 1
	for _, name := range names[:last] {
		if o[name] == nil {
			o[name] = object{}
		}
		below, ok := o[name].(object)
		if !ok {
			return false
		}
		o = below
	}
	list, isList := o[names[last]].([]json.RawMessage)
	switch isTaken := o[names[last]] != nil; {
	case isTaken && (!isList || l.element == ""):
		return false
	case l.element == "":
		o[names[last]] = json.RawMessage(l.value)
	default:
		o[names[last]] = append(list, json.RawMessage(l.element))
	}
	return true
}

// document returns the hot part in canonical JSON.
func (o object) document() string {
	text, _ := json.Marshal(o)                       // it was read from JSON
	canonical, _ := canonjson.AppendValue(nil, text) // as above
	return string(canonical)
}

// list returns JSON values as a JSON list.
func list(values []string) string { return "[" + strings.Join(values, ",") + "]" }

// leaf is a place with a value, or [absent].
type leaf struct {
	place

	value string
}

func (l leaf) compare(other leaf) int {
	return cmp.Or(strings.Compare(l.pointer, other.pointer), strings.Compare(l.element, other.element),
		strings.Compare(l.value, other.value))
}

// entries are leaves that may be live instead of the base.
type entries map[leaf]bool

// entriesOf returns the leaves of hot parts in canonical JSON as entries.
func entriesOf[S ~string](hots []S) entries {
	all := entries{}
	for _, hot := range hots {
		for p, value := range leavesOf(string(hot)) {
			all[leaf{p, value}] = true
		}
	}
	return all
}

// Merge returns few hot parts that have the same leaves with the same values as these.
func Merge[S ~string](hots []S) []S {
	return layOut[S](slices.SortedFunc(maps.Keys(entriesOf(hots)), leaf.compare))
}

// send adds the desired leaves that differ from the base.
func (e entries) send(base, desired leaves) {
	for p, value := range desired {
		if base[p] != value {
			e[leaf{p, value}] = true
		}
	}
	e.lack(desired, base)
}

// rebase replaces the base of leaves: the former base may still be live, the new base needs no
// entry.
func (e entries) rebase(former, base leaves) {
	for p, value := range former {
		e[leaf{p, value}] = true
		delete(e, leaf{p, base[p]})
	}
	for p, value := range base {
		delete(e, leaf{p, value})
	}
}

// lack adds the absence of leaves that one hot part has and another lacks.
func (e entries) lack(without, with leaves) {
	for p := range with {
		if _, has := without[p]; !has {
			e[leaf{p, absent}] = true
		}
	}
}

func (e entries) frozen(isHot IsHot) (hot, frozen entries) {
	return split(e, func(l leaf, _ bool) bool { return isHot(l.pointer, l.json(l.value)) })
}

// cost is the number of bytes of the bound that an entry takes: about its size in the record.
func (l leaf) cost() int {
	const punctuation = 8
	return len(l.pointer) + max(len(l.value), len("null")) + punctuation
}

func (e entries) cost() (total int) {
	for l := range e {
		total += l.cost()
	}
	return total
}

// hotParts merges the entries into few hot parts: sent have all values; removed have all absences,
// as null or as the element.
func (e entries) hotParts() (sent, removed []string) {
	var values, absences []leaf
	for _, l := range slices.SortedFunc(maps.Keys(e), leaf.compare) {
		if l.value == absent {
			absences = append(absences, leaf{l.place, "null"})
		} else {
			values = append(values, l)
		}
	}
	return layOut[string](values), layOut[string](absences)
}

// layOut puts each leaf into the first hot part into which it fits. The leaves are sorted, so where
// one leaf did not fit, nothing at or below its pointer fits either.
func layOut[S ~string](leaves []leaf) (documents []S) {
	var parts []object
	from := map[string]int{} // the first part that may have room, by pointer
	for _, l := range leaves {
		at := 0
		for i, c := range l.pointer + "/" {
			if c == '/' {
				at = max(at, from[l.pointer[:i]])
			}
		}
		for at < len(parts) && !parts[at].put(l) {
			at++
		}
		from[l.pointer] = at
		if at == len(parts) {
			parts = append(parts, object{})
			parts[at].put(l)
		}
	}
	for _, o := range parts {
		documents = append(documents, S(o.document()))
	}
	return documents
}
