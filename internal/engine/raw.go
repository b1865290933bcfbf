package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// transcript writes raw JSON without making a Go value of it. It reads the JSON once, writes each
// member where it stands, and brings the members into order when their object ends.
//
// What is written, and what stays away, is decided by the functions of a run, which it calls: for
// the ends of objects, members, lists and sets, defaults, presence and the texts of leaves. Its own
// loops only follow the JSON instead of a value: list, setOf, keyedList, entries, keyedElement,
// element and traces name their twin, and compare orders pieces as a run orders keys. The properties
// that hold raw JSON against the value compare both. One loop for JSON and values would reach each
// element through an interface or a type parameter, by calls that are not inlined; both walks would
// be slower. What only a value can tell is read into a value, part by part: see [source].
//
// A transcript explains nothing. It fails, and the caller reads the whole value, if:
//   - package rawjson would refuse the JSON, or a value has no canonical text;
//   - an element of a keyed list has no key that is an integer, or two have one key;
//   - values are nested so deeply that what is absent may be too deep;
//   - more bytes would be moved into their order than a fixed number for each byte of the JSON;
//   - the JSON or the document is longer than 64 MiB.
type transcript struct {
	*run

	in        rawjson.Reader
	pieces    []piece           // members and entries of the objects and collections around the current value
	sorted    []piece           // scratch for pieces in their order
	names     []byte            // keys of these entries and elements, and names of unknown members
	seen      []uint64          // sets of the fields that were read, one for each object
	moved     []byte            // scratch for their text, and for what a reduction leaves of the document
	isApart   bool              // the members of the root are written each by itself
	parts     parts             // where these members are in the JSON
	below     [maxReduced]parts // scratch of a reduction
	other     *transcript       // of a document that has been written, or nil
	deepest   int               // the deepest nesting that needs no value: what is absent there is not too deep
	budget    int               // the number of bytes that may still be moved
	hasFailed bool
	hasValue  bool // something in the member was read into a value, whose type may see the spelling of its JSON
}

// moves bounds how often a document may be moved to bring its members into order: that many times,
// each byte. Each level of a document moves what is below it. A value can have many more levels
// without moving anything.
const moves = 32

// piece is a member, entry or element at buf[start:end], with the byte before it. Its place among
// its siblings is decided by order, and then by the text of its key. Pieces are small, since they are
// moved.
type piece struct {
	order         uint64
	name, nameEnd uint32 // in names
	start, end    uint32
	hasKey        bool // of an element of a keyed list
}

// maxRaw is the size of the longest JSON, and of the longest document, that is written without a
// value. The document stays in memory, and its offsets have 32 bits.
const maxRaw = 1 << 26

var transcripts = sync.Pool{New: func() any { return &transcript{} }}

func transcribe(raw []byte, w *document) *transcript {
	t := transcripts.Get().(*transcript)
	t.run = start()
	t.run.deep = w.deep
	t.run.hides = w.hides
	t.buf = slices.Grow(t.buf, min(len(raw), maxRaw))
	t.deepest = w.deepest
	t.in.Reset(raw)
	t.budget = moves * (min(len(raw), maxRaw) + maxPooledBytes)
	return t
}

// release returns the memory to the pools, without references to the document.
func (t *transcript) release() {
	if t.run.hides {
		clear(t.pieces[:cap(t.pieces)]) // with bytes of names
		clear(t.sorted[:cap(t.sorted)])
		clear(t.names[:cap(t.names)])
		clear(t.moved[:cap(t.moved)])
		t.in.Clear()
	}
	t.run.end()
	t.run = nil
	t.in.Reset(nil)
	recycle(&t.pieces, maxPooledSpans)
	recycle(&t.sorted, maxPooledSpans)
	recycle(&t.names, maxPooledText)
	recycle(&t.seen, maxPooled)
	recycle(&t.moved, maxPooledText)
	recycle(&t.parts.unknown, maxPooledSpans)
	t.hasFailed = false
	t.hasValue = false
	t.isApart = false
	t.other = nil
	transcripts.Put(t)
}

