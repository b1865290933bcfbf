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
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// The output formats that only audit has.
const (
	ndjsonOutput = "ndjson"
	csvOutput    = "csv"
)

// exitUnreadable is added to the exit code of an audit if some of its input could not be read.
// exitInterrupted is the exit code that shells use.
const (
	exitUnreadable  = 32
	exitInterrupted = 130
)

// auditOptions are the flags of audit.
type auditOptions struct {
	old, oldProgram, updated, newProgram string
	provider, baseline                   string
	from                                 []string
	view                                 audit.View
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
	}, c.auditFleet, c.addAudit, c.addValidator, c.addExclude, c.addAccept, c.addConfig,
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
	flags.StringVar((*string)(&o.view.By), "group-by", string(audit.ByCause), "the `DIMENSION` of the summary")
	oneOf(command, "group-by", append([]audit.Dimension{audit.ByCause}, audit.Dimensions()...)...)
	flags.StringSliceVar(&o.view.Only, "only", nil,
		"show only these `VERDICTS`, as in roll,forbidden")
	ofVerdicts(command, "only", verdict.OfReleases())
	flags.IntVar(&o.view.Limit, "limit", -1,
		"show at most `N` rows of a table, 0 for all")
	flags.StringArrayVar(&o.from, "from", nil,
		"report the former result in this `FILE`; may be repeated")
	flags.StringVar(&o.baseline, "baseline", "",
		"the `FILE` with a former result, whose findings do not count")
	flags.BoolVar(&o.view.All, "all", false, "list every pool, also unchanged ones")
	flags.BoolVar(&c.exitCode, "exit-code", false, "tell the gravest verdict that is not known by the exit code")
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
	to := c.auditWriter()
	lists := c.audit.view.All || c.output != textOutput && c.output != markdownOutput
	list := func(p *audit.JudgedPool) error {
		if lists && c.audit.view.Lists(p.Verdict) {
			return to.Pool(p)
		}
		return nil
	}
	var report *audit.Report
	if len(c.audit.from) > 0 {
		report, err = audit.Merge(c.audit.from, known, list)
	} else {
		report, err = c.judgeFleet(known, list)
	}
	if err != nil {
		return 0, err
	}
	made := comparedNow()
	report.Compared.Version = made.Version
	report.Compared.At = made.At
	return c.auditExitCode(report), to.End(report)
}

// auditWriter returns the writer of the output format.
func (c *call) auditWriter() *audit.Writer {
	v := c.audit.view
	switch c.output {
	case ndjsonOutput:
		return audit.JSONLines(c.std.out)
	case csvOutput:
		return audit.CSV(c.std.out)
	case jsonOutput:
		return audit.Whole(func(r *audit.Report) error { return writeJSON(c, r) })
	case htmlOutput:
		return audit.Whole(func(r *audit.Report) error { return r.HTML(&c.out, v) })
	case sarifOutput, githubOutput, gitlabOutput, junitOutput:
		return audit.Whole(func(r *audit.Report) error { return c.writeFindings(r.Findings()) })
	case markdownOutput:
		return audit.Whole(func(r *audit.Report) error { return r.Markdown(&c.out, v) })
	default:
		return audit.Whole(func(r *audit.Report) error { return r.Text(&c.out, v) })
	}
}

// judgeFleet judges manifests, until they end or the user interrupts.
func (c *call) judgeFleet(known *audit.Known, list func(*audit.JudgedPool) error) (*audit.Report, error) {
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
	report, err := releases.Run(ctx, documents, audit.Options{
		Provider: c.audit.provider, Known: *known, Each: list,
	})
	c.std.progress.end()
	if err == nil {
		err = report.CheckJudged()
	}
	return report, err
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

func (c *call) auditExitCode(r *audit.Report) int {
	if r.Partial {
		return exitInterrupted
	}
	code := exitOK
	if c.exitCode {
		code = exitCodeOf(r.Gravest())
	}
	if r.Objects.Skipped[audit.NotReadable] > 0 {
		code += exitUnreadable
	}
	return code
}
