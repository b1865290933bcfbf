package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
)

// listedKind has the fields of a version of a kind, with their classes.
type listedKind struct {
	facts.TypeMeta

	// Source is the release in whose code the classes were read that are built in; empty for none.
	Source string        `json:"source,omitempty"`
	Fields []crds.Listed `json:"fields"`

	removed string // the class of the kind, if the user gives one
}

// listClasses writes the fields of CRDs with their classes, as a file for --classes.
func (c *call) listClasses() (int, error) {
	if len(c.args) > 0 {
		return 0, &usageError{"--crd lists the fields of CRDs; a PROVIDER has the Schema of its provider config"}
	}
	if err := onlyOneStdin([]string{c.crd, c.classes}); err != nil {
		return 0, err
	}
	set, err := crds.Read(c.crd, c.classes, c.std.in)
	if err != nil {
		return 0, err
	}
	var all []listedKind
	var problems []error
	for _, of := range crds.AllTypes(set) {
		fields, err := set.List(of)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all = append(all, listedKind{of, set.Meaning(of).Source, fields, set.GivenRemoval(of)})
	}
	if err := errors.Join(append(problems, set.CheckClasses())...); err != nil {
		return 0, err
	}
	return c.show(classesText(all), listed("kinds", all))
}

// classesText writes a file for --classes. It has one entry for a path that several versions of a
// kind have.
func classesText(all []listedKind) string {
	var text strings.Builder
	text.WriteString("kinds:\n")
	for len(all) > 0 {
		isOther := func(k listedKind) bool { return k.name() != all[0].name() }
		end := slices.IndexFunc(all, isOther)
		if end < 0 {
			end = len(all)
		}
		text.WriteString(textOfKind(all[:end]))
		all = all[end:]
	}
	return text.String()
}

// name is the name of a kind in a file for --classes.
func (k *listedKind) name() string { return k.Kind + "." + facts.GroupOf(k.APIVersion) }

// textOfKind writes the fields of the versions of a kind, and the class of the kind that the user gives.
func textOfKind(versions []listedKind) string {
	var fields []crds.Listed
	for _, version := range versions {
		fields = append(fields, version.Fields...)
	}
	slices.SortStableFunc(fields, func(a, b crds.Listed) int { return cmp.Compare(a.Path, b.Path) })
	fields = slices.CompactFunc(fields, func(a, b crds.Listed) bool { return a.Path == b.Path })
	var text strings.Builder
	fmt.Fprintf(&text, "  %s:\n", printable(versions[0].name()))
	if versions[0].Source != "" {
		fmt.Fprintf(&text, "    # read in the code of %s\n", versions[0].Source)
	}
	text.WriteString("    fields:\n")
	for _, f := range fields {
		if !f.IsImplied {
			text.WriteString(textOfField(f))
		}
	}
	if removed := versions[0].removed; removed != "" {
		fmt.Fprintf(&text, "    removed: %s\n", removed)
	}
	return text.String()
}

// textOfField writes a field with its class, and the reason as a comment. A field without a class
// is written with the class unknown, and so is one whose class does not hold for every edit.
func textOfField(f crds.Listed) string {
	class := cmp.Or(f.Class, fieldclasses.Undecided)
	reason := f.Reason
	switch {
	case f.OneSided != "":
		class = fieldclasses.Undecided
		reason = fmt.Sprintf("%s, but if only one side has the field: %s", f.Class, f.OneSided)
	case f.Class == "":
		reason = "write true, inplace, false, ignore or forbidden"
	}
	value := string(class)
	if f.Options != "" {
		value = inYAML(value + "," + f.Options)
	}
	if f.File != "" {
		value = textOfSchema(f, value)
		reason = ""
	}
	if reason != "" {
		value += " # " + printable(reason)
	}
	return fmt.Sprintf("      %s: %s\n", inYAML(f.Path), value)
}

// textOfSchema writes the value of a member with free JSON that has a Schema, and perhaps a class.
func textOfSchema(f crds.Listed, class string) string {
	members := []string{"schema: " + inYAML(f.File)}
	if f.Version != "" {
		members = append(members, "version: "+inYAML(f.Version))
	}
	if f.Class != "" {
		members = append(members, "class: "+class)
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// inYAML writes a text in YAML. Brackets, commas and quotes have a meaning there.
func inYAML(path string) string {
	if strings.ContainsAny(path, "[]\"'#:{},&*!|>%@` ") {
		return "'" + strings.ReplaceAll(printable(path), "'", "''") + "'"
	}
	return printable(path)
}