// SumRaw is [Program.Sum] of raw JSON. It is false if anything is wrong with the JSON, or with the
// value that it means: the value says what.
func (p *Program) SumRaw(raw []byte) (sum [sha256.Size]byte, ok bool) {
	w := p.canonicalJSON()
	t := transcribe(raw, w)
	defer t.release()
	if !t.document(w.root) {
		return sum, false
	}
	return t.sum(), true
}

// AppendRaw is [Program.Append] of raw JSON. Like SumRaw it may be false; then it appends nothing.
func (p *Program) AppendRaw(dst, raw []byte) (document []byte, ok bool) {
	w := p.canonicalJSON()
	t := transcribe(raw, w)
	defer t.release()
	if !t.document(w.root) {
		return dst, false
	}
	return append(dst, t.buf...), true
}

// document writes the whole document, and reports whether it could.
func (t *transcript) document(root *source) (ok bool) {
	if !t.begin(root) {
		return false
	}
	t.buf = slices.Grow(t.buf, len(t.in.Raw))
	isEmpty := t.in.At == len(t.in.Raw) || t.in.IsNull() || !t.object(root, nil, omitted)
	if isEmpty {
		t.buf = append(t.buf, "{}"...)
	}
	return !t.hasFailed && t.in.End() == nil
}

// begin goes to the root, and reports whether it can be written.
func (t *transcript) begin(root *source) bool {
	return root.shape == rawjson.Object && len(t.in.Raw) <= maxRaw && t.in.Begin() == nil
}

// fail says that only the value can tell. It is false, for what was not written.
func (t *transcript) fail() bool {
	t.hasFailed = true
	return false
}

// open enters an object or array. Like next, it is true at the end, also after a failure.
func (t *transcript) open(opening byte) (last bool) {
	if t.in.Peek() != opening {
		return !t.fail()
	}
	last, problem := t.in.Open(opening + 2) // in ASCII
	if problem != nil || t.in.Depth() > t.deepest {
		t.fail()
	}
	return last || t.hasFailed
}

func (t *transcript) next(closing byte) (last bool) {
	switch {
	case t.hasFailed:
		return true
	case t.in.Comma():
		return false
	}
	last, problem := t.in.Next(closing)
	if problem != nil {
		t.fail()
	}
	return last || t.hasFailed
}

// object writes an object, and reports whether it did. It sets key, unless that is nil, to the key
// of an element of a keyed list.
func (t *transcript) object(s *source, key *piece, empty whenEmpty) bool {
	start := len(t.buf)
	first := len(t.pieces)
	some := t.members(s, key)
	if s.routine.identified {
		t.zeroIdentities(s, first)
	}
	before := t.arrangeMembers(s, start, first)
	return t.closeObject(start, before, some || empty == written)
}

// members reads an object and writes the pieces of its members. It reports whether there are any but
// for the identity of an element.
func (t *transcript) members(s *source, key *piece) (some bool) {
	seen := len(t.seen)
	next := 0
	isRoot := t.isApart && len(t.seen) == 0
	t.seen = append(t.seen, s.nothing...)
	var value reflect.Value // the members that are read into a value
	for last := t.open('{'); !last; last = t.next('}') {
		from := t.in.At
		i, name, ok := t.in.Member(s.node, next)
		isKnown := ok && i != rawjson.Unknown
		if !ok || isKnown && !mark(t.seen[seen:], i) {
			t.fail()
			break
		}
		at := t.in.At
		isDone := false
		if isKnown {
			m := &s.members[i]
			isDone = isRoot && t.isDone(i)
			if !isDone && t.member(s, m, i, key, &value) && !m.op.always {
				some = true
			}
			next = i + 1
		} else if t.unknownMember(s, name) {
			some = true
		}
		if isRoot {
			t.parts.note(i, from, part{span: span{at, t.in.At}, isDone: isDone, hasValue: t.hasValue})
			t.hasValue = false
		}
	}
	t.seen = t.seen[:seen]
	return some
}

