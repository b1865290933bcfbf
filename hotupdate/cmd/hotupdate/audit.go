package main

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// The output formats that only audit has.
const (
	ndjsonOutput = "ndjson"
	csvOutput    = "csv"
)

// exitInterrupted is the exit code that shells use.
const exitInterrupted = 130

// auditOptions are the flags of audit.
type auditOptions struct {
	old, oldProgram, updated, newProgram string
	provider, baseline                   string
	from                                 []string
	shown                                report.Shown
}

func (c *call) auditCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "audit PATH...",
		Short: "what a release does to an unchanged fleet",
		Args: func(command *cobra.Command, args []string) error {
			given := command.Flags().Changed
			if given("from") == (len(args) > 0) {
				return errors.New("needs a file, a directory or - with Worker or Shoot manifests, or " +
					"former results by --from")
			}
			hasOld := given("old") || given("old-exec")
			hasNew := given("new") || given("new-exec")
			hasBoth := hasOld && hasNew
			if !given("from") && !hasBoth {
				return errors.New("needs both releases: --old or --old-exec, and --new or --new-exec, as in --old " +
					"v1.json --new v2.json")
			}
			return nil
		},
	}, c.auditFleet, c.addAudit, c.addReport, c.addColor, c.addValidator, c.addExclude, c.addAccept, c.addConfig,
		c.addOutput(textOutput, markdownOutput, jsonOutput, ndjsonOutput, csvOutput, htmlOutput, sarifOutput,
			githubOutput, gitlabOutput, junitOutput))
}

func (c *call) addAudit(command *cobra.Command) {
	o := &c.audit
	flags := command.Flags()
	flags.StringVar(&o.old, "old", "",
		"the `FILE` with the Schema or eras that the fleet runs")
	flags.StringVar(&o.updated, "new", "",
		"the `FILE` with the Schema or eras of the new release")
	flags.StringVar(&o.oldProgram, "old-exec", "",
		"the `PROGRAM` that hashes like the release that the fleet runs")
	flags.StringVar(&o.newProgram, "new-exec", "", "the `PROGRAM` that hashes like the new release")
	c.addClasses(command, "--old and --new")
	flags.StringVar(&o.provider, "provider", "",
		"only Workers and Shoots of the provider of this `NAME`, such as aws")
	flags.StringVar((*string)(&o.shown.By), "group-by", string(report.ByCause), "the `DIMENSION` of the summary")
	oneOf(command, "group-by", append([]report.Dimension{report.ByCause}, report.Dimensions()...)...)
	flags.StringSliceVar(&o.shown.Only, "only", nil,
		"show only these `VERDICTS`, as in roll,forbidden")
	ofVerdicts(command, "only", verdict.OfReleases())
	flags.IntVar(&o.shown.Limit, "limit", -1,
		"show at most `N` causes, and rows of a table, 0 for all")
	flags.StringArrayVar(&o.from, "from", nil,
		"report the former result in this `FILE`; may be repeated")
	flags.StringVar(&o.baseline, "baseline", "",
		"the `FILE` with a former result, whose findings do not count")
	_ = command.RegisterFlagCompletionFunc("provider",
		cobra.FixedCompletions(c.providerNames(), cobra.ShellCompDirectiveNoFileComp))
	for _, flag := range []string{"old", "new", "old-exec", "new-exec", "provider"} {
		command.MarkFlagsMutuallyExclusive("from", flag)
	}
}

func (c *call) auditFleet() (int, error) {
	if err := c.configureAndTell(); err != nil {
		return 0, err
	}
	accepted, acceptErr := c.accepted(audit.AcceptedVerdicts(), pool.Accepted())
	known, err := audit.LoadKnown(accepted, c.audit.baseline)
	if err := errors.Join(acceptErr, err); err != nil {
		return 0, err
	}
	if c.quiet {
		c.std.progress = nil
	}
	to := c.auditWriter()
	list := func(p *audit.JudgedPool) error {
		if c.lists(p.Verdict) {
			return to.Pool(p)
		}
		return nil
	}
	var made *report.Report
	if len(c.audit.from) > 0 {
		made, err = audit.Merge(c.audit.from, known, list)
	} else {
		made, err = c.judgeFleet(known, list)
	}
	if err != nil {
		return 0, err
	}
	now := comparedNow()
	made.Compared.Version = now.Version
	made.Compared.At = now.At
	for _, one := range made.NotJudged {
		c.std.printError(errors.New(one.Text))
	}
	return c.auditExitCode(made), to.End(made)
}

// lists reports whether the pools with a verdict are listed one by one. Text counts them, unless the user asks for all.
func (c *call) lists(word string) bool {
	isText := c.output == textOutput || c.output == markdownOutput
	isListed := c.all || c.verbose || !isText
	isNone := word == verdict.None.String()
	isWanted := !isNone || c.all && !c.quiet
	return isListed && isWanted && c.audit.shown.Shows(word)
}

// auditWriter returns the writer of the output format.
func (c *call) auditWriter() *audit.Writer {
	switch c.output {
	case ndjsonOutput:
		return audit.JSONLines(c.std.out)
	case csvOutput:
		return audit.CSV(c.std.out)
	default:
		return audit.Whole(c.writeReport)
	}
}

// judgeFleet judges manifests, until they end or the user interrupts.
func (c *call) judgeFleet(known *audit.Known, list func(*audit.JudgedPool) error) (*report.Report, error) {
	if c.audit.oldProgram+c.audit.newProgram == "" {
		if old, updated, err := c.definitions(c.audit.old, c.audit.updated); err != nil || old != nil {
			return c.judgeObjects(old, updated, known, list, err)
		}
	}
	if err := c.checkNoClasses(); err != nil {
		return nil, err
	}
	old, oldErr := release.Start(strings.Fields(c.audit.oldProgram), c.audit.old)
	updated, newErr := release.Start(strings.Fields(c.audit.newProgram), c.audit.updated)
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	releases, err := audit.NewReleases(old, updated, c.std.providers)
	if err != nil {
		return nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	documents, err := c.documents()
	if err != nil {
		return nil, err
	}
	made, err := releases.Run(ctx, documents, audit.Options{
		Provider: c.audit.provider, Known: *known, Each: list,
	})
	c.std.progress.end()
	return made, err
}

// documents are the documents of an audit that are not left out.
func (c *call) documents() (iter.Seq[*manifests.Document], error) {
	exclude, err := c.globs()
	if err != nil {
		return nil, err
	}
	return func(yield func(*manifests.Document) bool) {
		read := 0
		for _, path := range c.args {
			for d := range manifests.Documents([]string{path}, c.std.in) {
				if exclude.Matches(path, d.File) {
					continue
				}
				read++
				c.std.progress.tell("read", read, 0)
				if !yield(d) {
					return
				}
			}
		}
	}, nil
}

// auditExitCode returns the exit code of an audit. As in a plan, an object that is not judged is an
// error.
func (c *call) auditExitCode(r *report.Report) int {
	switch {
	case r.Partial:
		return exitInterrupted
	case r.Objects.Skipped[report.NotReadable] > 0:
		return exitError
	case c.exitCode:
		return exitCodeOf(r.Gravest())
	}
	return exitOK
}
