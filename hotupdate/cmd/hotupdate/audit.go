package main

import (
	"bufio"
	"context"
	_ "embed" // for the help
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/internal/plaintext"
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
	oldProgram, newProgram string
	only, from             []string
	by, baseline, accept   string
	limit                  int
}

//go:embed help/audit.txt
var auditHelp string

func (p *process) auditCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "audit PATH...",
		Short: "what a release does to a fleet that nobody touches",
		Long:  auditHelp,
		Args: func(command *cobra.Command, args []string) error {
			given := command.Flags().Changed
			if given("from") == (len(args) > 0) {
				return errors.New("needs a file, a directory or - with Worker or Shoot manifests, or " +
					"former results by --from")
			}
			if !given("from") && (!given("old") && !given("old-exec") || !given("new") && !given("new-exec")) {
				return errors.New("needs both releases: --old or --old-exec, and --new or --new-exec, as in --old " +
					"v1.json --new v2.json")
			}
			return nil
		},
	}, auditFleet, func(c *call, command *cobra.Command) {
		c.addOutput(command, textOutput, markdownOutput, jsonOutput, ndjsonOutput, csvOutput, htmlOutput)
		flags := command.Flags()
		flags.StringVar(&c.old, "old", "",
			"the `FILE` with the Schema or the eras of the release that the fleet runs, such as v1.json")
		flags.StringVar(&c.updated, "new", "",
			"the `FILE` with the Schema or the eras of the release to come, such as v2.json")
		flags.StringVar(&c.audit.oldProgram, "old-exec", "",
			"the `PROGRAM` that hashes pools like the release that the fleet runs, as in \"./eras v1\"")
		flags.StringVar(&c.audit.newProgram, "new-exec", "", "the `PROGRAM` that hashes pools like the release to come")
		flags.StringVar(&c.provider, "provider", "",
			"only Workers and Shoots of the provider of this `NAME`, such as aws")
		flags.StringVar(&c.audit.by, "group-by", string(audit.ByCause), "the `DIMENSION` of the summary")
		oneOf(command, "group-by", append([]audit.Dimension{audit.ByCause}, audit.Dimensions()...)...)
		flags.StringSliceVar(&c.audit.only, "only", nil,
			"show only these `VERDICTS`, as in rolled,rejected, or by giving the flag again")
		oneOf(command, "only", audit.Verdicts()...)
		flags.IntVar(&c.audit.limit, "limit", -1,
			"show at most `N` rows of a table, 0 for all (default: 20 causes or groups, and all pools)")
		flags.StringArrayVar(&c.audit.from, "from", nil,
			"make a report of the former result in this `FILE` instead, as in --from a.json --from b.json")
		flags.StringVar(&c.audit.baseline, "baseline", "",
			"findings in the former result in this `FILE`, such as last-week.json, are no news")
		flags.StringVar(&c.audit.accept, "accept", "",
			"findings that this `FILE` accepts, in the format above, are no news")
		flags.BoolVar(&c.all, "all", false, "list every pool, also unchanged ones")
		flags.BoolVar(&c.exitCode, "exit-code", false, "tell the gravest verdict that is news by the exit code as well")
		complete(command, "provider", cobra.FixedCompletions(c.providerNames(), cobra.ShellCompDirectiveNoFileComp))
		for _, flag := range []string{"old", "new", "old-exec", "new-exec", "provider"} {
			command.MarkFlagsMutuallyExclusive("from", flag)
		}
	})
}

func auditFleet(c *call) (int, error) {
	var known *audit.Known
	var err error
	if c.audit.accept+c.audit.baseline != "" {
		known, err = audit.LoadKnown(c.audit.accept, c.audit.baseline, time.Now())
	}
	if err != nil {
		return 0, err
	}
	to := c.auditSink(c.auditView())
	var report *audit.Report
	if len(c.audit.from) > 0 {
		report, err = c.mergeResults(known, to)
	} else {
		report, err = c.judgeFleet(known, to)
	}
	if err != nil {
		return 0, err
	}
	return c.auditExitCode(report), to.end(report)
}

// auditView turns the flags into the view of the report.
func (c *call) auditView() audit.View {
	v := audit.View{By: audit.Dimension(c.audit.by), Limit: c.audit.limit, ListLimit: max(0, c.audit.limit)}
	if v.Limit < 0 {
		v.Limit = 20
	}
	for _, word := range c.audit.only {
		v.Only = append(v.Only, audit.Verdict(word))
	}
	return v
}

