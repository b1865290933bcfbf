package main

import (
	"context"
	"errors"
	"fmt"

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
	switch isText := c.output == textOutput || c.output == markdownOutput; {
	case err != nil:
		return 0, errors.Join(errors.New(sides.Shown(err.Error())), notCompared(sides))
	case isText && len(plans) == 0 && len(sides.NotCompared) > 0:
		return 0, notCompared(sides)
	}
	nameAsGit(sides, plans, r)
	return c.reportGit(plans, r, accepted)
}

// notCompared are the changes that git does not have as a file.
func notCompared(sides *gitsides.Sides) error {
	var problems []error
	for _, one := range sides.NotCompared {
		problems = append(problems, manifests.InFile(one.Path, errors.New(one.Reason)))
	}
	return errors.Join(problems...)
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

// nameAsGit gives to all files their names in the repository, and adds to what is not judged what git does not have as
// a file.
func nameAsGit(sides *gitsides.Sides, plans []*pool.Plan, r *side.Reader) {
	for _, plan := range plans {
		plan.OldPlace.File = sides.Path(plan.OldPlace.File)
		plan.NewPlace.File = sides.Path(plan.NewPlace.File)
	}
	for i, one := range r.NotJudged {
		r.NotJudged[i].Place.File = sides.Path(one.Place.File)
		r.NotJudged[i].Err = errors.New(sides.Shown(one.Err.Error()))
	}
	for _, one := range sides.NotCompared {
		r.NotJudged = append(r.NotJudged, side.NotJudged{
			Place: manifests.Place{File: one.Path, Line: 1}, Err: manifests.InFile(one.Path, errors.New(one.Reason)),
		})
	}
	for i, warning := range r.Warnings {
		r.Warnings[i] = sides.Shown(warning)
	}
	for _, file := range sides.Untracked {
		r.Warnings = append(r.Warnings, file+": is not tracked by git, and not compared; run git add first")
	}
}
