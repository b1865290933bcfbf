package crds

import (
	"path/filepath"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/crd"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// readSchemas reads the Schemas of members with free JSON that the file with the classes names, by paths from
// its folder.
func (c *classes) readSchemas() (problems []error) {
	for i := range c.all {
		one := &c.all[i]
		if one.schema == "" {
			continue
		}
		file := one.schema
		if !filepath.IsAbs(file) && c.object.File != manifest.Stdin {
			file = filepath.Join(filepath.Dir(c.object.File), file)
		}
		plan, err := planIn(file, one.version)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		one.plan = plan
	}
	return problems
}

// planIn reads a Schema from a file: an exported Schema, or the Schema of the spec in a version of
// a CRD. The name of the version may be left out if the CRD has only one.
func planIn(file, version string) (*fieldplan.Plan, error) {
	for o := range manifest.Objects([]string{file}, strings.NewReader("")) {
		if o.Err != nil || facts.TypeMetaOf(o.Tree).Kind != definitionKind {
			continue
		}
		versions := o.Tree.At("spec", "versions")
		if version == "" && versions.Len() == 1 {
			for _, only := range versions.Elements() {
				version = only.At("name").Text()
			}
		}
		plan, err := crd.Compile(o.Tree.JSON(), version, nil)
		return plan, manifest.InFile(o.String(), err)
	}
	exported, err := release.Read(file)
	if err != nil {
		return nil, err
	}
	if exported.Schema == nil {
		return nil, manifest.InFile(file, &fault.Error{
			Kind: fault.Invalid, Code: "no-schema-file", What: "has no Schema",
			Hint: "name a CRD, or an exported Schema",
		})
	}
	return (*schemabridge.Schema)(exported.Schema).Plan(), nil
}

// schemaOf makes a Schema with all classes and Schemas of members, except those of some paths.
func schemaOf(r *resource, m *Meaning, without map[string]bool) (*hotupdate.Schema, error) {
	return m.schemaIn(r.definition(), r.version, without)
}

// schemaIn makes the Schema of a CRD in JSON like [schemaOf].
func (m *Meaning) schemaIn(definition []byte, version string, without map[string]bool) (*hotupdate.Schema, error) {
	var overrides []fieldplan.Override
	var grafts []crd.Graft
	for _, f := range m.fields {
		if without[f.Path] {
			continue
		}
		if f.Class != "" {
			overrides = append(overrides, fieldplan.Override{Path: f.Path, Tag: f.tag()})
		}
		if f.given != nil && f.given.plan != nil {
			grafts = append(grafts, crd.Graft{Path: f.Path, Plan: f.given.plan})
		}
	}
	plan, err := crd.Compile(definition, version, overrides, grafts...)
	if err != nil {
		return nil, err
	}
	return (*hotupdate.Schema)(schemabridge.New(plan)), nil
}
