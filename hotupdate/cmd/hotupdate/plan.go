package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/acceptance"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

func (c *call) planCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "plan OLD NEW",
		Short: "what applying NEW after OLD does, and which fields cause it",
		Args: func(command *cobra.Command, args []string) error {
			if c.gitRange != "" {
				return nil
			}
			switch len(args) {
			case 7, 9: // git diff: 9 for a renamed file
				return nil
			case 1: // git diff: an unmerged file
				if c.std.byGit {
					return nil
				}
			}
			return needs("OLD", "NEW")(command, args)
		},
	}, c.planChange, c.addPools, c.addDefinitions, c.addValidator, c.addJudgement, c.addPlan, c.addReport, c.addColor,
		c.addExclude, c.addAccept, c.addConfig,
		c.addOutput(textOutput, markdownOutput, htmlOutput, jsonOutput, sarifOutput, githubOutput, gitlabOutput,
			junitOutput))
}

func (c *call) addPlan(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&c.anyName, "any-name", false,
		"compare the only objects left over, whatever their names")
	flags.StringVar(&c.gardener, "gardener", "",
		"the `COMMAND` that asks Gardener's own code, or none")
	flags.StringVar(&c.apply, "apply", "",
		"the `WAY` in which NEW is applied: client, server or replace")
	flags.StringVar(&c.gitRange, "git", "", "compare the `RANGE` BASE or BASE..HEAD of git; paths may follow")
	flags.BoolVar(&c.allowNone, "allow-none", false, "do not fail if no object is compared")
	flags.StringSliceVar(&c.failOn, "fail-on", nil,
		"tell only these `VERDICTS` by the exit code, as in roll,removed")
	ofVerdicts(command, "fail-on", verdict.Failing())
}

// changeOf reads the arguments: two sides, or the arguments of git's external diff: the path, then file,
// digest and mode of each side, and for a renamed file the new path and the similarity. The path is
// empty if the user names both sides.
func changeOf(args []string) (old, updated, path string) {
	if len(args) == 2 {
		return args[0], args[1], ""
	}
	return args[1], args[4], args[0]
}

// passedOver says why a path that git names is not compared; empty if it is.
func passedOver(args []string) string {
	const submodule = "160000" // the mode
	switch path := args[0]; {
	case len(args) == 1:
		return "is unmerged"
	case len(args) > 2 && (args[3] == submodule || args[6] == submodule):
		return "is a submodule, and is not read; run git diff in it"
	case len(args) > 2 && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)):
		return "is not read: its name must end with .yaml, .yml or .json"
	}
	return ""
}

func (c *call) planChange() (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.quiet {
		c.std.progress = nil
	}
	if c.gitRange != "" {
		return c.planGit(ctx)
	}
	if why := passedOver(c.args); why != "" {
		fmt.Fprintf(&c.out, "%s: %s\n", printable(c.args[0]), why)
		return exitOK, nil
	}
	old, updated, path := changeOf(c.args)
	isOfGit := path != "" // git stops at every exit code other than 0
	r, accepted, err := c.preparePlan()
	switch {
	case err != nil && isOfGit && !isUsage(err):
		c.std.printError(err)
		return exitOK, nil
	case err != nil:
		return 0, err
	case isOfGit && filepath.Base(path) == config.Name:
		c.tellConfigFile(path)
		return exitOK, nil
	}
	r.Lenient = isOfGit
	r.AllowNone = c.allowNone
	if err := r.ChartAround(".", path); err != nil && isOfGit { // git calls in the root of the work tree
		c.std.printError(err)
		return exitOK, nil
	}
	plans, err := r.Compare(ctx, old, updated)
	c.std.progress.end()
	switch {
	case errors.Is(err, side.ErrInterrupted):
		c.std.printError(err)
		return exitInterrupted, nil
	case err != nil && isOfGit: // git would not show the files that follow
		c.std.printError(err)
		return exitOK, nil
	case err != nil:
		return exitOK, err
	case len(plans) == 0:
		fmt.Fprintf(&c.out, "%s: there is no Shoot, Worker, provider config or resource of --crd\n",
			printable(cmp.Or(path, "nothing to compare")))
		return exitOK, nil
	}
	c.nameShown(plans)
	return c.report(plans, r, accepted)
}

// report writes the report of the plans, and returns the exit code.
func (c *call) report(plans []*pool.Plan, r *side.Reader, accepted *acceptance.List) (int, error) {
	for _, plan := range plans {
		if isOfKubectl(c.args) { // the API server has made the new object, in a dry run; the files are temporary
			plan.AdmissionAsked()
			plan.OldPlace = pool.Place{}
			plan.NewPlace = pool.Place{}
		}
		plan.Accept(accepted)
	}
	if err := c.writeReport(c.reportOf(plans, r, accepted)); err != nil {
		return 0, err
	}
	passes := len(c.failOn) > 0 && c.passUndecided && len(plans) > 0 // what is not judged passes beside what is
	isUnread := len(r.NotJudged) > 0 && !r.Lenient
	if isUnread && !passes {
		return exitError, nil
	}
	return c.planExitCode(plans), nil
}

// preparePlan reads the config file, and the files that it and the flags name.
func (c *call) preparePlan() (r *side.Reader, accepted *acceptance.List, err error) {
	c.shown, err = c.shownByGit()
	if err == nil {
		err = c.configure()
	}
	if err != nil {
		return nil, nil, err
	}
	accepted, acceptErr := c.accepted(pool.Accepted(), audit.AcceptedVerdicts())
	r, err = c.comparing()
	return r, accepted, errors.Join(err, acceptErr)
}

