package crds

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// effect is what a change by the API server does to machines, with the reason if that is not known.
type effect struct {
	class  fieldclasses.Class
	reason string
}

// consequence says what a change by the API server does to machines, and takes the effect of the finding back if no
// machine is replaced.
func (d *differ) consequence(f *Finding, at sample, op hotupdate.Op) string {
	of := d.effect(f.Path, at, op)
	if !d.updated.HasClasses(d.of) && of.class != fieldclasses.NoEffect {
		of.class = fieldclasses.Undecided
	}
	switch of.class {
	case fieldclasses.Roll, fieldclasses.InPlace:
		return "machines are replaced"
	case fieldclasses.Hot:
		f.Roll = hotupdate.Effect{}
		return "running machines are updated"
	case fieldclasses.NoEffect:
		f.Roll = hotupdate.Effect{}
		return "no machine is touched"
	case fieldclasses.Undecided, fieldclasses.Refused: // a refused edit has no effect here, since there is no edit
	}
	f.IsUndecided = true
	return "what that does to machines is not known: " + cmp.Or(of.reason, withoutClass)
}

// effect judges what the API server changes in a sample: fields below the path may have other classes, and an empty
// object means the same as none. The class of the path decides where there is no sample to compare, or where the
// sample has a value that happens to mean the same as none.
func (d *differ) effect(path string, at sample, op hotupdate.Op) effect {
	judged, isJudged := d.judged(at)
	meansNone := at.hasValue && judged.class == fieldclasses.NoEffect
	if isJudged && !meansNone {
		return judged
	}
	row, isKnown := d.updated.Meaning(d.of).ofPattern(path)
	class, reason := d.updated.Meaning(d.of).withoutEdit(row, isKnown, op)
	return effect{cmp.Or(class, fieldclasses.Roll), reason}
}

// judged returns the strictest effect of what changes at the place of a sample.
func (d *differ) judged(at sample) (strictest effect, isJudged bool) {
	text, err := json.Marshal(at.object)
	if err != nil || len(at.names) == 0 { // a part that is absent as a whole is not returned
		return effect{}, false
	}
	changes, err := Changes(d.old, d.updated, d.of, text)
	if err != nil {
		return effect{}, false
	}
	strictest.class = fieldclasses.NoEffect
	for _, change := range changes {
		if one := d.effectOf(change); at.contains(change) && strictness(one) > strictness(strictest) {
			strictest = one
		}
	}
	return strictest, true
}

// effectOf is the effect of a change.
func (d *differ) effectOf(change hotupdate.Change) effect {
	class, reason := d.updated.Meaning(d.of).WithoutEdit(change)
	isOwn := class == fieldclasses.NoEffect || class == fieldclasses.Undecided
	if isOwn {
		return effect{class, reason}
	}
	switch change.Class {
	case hotupdate.Hot:
		return effect{fieldclasses.Hot, ""}
	case hotupdate.Ignored:
		return effect{fieldclasses.NoEffect, ""}
	case hotupdate.Immutable, hotupdate.InPlace:
	}
	return effect{fieldclasses.Roll, ""}
}

// strictness orders effects.
func strictness(e effect) int {
	order := []fieldclasses.Class{fieldclasses.NoEffect, fieldclasses.Hot, fieldclasses.Undecided, fieldclasses.Roll}
	return slices.Index(order, e.class)
}

// sample is the compared part of an object with nothing but the way to a place.
type sample struct {
	object   any
	names    []string // of the members and elements that lead to the place
	hasValue bool     // at the place
}

// contains reports whether a change is at the place, below it, or above it.
func (s sample) contains(change hotupdate.Change) bool {
	names := fieldpath.Names(change.Pointer)
	shared := min(len(names), len(s.names))
	return slices.Equal(names[:shared], s.names[:shared])
}

// sampleKey is the key of an entry of a map.
const sampleKey = "key"

// sampleWith is a sample with a value at a path.
func (d *differ) sampleWith(path string, value any) sample {
	steps, _ := fieldpath.ParsePattern(path)
	s := sample{object: value, names: d.namesOf(steps), hasValue: value != nil}
	for i, step := range slices.Backward(steps) {
		s.object = around(step, s.names[i], s.object)
	}
	return s
}

// sampleWithout is a sample that omits the value at a path. An element is omitted by a null.
func (d *differ) sampleWithout(path string) sample {
	steps, _ := fieldpath.ParsePattern(path)
	last := len(steps) - 1
	if last < 0 || steps[last].Element {
		return d.sampleWith(path, nil)
	}
	s := sample{object: map[string]any{}, names: d.namesOf(steps)}
	for i, step := range slices.Backward(steps[:last]) {
		s.object = around(step, s.names[i], s.object)
	}
	return s
}

const firstElement = "0"

// around is the object, map or list around a value.
func around(step fieldpath.PatternStep, name string, value any) any {
	if step.Element && name == firstElement {
		return []any{value}
	}
	return map[string]any{name: value}
}

// namesOf names the members and elements on the way to a place.
func (d *differ) namesOf(steps []fieldpath.PatternStep) (names []string) {
	in := d.updated.resources[d.of].part.schema
	was := d.old.resources[d.of].part.schema
	for _, step := range steps {
		name := step.Name
		isList := in.ofElements() != nil || in == nil && was.ofElements() != nil
		switch {
		case step.Element && isList:
			name = firstElement
		case step.Element:
			name = sampleKey
		}
		names = append(names, name)
		in = in.inner(step)
		was = was.inner(step)
	}
	return names
}

// inner is the schema of a member or an element.
func (s schema) inner(step fieldpath.PatternStep) schema {
	if !step.Element {
		return s.members().at(step.Name)
	}
	if elements := s.ofElements(); elements != nil {
		return elements
	}
	return s.ofEntries()
}

// value is a value with all fields of a schema.
func (s schema) value() any {
	switch s.typeName() {
	case "object":
		return s.objectValue()
	case "array":
		return []any{s.ofElements().value()}
	case "boolean":
		return true
	case "integer", "number":
		return 1
	}
	return "text"
}

func (s schema) objectValue() any {
	object := map[string]any{}
	if inner := s.ofUndescribed(); inner != nil {
		object[sampleKey] = inner.value()
	}
	members := s.members()
	for name := range members {
		object[name] = members.at(name).value()
	}
	return object
}
