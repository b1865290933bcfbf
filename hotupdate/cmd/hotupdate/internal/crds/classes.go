package crds

import (
	"errors"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// classes are the classes of fields, and what was learned about them while Schemas were made.
type classes struct {
	object  *manifest.Object // nil if there are none
	all     []class
	removed map[string]judge.Removal // by the names of kinds in the file

	mutex sync.Mutex              // guards what follows: two sets may share classes
	tried bool                    // a Schema was made
	open  bool                    // an object has a version that no CRD has, with fields that are not known
	found map[string]bool         // the places of classes whose field some Schema has
	first map[string]*fault.Error // the first problem of a class whose field a Schema does not have
}

// class is the struct tag of the field at a path, or a class that only custom resources have.
type class struct {
	path, tag string
	reason    string   // why, if the user says it
	of        string   // the kind, such as NodePool.karpenter.sh; empty for all kinds
	place     []string // in the file

	schema, version string          // the file with the Schema of the member, and the version of a CRD in it
	plan            *fieldplan.Plan // which the file has
}

// compiled is the Schema of a resource, or why there is none.
type compiled struct {
	schema  *hotupdate.Schema
	meaning *Meaning
	missing map[string]bool // the paths of classes whose field the resource does not have
	err     error
}

// compile makes the Schema of a resource, with the classes of the fields that it has. The others
// may concern another kind or version.
func (c *classes) compile(r *resource) *compiled {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	meaning := meaningOf(r, c.all)
	schema, err := schemaOf(r, meaning, nil)
	missing := map[string]bool{}
	for _, problem := range fault.All(err) {
		switch one := meaning.given(problem.Path); {
		case meaning.isBuiltInAt(problem.Path): // another version has the field, or has it with other keys
			missing[problem.Path] = true
		case problem.Code == fault.UnknownPath && one != nil:
			missing[problem.Path] = true
			if c.first[one.key()] == nil {
				c.first[one.key()] = problem
			}
		}
	}
	if len(missing) > 0 {
		schema, err = schemaOf(r, meaning, missing)
	}
	c.tried = true
	for _, f := range meaning.fields {
		if f.given != nil && !missing[f.Path] {
			c.found[f.given.key()] = true
		}
	}
	return &compiled{schema, meaning, missing, c.inFiles(meaning, r.from, err)}
}

// CheckClasses reports the classes whose field none of the requested Schemas has. A class of a kind
// whose Schema was not requested is not reported.
func (s *Set) CheckClasses() error {
	if s == nil {
		return nil
	}
	s.classes.mutex.Lock()
	defer s.classes.mutex.Unlock()
	var problems []error
	for i := range s.classes.all {
		one := &s.classes.all[i]
		first := s.classes.first[one.key()]
		isKnown := s.classes.tried && !s.classes.open
		if isKnown && !s.classes.found[one.key()] && first != nil {
			problems = append(problems, s.classes.locateAt(one.place, first))
		}
	}
	return errors.Join(problems...)
}

// LeaveOpen notes that an object has a version that no CRD has. The version may have the field of
// any class.
func (s *Set) LeaveOpen() {
	s.classes.mutex.Lock()
	defer s.classes.mutex.Unlock()
	s.classes.open = true
}

// key identifies a class in its file.
func (c *class) key() string { return strings.Join(c.place, "\x00") }

// locateAt adds the file and the line to a problem of the value at a place in the file.
func (c *classes) locateAt(at []string, problem *fault.Error) error {
	place := c.object.String()
	if line := c.object.Tree.At(at...).Line(); line > 0 {
		place = c.object.At(c.object.Line - 1 + line)
	}
	return manifest.InFile(place, problem)
}

// inFiles adds the file to each problem: the file of the CRD, or the file of the classes.
func (c *classes) inFiles(m *Meaning, crd string, err error) error {
	var problems []error
	for _, problem := range fault.All(err) {
		if one := m.given(problem.Path); one != nil {
			problems = append(problems, c.locateAt(one.place, problem))
		} else {
			problems = append(problems, manifest.InFile(crd, problem))
		}
	}
	return errors.Join(problems...)
}