// tellConfigFile reports the effect of a change of a config file that git shows.
func (c *call) tellConfigFile(path string) {
	notes := c.config.Notes
	if len(notes) == 0 {
		notes = []string{path + ": is a config file; its difference decides nothing here"}
	}
	for _, note := range notes {
		fmt.Fprintln(&c.out, printable(note))
	}
}

// globs returns the globs of the files that are left out.
func (c *call) globs() (side.Globs, error) {
	globs, err := side.ParseGlobs(c.exclude)
	if err != nil {
		return nil, &usageError{"--exclude: " + err.Error()}
	}
	return globs, nil
}

// comparing returns a reader that compares two sides by the flags.
func (c *call) comparing() (*side.Reader, error) {
	exclude, err := c.globs()
	if err != nil {
		return nil, err
	}
	r, err := c.reader()
	if err != nil {
		return nil, err
	}
	r.AnyName = c.anyName
	r.Exclude = exclude
	r.Progress = c.std.progress.tell
	if c.apply != "" {
		way, err := apply.Parse(c.apply)
		if err != nil {
			return nil, &usageError{"--apply: " + err.Error()}
		}
		r.Options.Ways = []apply.Way{way}
	}
	var validatorErr error
	r.Gardener, err = gardener.Find(c.gardener)
	r.Validator, validatorErr = c.validation()
	return r, errors.Join(err, validatorErr)
}

// reportOf makes the report of the plans. Objects that are not judged are also printed as errors.
func (c *call) reportOf(plans []*pool.Plan, r *side.Reader, accepted *acceptance.List) *report.Report {
	warnings := slices.Concat(c.config.Notes, r.Warnings, accepted.Remarks(len(r.NotJudged) == 0))
	made := report.New(plans, warnings, report.Selection{All: c.all, Quiet: c.quiet})
	made.Compared = c.compared()
	for _, one := range r.NotJudged {
		made.NotJudged = append(made.NotJudged, report.NotJudged{
			Place: pool.Place{File: one.Place.File, Line: one.Place.Line}, Text: one.Err.Error(),
		})
		c.std.printError(one.Err)
	}
	return made
}

// comparedNow returns the time and the version of this comparison.
func comparedNow() report.Compared {
	return report.Compared{Version: ownBuild().Main.Version, At: time.Now().UTC().Format("2006-01-02 15:04 UTC")}
}

// compared returns the compared sides, the time and the version.
func (c *call) compared() report.Compared {
	all := comparedNow()
	if c.gitRange == "" {
		all.Old, all.New, _ = changeOf(c.args)
		return all
	}
	old, updated, isRange := strings.Cut(c.gitRange, "..")
	all.Old = cmp.Or(old, "HEAD")
	all.New = cmp.Or(strings.TrimPrefix(updated, "."), "HEAD")
	if !isRange {
		all.New = "the work tree"
	}
	return all
}

// writeReport writes a report.
func (c *call) writeReport(r *report.Report) error {
	switch c.output {
	case markdownOutput:
		c.out.WriteString(report.Markdown(r, c.style()))
	case htmlOutput:
		return report.HTML(&c.out, r, c.audit.shown)
	case jsonOutput:
		return writeJSON(c, r)
	case sarifOutput, githubOutput, gitlabOutput, junitOutput:
		return c.writeFindings(r.Findings())
	default:
		c.out.WriteString(report.Text(r, c.style()))
	}
	return nil
}

// gate returns the gate of --fail-on and the config file.
func (c *call) gate() pool.Gate { return pool.Gate{On: c.failOn, PassesUndecided: c.passUndecided} }

// planExitCode returns the exit code of the gravest verdict that the user asks for.
func (c *call) planExitCode(plans []*pool.Plan) int {
	gate := c.gate()
	gravest := verdict.None
	for _, plan := range plans {
		for _, v := range plan.Counted() {
			if c.exitCode && len(c.failOn) == 0 || gate.Fails(v) {
				gravest = max(gravest, v)
			}
		}
	}
	if slices.ContainsFunc(plans, gate.MayFail) {
		gravest = max(gravest, verdict.Indeterminate)
	}
	return exitCodeOf(gravest)
}

// exitCodeOf returns the exit code of a verdict of plan or audit.
func exitCodeOf(v verdict.Verdict) int {
	switch v {
	case verdict.None, verdict.BecomesReadable, verdict.Unreadable:
		return exitOK
	case verdict.MachinesAdded, verdict.Added:
		return exitMachinesAdded
	case verdict.MachinesMayBeDeleted:
		return exitMachinesMayBeDeleted
	case verdict.AllMachinesMayBeDeleted:
		return exitAllMachinesMayBeDeleted
	case verdict.MachinesDeleted:
		return exitMachinesDeleted
	case verdict.HotUpdate:
		return exitHotUpdate
	case verdict.InPlaceUpdate:
		return exitInPlaceUpdate
	case verdict.Roll, verdict.ClassRenamed:
		return exitRoll
	case verdict.Forbidden:
		return exitForbidden
	case verdict.PoolRenamed, verdict.Removed:
		return exitRemoved
	case verdict.Indeterminate:
	}
	return exitIndeterminate
}
