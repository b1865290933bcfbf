package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/acceptance"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gitsides"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

// planGit compares both sides of a range of git.
func (c *call) planGit(ctx context.Context) (code int, err error) {
	given, err := gitsides.ParseRange(c.gitRange)
	if err != nil {
		return 0, &usageError{"--git: " + err.Error()}
	}
	sides, err := gitsides.Open(ctx, ".", given)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, sides.Remove()) }()
	c.gitBase = sides.Base
	c.gitHead = sides.Head
	r, accepted, err := c.preparePlan()
	if err != nil {
		return 0, err
	}
	if err := sides.Write(c.args, r.Schemas.Kinds()); err != nil {
		return 0, err
	}
	r.AllowNone = true
	r.Renamed = sides.Renamed
	plans, err := r.Compare(ctx, sides.Old, sides.Updated)
	c.std.progress.end()
	if errors.Is(err, side.ErrInterrupted) {
		c.std.printError(err)
		return exitInterrupted, nil
	}
	if err != nil {
		return 0, errors.Join(errors.New(sides.Shown(err.Error())), errors.Join(errorsOf(notCompared(sides))...))
	}
	nameAsGit(sides, plans, r)
	r.NotJudged = append(r.NotJudged, notCompared(sides)...)
	plans = withholdMoved(sides, plans, r)
	isText := c.output == textOutput || c.output == markdownOutput
	if isText && len(plans) == 0 && len(r.NotJudged) > 0 {
		return 0, errors.Join(errorsOf(r.NotJudged)...)
	}
	return c.reportGit(plans, r, accepted)
}

// errorsOf returns the problems of the objects that are not judged.
func errorsOf(all []side.NotJudged) (problems []error) {
	for _, one := range all {
		problems = append(problems, one.Err)
	}
	return problems
}

// notCompared are the changes that git does not have as a file.
func notCompared(sides *gitsides.Sides) (objects []side.NotJudged) {
	for _, one := range sides.NotCompared {
		objects = append(objects, side.NotJudged{
			Place: manifests.Place{File: one.Path, Line: 1}, Err: manifests.InFile(one.Path, errors.New(one.Reason)),
		})
	}
	return objects
}

// withholdMoved removes the plans of objects that may have moved from or to a changed file outside
// of the paths: reporting them as added or removed would be a guess.
func withholdMoved(sides *gitsides.Sides, plans []*pool.Plan, r *side.Reader) []*pool.Plan {
	return slices.DeleteFunc(plans, func(plan *pool.Plan) bool {
		other := ""
		at := plan.NewPlace
		switch plan.State {
		case pool.Kept, pool.Renamed:
		case pool.Added:
			other = sides.CameFrom(plan.Name)
		case pool.Removed:
			other = sides.WentTo(plan.Name)
			at = plan.OldPlace
		}
		if other == "" {
			return false
		}
		r.NotJudged = append(r.NotJudged, side.NotJudged{
			Place: manifests.Place{File: at.File, Line: at.Line},
			Err: manifests.InFile(at.File, fmt.Errorf("%s is not judged: it may have been moved, since only one side "+
				"of %s, which is outside of the paths, has its name; compare both", plan.Name, other)),
		})
		return true
	})
}

// reportGit writes the report. Without a change that concerns machines, formats for people have no report.
func (c *call) reportGit(plans []*pool.Plan, r *side.Reader, accepted *acceptance.List) (int, error) {
	isEmpty := len(plans)+len(r.NotJudged) == 0
	switch {
	case isEmpty && c.output == textOutput:
		fmt.Fprintf(&c.out, "%s: no change concerns a Shoot, a Worker, a provider config or a resource of --crd\n",
			printable(c.gitRange))
	case !isEmpty || c.output != markdownOutput:
		return c.report(plans, r, accepted)
	}
	for _, note := range append(c.config.Notes, r.Warnings...) {
		fmt.Fprintln(&c.out, printable(note))
	}
	return exitOK, nil
}

// nameAsGit replaces the names of files by their names in the repository, and warns of files that
// git does not track.
func nameAsGit(sides *gitsides.Sides, plans []*pool.Plan, r *side.Reader) {
	for _, plan := range plans {
		plan.OldPlace.File = sides.Path(plan.OldPlace.File)
		plan.NewPlace.File = sides.Path(plan.NewPlace.File)
	}
	for i, one := range r.NotJudged {
		r.NotJudged[i].Place.File = sides.Path(one.Place.File)
		r.NotJudged[i].Err = errors.New(sides.Shown(one.Err.Error()))
	}
	for i, warning := range r.Warnings {
		r.Warnings[i] = sides.Shown(warning)
	}
	for _, file := range sides.Untracked {
		r.Warnings = append(r.Warnings, file+": is not tracked by git, and not compared; run git add first")
	}
}

// nameShown replaces the names of the files that git shows by their paths in the repository: git
// writes a version that is not in the work tree into a temporary file. Its external diff has a
// further path for a renamed file.
func (c *call) nameShown(plans []*pool.Plan) {
	if c.shown == nil {
		return
	}
	const renamed = 9
	updated := c.shown.Path
	if len(c.args) == renamed {
		updated = c.args[7]
	}
	for _, plan := range plans {
		if plan.State != pool.Added {
			plan.OldPlace.File = c.shown.Path
		}
		if plan.State != pool.Removed {
			plan.NewPlace.File = updated
		}
	}
}
