package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// spot is a leaf that can be changed.
type spot struct {
	part *part
	in   *part            // the object or collection that holds it
	of   *fieldplan.Field // nil: an element
	path fieldpath.Path
}

func drawOne(a author) trial { return trial{configs: []config{a.config()}} }

// drawPair draws two configurations that have much in common, or nothing.
func drawPair(a author) trial {
	c := a.config()
	switch a.pick(4) {
	case 0:
		return drawKeptChange(a)
	case 1:
		return trial{configs: []config{c, a.rewritten(c, fieldplan.Kept)}}
	case 2:
		return trial{configs: []config{c, a.rewritten(c, fieldplan.All)}}
	}
	return trial{configs: []config{c, a.config()}}
}

func drawHotChange(a author) trial {
	c := a.config()
	return trial{configs: []config{c, a.rewritten(c, fieldplan.Kept)}}
}

func drawSpelling(a author) trial {
	c := a.config()
	return trial{configs: []config{c, a.rewritten(c, fieldplan.All)}}
}

// drawKeptChange gives one leaf that is hashed another meaning, if there is one.
func drawKeptChange(a author) trial {
	c := a.config()
	var spots []spot
	collectSpots(c.root, nil, func(s spot) {
		if fieldplan.IsKept(s.part.node.Class) {
			spots = append(spots, s)
		}
	})
	if len(spots) == 0 {
		return trial{configs: []config{c}}
	}
	chosen := spots[a.pick(len(spots))]
	changed := *chosen.part
	for range 8 {
		changed.make = a.leaf(changed.node, changed.pattern)
		if !chosen.meansTheSame(&changed) {
			other := c
			other.root = c.root.replaced(chosen.part, &changed)
			return trial{configs: []config{c, other}, spot: &chosen}
		}
	}
	return trial{configs: []config{c}}
}

// meansTheSame reports whether another leaf in the spot's place has the same meaning.
func (s spot) meansTheSame(other *part) bool {
	before, after := s.part.text(), other.text()
	if before == nil || after == nil || bytes.Equal(before, after) {
		return true
	}
	return s.of != nil && s.of.Unset(before) && s.of.Unset(after)
}

// collectSpots finds the leaves that can be changed one by one: not those by which elements are found or selected, and none in sets.
func collectSpots(p *part, path fieldpath.Path, found func(s spot)) {
	if p == nil || p.null || p.node.Pairing == fieldplan.ByValue {
		return
	}
	below := func(step fieldpath.Step) fieldpath.Path { return append(slices.Clip(path), step) }
	for i, m := range p.members {
		f := p.node.Fields[i]
		at := below(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		if m != nil && !m.null && f.Node.Kind == fieldplan.Leaf {
			found(spot{m, p, f, at})
		}
		collectSpots(m, at, found)
	}
	for i, e := range p.elems {
		at := below(p.step(i))
		if !e.null && e.node.Kind == fieldplan.Leaf {
			found(spot{e, p, nil, at})
		}
		collectSpots(e, at, func(s spot) {
			if s.of == nil || s.in != e || !p.node.Identity(s.of) {
				found(s)
			}
		})
	}
}

// replaced returns a copy of p with another part in the place of one.
func (p *part) replaced(old, by *part) *part {
	switch p {
	case nil:
		return nil
	case old:
		return by
	}
	out := *p
	out.members, out.elems = nil, nil
	for _, m := range p.members {
		out.members = append(out.members, m.replaced(old, by))
	}
	for _, e := range p.elems {
		out.elems = append(out.elems, e.replaced(old, by))
	}
	return &out
}

// drawRaw adds the JSON of a configuration, written by another encoder.
func drawRaw(a author) trial {
	c := a.config()
	raw, err := json.Marshal(c.value().Interface())
	if err == nil {
		raw = a.spelling(raw)
	}
	return trial{configs: []config{c}, raw: raw}
}
