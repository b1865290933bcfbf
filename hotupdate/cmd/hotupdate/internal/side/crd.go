package side

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// definition is a version of a custom resource that a CRD defines, with the classes of its fields.
type definition struct {
	object  *manifests.Object // the CRD
	version string
	classes *classes

	once   sync.Once
	schema *hotupdate.Schema
	err    error
}

// Define adds the custom resources that the CRDs in a file or directory define. The classes of their fields are those in another file, if one is
// named. A Schema is compiled when an object of its version is read.
func (c *Catalog) Define(crds, classesFile string, stdin io.Reader) error {
	all, err := readClasses(classesFile, stdin)
	if err != nil {
		return err
	}
	var problems []error
	kinds := map[string]bool{}
	for o := range manifests.Objects([]string{crds}, stdin) {
		var d struct {
			Kind string `json:"kind"`
			Spec struct {
				Group string `json:"group"`
				Names struct {
					Kind string `json:"kind"`
				} `json:"names"`
				Versions []struct {
					Name string `json:"name"`
				} `json:"versions"`
			} `json:"spec"`
		}
		if o.Err == nil {
			o.Err = sigsjson.UnmarshalCaseSensitivePreserveInts(o.Raw, &d)
		}
		problems = append(problems, manifests.InFile(o.String(), o.Err))
		if d.Kind != "CustomResourceDefinition" {
			continue
		}
		kinds[d.Spec.Group+" "+d.Spec.Names.Kind] = true
		for _, v := range d.Spec.Versions {
			c.defined[pool.TypeMeta{APIVersion: d.Spec.Group + "/" + v.Name, Kind: d.Spec.Names.Kind}] = &definition{object: &o, version: v.Name, classes: all}
		}
	}
	switch err := errors.Join(problems...); {
	case err != nil:
		return err
	case len(c.defined) == 0:
		return fmt.Errorf("%s: has no CustomResourceDefinition", Name(crds))
	case all.object != nil && len(kinds) > 1:
		return fmt.Errorf("%s: defines %s; --classes is for one kind: name a file with its CRD alone", Name(crds), strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return nil
}

// definedKinds lists the custom resources, sorted.
func (c *Catalog) definedKinds() (all []string) {
	for kind := range c.defined {
		all = append(all, kind.APIVersion+" "+kind.Kind)
	}
	slices.Sort(all)
	return all
}

// Compared lists the kinds of objects that are compared, for messages about those that are not.
func (c *Catalog) Compared() string {
	all := append([]string{"Shoot", "Worker", "provider config"}, c.definedKinds()...)
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// classes are the classes of fields by their paths, from a file.
type classes struct {
	object  *manifests.Object // nil if no file is named
	options []hotupdate.Option
}

// readClasses reads an object whose members are the paths of fields. Their values are what a struct tag says, such as "false,set"; a class
// alone may be a bool.
func readClasses(file string, stdin io.Reader) (*classes, error) {
	all := &classes{}
	if file == "" {
		return all, nil
	}
	o, err := one(file, stdin, "the classes of fields")
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(o.Raw, &members) != nil {
		return nil, manifests.InFile(o.String(), errors.New("is no object; write the paths of fields with their classes, such as tags: true"))
	}
	all.object = o
	var problems []error
	for _, path := range slices.Sorted(maps.Keys(members)) {
		text := string(members[path])
		if text != "true" && text != "false" && json.Unmarshal(members[path], &text) != nil {
			problems = append(problems, manifests.InFile(o.At(o.LineOf(path)), fmt.Errorf(`%s: is no class; write CLASS or "CLASS,OPTION", as in a struct tag`, path)))
		}
		all.options = append(all.options, hotupdate.WithTag(path, text))
	}
	return all, errors.Join(problems...)
}

// compiled returns the Schema of the spec, or all that is wrong with the CRD and the classes, each problem with its place.
func (d *definition) compiled() (*hotupdate.Schema, error) {
	d.once.Do(func() {
		var err error
		d.schema, err = hotupdate.SchemaOfCRD(d.object.Raw, d.version, d.classes.options...)
		var problems []error
		for _, problem := range fault.All(err) {
			place := d.object.String()
			if classes := d.classes.object; classes != nil && classes.LineOf(problem.Path) > 0 {
				place = classes.At(classes.LineOf(problem.Path))
				d.suggest(problem)
			}
			problems = append(problems, manifests.InFile(place, problem))
		}
		d.err = errors.Join(problems...)
	})
	return d.schema, d.err
}

// suggest gives the problem of a path that no field has the name that was probably meant.
func (d *definition) suggest(problem *fault.Error) {
	if problem.Code != "unknown-path" {
		return
	}
	schema, err := hotupdate.SchemaOfCRD(d.object.Raw, d.version)
	if meant := nearestField(schema, strings.ReplaceAll(problem.Path, "[]", "[0]")); err == nil && meant != "" {
		problem.Hint = "did you mean " + meant + "?"
	}
}

// manifest reads a custom resource: its spec is its configuration.
func (d *definition) manifest(o *manifests.Object) (*pool.Manifest, error) {
	var resource struct {
		Metadata struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
		Spec json.RawMessage `json:"spec"`
	}
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(o.Raw, &resource); err != nil {
		return nil, err
	}
	return &pool.Manifest{Namespace: resource.Metadata.Namespace, Name: resource.Metadata.Name, Pools: []pool.Pool{pool.Bare(resource.Spec)}}, nil
}

// judgedBy are the options under which the specs of a definition are compared.
func (d *definition) judgedBy(o pool.Options) pool.Options {
	o.Schema = func(pool.TypeMeta) *hotupdate.Schema { return d.schema }
	return o
}

// check reports what the Schema finds wrong with the spec, at its place in the object.
func (d *definition) check(m *Manifest, o pool.Options) error {
	err := pool.Check(m.Pools, d.judgedBy(o))
	for _, problem := range fault.All(err) {
		if meant := nearestField(d.schema, problem.Path); problem.Code == "unknown-member" && meant != "" {
			problem.Hint = "did you mean " + meant + "?"
		}
		problem.Path = strings.TrimSuffix("spec."+problem.Path, ".")
	}
	return located(m.object, err)
}

// plan compares two objects by the classes of the fields in their specs alone.
func (d *definition) plan(p pair, o pool.Options) (*pool.Plan, error) {
	plan, err := p.compare(d.judgedBy(o))
	if err != nil {
		return nil, err
	}
	m := p.updated
	if m == nil {
		m = p.old
	}
	plan.Kind, plan.Rules = pool.Kind(m.Type.Kind), []pool.Rule{pool.SpecByClasses}
	for i := range plan.Pools { // the one that stands for the spec
		plan.Pools[i].Unknown = nil
		plan.Pools[i].Rules = slices.DeleteFunc(plan.Pools[i].Rules, func(r pool.Rule) bool { return r == pool.JudgedCanonically })
	}
	return plan, nil
}
