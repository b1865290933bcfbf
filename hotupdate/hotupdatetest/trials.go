package hotupdatetest

import (
	"bytes"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

func drawOne(a author) trial { return trial{first: a.config()} }

// drawPresent draws a configuration that is not nil.
func drawPresent(a author) trial {
	c := a.config()
	c.null = false
	return trial{first: c}
}

// drawPair draws two configurations that have much in common or nothing.
func drawPair(a author) trial {
	return among(a, drawHashedChange, drawHotChange, drawSpelling,
		func(a author) trial { return trial{first: a.config(), second: a.config()} })(a)
}

func drawSpelling(a author) trial {
	c := a.config()
	return trial{first: c, second: varying{author: a}.config(c), oneHash: true, oneMeaning: true}
}

// drawHotChange changes Hot and Ignored parts, and the spelling.
func drawHotChange(a author) trial {
	c := a.config()
	changed := varying{a, fieldplan.Unprojected}.config(c)
	if a.chance(2) {
		c, changed = changed, c
	}
	return trial{first: c, second: changed, oneHash: true}
}

// drawHashedChange gives one hashed leaf another meaning, if there is a hashed leaf.
func drawHashedChange(a author) trial {
	c := a.config()
	changed := c.clone()
	hashed := slices.DeleteFunc(changed.changeable(nil),
		func(p *part) bool { return !fieldplan.IsProjected(p.node.Class) })
	if len(hashed) == 0 {
		return trial{first: c}
	}
	chosen := among(a, hashed...)
	was := chosen.text()
	for range 8 {
		if chosen.make = a.leaf(chosen); chosen.meansElse(was) {
			return trial{first: c, second: changed, changed: chosen}
		}
	}
	return trial{first: c}
}

// meansElse reports whether a leaf differs in meaning from a former one with the text.
func (p *part) meansElse(was []byte) bool {
	text := p.text()
	if was == nil || text == nil || bytes.Equal(was, text) {
		return false
	}
	return p.field == nil || !p.field.Unset(was) || !p.field.Unset(text)
}
