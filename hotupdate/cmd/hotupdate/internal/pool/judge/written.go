package judge

import (
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// showAsWritten replaces the values in changes of provider configs by the values as written in the
// configs.
func (p *pair) showAsWritten() {
	old := p.old.Config.Tree()
	updated := p.updated.Config.Tree()
	configs := p.updated.ConfigPointer()
	for i := range p.configs.changes {
		found := &p.configs.changes[i]
		found.Change = asWritten(found.Change, configs, old, updated)
	}
}

// asWritten returns a change of two configs with its values as written in the configs, so that
// people find them there: 720h instead of 720h0m0s, and a default that one side spells out. Objects
// and lists keep their canonical JSON. Configs is the pointer to the config in its pool.
func asWritten(change hotupdate.Change, configs string, old, updated *tree.Node) hotupdate.Change {
	names := fieldpath.Names(change.Pointer)
	shown := fieldpath.ParseShown(change.Path)
	above := len(fieldpath.Names(configs))
	if change.Sensitive || len(names) != len(shown) || len(names) < above {
		return change
	}
	names = names[above:]
	shown = shown[above:]
	if repeatsKey(old, shown) || repeatsKey(updated, shown) {
		return change
	}
	isRemoved := change.Op == hotupdate.OpRemove // the path has positions of the old config
	var before, after place
	if isRemoved {
		before = placeIn(old, names)
		after = counterpartIn(updated, names, shown)
	} else {
		before = counterpartIn(old, names, shown)
		after = placeIn(updated, names)
	}
	if !before.isWrittenFor(change.Old) || !after.isWrittenFor(change.New) {
		return change
	}
	change.Old = jsonOf(before.value)
	change.New = jsonOf(after.value)
	change.Op = hotupdate.OpReplace
	change = facts.Operated(change)
	if isRemoved && change.Op != hotupdate.OpRemove {
		change.Pointer = configs + after.pointer
	}
	return change
}

// place is a value in a config; nil if the config does not have it.
type place struct {
	value   *tree.Node
	pointer string
}

// isWrittenFor reports whether the value may have the meaning of a canonical one, which is empty for what
// counts as unset.
func (p place) isWrittenFor(canonical string) bool {
	return isScalarOrAbsent(p.value) && (canonical == "" || p.value != nil)
}

// placeIn finds the value of a change in the config that its pointer leads through.
func placeIn(config *tree.Node, names []string) place {
	found := place{value: config}
	for _, name := range names {
		found = found.below(name)
	}
	return found
}

// repeatsKey reports whether a list on a path has the key in the path more than once. Such elements
// are paired by their classes, which are not in the config.
func repeatsKey(config *tree.Node, shown []fieldpath.PatternStep) bool {
	found := config
	for _, step := range shown {
		key, text, isKeyed := strings.Cut(step.Name, "=")
		isElement := isKeyed && key != ""
		if !isElement || found.Kind() != tree.List {
			found, _ = found.Find([]string{step.Name})
			continue
		}
		if found.Repeats(key, text) {
			return true
		}
		found = found.Keyed(key, text)
	}
	return false
}

// counterpartIn finds the value in the other config. Elements with a key may have another position
// there.
func counterpartIn(config *tree.Node, names []string, shown []fieldpath.PatternStep) place {
	found := place{value: config}
	for i, name := range names {
		key, text, isKeyed := strings.Cut(shown[i].Name, "=")
		if isKeyed && found.value.Kind() == tree.List {
			name = positionOf(found.value, key, text)
		}
		found = found.below(name)
	}
	return found
}

// below returns the value of a member or element.
func (p place) below(name string) place {
	value, steps := p.value.Find([]string{name})
	if steps == 0 {
		return place{}
	}
	return place{value, fieldpath.Below(p.pointer, name)}
}

// positionOf returns the position of the element with a key; empty if there is none. An element of
// a set has no key, and a changed element is in only one of the sets.
func positionOf(list *tree.Node, key, text string) string {
	if at, isThere := list.Position(key, text); isThere && key != "" {
		return strconv.Itoa(at)
	}
	return ""
}
