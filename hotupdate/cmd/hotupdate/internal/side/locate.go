package side

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// located puts the place in front of every problem of an object: the file and, where the problem names a field, the line of the field.
func located(o *manifests.Object, err error) error {
	all := fault.All(err)
	if len(all) == 0 {
		return manifests.InFile(o.String(), err)
	}
	problems := make([]error, len(all))
	for i, problem := range all {
		problems[i] = manifests.InFile(placeOf(o, problem), problem)
	}
	return errors.Join(problems...)
}

// pathStep matches a name, a position or a key in a path.
var pathStep = regexp.MustCompile(`[^.\[\]]+`)

// placeOf names the line of what a problem is about, or of what that stands in. The path of a problem of a pool begins in the pool.
func placeOf(o *manifests.Object, problem *fault.Error) string {
	steps := pathStep.FindAllString(problem.Path, -1)
	if name, ofPool := strings.CutPrefix(problem.Where, "pool "); ofPool {
		name, _ = strconv.Unquote(name)
		above := []string{"spec", "provider", "workers", "name=" + name}
		if o.LineOf(above...) == 0 {
			above = []string{"spec", "pools", "name=" + name}
		}
		steps = append(above, steps...)
	}
	for ; len(steps) > 0; steps = steps[:len(steps)-1] {
		if line := o.LineOf(steps...); line > 0 {
			return o.At(line)
		}
	}
	return o.String()
}

// unknownMembers finds the members that the kind of a manifest does not have. One that has nearly the name of a member that is missing is an
// error; the others are warnings: a later release of Gardener may have them.
func unknownMembers(o *manifests.Object, kind pool.Kind) (warnings []string, err error) {
	if kind == pool.NoKind {
		return nil, nil
	}
	var problems fault.List
	for _, unknown := range members.Unknowns(members.Type(kind), o.Raw) {
		problem := &fault.Error{Kind: fault.Unknown, Code: "unknown-member", Path: unknown.Path, What: "is no member of a " + string(kind)}
		if unknown.Meant != "" {
			problem.Hint = "did you mean " + unknown.Meant + "?"
			problems.Add(problem)
			continue
		}
		problem.What = "is no member of a " + string(kind) + " that this command knows, and is not judged"
		warnings = append(warnings, located(o, problem).Error())
	}
	return warnings, located(o, problems.Err())
}
