package side

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// unread is the text of a side that may contain any object: malformed text, a template, or text
// that kustomize or Helm changes.
type unread struct {
	first    *object            // nil if there is none
	files    map[string]*object // the first in each file
	all      *object            // the first that might hold an object of any name; nil if there is none
	mentions map[string]*object // may contain an object whose name occurs in it
}

// unreadOf returns the text of a side that cannot be read and that the other side does not have.
// Text that is on both sides contains the same objects on both.
func unreadOf(side, other *objects) *unread {
	there := other.unreadTexts()
	u := &unread{files: map[string]*object{}, mentions: map[string]*object{}}
	for _, o := range side.list {
		if o.isUnread() && !there[o.document.Digest()] {
			u.add(o)
		}
	}
	return u
}

// unreadTexts are the texts of a side that cannot be read.
func (all *objects) unreadTexts() map[manifests.Digest]bool {
	texts := map[manifests.Digest]bool{}
	for _, o := range all.list {
		if o.isUnread() && len(o.document.Text()) > 0 {
			texts[o.document.Digest()] = true
		}
	}
	return texts
}

func (o *object) isUnread() bool { return o.role == isUnread || o.role == isRecipe }

func (u *unread) add(o *object) {
	if u.first == nil {
		u.first = o
	}
	u.files[o.file] = cmp.Or(u.files[o.file], o)
	text := o.document.Text()
	isRendered := o.role == isRecipe || o.isCovered
	isAnything := len(text) == 0 || isRendered || tree.IsTemplate(text)
	if (isAnything || o.isNameless) && u.all == nil {
		u.all = o
	}
	for name := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !isOfName(r) }) {
		u.mentions[strings.Trim(name, ".-")] = o
	}
}

// isOfName reports whether names of Kubernetes have a character.
func isOfName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return true
	}
	return r == '-' || r == '.'
}

// mayHold returns the text that might hold an object; nil if none does. Text in the object's own
// file may contain it, regardless of the names in the text.
func (u *unread) mayHold(o *object) *object {
	found := cmp.Or(u.files[o.file], u.mentions[o.Name])
	switch {
	case found != nil:
		return found
	case o.Name == "":
		return cmp.Or(u.all, u.first)
	}
	return u.all
}

// withhold marks the objects of only one side that the other side may have in unreadable text, or
// under an incomplete name. To report them as added or removed would be a guess.
func (r *Reader) withhold(pairs []pair, old, updated *objects) {
	withholdAmbiguous(pairs)
	inOld := unreadOf(old, updated)
	inUpdated := unreadOf(updated, old)
	var hiddenOld, hiddenUpdated map[identity]*object
	if slices.ContainsFunc(pairs, func(p pair) bool { return p.old == nil }) {
		inOld.all = cmp.Or(inOld.all, old.link())
		hiddenOld = r.hidden(old.path)
	}
	if slices.ContainsFunc(pairs, func(p pair) bool { return p.updated == nil }) {
		inUpdated.all = cmp.Or(inUpdated.all, updated.link())
		hiddenUpdated = r.hidden(updated.path)
	}
	for _, p := range pairs {
		switch {
		case p.old == nil && p.updated.problem == nil:
			p.updated.withholdFor(inOld.mayHold(p.updated), "cannot be read")
			p.updated.withholdFor(hiddenOld[p.updated.identity()], "is not read")
		case p.updated == nil && p.old.problem == nil:
			p.old.withholdFor(inUpdated.mayHold(p.old), "cannot be read")
			p.old.withholdFor(hiddenUpdated[p.old.identity()], "is not read")
		}
	}
}

func (o *object) withholdFor(counterpart *object, why string) {
	if counterpart != nil && o.problem == nil {
		o.problem = manifests.InFile(o.From, fmt.Errorf(
			"%s is not judged: %s may hold it, and %s", o.title(), counterpart.From, why))
	}
}

// notJudged lists the objects that are not compared because they have a problem on either side.
// Text that cannot be read on both sides is listed for the new side.
func notJudged(old, updated *objects) (found []NotJudged) {
	there := updated.unreadTexts()
	told := map[string]bool{} // all objects of a CRD have its problem, and both sides may be one file
	add := func(o *object) {
		if o.problem != nil && !o.isTold && !told[o.problem.Error()] {
			told[o.problem.Error()] = true
			found = append(found, NotJudged{o.Place, o.problem})
		}
	}
	for _, o := range old.list {
		if !o.isUnread() || !there[o.document.Digest()] {
			add(o)
		}
	}
	for _, o := range updated.list {
		add(o)
	}
	return found
}
