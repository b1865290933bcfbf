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
	return trial{configs: []config{c, a.respelled(c)}, oneHash: true, oneMeaning: true}
}

// drawHotChange changes some Hot and Ignored parts, and the spelling now and then.
func drawHotChange(a author) trial {
	c := a.config()
	changed := c
	for range 1 + a.pick(4) {
		edits := slices.DeleteFunc(a.s.edits(changed), func(e edit) bool { return e.classes.Any(fieldplan.Projected) })
		if len(edits) == 0 {
			break
		}
		if root, _ := edits[a.pick(len(edits))].apply(a); root != nil {
			changed.root = root
		}
	}
	if a.chance(2) {
		changed = a.respelled(changed)
	}
	pair := []config{c, changed}
	if a.chance(2) {
		slices.Reverse(pair)
	}
	return trial{configs: pair, oneHash: true}
}

// drawHashedChange gives one leaf that is hashed another meaning, if there is one.
func drawHashedChange(a author) trial {
	c := a.config()
	edits := slices.DeleteFunc(a.s.edits(c), func(e edit) bool { return e.was == nil || e.classes.Any(fieldplan.Unprojected) })
	if len(edits) == 0 {
		return trial{configs: []config{c}}
	}
	chosen := edits[a.pick(len(edits))]
	for range 8 {
		if root, leaf := chosen.apply(a); !chosen.meansTheSame(leaf) {
			changed := c
			changed.root = root
			return trial{configs: []config{c, changed}, changed: leaf}
		}
	}
	return trial{configs: []config{c}}
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
