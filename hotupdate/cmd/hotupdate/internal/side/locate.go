package side

import (
	"errors"
	"strconv"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// located puts the place before every problem of an object: the file and, for a problem with a
// path, the line of the field or of the object that should have the field.
func located(o *manifests.Object, err error) error {
	all := fault.All(err)
	if len(all) == 0 {
		return manifests.InFile(o.String(), err)
	}
	return errors.Join(placed(o, all)...)
}

// placed is located for problems that are not joined.
func placed(o *manifests.Object, all fault.List) []error {
	if len(all) == 0 {
		return nil
	}
	problems := make([]error, len(all))
	for i, problem := range all {
		place := o.String()
		if line := lineOf(o.Tree, problem); line > 0 {
			place = o.At(o.Line - 1 + line)
		}
		problems[i] = manifests.InFile(place, problem)
	}
	return problems
}

// lineOf returns the line of a problem, or 0 if it has none. The path of a pool's problem begins at
// the pool; the path of a class is a name in its file.
func lineOf(object *tree.Node, problem *fault.Error) (line int) {
	var steps []string
	for _, step := range fieldpath.ParseShown(problem.Path) {
		steps = append(steps, step.Name)
	}
	paths := [][]string{steps, {problem.Path}}
	if name, ofPool := strings.CutPrefix(problem.Where, "pool "); ofPool {
		name, _ = strconv.Unquote(name)
		paths = [][]string{
			append([]string{"spec", "provider", "workers", "name=" + name}, steps...),
			append([]string{"spec", "pools", "name=" + name}, steps...),
		}
	}
	for _, path := range paths {
		if found, n := object.Find(path); n > 0 {
			line = max(line, found.Line())
		}
	}
	return line
}
