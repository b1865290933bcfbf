package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

func drawOne(a author) trial { return trial{configs: []config{a.config()}} }

// drawPair draws two configurations that have much in common, or nothing.
func drawPair(a author) trial {
	return among(a, drawHashedChange, drawHotChange, drawSpelling, func(a author) trial { return trial{configs: []config{a.config(), a.config()}} })(a)
}

func drawSpelling(a author) trial {
	c := a.config()
	return trial{configs: []config{c, varying{author: a}.config(c)}, oneHash: true, oneMeaning: true}
}

// drawHotChange changes Hot and Ignored parts, and the spelling.
func drawHotChange(a author) trial {
	c := a.config()
	pair := []config{c, varying{a, fieldplan.Unprojected}.config(c)}
	if a.chance(2) {
		slices.Reverse(pair)
	}
	return trial{configs: pair, oneHash: true}
}

// drawHashedChange gives one leaf that is hashed another meaning, if there is one.
func drawHashedChange(a author) trial {
	c := a.config()
	changed := config{plan: c.plan, meta: c.meta, root: c.root.clone()}
	hashed := slices.DeleteFunc(changed.root.changeable(nil), func(p *part) bool { return !fieldplan.IsProjected(p.node.Class) })
	if len(hashed) == 0 {
		return trial{configs: []config{c}}
	}
	chosen := among(a, hashed...)
	was := chosen.text()
	for range 8 {
		if chosen.make = a.leaf(chosen); chosen.meansElse(was) {
			return trial{configs: []config{c, changed}, changed: chosen}
		}
	}
	return trial{configs: []config{c}}
}

// meansElse reports whether a leaf has another meaning than one with the text was.
func (p *part) meansElse(was []byte) bool {
	text := p.text()
	if was == nil || text == nil || bytes.Equal(was, text) {
		return false
	}
	return p.field == nil || !p.field.Unset(was) || !p.field.Unset(text)
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

// spelling writes JSON as another encoder might: with its members in another order, other white space and other escapes.
func (a author) spelling(raw []byte) []byte {
	tree := decoded(raw)
	if _, failed := tree.(failure); failed || a.chance(3) {
		return raw
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(a.chance(2))
	e.SetIndent("", among(a, "", "\t"))
	if e.Encode(tree) != nil {
		return raw
	}
	return b.Bytes()
}
