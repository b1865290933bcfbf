package side

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Define adds the custom resources of the CRDs in a file or directory. Another file may give the
// classes of their fields: it holds an object whose members are paths in the spec, each with the
// value of a struct tag.
func (c *Catalog) Define(crds, classesFile string, stdin io.Reader) error {
	fields, err := readClasses(classesFile, stdin)
	problems := []error{err}
	for o := range manifests.Objects([]string{crds}, stdin) {
		problems = append(problems, manifests.InFile(o.String(), o.Err))
		if facts.TypeMetaOf(o.Tree).Kind != "CustomResourceDefinition" {
			continue
		}
		spec, raw := o.Tree.At("spec"), o.Tree.JSON()
		group, kind := spec.At("group").Text(), spec.At("names", "kind").Text()
		if group == "" || kind == "" {
			problems = append(problems,
				fmt.Errorf("%s: has no text as spec.group or spec.names.kind; write both", o.Place))
		}
		for _, version := range spec.At("versions").Elements() {
			name := version.At("name").Text()
			define := func() (*hotupdate.Schema, error) {
				schema, err := hotupdate.SchemaOfCRD(raw, name, fields.options...)
				return schema, fields.inFiles(o.String(), err)
			}
			c.defined[facts.TypeMeta{APIVersion: group + "/" + name, Kind: kind}] = sync.OnceValues(define)
		}
	}
	if err := errors.Join(problems...); err != nil || len(c.defined) > 0 {
		return err
	}
	return fmt.Errorf("%s: has no CustomResourceDefinition", Name(crds))
}

// classes are the classes of fields, by path. The zero value has none.
type classes struct {
	object  *manifests.Object
	options []hotupdate.Option
}

func readClasses(file string, stdin io.Reader) (c classes, err error) {
	if file == "" {
		return c, nil
	}
	o, err := one(file, stdin, "the classes of fields")
	if err != nil {
		return c, err
	}
	c.object = o
	if o.Tree.Kind() != tree.Object {
		return c, manifests.InFile(o.String(),
			errors.New("is no object; write the paths of fields with their classes, such as tags: true"))
	}
	var problems []error
	for path, class := range o.Tree.Members() {
		text := class.Text()
		switch kind := class.Kind(); {
		case kind == tree.Bool:
			text = string(class.JSON())
		case kind != tree.Text:
			problems = append(problems, located(o, &fault.Error{
				Kind: fault.Malformed, Code: "no-class", Path: path, What: "is no class",
				Hint: `write CLASS or "CLASS,OPTION", as in a struct tag`,
			}))
		}
		c.options = append(c.options, hotupdate.WithTag(path, text))
	}
	return c, errors.Join(problems...)
}

// inFiles adds the file to each problem: that of the CRD, or that of the classes.
func (c *classes) inFiles(crd string, err error) error {
	var problems []error
	for _, problem := range fault.All(err) {
		if c.object != nil && c.object.Tree.At(problem.Path) != nil {
			problems = append(problems, located(c.object, problem))
		} else {
			problems = append(problems, manifests.InFile(crd, problem))
		}
	}
	return errors.Join(problems...)
}

// options are the options for judging the manifest.
func (m *Input) options(o judge.Options) judge.Options {
	if m.spec != nil {
		o.Schema = func(facts.TypeMeta) *hotupdate.Schema { return m.spec }
	}
	return o
}

// asSpec turns the plan of a provider config into that of a custom resource, which has no pool and
// no extension.
func (m *Input) asSpec(plan *pool.Plan) {
	plan.Kind, plan.Rules = facts.Kind(m.Type.Kind), []verdict.Rule{verdict.SpecByClasses}
	for i := range plan.Pools {
		plan.Pools[i].Unknown = nil
		plan.Pools[i].Rules = slices.DeleteFunc(plan.Pools[i].Rules,
			func(r verdict.Rule) bool { return r == verdict.JudgedCanonically })
	}
}
