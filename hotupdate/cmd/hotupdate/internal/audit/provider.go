package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// owner says whose releases are compared: pools of other providers are not judged.
type owner struct {
	provider string // the type of the provider in Shoots and Workers; empty if it is not known
	group    string // the API group of its configs; empty if it is not known
	isByName bool   // the kind of the configs names the provider
	isGiven  bool   // the user names the provider

	builtIn map[string]bool // the providers that are built in, by name
}

// ownerOf finds the provider of the releases by the kind of their configs, or by the fields of
// their Schemas.
func ownerOf(r *Releases, providers []provider.Provider) owner {
	found := owner{builtIn: map[string]bool{}}
	for _, p := range providers {
		found.builtIn[p.Name] = true
	}
	set := func(p provider.Provider) {
		found.provider = p.Name
		found.group = facts.GroupOf(p.APIVersion)
	}
	if r.kind != (facts.TypeMeta{}) {
		found.isByName = true
		for _, p := range providers {
			if facts.GroupOf(p.APIVersion) == facts.GroupOf(r.kind.APIVersion) {
				set(p)
			}
		}
		return found
	}
	if i := byFields(fieldsOf(r.old, r.updated), providers); i >= 0 {
		set(providers[i])
	}
	return found
}

// isOther reports whether an object belongs to another provider than the releases. An object with a
// config of the releases' kind belongs to their provider, unless the user names
// another one.
func (o owner) isOther(r *Releases, m *facts.Manifest) bool {
	switch {
	case r.hasConfig(m) && !o.isGiven:
		return false
	case m.Provider == "" && slices.ContainsFunc(m.Pools, o.hasConfigOf):
		return false // a manifest that leaves out the type
	case o.provider != "":
		return m.Provider != o.provider
	}
	return o.isByName && o.builtIn[m.Provider]
}

// hasConfigOf reports whether a pool has a config of the API group of the provider's configs.
func (o owner) hasConfigOf(p facts.Pool) bool {
	isKnown := o.group != "" && !p.Config.IsAbsent()
	return isKnown && !o.hasOtherGroup(p.Config)
}

// hasConfig reports whether a pool has a config of the releases' kind, if that is known.
func (r *Releases) hasConfig(m *facts.Manifest) bool {
	isKnown := r.kind != facts.TypeMeta{}
	return isKnown && slices.ContainsFunc(m.Pools, func(p facts.Pool) bool {
		return !p.Config.IsAbsent() && r.concern(p.Config)
	})
}

// hasOtherGroup reports whether a config is of another API group than the provider's configs.
func (o owner) hasOtherGroup(config facts.Config) bool {
	if o.group == "" || config.IsAbsent() {
		return false
	}
	return facts.GroupOf(config.Type().APIVersion) != o.group
}

// check returns an error if pools of several providers were judged and the provider of the releases
// is not known.
func (o owner) check(r *Releases, judged map[string]bool) error {
	isOpen := slices.Contains(slices.Collect(maps.Values(judged)), false)
	if o.provider != "" || !isOpen || len(judged) < 2 {
		return nil
	}
	return fmt.Errorf("there are pools of the providers %s, and it is not known whose releases %s and %s are; name "+
		"the provider by --provider", strings.Join(slices.Sorted(maps.Keys(judged)), ", "), r.old.From, r.updated.From)
}

// remark says how the provider was found.
func (o owner) remark() []string {
	if o.provider == "" || o.isByName || o.isGiven {
		return nil
	}
	return []string{"the releases are taken for those of " + o.provider + ", by the fields of their Schemas; pools " +
		"of others are judged by --provider"}
}

// byFields returns the position of the only provider whose Schema explains the fields: it has three of
// four of them, and one that no other provider has. It is negative if there is none.
func byFields(fields map[string]bool, providers []provider.Provider) int {
	found := -1
	known := make([]map[string]bool, len(providers))
	owners := map[string]int{}
	for i, p := range providers {
		schema, err := p.Schema()
		if err != nil {
			continue
		}
		known[i] = provider.Paths(schema)
		for path := range known[i] {
			owners[path]++
		}
	}
	for i := range providers {
		shared := 0
		hasOwn := false
		for path := range fields {
			if known[i][path] {
				shared++
				hasOwn = hasOwn || owners[path] == 1
			}
		}
		if !hasOwn || 4*shared < 3*len(fields) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// fieldsOf returns the paths of all fields of the releases' Schemas.
func fieldsOf(releases ...*release.Release) map[string]bool {
	all := map[string]bool{}
	for _, one := range releases {
		if one.Schema != nil {
			maps.Copy(all, provider.Paths(one.Schema))
		}
	}
	return all
}
