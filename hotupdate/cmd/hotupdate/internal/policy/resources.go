package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Resources returns a policy for each version of the kinds of CRDs, in order, whose fields touch
// machines. Each kind must have classes. A field whose class says that something else decides
// causes no warning.
func Resources(set *crds.Set) (policies []*Policy, err error) {
	var problems []error
	for _, of := range crds.AllTypes(set) {
		p, err := resource(set, of)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if len(p.validations) > 0 {
			policies = append(policies, p)
		}
	}
	problems = append(append(problems, set.Problems...), set.CheckClasses())
	if len(policies) == 0 {
		problems = append(problems, fmt.Errorf("%s: has no field whose change touches machines, so there is nothing "+
			"to warn of", set.From))
	}
	return policies, errors.Join(problems...)
}

func resource(set *crds.Set, of facts.TypeMeta) (*Policy, error) {
	compared, err := set.Compared(of)
	if err != nil {
		return nil, err
	}
	if !set.HasClasses(of) {
		return nil, fmt.Errorf("%s %s: has no classes, so every field would be one that replaces machines; give them "+
			"by --classes", of.APIVersion, of.Kind)
	}
	resource, _, _ := strings.Cut(set.Resource(of), ".")
	group, version, _ := strings.Cut(of.APIVersion, "/")
	p := &Policy{
		name: "hotupdate." + set.Resource(of), group: group, version: version, resource: resource,
	}
	replaces := func(class fieldclasses.Class) bool {
		isDefault := class == "" && !set.Meaning(of).IsBuiltIn()
		return class == fieldclasses.Roll || isDefault
	}
	updates := func(class fieldclasses.Class) bool { return class == fieldclasses.InPlace }
	root := []string{"spec"}
	if set.IsWhole(of) {
		root = nil
	}
	p.compareFields("replacing", "machines are replaced", root, compared, replaces)
	p.compareFields("updating", "nodes are updated in place", root, compared, updates)
	return p, nil
}

// compareFields warns of changes of the parts whose classes match.
func (p *Policy) compareFields(
	list, message string, root []string, compared []crds.Compared, matches func(fieldclasses.Class) bool,
) {
	var told []string
	for _, part := range compared {
		if differs := differs(part, root, compared, matches); differs != "" {
			told = append(told, differs+" ? "+quoted(part.Path)+` : ""`)
		}
	}
	if len(told) == 0 {
		return
	}
	changed := "[\n  " + strings.Join(told, ",\n  ") + "\n]" + `.filter(f, f != "")`
	p.variables = append(p.variables, variable{list, changed})
	p.validations = append(p.validations, warning(list, message, "variables."+list+`.join(", ")`))
}

// differs is the condition that a part differs, as far as its classes match; empty if they never do. How many elements
// a list has, and which keys a map, shows in the values of a field below.
func differs(
	part crds.Compared, root []string, all []crds.Compared, matches func(fieldclasses.Class) bool,
) string {
	isMatched := matches(part.Class)
	for _, key := range part.Keys {
		isMatched = isMatched || matches(key.Class)
	}
	isShownBelow := slices.ContainsFunc(all, func(below crds.Compared) bool {
		return strings.HasPrefix(below.Path, fieldpath.Elements(part.Path)) && matches(below.Class)
	})
	isOfElements := part.Part == crds.Elements || part.Part == crds.KeySet
	if !isMatched || isOfElements && isShownBelow {
		return ""
	}
	steps, _ := fieldpath.ParsePattern(part.Path) // which the Schema has
	isInList := slices.ContainsFunc(steps, func(s fieldpath.PatternStep) bool { return s.Element })
	both := func(last func(of string) string) (updated, old string) {
		return below(at("object", root...), steps, 0, last), below(at("oldObject", root...), steps, 0, last)
	}
	switch {
	case part.Part == crds.Elements:
		return unequal(both(lengthOf))
	case part.Part == crds.Presence:
		return unequal(both(isThere))
	case part.Part == crds.KeySet && !isInList:
		return notEquivalent(both(keysOf))
	case part.Part == crds.Entries && !isInList:
		return notEquivalent(both(func(of string) string { return entriesOf(of, isKeyOf(part, matches)) }))
	}
	return unequal(both(itself))
}

// isKeyOf is the condition that the class of a key k matches.
func isKeyOf(part crds.Compared, matches func(fieldclasses.Class) bool) string {
	var condition strings.Builder
	for _, key := range part.Keys {
		test := "k == " + quoted(key.Key)
		if key.IsPrefix {
			test = "k.startsWith(" + quoted(key.Key) + ")"
		}
		fmt.Fprintf(&condition, "%s ? %t : ", test, matches(key.Class))
	}
	return condition.String() + strconv.FormatBool(matches(part.Class))
}