// unknownMember reads a member that the plan does not know, and reports whether it wrote it.
func (t *transcript) unknownMember(s *source, name []byte) (isWritten bool) {
	start := len(t.buf)
	p := piece{order: s.orderOfUnknown(string(name))}
	t.name(&p, name)
	t.buf, _ = canonjson.AppendString(append(t.buf, ','), string(name)) // a name that was read is well-formed
	t.buf = append(t.buf, ':')
	from := len(t.buf)
	text, problem := t.in.AppendValue(t.buf)
	if problem != nil {
		t.fail()
	}
	t.buf = text
	isWritten = s.unknown != nil && !s.unknown.isUnset(text[from:])
	if !isWritten {
		t.buf = t.buf[:start] // the piece is kept for its name
	}
	t.end(&p, start)
	return isWritten
}

// mark adds a field to a set, and reports whether the field was not in it.
func mark(set []uint64, i int) bool {
	bit := uint64(1) << (i % 64)
	isNew := set[i/64]&bit == 0
	set[i/64] |= bit
	return isNew
}

// member reads a member of an object, and reports whether it wrote it. Members of one object that are
// read into a value share it.
func (t *transcript) member(s *source, m *memberSource, i int, key *piece, value *reflect.Value) (isWritten bool) {
	start := len(t.buf)
	switch {
	case m.source.shape == rawjson.ByValue:
		if !value.IsValid() {
			*value = reflect.New(s.node.Type()).Elem()
		}
		t.hasValue = true
		if !t.in.FillField(s.node, i, *value) {
			return t.fail()
		}
		if m.op == nil {
			return false
		}
		t.depth = t.in.Depth()
		at := m.op.location.in(memoryOf(*value))
		isWritten = exists(at) && t.run.member(m.op, at, ',')
		if t.trail.Failed() {
			return t.fail()
		}
	case t.in.IsNull():
	case m.op == nil: // it is read, and dropped
		if m.source.shape == rawjson.Scalar {
			t.leaf(m.source)
		} else {
			t.composite(m.source)
		}
		t.buf = t.buf[:start]
	case m.source.shape == rawjson.Scalar:
		t.buf = t.header(m.op, ',')
		t.leaf(m.source)
		text := t.textOfMember(m.op, start)
		if m.isKey && key != nil {
			t.keyOf(m.source.node, text, key)
		}
		isWritten = m.op.always || !m.op.isUnset(text)
		if !isWritten {
			t.buf = t.buf[:start]
		}
	default:
		t.buf = t.header(m.op, ',')
		isWritten = t.composite(m.source)
		if m.op.fallback == nil {
			isWritten = t.closeMember(m.op, start, isWritten)
		} else {
			isWritten = t.closeDefault(m.op, start, isWritten)
		}
	}
	if isWritten {
		t.add(m.order, start)
	}
	return isWritten
}

// add adds a piece that begins at start and ends here.
func (t *transcript) add(order uint64, start int) {
	t.pieces = append(t.pieces, piece{})
	p := &t.pieces[len(t.pieces)-1]
	p.order = order
	p.start = uint32(start)    //nolint:gosec // see bound
	p.end = uint32(len(t.buf)) //nolint:gosec // see bound
	t.bound()
}

// bound fails if the document is larger than maxRaw. It is called for each piece and element, each of
// which is at most a leaf of the JSON, or an array that is written by a run and bounded by it.
func (t *transcript) bound() {
	if len(t.buf) > maxRaw {
		t.fail()
	}
}

// leaf writes a leaf other than null.
func (t *transcript) leaf(s *source) {
	text, ok := t.in.AppendLeaf(t.buf, s.node)
	if !ok {
		t.fail()
	}
	t.buf = text
}

// zeroIdentities writes the key of an element that has none.
func (t *transcript) zeroIdentities(s *source, first int) {
	own := len(t.pieces)
	for i := range s.routine.ops {
		o := &s.routine.ops[i]
		order := s.orderOf(i)
		isOfOrder := func(p piece) bool { return p.order == order }
		if o.always && !slices.ContainsFunc(t.pieces[first:own], isOfOrder) {
			start := len(t.buf)
			t.zeroIdentity(o, ',')
			t.add(order, start)
		}
	}
}

