package side

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// definition is a version of a custom resource.
type definition struct {
	crd     *manifests.Object
	version string
	classes *manifests.Object // nil if no file is named
	options []hotupdate.Option

	schema *hotupdate.Schema // of the spec, once an object was read
	err    error             // in its place: the same for all objects
}

// Define adds the custom resources that the CRDs in a file or directory define. The classes of their fields are those in another file, if one is
// named: an object whose members are paths in the spec, each with what a struct tag says.
func (c *Catalog) Define(crds, classesFile string, stdin io.Reader) error {
	classes, options, err := readClasses(classesFile, stdin)
	problems := []error{err}
	for o := range manifests.Objects([]string{crds}, stdin) {
		problems = append(problems, manifests.InFile(o.String(), o.Err))
		if kind, _ := kindOf(o.Raw); kind.Kind != "CustomResourceDefinition" {
			continue
		}
		var d struct {
			Spec struct {
				Group    string
				Names    struct{ Kind string }
				Versions []struct{ Name string }
			}
		}
		problems = append(problems, manifests.InFile(o.String(), json.Unmarshal(o.Raw, &d)))
		for _, v := range d.Spec.Versions {
			c.defined[pool.TypeMeta{APIVersion: d.Spec.Group + "/" + v.Name, Kind: d.Spec.Names.Kind}] = &definition{crd: &o, version: v.Name, classes: classes, options: options}
		}
	}
	if err := errors.Join(problems...); err != nil || len(c.defined) > 0 {
		return err
	}
	return fmt.Errorf("%s: has no CustomResourceDefinition", Name(crds))
}

func readClasses(file string, stdin io.Reader) (o *manifests.Object, options []hotupdate.Option, err error) {
	if file == "" {
		return nil, nil, nil
	}
	if o, err = one(file, stdin, "the classes of fields"); err != nil {
		return nil, nil, err
	}
	var classes map[string]json.RawMessage
	if json.Unmarshal(o.Raw, &classes) != nil {
		return nil, nil, manifests.InFile(o.String(), errors.New("is no object; write the paths of fields with their classes, such as tags: true"))
	}
	var problems []error
	for _, path := range slices.Sorted(maps.Keys(classes)) {
		text := string(classes[path])
		if text != "true" && text != "false" && json.Unmarshal(classes[path], &text) != nil {
			problems = append(problems, manifests.InFile(o.At(o.LineOf(path)), fmt.Errorf(`%s: is no class; write CLASS or "CLASS,OPTION", as in a struct tag`, path)))
		}
		options = append(options, hotupdate.WithTag(path, text))
	}
	return o, options, errors.Join(problems...)
}

// compile compiles the Schema. What is wrong with the CRD and the classes is told with its place.
func (d *definition) compile() error {
	if d.schema != nil || d.err != nil {
		return d.err
	}
	var err error
	d.schema, err = hotupdate.SchemaOfCRD(d.crd.Raw, d.version, d.options...)
	var problems []error
	for _, problem := range fault.All(err) {
		place := d.crd.String()
		if d.classes != nil && d.classes.LineOf(problem.Path) > 0 {
			place = d.classes.At(d.classes.LineOf(problem.Path))
		}
		problems = append(problems, manifests.InFile(place, problem))
	}
	d.err = errors.Join(problems...)
	return d.err
}

// manifest reads a custom resource: its spec is its configuration.
func (d *definition) manifest(o *manifests.Object) (*pool.Manifest, error) {
	if err := d.compile(); err != nil {
		return nil, err
	}
	var resource struct {
		Metadata struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
		Spec json.RawMessage `json:"spec"`
	}
	err := manifests.InFile(o.String(), sigsjson.UnmarshalCaseSensitivePreserveInts(o.Raw, &resource))
	return &pool.Manifest{Namespace: resource.Metadata.Namespace, Name: resource.Metadata.Name, Pools: []pool.Pool{pool.Bare(resource.Spec)}}, err
}

// options are the options under which the manifest is judged.
func (m *Manifest) options(o pool.Options) pool.Options {
	if m.definition != nil {
		o.Schema = func(pool.TypeMeta) *hotupdate.Schema { return m.definition.schema }
	}
	return o
}

// asSpec makes the plan of a provider config that of a custom resource, of which no pool and no extension is known.
func (m *Manifest) asSpec(plan *pool.Plan) {
	plan.Kind, plan.Rules = pool.Kind(m.Type.Kind), []pool.Rule{pool.SpecByClasses}
	for i := range plan.Pools {
		plan.Pools[i].Unknown = nil
		plan.Pools[i].Rules = slices.DeleteFunc(plan.Pools[i].Rules, func(r pool.Rule) bool { return r == pool.JudgedCanonically })
	}
}
