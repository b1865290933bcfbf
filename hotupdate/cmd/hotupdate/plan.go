package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

func (p *process) planCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "plan OLD NEW",
		Short: "what applying NEW after OLD does, and which fields are to blame",
		Long: `Tells what applying NEW after OLD does to machines. Both are files or directories with provider configs, Worker manifests or Shoot manifests,
as a user writes them or as a cluster returns them, in any number of documents and Lists; objects of other kinds are passed over. Objects
are paired by kind, namespace and name. Of every worker pool it says whether it was added, removed or renamed, what happens to its machines,
and which changes are to blame. A change whose line begins with > decides the verdict.

kubectl and git call it themselves:
  KUBECTL_EXTERNAL_DIFF="hotupdate plan" kubectl diff -f shoot.yaml
  git -c diff.external="hotupdate plan" diff -- shoots/
  git difftool -x "hotupdate plan"

A pool is judged by the era of its Kubernetes minor: by what the extension of its provider hashes there, be it the bytes of the provider
config, a list of its fields, or what its Schema says. --extension says whether the extension has adopted this library, which is assumed, or
is today's release. --eras names the eras of another one. A provider config on its own has no minor: it is judged by its Schema. One of a
provider that is not built in has none, unless --schema or --eras names it: then what a change of it does is not known. One of a built-in
provider in a version or kind that is not built in is an error, as in hash and explain: it is a mistake, or newer than this command.

What Gardener v1.150 and the extensions refuse is forbidden, and the rule is told. What the files do not tell is listed as assumed. Where
something decides that is not known, such as a default or the CloudProfile, the verdict is indeterminate. Fields that changed and that this
command does not know are listed as not judged.

Exit code: 0; with --exit-code that of the gravest verdict, in this order: 0 none, 10 hot update, 9 machines come or go (another number of
them, another zone, hibernation, a pool that is added or removed), 11 in-place update, 14 indeterminate, 12 roll (also of a renamed pool),
13 forbidden. 1 is an error, 2 wrong usage.`,
	}, planChange, (*call).addPools, (*call).addJudgement, func(c *call, command *cobra.Command) {
		c.addOutput(command, textOutput, markdownOutput, htmlOutput, jsonOutput)
		flags := command.Flags()
		flags.BoolVar(&c.anyName, "any-name", false, "compare an object of another name too, if it is the only one of its kind on both sides")
		flags.StringVar(&c.from, "from", "", "show the report in `FILE`, which plan --output json wrote, instead of OLD and NEW")
		flags.BoolVar(&c.verbose, "verbose", false, "show to developers which Go field declares a class, and the sources of rules")
		flags.BoolVar(&c.exitCode, "exit-code", false, "tell the verdict by the exit code as well")
	})
}

// changeOf reads the arguments: two sides, or what git hands to an external diff: the path, and of each side file, digest and mode; of a renamed
// file also the new path and how much of it stayed. The path is empty if the user names both sides.
func changeOf(args []string) (old, updated, path string, err error) {
	switch len(args) {
	case 2:
		return args[0], args[1], "", nil
	case 7, 9:
		return args[1], args[4], args[0], nil
	default:
		return "", "", "", &usageError{fmt.Sprintf("takes 2 file arguments, not %d", len(args))}
	}
}

func planChange(c *call) (int, error) {
	if c.from != "" {
		return c.showReport()
	}
	old, updated, path, err := changeOf(c.args)
	if err != nil {
		return 0, err
	}
	if path != "" && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
		fmt.Fprintf(&c.out, "%s: is no YAML or JSON file, and not looked at\n", printable(path))
		return exitOK, nil
	}
	r, err := c.reader()
	if err != nil {
		return 0, err
	}
	r.Lenient, r.AnyName = path != "", c.anyName || path != ""
	plans, err := r.Compare(old, updated)
	if err == nil && len(plans) == 0 {
		fmt.Fprintf(&c.out, "%s: has no Shoot, Worker or provider config\n", printable(path))
	}
	if err != nil || len(plans) == 0 {
		return exitOK, err
	}
	return c.writeReport(report.New(plans, r.Warnings))
}

// showReport shows what plan --output json wrote in another format.
func (c *call) showReport() (int, error) {
	if len(c.args) > 0 {
		return 0, &usageError{"--from takes the place of OLD and NEW"}
	}
	in := c.std.in
	if c.from != stdin {
		file, err := os.Open(c.from)
		if err != nil {
			return 0, manifests.InFile(c.from, err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return 0, manifests.InFile(side.Name(c.from), err)
	}
	former, err := report.Parse(text)
	if err != nil {
		return 0, manifests.InFile(side.Name(c.from), err)
	}
	return c.writeReport(former)
}

// writeReport writes a report, and returns the exit code.
func (c *call) writeReport(r *report.Report) (int, error) {
	code := exitOK
	if c.exitCode {
		code = exitCodes[r.Verdict]
	}
	switch c.output {
	case markdownOutput:
		c.out.WriteString(report.Markdown(r))
	case htmlOutput:
		return code, report.HTML(&c.out, r)
	case jsonOutput:
		text, err := report.JSON(r)
		c.out.Write(text)
		return code, err
	default:
		c.out.WriteString(report.Text(r, report.Style{Color: c.std.color, Verbose: c.verbose}))
	}
	return code, nil
}

// exitCodes are those of the verdicts.
var exitCodes = map[string]int{
	pool.None.String(): exitOK, pool.ComeOrGo.String(): exitComeOrGo, pool.HotUpdate.String(): exitHotUpdate, pool.InPlaceUpdate.String(): exitInPlaceUpdate,
	pool.Roll.String(): exitRoll, pool.Forbidden.String(): exitForbidden, pool.Indeterminate.String(): exitIndeterminate,
}
