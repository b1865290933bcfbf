package tree

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// ParseJSON reads one JSON value. An error is a [*fault.Error].
func ParseJSON(raw []byte) (*Node, error) {
	p := parser{Scanner: canonjson.NewScanner(raw), all: string(raw), line: 1}
	p.SkipSpace()
	root, err := p.value()
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return nil, err
	}
	return &root, nil
}

// Of returns the JSON value of a text, or nil if the text is no JSON.
func Of(raw []byte) *Node {
	root, _ := ParseJSON(raw)
	return root
}

// parser reads JSON, and counts its lines.
type parser struct {
	canonjson.Scanner

	all           string // all of Raw, of which nodes have parts
	line, counted int    // the line at an offset
	below         []Node // members and elements of the values that are being read
	scratch       []byte
}

// here returns the line of the next byte.
func (p *parser) here() int {
	p.line += strings.Count(p.all[p.counted:p.At], "\n")
	p.counted = p.At
	return p.line
}

func (p *parser) value() (n Node, err *fault.Error) {
	n.line = p.here()
	start := p.At
	own := len(p.below)
	switch p.Peek() {
	case '{':
		n.kind = Object
		err = p.Each(func(int) *fault.Error { return p.member() })
	case '[':
		n.kind = List
		err = p.Each(func(int) *fault.Error {
			element, err := p.value()
			p.below = append(p.below, element)
			return err
		})
	case '"':
		n.kind = Text
		n.text, err = p.text()
	default:
		err = p.Scalar()
		n.kind = Number
		n.text = p.all[start:p.At]
		switch n.text {
		case "true", "false":
			n.kind = Bool
		case "null":
			n.kind = Null
		}
	}
	n.raw = p.all[start:p.At]
	n.hold(slices.Clone(p.below[own:]))
	p.below = p.below[:own]
	return n, err
}

func (p *parser) member() *fault.Error {
	line := p.here()
	if p.Peek() != '"' {
		_, _, err := p.Name()
		return err
	}
	name, err := p.text()
	if err == nil {
		err = p.Colon()
	}
	if err != nil {
		return err
	}
	value, err := p.value()
	value.name = name
	value.line = line
	p.below = append(p.below, value)
	return err
}

// text reads a string. Text that is no UTF-8 is read as encoding/json does.
func (p *parser) text() (string, *fault.Error) {
	start := p.At
	text, err := p.Text(&p.scratch)
	switch {
	case err == nil && p.At-start == len(text)+2: // without escapes
		return p.all[start+1 : p.At-1], nil
	case err == nil:
		return string(text), nil
	}
	if err := p.Scalar(); err != nil {
		return "", err
	}
	var replaced string
	_ = json.Unmarshal(p.Raw[start:p.At], &replaced) // the grammar has been checked
	return replaced, nil
}
