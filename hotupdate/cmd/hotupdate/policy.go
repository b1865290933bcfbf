package main

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/policy"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// writePolicies writes the rules as policies for an API server.
func (c *call) writePolicies() (int, error) {
	switch {
	case len(c.args) > 0:
		return 0, &usageError{"--policy has all fields, and takes no FIELD"}
	case c.crd == "" && c.classes != "":
		return 0, &usageError{"--classes is for the objects of --crd"}
	case c.crd == "":
		configs, err := c.decidingConfigs()
		if err != nil {
			return 0, err
		}
		c.out.WriteString(policy.Shoots(configs).String())
		return exitOK, nil
	}
	if err := onlyOneStdin([]string{c.crd, c.classes}); err != nil {
		return 0, err
	}
	set, err := crds.Read(c.crd, c.classes, c.std.in)
	if err != nil {
		return 0, err
	}
	policies, err := policy.Resources(set)
	for _, p := range policies {
		c.out.WriteString(p.String())
	}
	return exitOK, err
}

// decidingConfigs lists, for each era of each provider, the fields of its configs whose changes
// affect machines.
func (c *call) decidingConfigs() (configs []policy.Config, err error) {
	given, err := c.optionsOfConfigs()
	if err != nil {
		return nil, err
	}
	for _, p := range c.std.providers {
		schema, err := p.Schema()
		if err != nil {
			return nil, err
		}
		config := policy.Config{Provider: p.Name}
		for _, version := range minorsOf(p) {
			minor, err := kubeminor.Parse(version)
			if err != nil {
				return nil, err
			}
			sampler, err := pool.NewSampler(p, version+".0", optionsFor(p, given))
			if err != nil {
				return nil, err
			}
			touches := func(field string) bool { return touchesMachines(sampler, field) }
			fields, isWhole := decidingFields(provider.Paths(schema), "", touches)
			config.Add(policy.Era{From: minor, Fields: fields, IsWhole: isWhole})
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// touchesMachines reports whether a change of a field of a provider config may replace machines or drain nodes.
func touchesMachines(sampler *pool.Sampler, field string) bool {
	v, _, isField := sampler.Today(field)
	return isField && slices.Contains([]verdict.Verdict{verdict.Roll, verdict.InPlaceUpdate, verdict.Indeterminate}, v)
}

// decidingFields returns the fields below a path that decide, and whether all of them do. If all
// fields below a field decide, it returns only that field.
func decidingFields(known map[string]bool, above string, decides func(string) bool) (found []string, allDecide bool) {
	below := fieldsBelow(known, above)
	if len(below) == 0 {
		return []string{above}, decides(above)
	}
	allDecide = true
	for _, field := range below {
		fields, isWhole := decidingFields(known, field, decides)
		allDecide = allDecide && isWhole
		if isWhole || len(fieldsBelow(known, field)) > 0 {
			found = append(found, fields...)
		}
	}
	if allDecide {
		return []string{above}, true
	}
	return found, false
}

// fieldsBelow returns the fields directly below a field, or below its elements, in order; for an
// empty path, the top-level fields.
func fieldsBelow(known map[string]bool, above string) (fields []string) {
	for path := range known {
		rest, isBelow := strings.CutPrefix(path, above)
		inElement := strings.TrimPrefix(rest, "[]")
		name := strings.TrimPrefix(inElement, ".")
		isMember := above == "" || name != inElement
		isRightBelow := name != "" && !strings.ContainsAny(name, ".[")
		if isBelow && isMember && isRightBelow {
			fields = append(fields, path)
		}
	}
	slices.Sort(fields)
	return fields
}
