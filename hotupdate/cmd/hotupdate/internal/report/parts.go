package report

import (
	"bytes"
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// maxParts bounds the rows of one change.
const maxParts = 20

// parts returns the change, or the changes of its parts if its values are too long to be shown whole: of the
// members and elements that differ, as far down as both sides have them. Elements of lists are paired by index
// behind those that both lists begin with and before those that both end with. A change that touches no machine, such
// as one of the order of a set, stays whole.
func (c *ChangeReport) parts() []ChangeReport {
	isLong := len(c.Old) > maxValue || len(c.New) > maxValue
	isWhole := c.Sensitive || !isLong || c.Verdict == none
	if isWhole || c.Op != string(hotupdate.OpReplace) {
		return []ChangeReport{*c}
	}
	p := parting{of: c}
	p.compare(tree.Of(c.Old), tree.Of(c.New), c.Path)
	if len(p.found) == 0 || len(p.found) > maxParts {
		return []ChangeReport{*c}
	}
	return p.found
}

// parting collects the parts of a change.
type parting struct {
	of    *ChangeReport
	found []ChangeReport
}

// add adds a part. A nil value is absent.
func (p *parting) add(old, updated *tree.Node, path string) {
	one := *p.of
	one.Path = path
	one.Old = textOf(old)
	one.New = textOf(updated)
	switch {
	case old == nil:
		one.Op = string(hotupdate.OpAdd)
	case updated == nil:
		one.Op = string(hotupdate.OpRemove)
	}
	p.found = append(p.found, one)
}

func textOf(n *tree.Node) json.RawMessage {
	if n == nil {
		return nil
	}
	return n.Compact()
}

func areSame(a, b *tree.Node) bool { return bytes.Equal(a.Compact(), b.Compact()) }

func (p *parting) compare(old, updated *tree.Node, path string) {
	switch {
	case len(p.found) > maxParts: // the whole value is shown
	case areSame(old, updated):
	case old.Kind() == tree.Object && updated.Kind() == tree.Object:
		p.members(old, updated, path)
	case old.Kind() == tree.List && updated.Kind() == tree.List:
		p.elements(elementsOf(old), elementsOf(updated), path)
	default:
		p.add(old, updated, path)
	}
}

func (p *parting) members(old, updated *tree.Node, path string) {
	for name, member := range old.Members() {
		if after := memberOf(updated, name); after != nil {
			p.compare(member, after, fieldpath.Join(path, name))
		} else {
			p.add(member, nil, fieldpath.Join(path, name))
		}
	}
	for name, member := range updated.Members() {
		if memberOf(old, name) == nil {
			p.add(nil, member, fieldpath.Join(path, name))
		}
	}
}

// memberOf returns a member, also a null one; nil if there is none.
func memberOf(object *tree.Node, name string) *tree.Node {
	member, steps := object.Find([]string{name})
	if steps == 0 {
		return nil
	}
	return member
}

func elementsOf(list *tree.Node) (elements []*tree.Node) {
	for _, element := range list.Elements() {
		elements = append(elements, element)
	}
	return elements
}

// elements compares lists.
func (p *parting) elements(old, updated []*tree.Node, path string) {
	first := 0
	for first < min(len(old), len(updated)) && areSame(old[first], updated[first]) {
		first++
	}
	before := old[first:]
	after := updated[first:]
	for len(before) > 0 && len(after) > 0 && areSame(before[len(before)-1], after[len(after)-1]) {
		before = before[:len(before)-1]
		after = after[:len(after)-1]
	}
	arePaired := len(before) == len(after)
	for i, element := range before {
		if arePaired {
			p.compare(element, after[i], fieldpath.At(path, first+i))
		} else {
			p.add(element, nil, fieldpath.At(path, first+i))
		}
	}
	for i, element := range after {
		if !arePaired {
			p.add(nil, element, fieldpath.At(path, first+i))
		}
	}
}