// composite writes an object or collection, and reports whether it did.
func (t *transcript) composite(s *source) bool {
	switch {
	case s.shape == rawjson.Object:
		return t.object(s, nil, omitted)
	case s.shape == rawjson.Map:
		return t.entries(s)
	case s.routine.kind == setKind:
		return t.setOf(s)
	case s.routine.kind == listKind:
		return t.list(s)
	default:
		return t.keyedList(s)
	}
}

// list writes a list that is paired by position. See [run.list].
func (t *transcript) list(s *source) bool {
	start := len(t.buf)
	end := 0
	t.buf = append(t.buf, '[')
	first := true
	for last := t.open('['); !last; last = t.next(']') {
		if !first {
			t.buf = append(t.buf, ',')
		}
		first = false
		t.element(s, nil)
		end = len(t.buf)
		t.bound()
	}
	if !s.routine.writesPresence {
		end = 0
	}
	return t.closeList(start, end)
}

// setOf writes a set. See [run.set].
func (t *transcript) setOf(s *source) bool {
	start := len(t.buf)
	first := len(t.spans)
	for last := t.open('['); !last; last = t.next(']') {
		from := len(t.buf)
		t.element(s, nil)
		t.spans = append(withRoom(t.run, t.spans, 1), span{from, len(t.buf)})
		t.bound()
	}
	isWritten := s.routine.writesPresence && len(t.spans) > first
	if isWritten {
		t.joinSet(start, t.spans[first:])
	} else {
		t.buf = t.buf[:start]
	}
	t.spans = t.spans[:first]
	return isWritten
}

// keyedList writes a keyed list. Elements without a key that is an integer, and two with one key, are
// left to the value. See [run.keyedList].
func (t *transcript) keyedList(s *source) bool {
	start := len(t.buf)
	first := len(t.pieces)
	names := len(t.names)
	for last := t.open('['); !last; last = t.next(']') {
		p := piece{}
		from := len(t.buf)
		t.buf = append(t.buf, ',')
		if !t.keyedElement(s, &p) {
			t.buf = t.buf[:from] // the piece is kept for its key
		}
		isAbsentNumber := !p.hasKey && s.routine.kind != textKeyedKind
		if isAbsentNumber {
			t.fail()
			break
		}
		t.end(&p, from)
	}
	t.arrange(start, first, '[')
	t.names = t.names[:names]
	if len(t.buf) == start {
		return false
	}
	t.buf = append(t.buf, ']')
	return true
}

// entries writes a map.
func (t *transcript) entries(s *source) bool {
	start := len(t.buf)
	first := len(t.pieces)
	names := len(t.names)
	for last := t.open('{'); !last; last = t.next('}') {
		p := piece{}
		from := len(t.buf)
		written, text, ok := t.in.AppendText(append(t.buf, ','))
		t.buf = written
		if !ok || t.in.Colon() != nil {
			t.fail()
			break
		}
		t.buf = append(t.buf, ':')
		t.name(&p, text)
		if !t.keyedElement(s, &p) {
			t.buf = t.buf[:from] // the piece is kept for its key
		}
		t.end(&p, from)
	}
	t.arrange(start, first, '{')
	t.names = t.names[:names]
	if len(t.buf) == start {
		return false
	}
	t.buf = append(t.buf, '}')
	return true
}

func (t *transcript) name(p *piece, text []byte) {
	p.name = uint32(len(t.names)) //nolint:gosec // at most as long as the JSON
	t.names = append(withRoom(t.run, t.names, len(text)), text...)
	p.nameEnd = uint32(len(t.names)) //nolint:gosec // as above
}

// keyOf finds the key of an element of a keyed list from its canonical text.
func (t *transcript) keyOf(n *rawjson.Node, text []byte, p *piece) {
	p.hasKey = true
	//exhaustive:ignore
	switch n.Plan().Leaf {
	case leaf.String:
		t.name(p, t.in.LastText())
	case leaf.Uint:
		p.order, _ = strconv.ParseUint(string(text), 10, 64)
	default:
		i, _ := strconv.ParseInt(string(text), 10, 64)
		p.order = orderOf(i)
	}
}

