package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
)

const (
	workers = "spec.provider.workers"
	name    = "name" // of a pool, and of its place in a map of its fields
)

// Config says which fields of the configs of a provider decide about machines.
type Config struct {
	Provider string
	Eras     []Era // the oldest first
}

// Add adds the next era. If the same fields decide in it as in the last era, it extends that era.
func (c *Config) Add(era Era) {
	if last := len(c.Eras) - 1; last >= 0 && c.Eras[last].IsWhole == era.IsWhole &&
		slices.Equal(c.Eras[last].Fields, era.Fields) {
		return
	}
	c.Eras = append(c.Eras, era)
}

// Era is a range of Kubernetes minors in which the same fields decide.
type Era struct {
	From kubeminor.Minor
	// Fields are patterns of a Schema. IsWhole says that every field of a config decides.
	Fields  []string
	IsWhole bool
}

// Shoots returns the policy for Shoots, with the deciding fields of provider configs: for other
// providers, every field decides. It warns of pools that roll, of pools whose nodes are updated in
// place, of removed pools, and of operations with these effects. It does not warn of pools that have
// no machines to replace or update: hibernation deletes them, or has deleted them.
//
// Each pool stands as a map of its name and of the fields on which its machines depend. An API server counts the steps
// of an expression, and bounds them: whether a list has an element takes fewer steps than a search in a nested list.
func Shoots(configs []Config) *Policy {
	hibernated := fields.Split(fields.Hibernated)
	p := &Policy{
		name: "hotupdate-shoots", group: "core.gardener.cloud", version: "v1beta1", resource: "shoots",
		variables: []variable{
			{"pools", at("object", strings.Split(workers, ".")...) + ".orValue([])"},
			{"oldPools", at("oldObject", strings.Split(workers, ".")...) + ".orValue([])"},
			{"provider", at("object", "spec", "provider", "type") + `.orValue("")`},
			{"names", "variables.pools.map(w, w.?name)"},
			{"oldNames", "variables.oldPools.map(w, w.?name)"},
			{"isHibernated", isTrue(at("object", hibernated...)) + " || " + isTrue(at("oldObject", hibernated...)) +
				" && " + isTrue(at("oldObject", "status", "hibernated"))},
			{"removed", "variables.oldNames.filter(n, !(n in variables.names))"},
		},
	}
	rolls := readsOf(func(f fields.Field) bool { return f.Rolling == fields.Roll })
	p.comparePools("rolled", "!", append(rolls, readOfConfig(configs)))
	p.comparePools("updated", "", readsOf(func(f fields.Field) bool { return f.InPlace == fields.Drain }))
	p.validations = append(p.validations,
		warning("rolled", "machines are replaced", toldPools("rolled")),
		warning("updated", "nodes are updated in place", toldPools("updated")),
		warning("removed", "all machines are deleted", `variables.removed.map(n, n.orValue("")).join(", ")`),
		p.requested(),
	)
	return p
}

// read is a field of pools, and the expressions that read it for a pool w of the new and of the old Shoot.
type read struct{ path, updated, old string }

// readsOf returns the expressions for the fields whose rows decide. A field below such a field is a
// part of it.
func readsOf(decides func(fields.Field) bool) (reads []read) {
	known := provider.Paths((*hotupdate.Schema)(kinds.Shoot.Schema()))
	for _, f := range fields.Pool().Sorted() {
		isBelow := slices.ContainsFunc(reads, func(r read) bool { return strings.HasPrefix(f.Path, r.path+".") })
		if !decides(f) || isBelow {
			continue
		}
		inPool := known[workers+"[]."+f.Path]
		above := sharedAbove(f.Path)
		if inPool || above != "" {
			reads = append(reads, read{f.Path, value("object", f.Path, above), value("oldObject", f.Path, above)})
		}
	}
	return reads
}

// sharedAbove returns the field, or one above it, that pools have from their Shoot; empty if there is none.
func sharedAbove(path string) string {
	names := strings.Split(path, ".")
	for i := range names {
		above := strings.Join(names[:i+1], ".")
		if row, isKnown := fields.Shoot().Row("spec." + above); isKnown && row.Rolling == fields.Pools {
			return above
		}
	}
	return ""
}

// value reads a field of a pool w, which may be that of its Shoot. Machines depend on the minor of a version.
func value(shoot, path, above string) string {
	names := strings.Split(path, ".")
	text := at("w", names...)
	if above != "" {
		shared := strings.Split(above, ".")
		ofShoot := at(shoot, append([]string{"spec"}, shared...)...)
		text = at(at("w", shared...)+".or("+ofShoot+")", names[len(shared):]...)
	}
	if path == fields.Version {
		text += `.optMap(v, dyn(v.split(".")[1]))`
	}
	return text
}

