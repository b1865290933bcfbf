package engine

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Repetitions lists the elements of updated with which a keyed list has a key more than once, and more
// often than the list of old that it is paired with. Without old these are all elements with a key that
// is repeated, but for the first. The error has the problems that [Diff] finds, and without old all
// problems of updated.
func Repetitions(p *fieldplan.Plan, old, updated reflect.Value) ([]fieldpath.Path, error) {
	d := differs.Get().(*differ)
	defer d.release()
	d.seeks = true
	d.checks = !old.IsValid()
	_, err := d.diff(p, old, updated)
	return d.repetitions, err
}

// seek records the repetitions of two keyed lists, whose elements are in order.
func (d *differ) seek(n *fieldplan.Node, old, updated []Element) {
	for len(updated) > 0 {
		key := updated[0]
		for len(old) > 0 && compareListKeys(old[0], key) < 0 {
			old = old[1:]
		}
		count := ties(updated, key)
		for i := max(1, ties(old, key)); i < count; i++ {
			d.repetitions = append(d.repetitions, append(slices.Clone(d.trail.Path), updated[i].Step(n)))
		}
		updated = updated[count:]
	}
}

// seekInSet looks for repetitions in an element of a set that only one of two sets has. Elements that
// both have are the same.
func (d *differ) seekInSet(s sides, e *Element) {
	d.element(s, fieldpath.Step{Kind: fieldpath.Index, At: e.At}, twoValues{1: s[1].value.Index(e.At)}, nil)
}