// auditSink writes the result of an audit.
type auditSink struct {
	*call

	view  audit.View
	lists bool          // the report lists pools
	rows  *audit.Rows   // writes pools as they are judged; nil if the report is written at the end
	out   *bufio.Writer // output of the rows
	list  []*audit.JudgedPool
}

func (c *call) auditSink(v audit.View) *auditSink {
	to := &auditSink{call: c, view: v, lists: c.all, out: bufio.NewWriter(c.std.out)}
	switch c.output {
	case ndjsonOutput:
		to.rows = audit.JSONLines(to.out)
	case csvOutput:
		to.rows = audit.CSV(to.out)
	case jsonOutput, htmlOutput:
		to.lists = true
	}
	return to
}

// pool takes a judged pool.
func (to *auditSink) pool(p *audit.JudgedPool) error {
	switch {
	case !to.view.Shows(p.Verdict) || p.Verdict == audit.Unchanged && !to.all:
	case to.rows != nil:
		return to.rows.Pool(p)
	case to.lists:
		to.list = append(to.list, p)
	}
	return nil
}

// end writes the rest of the result.
func (to *auditSink) end(r *audit.Report) error {
	if to.rows != nil {
		return errors.Join(to.rows.End(r), to.out.Flush())
	}
	r.List(to.list)
	switch to.output {
	case textOutput:
		r.Text(&to.call.out, to.view)
	case markdownOutput:
		r.Markdown(&to.call.out, to.view)
	case htmlOutput:
		return r.HTML(&to.call.out, to.view)
	default:
		return writeJSON(to.call, r)
	}
	return nil
}

// judgeFleet judges manifests, until they end or the user interrupts.
func (c *call) judgeFleet(known *audit.Known, to *auditSink) (*audit.Report, error) {
	old, oldErr := releaseOf(c.old, c.audit.oldProgram)
	updated, newErr := releaseOf(c.updated, c.audit.newProgram)
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	releases, err := audit.NewReleases(old, updated)
	if err != nil {
		return nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	line := c.std.newProgress()
	report, err := releases.Run(ctx, manifests.Documents(c.args, c.std.in), audit.Options{
		Provider: c.provider, Known: known,
		Each: func(p *audit.JudgedPool, r *audit.Report) error {
			if r.Objects.Judged%16 == 0 {
				pools := r.Verdicts.Total().Pools
				line.show(pools, plaintext.Counted(pools, "pool")+", "+
					plaintext.Counted(pools-r.Verdicts[audit.Unchanged].Pools, "finding"))
			}
			return to.pool(p)
		},
	})
	line.clear()
	if err == nil {
		err = report.CheckJudged()
	}
	return report, err
}

// releaseOf reads the description of a release, and starts its program, if there is one.
func releaseOf(file, program string) (*release.Release, error) {
	if command := strings.Fields(program); len(command) > 0 {
		return release.Start(command, file)
	}
	return release.Read(file)
}

// mergeResults merges former results into one report.
func (c *call) mergeResults(known *audit.Known, to *auditSink) (*audit.Report, error) {
	all := make([]*audit.Report, len(c.audit.from))
	problems := make([]error, len(all))
	for i, file := range c.audit.from {
		all[i], problems[i] = audit.Load(file)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	merged, err := audit.Merge(all, known)
	if err != nil {
		return nil, err
	}
	for _, p := range merged.Pools {
		if err := to.pool(p); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

func (c *call) auditExitCode(r *audit.Report) int {
	code := exitOK
	switch gravest := r.Gravest(); {
	case r.Partial:
		return exitInterrupted
	case !c.exitCode:
	case gravest == audit.Rejected:
		code = exitForbidden
	case gravest == audit.Rolled || gravest == audit.Renamed:
		code = exitRoll
	case gravest == audit.Indeterminate:
		code = exitIndeterminate
	}
	if r.Objects.Skipped[audit.NotReadable] > 0 {
		code += exitUnreadable
	}
	return code
}

// progress is a line on a terminal that says how far an audit is. It is written five times a second
// at most.
type progress struct {
	std          *streams
	began, shown time.Time
}

func (s *streams) newProgress() *progress {
	now := time.Now()
	return &progress{std: s, began: now, shown: now}
}

func (p *progress) show(pools int, text string) {
	now := time.Now()
	if !p.std.errIsTerminal || now.Sub(p.shown) < 200*time.Millisecond {
		return
	}
	p.shown = now
	fmt.Fprintf(p.std.err, "\r\x1b[K%s (%.0f pools/s)", text, float64(pools)/now.Sub(p.began).Seconds())
}

// clear removes the line.
func (p *progress) clear() {
	if p.shown != p.began {
		fmt.Fprint(p.std.err, "\r\x1b[K")
	}
}
