package crds

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// classes are the classes of fields. The zero value has none.
type classes struct {
	object *manifest.Object
	all    []class
}

// class is the struct tag of the field at a path.
type class struct{ path, tag string }

func readClasses(file string, stdin io.Reader) (*classes, error) {
	c := &classes{}
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
			errors.New("is no object; write the paths of fields with their classes, such as tags: true"))
	}
	var problems []error
	for path, value := range c.object.Tree.Members() {
		text := value.Text()
		switch kind := value.Kind(); {
		case kind == tree.Bool:
			text = string(value.JSON())
		case kind != tree.Text:
			problems = append(problems, c.locate(&fault.Error{
				Kind: fault.Malformed, Code: "no-class", Path: path, What: "is no class",
				Hint: `write CLASS or "CLASS,OPTION", as in a struct tag`,
			}))
		}
		c.all = append(c.all, class{path, text})
	}
	return c, errors.Join(problems...)
}

// locate puts the file and the line before a problem of a class.
func (c *classes) locate(problem *fault.Error) error {
	place := c.object.String()
	if line := c.object.Tree.At(problem.Path).Line(); line > 0 {
		place = c.object.At(c.object.Line - 1 + line)
	}
	return manifest.InFile(place, problem)
}

// inFiles adds the file to each problem: that of the CRD, or that of the classes.
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
