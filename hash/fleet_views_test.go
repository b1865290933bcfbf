package hash_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The hashed part of a pool in an era, by the model's own table of fields, without Schema, canonical document and StripRaw.

// class returns the class of a leaf in the era. A field that its Schema does not have is not hot.
func (e simEra) class(c simConfig, f simField) hotupdate.Class {
	class, changed := e.classes[f.owner]
	list, name, leaf := f.element()
	switch {
	case f.since > e.shape.generation:
		return hotupdate.Immutable
	case changed && f.owner != "":
		return class
	case list == "machineLabels" && leaf == "value" && !c.triggers(name):
		return hotupdate.Hot
	}
	return f.class
}

// keeps reports whether a leaf is hashed: it is not hot, and in the canonical document it is neither a default nor a
// label that replaces no machines.
func (e simEra) keeps(c simConfig) func(simField) bool {
	return func(f simField) bool {
		hashed := e.class(c, f) == hotupdate.Immutable || e.class(c, f) == hotupdate.InPlace
		if e.kind != simCanonical {
			return hashed
		}
		list, name, _ := f.element()
		hasDefault := f.unset || f.path == "tier" && e.shape.tier
		isDefault := hasDefault && c[f.path] == 0
		rolls := list != "machineLabels" || c.triggers(name)
		return hashed && !isDefault && rolls
	}
}

// hashed lists the leaves that are hashed.
func (e simEra) hashed(c simConfig) []simField {
	return slices.DeleteFunc(slices.Clone(simFields), func(f simField) bool {
		_, set := c[f.path]
		return !set || !e.keeps(c)(f)
	})
}

// sees returns the hashed part of a config: it is equal for two configs exactly if a change between them concerns no machine.
func (e simEra) sees(c simConfig, s simSpelling) []string {
	switch e.kind {
	case simRaw:
		if c == nil || e.bareNone && len(e.hashed(c)) == 0 {
			return nil
		}
		return []string{c.json(s, e.keeps(c))}
	case simList:
		return c.listed(s)
	case simAllow:
		return c.allowed()
	case simCanonical:
	}
	var leaves []string
	for _, f := range e.hashed(c) {
		leaves = append(leaves, f.path+"="+strconv.Itoa(c[f.path]))
	}
	return leaves
}

// listed returns the hashed part of a hand-written list: values without names, elements in their written order.
func (c simConfig) listed(s simSpelling) []string {
	var values, names []string
	for _, f := range simFields {
		value, set := c[f.path]
		list, name, leaf := f.element()
		switch {
		case set && (f.path == "volume.iops" || f.path == "volume.size"):
			values = append(values, strings.Trim(f.values[value][len(f.values[value])-1], `"`))
		case set && list == "dataVolumes" && leaf == "name":
			names = append(names, name)
		}
	}
	return append(values, s.sorted(names)...)
}

// allowed returns the hashed part of the list of a few relevant values.
func (c simConfig) allowed() []string {
	var values []string
	if c.triggers("x") {
		values = append(values, "label")
		if value, set := c["machineLabels.x.value"]; set {
			values = append(values, strconv.Itoa(value))
		}
	}
	if value, set := c["zones"]; set {
		values = append(values, "zones "+strconv.Itoa(value))
	}
	return values
}

// identity returns all inputs of the pool's name: machines are kept exactly while it does not change.
func (e simEra) identity(p simPool) string {
	machine := p.machineType
	if p.strategy != hotupdate.AutoRollingUpdate {
		machine = "" // cannot be changed in such a pool, and no key covers it
	}
	return fmt.Sprintf("%d %d %s %t %q", p.minor, p.image, machine, p.encrypted, e.sees(p.config, p.spelling))
}

// knows reports whether the release can decode the config, and its era in force, too.
func (r *simRelease) knows(p simPool) bool {
	generation := r.generation
	if r.lenient {
		generation = simNewest
	}
	if e := r.eras[r.index(p)]; e.kind == simCanonical {
		generation = min(generation, e.shape.generation)
	}
	return !slices.ContainsFunc(simFields, func(f simField) bool {
		_, set := p.config[f.path]
		return set && f.since > generation
	})
}