// readOfConfig reads what decides in the provider config of a pool. The provider of a Shoot does not change.
func readOfConfig(configs []Config) read {
	of := func(shoot string) string {
		minor := "int(" + value(shoot, fields.Version, fields.Version) + `.orValue("0"))`
		var text strings.Builder
		for _, config := range configs {
			fmt.Fprintf(&text, "variables.provider == %s ? (%s) :\n    ", quoted(config.Provider), config.value(minor))
		}
		return text.String() + at("w", fields.Config)
	}
	return read{fields.Config, of("object"), of("oldObject")}
}

// value reads the deciding fields by the minor of a pool. The oldest era also holds for minors of
// no other era.
func (c *Config) value(minor string) string {
	text := c.Eras[0].value()
	for _, era := range c.Eras[1:] {
		_, from, _ := strings.Cut(era.From.String(), ".")
		text = minor + " >= " + from + " ? " + era.value() + " : " + text
	}
	return text
}

// value reads the fields that decide in the era.
func (e Era) value() string {
	config := at("w", fields.Config)
	if e.IsWhole {
		return config
	}
	var values []string
	for _, field := range e.Fields {
		steps, _ := fieldpath.ParsePattern(field) // of a Schema
		values = append(values, below(config, steps, 0, itself))
	}
	return "optional.of(dyn([" + strings.Join(values, ", ") + "]))"
}

// comparePools adds the variables that compare pools: the changed ones in a variable of this name. Not is the operator
// for pools that are not updated in place.
func (p *Policy) comparePools(changed, not string, reads []read) {
	names := []string{}
	updated := []string{quoted(name) + ": w.?name"}
	old := slices.Clone(updated)
	for _, r := range reads {
		names = append(names, r.path)
		updated = append(updated, quoted(r.path)+": "+r.updated)
		old = append(old, quoted(r.path)+": "+r.old)
	}
	inMap := func(members []string) string { return "{\n  " + strings.Join(members, ",\n  ") + "\n})" }
	const isInPlace = `w.?updateStrategy.orValue("").endsWith("InPlaceUpdate")`
	p.variables = append(p.variables,
		variable{changed + "Fields", quotedAll(names)},
		variable{changed + "New", "variables.pools.filter(w, " + not + isInPlace + ").map(w, " + inMap(updated)},
		variable{changed + "Old", "variables.oldPools.map(w, " + inMap(old)},
		variable{changed, "variables.isHibernated ? [] : variables." + changed + "New.filter(k, k.name in variables." +
			"oldNames && !(k in variables." + changed + "Old))"},
		variable{changed + "Names", "variables." + changed + ".map(k, k.name)"},
	)
}

// toldPools is the text with the changed pools of a variable, the first ones with their fields.
func toldPools(changed string) string {
	return strings.NewReplacer("CHANGED", "variables."+changed).Replace(`CHANGED.filter(k, ` +
		`CHANGEDNames.indexOf(k.name) < 5).map(k, k.name.orValue("") + " (" + CHANGEDFields.filter(f, ` +
		`!CHANGEDOld.exists(o, o.name == k.name && o[f] == k[f])).join(", ") + ")").join(", ") + ` +
		`(size(CHANGED) > 5 ? " and " + string(size(CHANGED) - 5) + " more" : "")`)
}

// requested adds the variable with the operations that replace machines or update nodes, and warns of them.
func (p *Policy) requested() validation {
	var annotations []string
	for _, row := range fields.Shoot().Sorted() {
		names := fields.Split(row.Path)
		if isAnnotation := len(names) > 2 && names[1] == "annotations"; isAnnotation && row.Rolling == fields.Pools {
			annotations = append(annotations, names[2])
		}
	}
	begin := judge.RollingOperations()
	const (
		ofNew = "object.metadata.?annotations[?a]"
		ofOld = "oldObject.metadata.?annotations[?a]"
	)
	p.variables = append(p.variables, variable{"operations", quotedAll(annotations) + ".filter(a, " + ofNew + " != " +
		ofOld + " && " + quotedAll(begin) + ".exists(o, " + ofNew + `.orValue("").split(";").map(r, r.trim()).` +
		`exists(r, r == o || o.endsWith("=") && r.startsWith(o))))`})
	return warning("operations", "machines are replaced, or nodes are updated in place",
		`variables.operations.map(a, a + ": " + `+ofNew+`.orValue("")).join(", ")`)
}
