package schemajson

import (
	"encoding/json"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// ReadOwn reads a document that is a part of the program. A test has loaded it by [Load], so that its spelling and its
// fingerprint are not checked again.
func ReadOwn(text string) (*Document, error) {
	r := own{Scanner: canonjson.NewScanner([]byte(text)), text: text, leaves: map[string]*Node{}}
	d := &Document{}
	problem := r.members(func(name string) (problem *fault.Error) {
		switch name {
		case "formatVersion":
			d.FormatVersion = r.natural()
		case "fingerprint":
			d.Fingerprint, problem = r.str()
		case "typeMeta":
			d.TypeMeta, problem = r.strs()
		case "root":
			d.Root, problem = r.node()
		default:
			problem = r.other(name, d)
		}
		return problem
	})
	switch {
	case problem != nil:
		return nil, problem
	case d.Root == nil:
		return nil, invalid("/root", "must be an object", exportAgain)
	}
	return d, nil
}

// own reads a document as json.Unmarshal does, in a fifth of the time: a command that runs for some milliseconds reads
// the Schema of a Shoot each time. Texts are parts of the document.
type own struct {
	canonjson.Scanner

	text    string // Raw
	scratch []byte // the last text with escapes
	// leaves are the nodes that have been read without any below, by their texts. Most nodes are one of few.
	leaves map[string]*Node
}

// members calls read at the value of each member of an object.
func (r *own) members(read func(name string) *fault.Error) *fault.Error {
	return r.Each(func(int) *fault.Error {
		start, end, problem := r.Name()
		if problem != nil {
			return problem
		}
		return read(r.text[start:end])
	})
}

func (r *own) node() (*Node, *fault.Error) {
	first, _, _ := strings.Cut(r.text[r.At:], "}")
	if known := r.leaves[first]; known != nil {
		r.At += len(first) + len("}")
		return known, nil
	}
	start := r.At
	n := &Node{}
	problem := r.members(func(name string) (problem *fault.Error) {
		switch name {
		case "kind":
			n.Kind, problem = r.str()
		case "keys":
			n.Keys, problem = r.str()
		case "bits":
			n.Bits = r.natural()
		case "elem":
			n.Elem, problem = r.node()
		case "fields":
			n.Fields, problem = r.fields()
		default:
			problem = r.other(name, n)
		}
		return problem
	})
	if r.text[start:r.At] == first+"}" {
		r.leaves[first] = n
	}
	return n, problem
}

func (r *own) fields() (all []*Field, problem *fault.Error) {
	problem = r.Each(func(int) *fault.Error {
		f := &Field{}
		all = append(all, f)
		return r.members(func(name string) *fault.Error { return r.partOf(f, name) })
	})
	return all, problem
}

// partOf reads a member of a field.
func (r *own) partOf(f *Field, name string) (problem *fault.Error) {
	switch name {
	case "name":
		f.Name, problem = r.str()
	case "class":
		f.Class, problem = r.str()
	case "key":
		f.Key, problem = r.str()
	case "goField":
		f.GoField, problem = r.str()
	case "source":
		f.Source, problem = r.str()
	case "presence":
		f.Presence, problem = r.isTrue()
	case "set":
		f.Set, problem = r.isTrue()
	case "override":
		f.Override, problem = r.isTrue()
	case "default":
		f.Default = new(string)
		*f.Default, problem = r.str()
	case "hotWhen":
		f.HotWhen, problem = r.when()
	case "nullable":
		f.Nullable, problem = r.isTrue()
	case "optional":
		f.Optional, problem = r.isTrue()
	case "inherited":
		f.Inherited, problem = r.isTrue()
	case "type":
		f.Type, problem = r.node()
	default:
		problem = r.other(name, f)
	}
	return problem
}

func (r *own) when() (*When, *fault.Error) {
	w := &When{}
	return w, r.members(func(name string) (problem *fault.Error) {
		switch name {
		case "name":
			w.Name, problem = r.str()
		case "value":
			w.Value, problem = r.str()
		}
		return problem
	})
}

func (r *own) str() (string, *fault.Error) {
	start := r.At + 1
	text, problem := r.Text(&r.scratch)
	if end := r.At - 1; problem == nil && len(text) == end-start { // without escapes
		return r.text[start:end], nil
	}
	return string(text), problem
}

func (r *own) strs() (all []string, problem *fault.Error) {
	problem = r.Each(func(int) *fault.Error {
		one, problem := r.str()
		all = append(all, one)
		return problem
	})
	return all, problem
}

// natural reads a small number. It reads nothing else, which is a problem for what follows.
func (r *own) natural() int {
	n, _ := r.Natural()
	return int(n) //nolint:gosec // a version or a width
}

func (r *own) isTrue() (bool, *fault.Error) {
	is := r.Peek() == 't'
	return is, r.Scalar()
}

// other lets the decoder read a member that few objects have. The first call takes as long as hundreds of others.
func (r *own) other(name string, object any) *fault.Error {
	start := r.At
	if problem := r.Skip(); problem != nil {
		return problem
	}
	if json.Unmarshal([]byte(`{"`+name+`":`+r.text[start:r.At]+`}`), object) != nil {
		return invalid("", "is not a Schema in JSON", exportAgain)
	}
	return nil
}