// end ends and adds a piece that began at start.
func (t *transcript) end(p *piece, start int) {
	p.start = uint32(start)    //nolint:gosec // see bound
	p.end = uint32(len(t.buf)) //nolint:gosec // see bound
	t.pieces = append(withRoom(t.run, t.pieces, 1), *p)
	t.bound()
}

// keyedElement writes an element of a keyed list or map behind its key, and reports whether it did.
// See [run.keyedElement].
func (t *transcript) keyedElement(s *source, key *piece) bool {
	if s.isNullAbsent && t.in.IsNull() {
		return false
	}
	if s.routine.writesPresence {
		t.element(s, key)
		return true
	}
	return t.traces(s, key)
}

// element writes an element, even if it is empty. See [run.element].
func (t *transcript) element(s *source, key *piece) {
	elem := s.elem
	switch {
	case elem.shape == rawjson.ByValue:
		if at := t.elementValue(s); !t.hasFailed {
			t.run.element(elem.routine, at)
			t.check()
		}
	case t.in.IsNull():
		t.depth = t.in.Depth()
		t.run.element(elem.routine, s.null)
	case elem.shape == rawjson.Scalar:
		t.leaf(elem)
	case elem.shape == rawjson.Object:
		t.object(elem, key, written)
	case !t.composite(elem):
		t.emptyMember(elem.routine)
	}
}

// traces writes the content of an element whose presence is not written, and reports whether there
// was any. See [run.traces].
func (t *transcript) traces(s *source, key *piece) bool {
	elem := s.elem
	switch {
	case elem.shape == rawjson.ByValue:
		at := t.elementValue(s)
		isWritten := !t.hasFailed && t.run.traces(elem.routine, at)
		t.check()
		return isWritten
	case t.in.IsNull():
		return false
	case elem.shape == rawjson.Scalar:
		t.leaf(elem)
		return false
	case elem.shape == rawjson.Object:
		return t.object(elem, key, omitted)
	default:
		return t.composite(elem)
	}
}

// elementValue reads an element into a value.
func (t *transcript) elementValue(s *source) memory {
	t.depth = t.in.Depth()
	v := reflect.New(s.node.Type().Elem()).Elem()
	t.hasValue = true
	if !t.in.FillElem(s.node, v) {
		t.fail()
		return none
	}
	return valueOf(v)
}

// check fails if a value had no text.
func (t *transcript) check() {
	if t.trail.Failed() {
		t.fail()
	}
}

// fewMembers is the number of members that most objects have at most.
const fewMembers = 64

// arrangeMembers is arrange for the members of an object. Few members need no sorting: each order is a
// bit of a number, whose bits are read in order.
func (t *transcript) arrangeMembers(s *source, start, first int) (before byte) {
	if s.node.AdmitsUnknown() {
		return t.arrange(start, first, '{')
	}
	own := t.pieces[first:]
	isSorted := true
	for i := 1; i < len(own); i++ {
		if own[i-1].order > own[i].order {
			isSorted = false
		}
	}
	switch {
	case isSorted:
	case len(s.routine.ops) > fewMembers:
		t.sortPieces(own)
		t.move(own, start)
	default:
		var index [fewMembers]uint8
		there := uint64(0)
		for i := range own {
			at := own[i].order % fewMembers
			index[at] = uint8(i) //nolint:gosec // one of few
			there |= 1 << at
		}
		t.moved = t.moved[:0]
		for ; there != 0; there &= there - 1 {
			p := &own[index[bits.TrailingZeros64(there)]]
			t.moved = append(t.moved, t.buf[p.start:p.end]...)
		}
		t.moveBack(start)
	}
	return t.close(start, first, '{')
}

