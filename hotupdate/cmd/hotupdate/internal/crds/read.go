package crds

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// readClasses reads the file with the classes of fields: an object whose members are paths of
// fields, each with its class. The member kinds may have the classes of single kinds.
func readClasses(file string, stdin io.Reader) (*classes, error) {
	c := &classes{
		removed: map[string]judge.Removal{}, found: map[string]bool{}, first: map[string]*fault.Error{},
	}
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
	problems := c.readFields(c.object.Tree, "", nil)
	problems = append(problems, c.readSchemas()...)
	return c, errors.Join(problems...)
}

// kindsMember is the member of a classes file with the classes of single kinds.
const kindsMember = "kinds"

// readFields reads the members of an object at a place in the file: of the whole file, which are for all kinds,
// or of one kind.
func (c *classes) readFields(from *tree.Node, of string, place []string) (problems []error) {
	for path, value := range from.Members() {
		if of == "" && path == kindsMember && value.Kind() == tree.Object {
			problems = append(problems, c.readKinds(value)...)
			continue
		}
		at := append(slices.Clone(place), path)
		one, problem := classOf(path, value)
		one.of = of
		one.place = at
		if problem != nil {
			problem.Path = path
			problems = append(problems, c.locateAt(at, problem))
		}
		c.all = append(c.all, one)
	}
	return problems
}

// fieldsMember is the member of a kind with the classes of its fields.
const fieldsMember = "fields"

const writeKind = "write fields: with the paths of fields and their classes, or removed: machines, blocked or none"

// readKinds reads the classes of single kinds, each by its name and group, such as NodePool.karpenter.sh.
func (c *classes) readKinds(kinds *tree.Node) (problems []error) {
	for name, kind := range kinds.Members() {
		place := []string{kindsMember, name}
		reject := func(what, hint string) {
			problems = append(problems, c.locateAt(place, &fault.Error{
				Kind: fault.Invalid, Code: "no-kind", Path: kindsMember + "." + name, What: what, Hint: hint,
			}))
		}
		if !strings.Contains(name, ".") {
			reject("is not the name of a kind", "write KIND.GROUP, such as NodePool.karpenter.sh")
			continue
		}
		for member, value := range kind.Members() {
			switch {
			case member == fieldsMember && value.Kind() == tree.Object:
				problems = append(problems, c.readFields(value, name, append(place, fieldsMember))...)
			case member == removedMember:
				removed, isRemoval := judge.ParseRemoval(value.Text())
				if !isRemoval {
					reject("has no class of a kind as removed",
						"write removed: machines, removed: blocked or removed: none")
				}
				c.removed[name] = removed
			default:
				reject("has the unknown member "+member, writeKind)
			}
		}
		if kind.Kind() != tree.Object {
			reject("is not an object", writeKind)
		}
	}
	return problems
}

// checkKinds reports names of kinds that no CRD has and that are similar to the name of a kind.
// Names without a similar one are not reported, since other files may have their CRDs.
func (c *classes) checkKinds(sets ...*Set) error {
	if c.object == nil {
		return nil
	}
	var names []string
	for _, of := range AllTypes(sets...) {
		names = append(names, of.Kind+"."+facts.GroupOf(of.APIVersion))
	}
	var problems []error
	for name := range c.object.Tree.At(kindsMember).Members() {
		meant := fieldpath.Nearest(name, names)
		if slices.Contains(names, name) || meant == "" {
			continue
		}
		problems = append(problems, c.locateAt([]string{kindsMember, name}, &fault.Error{
			Kind: fault.Invalid, Code: "unknown-kind", Path: kindsMember + "." + name, What: "is the kind of no CRD",
			Hint: "did you mean " + meant + "?",
		}))
	}
	return errors.Join(problems...)
}

const writeClass = `write CLASS or "CLASS,OPTION", as in a struct tag, or an object with class and reason, or with ` +
	"schema"

// classOf reads the class of a field: a text, or an object with the class and the reason for it.
func classOf(path string, value *tree.Node) (class, *fault.Error) {
	one := class{path: path}
	malformed := &fault.Error{Kind: fault.Invalid, Code: "no-class", What: "is not a class", Hint: writeClass}
	switch value.Kind() {
	case tree.Bool:
		one.tag = string(value.JSON())
		return one, nil
	case tree.Text:
		one.tag = value.Text()
		return one, nil
	case tree.Object:
	case tree.Null, tree.Number, tree.List:
		return one, malformed
	}
	known := map[string]*string{
		"class": &one.tag, "reason": &one.reason, "schema": &one.schema, "version": &one.version,
	}
	for member, text := range value.Members() {
		into := known[member]
		isClass := member == "class" && text.Kind() == tree.Bool
		switch {
		case into == nil:
			malformed.What = "has the unknown member " + member
			malformed.Hint = "write " + strings.Join(slices.Sorted(maps.Keys(known)), " or ")
			return one, malformed
		case text.Kind() != tree.Text && !isClass:
			return one, malformed
		}
		*into = text.Text()
		if isClass {
			*into = string(text.JSON())
		}
	}
	if one.tag == "" && one.schema == "" {
		return one, malformed
	}
	return one, nil
}
