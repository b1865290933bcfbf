package crds

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// classes are the classes of fields, with what is known of them since Schemas were made.
type classes struct {
	object *manifest.Object // nil if there are none
	all    []class

	mutex sync.Mutex              // guards what follows: two sets may share classes
	tried bool                    // a Schema was made
	found map[string]bool         // the paths of fields that some Schema has
	first map[string]*fault.Error // the first problem of a path that a Schema does not have
}

// class is the struct tag of the field at a path, or a class that only custom resources have. Reason says why,
// if the user gives a reason.
type class struct{ path, tag, reason string }

// compiled is the Schema of a resource, or why there is none.
type compiled struct {
	schema  *hotupdate.Schema
	meaning *Meaning
	err     error
}

func readClasses(file string, stdin io.Reader) (*classes, error) {
	c := &classes{found: map[string]bool{}, first: map[string]*fault.Error{}}
	if file == "" {
		return c, nil
	}
	objects := slices.Collect(manifest.Objects([]string{file}, stdin))
	if len(objects) != 1 {
		return c, fmt.Errorf("%s: has %s; name a file with the classes of fields alone", nameOf(file),
			plaintext.Counted(len(objects), "object"))
	}
	if c.object = objects[0]; c.object.Err != nil {
		return c, manifest.InFile(c.object.String(), c.object.Err)
	}
	if c.object.Tree.Kind() != tree.Object {
		return c, manifest.InFile(c.object.String(),
			errors.New("is not an object; write the paths of fields with their classes, such as tags: true"))
	}
	var problems []error
	for path, value := range c.object.Tree.Members() {
		text := value.Text()
		switch kind := value.Kind(); {
		case kind == tree.Bool:
			text = string(value.JSON())
		case kind != tree.Text:
			problems = append(problems, c.locate(&fault.Error{
				Kind: fault.Malformed, Code: "no-class", Path: path, What: "is not a class",
				Hint: `write CLASS or "CLASS,OPTION", as in a struct tag`,
			}))
		}
		c.all = append(c.all, class{path: path, tag: text})
	}
	return c, errors.Join(problems...)
}

// compile makes the Schema of a resource, with the classes of the fields that it has. The others
// may concern another kind or version.
func (c *classes) compile(r *resource) *compiled {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	const unknownPath = "unknown-path"
	meaning := meaningOf(r.group, r.kind, c.all)
	schema, err := schemaOf(r, meaning, nil)
	missing := map[string]bool{}
	for _, problem := range fault.All(err) {
		switch {
		case meaning.isBuiltInAt(problem.Path): // another version has the field, or has it with other keys
			missing[problem.Path] = true
		case problem.Code == unknownPath:
			missing[problem.Path] = true
			if c.first[problem.Path] == nil {
				c.first[problem.Path] = problem
			}
		}
	}
	if len(missing) > 0 {
		schema, err = schemaOf(r, meaning, missing)
	}
	c.tried = true
	for _, one := range c.all {
		c.found[one.path] = c.found[one.path] || !missing[one.path]
	}
	return &compiled{schema, meaning, c.inFiles(r.from, err)}
}

// schemaOf makes a Schema with all classes except the classes of some paths.
func schemaOf(r *resource, m *Meaning, without map[string]bool) (*hotupdate.Schema, error) {
	return hotupdate.SchemaOfCRD(r.raw, r.version, m.options(without)...)
}

// CheckClasses reports the classes whose fields no Schema has, of those that were asked for.
func (s *Set) CheckClasses() error {
	if s == nil {
		return nil
	}
	s.classes.mutex.Lock()
	defer s.classes.mutex.Unlock()
	var problems []error
	for _, one := range s.classes.all {
		if s.classes.tried && !s.classes.found[one.path] {
			problems = append(problems, s.classes.locate(s.classes.first[one.path]))
		}
	}
	return errors.Join(problems...)
}

// locate puts the file and the line before a problem of a class.
func (c *classes) locate(problem *fault.Error) error {
	place := c.object.String()
	if line := c.object.Tree.At(problem.Path).Line(); line > 0 {
		place = c.object.At(c.object.Line - 1 + line)
	}
	return manifest.InFile(place, problem)
}

// inFiles adds the file to each problem: the file of the CRD, or the file of the classes.
func (c *classes) inFiles(crd string, err error) error {
	var problems []error
	for _, problem := range fault.All(err) {
		if c.object != nil && c.object.Tree.At(problem.Path) != nil {
			problems = append(problems, c.locate(problem))
		} else {
			problems = append(problems, manifest.InFile(crd, problem))
		}
	}
	return errors.Join(problems...)
}
