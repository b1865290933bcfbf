package limit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/resource"
)

var errJSON = errors.New("no JSON of a WorkerConfig")

// rawWriter writes the canonical document of raw JSON that jsontext has found to be valid. It takes
// texts and numbers as they stand, and knows the names, their order and the defaults by heart.
type rawWriter struct {
	buf []byte
	err error
}

var noName = []byte(`""`)

var rawWriters = sync.Pool{New: func() any { return &rawWriter{buf: make([]byte, 0, 2*spillAt)} }}

// SumRaw returns the digest of the canonical document of raw JSON whose texts need no escape that
// could be spelled in another way, and that has no null.
func SumRaw(raw []byte) ([sha256.Size]byte, error) {
	w := rawWriters.Get().(*rawWriter)
	defer rawWriters.Put(w)
	w.buf = w.buf[:0]
	w.err = nil
	if !jsontext.Value(raw).IsValid() {
		return [sha256.Size]byte{}, errJSON
	}
	w.object(raw, &config, nil)
	return sha256.Sum256(w.buf), w.err
}

// field is a member of an object, as the document has it.
type field struct {
	name  string // as JSON, with the colon
	write func(w *rawWriter, value []byte)
	unset string // the text that counts as unset
}

// object lists the members of an object in the order of the document. What is hot has no write.
type object struct{ fields []field }

func as(o *object) func(*rawWriter, []byte) {
	return func(w *rawWriter, value []byte) { w.object(value, o, nil) }
}

func copied(w *rawWriter, value []byte) { w.buf = append(w.buf, value...) }

var (
	volume = object{[]field{{`"iops":`, copied, ""}, {`"throughput":`, copied, ""}}}
	disk   = object{[]field{
		{`"iops":`, copied, ""}, {`"name":`, copied, ""}, {`"snapshotID":`, copied, ""}, {`"throughput":`, copied, ""},
	}}
	profile = object{[]field{{`"arn":`, copied, ""}, {`"name":`, copied, ""}}}
	card    = object{[]field{
		{`"description":`, copied, ""},
		{`"deviceIndex":`, copied, "0"},
		{`"networkCardIndex":`, copied, ""},
		{`"subnetID":`, copied, ""},
		{`"type":`, copied, `"interface"`},
	}}
	template = object{[]field{{`"capacity":`, (*rawWriter).quantities, ""}, {`"virtualCapacity":`, nil, ""}}}
	config   = object{[]field{
		{`"apiVersion":`, nil, ""},
		{`"dataVolumes":`, (*rawWriter).disks, ""},
		{`"iamInstanceProfile":`, as(&profile), ""},
		{`"kind":`, nil, ""},
		{`"networkInterfaces":`, (*rawWriter).interfaces, ""},
		{`"nodeTemplate":`, as(&template), ""},
		{`"tags":`, nil, ""},
		{`"volume":`, as(&volume), ""},
	}}
)

// object writes an object. Key gets the name of a data volume, which is the empty text if it is absent.
func (w *rawWriter) object(raw []byte, o *object, key *[]byte) {
	var values [8][]byte
	each(raw, func(name, value []byte) {
		for i := range o.fields {
			if f := &o.fields[i]; len(f.name) == len(name)+1 && string(name) == f.name[:len(name)] {
				values[i] = value
				return
			}
		}
		w.err = errJSON
	})
	before := byte('{')
	for i := range o.fields {
		f := &o.fields[i]
		if key != nil && f.name == `"name":` {
			if values[i] == nil {
				values[i] = noName
			}
			*key = values[i][1 : len(values[i])-1]
		}
		if values[i] == nil || f.write == nil || string(values[i]) == f.unset {
			continue
		}
		w.buf = append(append(w.buf, before), f.name...)
		f.write(w, values[i])
		before = ','
	}
	if before == '{' {
		w.buf = append(w.buf, '{')
	}
	w.buf = append(w.buf, '}')
}

func (w *rawWriter) interfaces(raw []byte) {
	before := byte('[')
	each(raw, func(_, value []byte) {
		w.buf = append(w.buf, before)
		w.object(value, &card, nil)
		before = ','
	})
	w.buf = append(w.buf, ']')
}

// part is a text in the buffer with its key.
type part struct {
	key        []byte
	start, end int
}

func (w *rawWriter) disks(raw []byte) {
	var few [16]part
	parts := few[:0]
	start := len(w.buf)
	each(raw, func(_, value []byte) {
		p := part{start: len(w.buf)}
		w.buf = append(w.buf, ',')
		w.object(value, &disk, &p.key)
		p.end = len(w.buf)
		parts = append(parts, p)
	})
	w.sort(parts, start, "[]")
}

func (w *rawWriter) quantities(raw []byte) {
	var few [16]part
	parts := few[:0]
	start := len(w.buf)
	each(raw, func(name, value []byte) {
		p := part{key: name[1 : len(name)-1], start: len(w.buf)}
		w.buf = append(append(append(w.buf, ','), name...), ':', '"')
		q, err := resource.ParseQuantity(string(value[1 : len(value)-1]))
		if err != nil {
			w.err = err
		}
		e := encoder{buf: w.buf}
		e.quantity(&q)
		w.buf = e.buf
		w.buf = append(w.buf, '"')
		p.end = len(w.buf)
		parts = append(parts, p)
	})
	w.sort(parts, start, "{}")
}

// sort brings the parts into the order of their keys. Parts of one key keep their order.
func (w *rawWriter) sort(parts []part, start int, brackets string) {
	byKey := func(a, b part) int {
		if order := bytes.Compare(a.key, b.key); order != 0 {
			return order
		}
		return cmp.Compare(a.start, b.start)
	}
	if !slices.IsSortedFunc(parts, byKey) {
		slices.SortFunc(parts, byKey)
		end := len(w.buf)
		for i := range parts {
			w.buf = append(w.buf, w.buf[parts[i].start:parts[i].end]...)
		}
		copy(w.buf[start:], w.buf[end:])
		w.buf = w.buf[:end]
	}
	w.buf[start] = brackets[0]
	w.buf = append(w.buf, brackets[1])
}

// each calls do for the members or elements of compact JSON that is valid.
func each(raw []byte, do func(name, value []byte)) {
	for at := 1; at < len(raw)-1; at++ { // behind the bracket, then behind each comma
		var name []byte
		if raw[0] == '{' {
			name = raw[at:valueEnd(raw, at)]
			at += len(name) + 1
		}
		end := valueEnd(raw, at)
		do(name, raw[at:end])
		at = end
	}
}

// valueEnd is the end of the value at an offset.
func valueEnd(raw []byte, at int) int {
	for depth := 0; ; at++ {
		switch raw[at] {
		case '"':
			for at++; raw[at] != '"'; at++ {
				if raw[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',', ':':
			if depth == 0 {
				return at
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return at + 1
		}
	}
}
