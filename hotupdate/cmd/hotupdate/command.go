package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

// streams are the standard streams of a run.
type streams struct {
	in       io.Reader
	out, err io.Writer
	color    report.Color // of out

	errIsTerminal bool
	now           func() time.Time // time.Now if it is nil
}

// today is the day on which the command runs.
func (s *streams) today() time.Time {
	if s.now != nil {
		return s.now()
	}
	return time.Now()
}

// The exit codes. Those from 9 on are verdicts, for --exit-code.
const (
	exitOK            = 0
	exitError         = 1
	exitUsage         = 2
	exitComeOrGo      = 9
	exitHotUpdate     = 10
	exitInPlaceUpdate = 11
	exitRoll          = 12
	exitForbidden     = 13
	exitIndeterminate = 14
)

// command is what follows hotupdate: one word, or several.
type command struct {
	name, synopsis string
	help           string
	flags          func(flags *pflag.FlagSet, c *call)
	do             func(c *call) (exitCode int, err error)
}

// call is one call of a command. Output reaches standard output only if the command succeeds, but for what an audit writes while it reads.
type call struct {
	options

	std   streams
	args  []string // without flags
	in    io.Reader
	out   bytes.Buffer
	color report.Color
}

// options are the flags of all commands; each command has some of them.
type options struct {
	judgement

	output                  outputFlag
	pools                   []string
	schema                  string
	old, updated, provider  string
	document, all, exitCode bool
	audit                   auditOptions
	anyName, verbose        bool
	from                    string
}

// usageError says that the command line is wrong.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func commands() []command {
	return []command{planCommand(), hashCommand(), explainCommand(), schemaCommand(), schemaDiffCommand(), auditCommand()}
}

// run runs one command line and returns its exit code.
func run(args []string, std streams) int {
	if len(args) == 0 {
		fmt.Fprint(std.err, usage())
		return exitUsage
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(std.out, usage())
		return exitOK
	}
	if c, rest, ok := find(commands(), commandFirst(args)); ok {
		return c.run(rest, std)
	}
	fmt.Fprintf(std.err, "hotupdate: unknown command %q\n%s", args[0], usage())
	return exitUsage
}

// commandFirst returns the arguments as a user writes them. kubectl diff puts the words of KUBECTL_EXTERNAL_DIFF but the first behind the two
// directories that it makes: hotupdate /tmp/LIVE-1 /tmp/MERGED-2 plan --pool=a.
func commandFirst(args []string) []string {
	if len(args) > 2 && strings.HasPrefix(filepath.Base(args[0]), "LIVE-") && strings.HasPrefix(filepath.Base(args[1]), "MERGED-") {
		return slices.Concat(args[2:], args[:2])
	}
	return args
}

// find returns the command with the longest name that the arguments begin with.
func find(all []command, args []string) (found command, rest []string, ok bool) {
	for _, c := range all {
		words := strings.Fields(c.name)
		if len(words) <= len(args) && slices.Equal(words, args[:len(words)]) && len(c.name) > len(found.name) {
			found, rest, ok = c, args[len(words):], true
		}
	}
	return found, rest, ok
}

func usage() string {
	var text strings.Builder
	text.WriteString("usage:\n")
	for _, c := range commands() {
		text.WriteString("  " + c.usageLine() + "\n")
	}
	return text.String() + "Files are YAML or JSON; - is standard input. Each command has --help.\n"
}

func (c command) usageLine() string {
	return strings.TrimSpace("hotupdate " + c.name + " " + c.synopsis)
}

func (c command) run(args []string, std streams) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.Usage = func() {}
	run := &call{std: std, in: std.in, color: std.color}
	c.flags(flags, run)
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(std.out, "usage: %s\n\n%s\n\n%s", c.usageLine(), c.help, flags.FlagUsages())
		return exitOK
	} else if err != nil {
		return c.usage(std, err)
	}
	run.args = flags.Args()
	code, err := c.do(run)
	var wrong *usageError
	switch {
	case errors.As(err, &wrong):
		return c.usage(std, err)
	case err != nil:
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(std.err, printable(line)) // which names files that others may have named
		}
		return exitError
	}
	if _, err := run.out.WriteTo(std.out); err != nil {
		fmt.Fprintln(std.err, "hotupdate: standard output:", err)
		return exitError
	}
	return code
}

func (c command) usage(std streams, err error) int {
	fmt.Fprintf(std.err, "hotupdate %s: %s\nusage: %s\n", c.name, printable(err.Error()), c.usageLine())
	return exitUsage
}

// want checks the number of file arguments.
func want(n int, args []string) error {
	if len(args) != n {
		return &usageError{fmt.Sprintf("takes %s, not %d", counted(n, "file argument"), len(args))}
	}
	return wantStdinOnce(args)
}

// wantStdinOnce checks that standard input, which can be read once, is not given twice.
func wantStdinOnce(args []string) error {
	first := slices.Index(args, stdin)
	if first >= 0 && slices.Contains(args[first+1:], stdin) {
		return &usageError{"standard input can be only one of the files"}
	}
	return nil
}

// counted returns a number and its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
