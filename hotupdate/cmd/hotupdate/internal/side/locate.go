package side

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
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
func lineOf(object *tree.Node, problem *fault.Error) int {
	if name, ofPool := strings.CutPrefix(problem.Where, "pool "); ofPool {
		name, _ = strconv.Unquote(name)
		return lineInPool(object, name, tree.Steps(problem.Path))
	}
	return max(lineAt(object, tree.Steps(problem.Path)), lineAt(object, []string{problem.Path}))
}

// lineInPool returns the line of a part of a pool, see lineAt.
func lineInPool(object *tree.Node, pool string, steps []string) int {
	inShoot := []string{"spec", "provider", "workers", "name=" + pool}
	inWorker := []string{"spec", "pools", "name=" + pool}
	return max(lineAt(object, append(inShoot, steps...)), lineAt(object, append(inWorker, steps...)))
}

// lineAt returns the line of the last part on a path that exists, 0 if there is none.
func lineAt(object *tree.Node, steps []string) int {
	found, n := object.Find(steps)
	if n == 0 {
		return 0
	}
	return found.Line()
}

// place sets the places of a plan's manifests, and the lines of its changes on both sides.
func (p inputs) place(plan *pool.Plan) {
	plan.OldPlace = p.old.placeInFile()
	plan.NewPlace = p.updated.placeInFile()
	for i := range plan.Changes {
		change := &plan.Changes[i]
		change.OldLine = p.old.lineOf("", change.Path)
		change.NewLine = p.updated.lineOf("", change.Path)
	}
	for i := range plan.Pools {
		planned := &plan.Pools[i]
		before := planned.Name
		if planned.FormerName != "" {
			before = planned.FormerName
		}
		planned.OldLine = p.old.lineOf(before, "")
		planned.NewLine = p.updated.lineOf(planned.Name, "")
		for j := range planned.Changes {
			change := &planned.Changes[j]
			change.OldLine = p.old.lineOf(before, change.Path)
			change.NewLine = p.updated.lineOf(planned.Name, change.Path)
		}
	}
}

// placeInFile returns the file and the first line of a manifest; nothing if there is none.
func (m *Input) placeInFile() pool.Place {
	if m == nil {
		return pool.Place{}
	}
	return pool.Place{File: m.Place.File, Line: m.Place.Line}
}

// lineOf returns the line of the file in which a field stands or, if it is not set, of the object that
// should have it. The path begins at a pool, or at the manifest if the pool has no name or has the
// field from there.
func (m *Input) lineOf(pool, path string) int {
	if m == nil {
		return 0
	}
	steps := tree.Steps(path)
	if m.hasSpec() {
		steps = append([]string{"spec"}, steps...)
	}
	isAbove := len(steps) > 0 && slices.Contains([]string{"spec", "status", "metadata"}, steps[0])
	line := 0
	if pool == "" || isAbove || m.isWhole {
		line = lineAt(m.tree, steps)
	} else {
		line = lineInPool(m.tree, pool, steps)
	}
	return m.Place.Line - 1 + max(line, 1)
}
