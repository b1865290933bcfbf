package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// gatherer rewrites well-formed JSON so that the unknown members of each object stand in one member of their own, where the plan has a
// field for them. Nothing else changes its meaning.
type gatherer struct {
	reader explainer // reads members
	buf    []byte
	stray  bool // an unknown member where there must be none
}

func (g *gatherer) root(p *fieldplan.Plan, raw []byte) []byte {
	root := *p.Root
	root.Fields = slices.Concat(p.Root.Fields, p.Meta)
	g.value(&root, raw)
	return g.buf
}

// value rewrites a value that the plan describes by n. One of another type than the plan's stays as it is.
func (g *gatherer) value(n *fieldplan.Node, raw []byte) {
	raw = bytes.TrimSpace(raw)
	switch {
	case raw[0] == '{' && n.Kind == fieldplan.Object:
		g.object(n, raw)
	case raw[0] == '{' && n.Kind == fieldplan.Map:
		g.list('{', '}', func(next func(name string)) {
			g.reader.members(raw, fieldpath.Step{}, func(name string, value []byte) {
				next(name)
				g.value(n.Elem, value)
			})
		})
	case raw[0] == '[' && (n.Kind == fieldplan.List || n.Kind == fieldplan.Array):
		g.list('[', ']', func(next func(name string)) {
			for dec := openValue(raw); dec.More(); {
				var value json.RawMessage
				if dec.Decode(&value) != nil {
					return
				}
				next("")
				g.value(n.Elem, value)
			}
		})
	default:
		g.buf = append(g.buf, raw...)
	}
}

// list writes what stands between brackets. Next is called before each part, with its name if it is a member.
func (g *gatherer) list(begin, end byte, write func(next func(name string))) {
	g.buf = append(g.buf, begin)
	some := false
	write(func(name string) {
		if some {
			g.buf = append(g.buf, ',')
		}
		some = true
		if begin == '{' {
			g.buf, _ = canonjson.AppendString(g.buf, name) // well-formed
			g.buf = append(g.buf, ':')
		}
	})
	g.buf = append(g.buf, end)
}

func (g *gatherer) object(n *fieldplan.Node, raw []byte) {
	type member struct {
		name  string
		value []byte
	}
	var unknown []member
	g.list('{', '}', func(next func(name string)) {
		g.reader.members(raw, fieldpath.Step{}, func(name string, value []byte) {
			if f := n.Lookup(name); f != nil {
				next(name)
				g.value(f.Node, value)
			} else {
				unknown = append(unknown, member{name, value})
			}
		})
		g.stray = g.stray || n.Rest == nil && len(unknown) > 0
		if n.Rest == nil || len(unknown) == 0 {
			return
		}
		next(n.Rest.Name)
		g.list('{', '}', func(next func(name string)) {
			for _, m := range unknown {
				next(m.name)
				g.buf = append(g.buf, m.value...)
			}
		})
	})
}
