package policy

import (
	"errors"
	"fmt"
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
	listed, err := set.List(of)
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
	p.compareFields("replacing", "machines are replaced", root, listed, replaces)
	p.compareFields("updating", "nodes are updated in place", root, listed, updates)
	return p, nil
}

// compareFields warns of changes of the fields whose classes match.
func (p *Policy) compareFields(
	list, message string, root []string, listed []crds.Listed, matches func(fieldclasses.Class) bool,
) {
	var told []string
	for _, f := range listed {
		if !f.IsLeaf || !matches(f.Class) {
			continue
		}
		steps, _ := fieldpath.ParsePattern(f.Path) // which the Schema has
		value := func(of string) string { return below(at(of, root...), steps, 0) }
		told = append(told, value("object")+" != "+value("oldObject")+" ? "+quoted(f.Path)+` : ""`)
	}
	if len(told) == 0 {
		return
	}
	changed := "[\n  " + strings.Join(told, ",\n  ") + "\n]" + `.filter(f, f != "")`
	p.variables = append(p.variables, variable{list, changed})
	p.validations = append(p.validations, warning(list, message, "variables."+list+`.join(", ")`))
}