// arrange brings the last pieces into their order, from start on in the buffer, and replaces the
// byte before the first of them by the opening bracket. Two pieces of one key are left to the value.
// It returns the byte before a next piece.
func (t *transcript) arrange(start, first int, opening byte) (before byte) {
	own := t.pieces[first:]
	switch t.directionOf(own) {
	case ascending:
	case descending:
		slices.Reverse(own)
		t.move(own, start)
	case mixed:
		t.orderByName(own)
		t.sortPieces(own)
		t.directionOf(own) // finds pieces of one key
		t.move(own, start)
	}
	return t.close(start, first, opening)
}

// move moves pieces, which begin at start in the buffer, into their order.
func (t *transcript) move(own []piece, start int) {
	t.moved = slices.Grow(t.moved[:0], len(t.buf)-start)
	for i := range own {
		t.moved = append(t.moved, t.buf[own[i].start:own[i].end]...)
	}
	t.moveBack(start)
}

func (t *transcript) moveBack(start int) {
	t.budget -= copy(t.buf[start:], t.moved)
	if t.budget < 0 {
		t.fail()
	}
}

// close removes the last pieces. See arrange.
func (t *transcript) close(start, first int, opening byte) (before byte) {
	t.pieces = t.pieces[:first]
	if len(t.buf) == start {
		return opening
	}
	t.buf[start] = opening
	return ','
}

// directionOf finds the direction of pieces. It fails if two neighbours have one key.
func (t *transcript) directionOf(own []piece) direction {
	found := ascending
	for i := 1; i < len(own); i++ {
		order := direction(t.compare(&own[i-1], &own[i]))
		if order == 0 {
			t.fail()
		}
		if i == 1 && order == descending {
			found = descending
		}
		if order != found {
			return mixed
		}
	}
	return found
}

// sortPieces sorts pieces. Most objects have few members, nearly in order.
func (t *transcript) sortPieces(own []piece) {
	if len(own) > fewEntries {
		t.dealPieces(own)
		return
	}
	for i := 1; i < len(own); i++ {
		p := own[i]
		at := i
		for at > 0 && t.compare(&p, &own[at-1]) < 0 {
			own[at] = own[at-1]
			at--
		}
		own[at] = p
	}
}

// dealPieces sorts many pieces: it deals them by their orders, and sorts by their names those of one order.
func (t *transcript) dealPieces(own []piece) {
	first := len(t.run.entries)
	t.run.entries = withRoom(t.run, t.run.entries, len(own))
	for i := range own {
		t.run.entries = append(t.run.entries, entry{own[i].order, i})
	}
	t.deal(t.run.entries[first:], bytesOfOrder)
	t.sorted = withRoom(t.run, t.sorted[:0], len(own))
	for _, e := range t.run.entries[first:] {
		t.sorted = append(t.sorted, own[e.at])
	}
	t.run.entries = t.run.entries[:first]
	copy(own, t.sorted)
	for from, to := 0, 0; from < len(own); from = to {
		for to < len(own) && own[to].order == own[from].order {
			to++
		}
		slices.SortFunc(own[from:to], func(a, b piece) int { return t.compare(&a, &b) })
	}
}

// orderByName makes of the bytes in which many names may differ first the orders of their pieces, if these have none.
// Then most pieces need not be sorted by their names.
func (t *transcript) orderByName(own []piece) {
	isNumbered := func(p piece) bool { return p.order != 0 }
	if len(own) <= fewEntries || slices.ContainsFunc(own, isNumbered) {
		return
	}
	nameOf := func(p *piece) []byte { return t.names[p.name:p.nameEnd] }
	shared := nameOf(&own[0])
	for i := range own {
		shared = shared[:sharedLength(shared, nameOf(&own[i]))]
	}
	for i := range own {
		var first [bytesOfOrder]byte // a name that ends before its last byte comes before those that do not
		copy(first[:], nameOf(&own[i])[len(shared):])
		own[i].order = binary.BigEndian.Uint64(first[:])
	}
}

// sharedLength returns how many bytes two texts begin with alike.
func sharedLength(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func (t *transcript) compare(a, b *piece) int {
	switch {
	case a.order < b.order:
		return -1
	case a.order > b.order:
		return +1
	default:
		return bytes.Compare(t.names[a.name:a.nameEnd], t.names[b.name:b.nameEnd])
	}
}
