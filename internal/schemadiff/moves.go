package schemadiff

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// placed is a field that only one of the plans has, with the finding about it. A field below another
// one of them has no finding of its own.
type placed struct {
	field   *fieldplan.Field
	at      location
	finding *Finding
}

// remember remembers a field that only one of the plans has, and those in it that are no objects.
func remember(all []placed, f *fieldplan.Field, at location, finding *Finding) []placed {
	all = append(all, placed{f, at, finding})
	if below, ok := within(nil, f, at); ok {
		all = append(all, below...)
	}
	return all
}

// maxWithin bounds the fields that are searched below one field: a type may contain another one many
// times.
const maxWithin = 1000

// within appends the fields below an object that are no objects. It is false if there are too many,
// as in a recursive type.
func within(all []placed, f *fieldplan.Field, at location) (_ []placed, ok bool) {
	if f.Node.Kind != fieldplan.Object {
		return all, true
	}
	for _, below := range f.Node.Fields {
		p := placed{field: below, at: at.member(below.Name)}
		if below.Node.Kind != fieldplan.Object {
			all = append(all, p)
		}
		isRecursive := below.Node.Recursive || len(p.at.path) > maxWithin
		if isRecursive || len(all) > maxWithin {
			return nil, false
		}
		if all, ok = within(all, below, p.at); !ok {
			return nil, false
		}
	}
	return all, true
}

// addMoved adds the findings about the fields that only one of the plans has. It guesses moves as
// [renames] guesses new names: of a removed field and an added one, each the only one of its type,
// class and options on its side. Fields of the same name are matched first. The others must be
// telling. A field does not move into a list or map, nor out of it.
func (d *comparer) addMoved() {
	d.match(func(f *fieldplan.Field) (mark string, isCandidate bool) { return f.Name, true })
	d.match(func(f *fieldplan.Field) (mark string, isCandidate bool) { return "", isTelling(f.Node) })
	for _, p := range append(d.removed, d.added...) {
		if p.finding != nil {
			d.add(p.at, *p.finding)
		}
	}
}

// isTelling reports whether two fields of the same type are likely to be the same field even if they
// have neither name nor place in common: objects with several fields, also in lists and maps. Many
// fields are a string.
func isTelling(n *fieldplan.Node) bool {
	for n.Elem != nil {
		n = n.Elem
	}
	return len(n.Fields) > 1
}

// marking says which fields are candidates for a match, and what two of them must have in common
// beside their type, class and options.
type marking func(*fieldplan.Field) (mark string, isCandidate bool)

// match adds the findings about removed fields that are found elsewhere. Fields that are matched are
// neither removed nor added any more.
func (d *comparer) match(by marking) {
	removed := byShape(d.removed, by)
	added := byShape(d.added, by)
	matched := map[string]bool{} // no path is that of a removed field and of an added one
	for shape, from := range removed {
		to := added[shape]
		if len(from) != 1 || len(to) != 1 || from[0].finding == nil {
			continue
		}
		d.add(from[0].at, from[0].finding.renamed(to[0].at.path, to[0].field))
		matched[from[0].at.path] = true
		matched[to[0].at.path] = true
	}
	isMatched := func(p placed) bool { return matched[p.at.path] }
	d.removed = slices.DeleteFunc(d.removed, isMatched)
	d.added = slices.DeleteFunc(d.added, isMatched)
}

// byShape groups candidates by their mark, by everything that decides a hash in them, and by the
// collection around them.
func byShape(all []placed, by marking) map[string][]placed {
	groups := map[string][]placed{}
	for _, p := range all {
		mark, isCandidate := by(p.field)
		if !isCandidate {
			continue
		}
		collection := p.at.path[:strings.LastIndex(p.at.path, "[]")+1]
		shape := mark + "\n" + collection + "\n" + schemajson.Shape(p.field)
		groups[shape] = append(groups[shape], p)
	}
	return groups
}

const fieldRenamed = "FieldRenamed"

// renamed turns the finding that a field is removed into one that it has another path.
func (f Finding) renamed(path string, to *fieldplan.Field) Finding {
	f.Kind = fieldRenamed
	f.New = path
	if fieldplan.IsProjected(to.Node.Class) {
		f.note = "a rewrite to the new name rolls"
	}
	return f
}
