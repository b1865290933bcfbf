package hotupdatetest

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

func drawOne(a generator) trial {
	c := a.config()
	return trial{first: c, leaves: *a.leaves}
}

// drawPresent draws a configuration that is not nil.
func drawPresent(a generator) trial {
	c := a.config()
	return trial{first: func() reflect.Value {
		v := c()
		engine.Allocate(v)
		return v
	}}
}

// drawPair draws two configurations that have nothing in common.
func drawPair(a generator) trial {
	return trial{first: a.config(), second: a.other(fieldplan.All).own().config()}
}

func drawSpelling(a generator) trial {
	return trial{first: a.config(), second: a.other(0).config(), oneHash: true, oneMeaning: true}
}

// drawHotChange changes Hot and Ignored parts, and the spelling.
func drawHotChange(a generator) trial {
	first := a.config()
	second := a.other(fieldplan.Unprojected).config()
	if a.chance("swapped", 2) {
		first, second = second, first
	}
	return trial{first: first, second: second, oneHash: true}
}

// drawHashedChange gives one hashed leaf another meaning, if there is a hashed leaf that can change
// independently.
func drawHashedChange(a generator) trial {
	first := a.config()
	hashed := slices.DeleteFunc(slices.Clone(*a.leaves),
		func(l chosen) bool { return l.isFixed || !fieldplan.IsProjected(l.node.Class) })
	if len(hashed) == 0 {
		return trial{first: first}
	}
	l := among(a, "changed", hashed...)
	values := a.s.values(l.pattern, l.node.Type)
	for try := range 8 {
		other := l.pick("other "+strconv.Itoa(try), len(values))
		if l.meansElse(textOf(l.node.Leaf, values[other]())) {
			a.choices = maps.Clone(a.choices)
			a.choices[l.at(whichValue)] = other
			return trial{first: first, second: a.config(), changed: l.pattern}
		}
	}
	return trial{first: first}
}

func (l chosen) text() []byte { return textOf(l.node.Leaf, l.make()) }

// meansElse reports whether a leaf differs in meaning from one with the text.
func (l chosen) meansElse(other []byte) bool {
	text := l.text()
	if other == nil || text == nil || bytes.Equal(other, text) {
		return false
	}
	return l.field == nil || !l.field.Unset(other) || !l.field.Unset(text)
}
