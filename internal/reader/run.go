package reader

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

const (
	maxDepth = 64       // what is nested more deeply is not worth more than so many times the effort
	maxKept  = 512      // entries that are kept for the next run
	keepCap  = 16 << 10 // larger buffers are not
)

// Life is how long a value that is read will be used.
type Life uint8

// The lives of values.
const (
	Lasting Life = iota // for ever: each text has its own memory
	Passing             // for a moment: all texts share one copy of the raw JSON
)

// run is one run over a document, with the memory that it needs. Its functions are false when it gives up; then what was read is of no
// use.
type run struct {
	raw   []byte
	at    int // offset in raw
	depth int // objects, lists and maps around what is read
	life  Life
	whole string // a copy of raw, if the value is passing

	scratch []byte

	// What optional members point to.
	texts  spare[string]
	int32s spare[int32]
	int64s spare[int64]

	// Entries of the map that is being read.
	keys       []string
	values     []string
	quantities []resource.Quantity
}

// runs keeps memory for further runs.
var runs = sync.Pool{New: func() any { return new(run) }}

// Read reads raw into a new value of the plan's type and returns a pointer to it. It is false if the run gave up.
func Read(p *fieldplan.Plan, raw []byte, life Life) (reflect.Value, bool) {
	t := tableOf(p)
	if t.odd {
		return reflect.Value{}, false
	}
	r := runs.Get().(*run)
	r.raw, r.life = raw, life
	if life == Passing {
		r.whole = string(raw)
	}
	config := reflect.New(p.Type)
	ok := r.document(t.root, config.Elem())
	r.end()
	return config, ok
}

// end hands the memory on, without what was read.
func (r *run) end() {
	*r = run{scratch: kept(r.scratch, keepCap), keys: kept(r.keys, maxKept), values: kept(r.values, maxKept), quantities: kept(r.quantities, maxKept)}
	runs.Put(r)
}

// kept empties memory that is used again, or drops it if there is too much.
func kept[T any](s []T, most int) []T {
	if cap(s) > most {
		return nil
	}
	return s[:0]
}

// document reads raw from end to end.
func (r *run) document(root *node, v reflect.Value) bool {
	r.space()
	return r.peek() == '{' && r.object(root, v) && r.ends()
}

// ends reports whether nothing follows.
func (r *run) ends() bool {
	r.space()
	return r.at == len(r.raw)
}

// peek returns the next byte, or 0 at the end, which stands nowhere between values.
func (r *run) peek() byte {
	if r.at < len(r.raw) {
		return r.raw[r.at]
	}
	return 0
}

// space skips white space, of which there mostly is none.
func (r *run) space() {
	if r.at < len(r.raw) && r.raw[r.at] <= ' ' {
		r.skipSpace()
	}
}

func (r *run) skipSpace() {
	for r.at < len(r.raw) {
		switch r.raw[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// take reads c, if it is next.
func (r *run) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

// open goes into an object or array. It is empty if the closing bracket has been read, too.
func (r *run) open(closing byte) (empty, ok bool) {
	r.at++
	r.space()
	if r.take(closing) {
		return true, true
	}
	r.depth++
	return false, r.depth <= maxDepth
}

// next reads what follows a member or element: a comma, or the closing bracket, which is the last.
func (r *run) next(closing byte) (last, ok bool) {
	r.space()
	if r.take(',') {
		r.space()
		return false, true
	}
	r.depth--
	return true, r.take(closing)
}

// colon reads what stands between a name and its value.
func (r *run) colon() bool {
	r.space()
	ok := r.take(':')
	r.space()
	return ok
}

// literal reads a word.
func (r *run) literal(name string) bool {
	if len(r.raw)-r.at < len(name) || string(r.raw[r.at:r.at+len(name)]) != name {
		return false
	}
	r.at += len(name)
	return true
}
