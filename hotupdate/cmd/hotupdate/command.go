package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/plaintext"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// streams are the inputs of a run: the standard streams, the name of the program, and the provider
// extensions.
type streams struct {
	program  string // file name of the command; empty in tests
	in       io.Reader
	out, err io.Writer
	color    bool // in out
	columns  int  // of out; 0 if out is not a terminal
	byGit    bool // called by git to show a difference
	// gitPrefix is the folder in the work tree in which the user calls git, and shownPath the path that git
	// difftool shows.
	gitPrefix, shownPath string
	progress             *progress
	providers            []provider.Provider
}

// The exit codes. Those from 9 on are verdicts, for --exit-code.
const (
	exitOK            = 0
	exitError         = 1
	exitUsage         = 2
	exitMachinesAdded = 9
	exitHotUpdate     = 10
	exitInPlaceUpdate = 11
	exitRoll          = 12
	exitForbidden     = 13
	exitIndeterminate = 14
	exitRemoved       = 15

	exitMachinesMayBeDeleted    = 16
	exitAllMachinesMayBeDeleted = 17
	exitMachinesDeleted         = 18
)

// call is one run of the program: a command with its arguments and the values of its flags.
type call struct {
	options

	std streams
	// isGiven reports whether the user gives a flag. The config file has the values of the other
	// flags.
	isGiven func(flag string) bool
	config  *config.File
	shown   *config.Shown // the file that git shows; nil if git does not call the command
	// gitBase and gitHead are the commits of both sides of --git; empty for a side that is not a
	// commit.
	gitBase, gitHead string

	// line are the arguments of the program, among which each command that they call has its name. Only these commands
	// get flags and help, to save time. If it is nil, all commands do.
	line  []string
	out   bytes.Buffer // written to standard output if the run succeeds; an audit also writes while it reads
	args  []string     // without flags
	code  int          // exit code of a run without an error
	began bool         // cobra accepted the command line
}

// options are the flags of all commands; each command has some of them.
type options struct {
	pools, exclude                          []string
	output, schema, crd, classes            string
	strategy, extension, eras, cloudProfile string
	gardener, accept, apply                 string
	configFile, base, color                 string
	gitRange                                string // of --git
	validator, kubernetes                   string
	failOn                                  []string
	passUndecided                           bool // --fail-on passes what is not decided or not judged
	all, quiet                              bool
	document, exitCode, anyName, verbose    bool
	allowNone                               bool
	policy                                  bool // rules writes policies
	defaulted                               bool
	audit                                   auditOptions
	serve                                   serveOptions
}

// usageError is an error in the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// run runs one command line and returns its exit code.
func run(args []string, std streams) int {
	c := &call{std: std, config: &config.File{}}
	code := c.run(args)
	if c.isDiffer() && code != exitInterrupted {
		return exitOK
	}
	return code
}

// isDiffer reports whether git calls the command as its external diff. Git stops at every exit code
// other than 0, and then does not show the files that follow. Only git difftool sets the variable
// of [streams.shownPath].
func (c *call) isDiffer() bool {
	return c.std.byGit && (c.std.shownPath == "" || len(c.args) > 2)
}

// run runs the command line.
func (c *call) run(args []string) int {
	std := &c.std
	c.line = slices.Concat([]string{}, commandFirst(args)) // cobra replaces nil by the arguments of the process
	root := c.root()
	root.SetArgs(c.line)
	command, err := root.ExecuteC()
	switch {
	case err == nil:
		_, err = c.out.WriteTo(std.out)
		if err == nil {
			return c.code
		}
		err = fmt.Errorf("hotupdate: standard output: %w", err)
	case !c.began || isUsage(err):
		fmt.Fprintf(std.err, "%s: %s\nusage: %s\n", command.CommandPath(), printable(err.Error()), command.UseLine())
		return exitUsage
	}
	std.printError(err)
	return exitError
}

// isUsage reports whether an error is in the command line.
func isUsage(err error) bool {
	var wrong *usageError
	return errors.As(err, &wrong) || errors.Is(err, side.ErrNoPools)
}

// printError prints the lines of an error. Its text may contain hostile file names, so control
// characters are escaped.
func (s *streams) printError(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(s.err, printable(line))
	}
}

// commandFirst moves the command to the front of the arguments. kubectl diff puts all words of
// KUBECTL_EXTERNAL_DIFF except the first after its two directories: hotupdate /tmp/LIVE-1
// /tmp/MERGED-2 plan --pool=a.
func commandFirst(args []string) []string {
	if len(args) > 2 && isOfKubectl(args) {
		return slices.Concat(args[2:], args[:2])
	}
	return args
}

// isOfKubectl reports whether the first two arguments are the directories of kubectl diff.
func isOfKubectl(args []string) bool {
	return len(args) > 1 && strings.HasPrefix(filepath.Base(args[0]), "LIVE-") &&
		strings.HasPrefix(filepath.Base(args[1]), "MERGED-")
}

// root returns the whole command line.
func (c *call) root() *cobra.Command {
	root := c.described(&cobra.Command{
		Use:               "hotupdate COMMAND",
		Short:             "tell what a change does to the machines of worker pools",
		Version:           version(),
		Args:              knownCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true, // no date in manual pages

		DisableFlagsInUseLine: true,
	}, func() (int, error) { return 0, &usageError{"needs a command; --help lists them"} })
	if strings.HasPrefix(c.std.program, "kubectl-") {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl hotupdate"}
	}
	root.SetUsageTemplate(strings.NewReplacer(
		"{{.UseLine}}{{end}}{{if", "{{.UseLine}}{{end}}{{if and .HasParent",
		"Flags.FlagUsages ", fmt.Sprintf("Flags.FlagUsagesWrapped %d ", maxHelp),
		"Additional help topics:", "Topics, as in hotupdate help verdicts:",
		"rpad .CommandPath .CommandPathPadding", "rpad .Name .NamePadding",
	).Replace(root.UsageTemplate()))
	root.SetVersionTemplate("hotupdate {{.Version}}\n")
	root.SetOut(&c.out)
	root.SetErr(c.std.err)
	root.SetFlagErrorFunc(suggestFlag)
	root.AddCommand(c.planCommand(), c.hashCommand(), c.explainCommand(), c.schemaCommand(), c.rulesCommand(),
		c.auditCommand(), c.serveCommand(), c.versionCommand())
	root.AddCommand(c.packaging()...)
	root.AddCommand(c.topics()...)
	root.SetHelpCommand(c.helpCommand())
	return root
}

// help has a text for each command.
//
//go:embed help
var help embed.FS

// command gives a command its function and, if the arguments may call it, its help and flags.
func (c *call) command(
	command *cobra.Command, do func() (int, error), flags ...func(*cobra.Command),
) *cobra.Command {
	if c.mayCall(command.Name()) {
		return c.described(command, do, flags...)
	}
	command.RunE = func(*cobra.Command, []string) error { return nil } // without a function it is no command
	return command
}

// mayCall reports whether the arguments have the name of a command.
func (c *call) mayCall(name string) bool { return c.line == nil || slices.Contains(c.line, name) }

// described gives a command its help, function and flags.
func (c *call) described(
	command *cobra.Command, do func() (int, error), flags ...func(*cobra.Command),
) *cobra.Command {
	for _, add := range flags {
		add(command)
	}
	check(command.Flags())
	command.InitDefaultHelpFlag()
	command.Flags().Lookup("help").Hidden = true                // readers of the list have used it
	long, _ := help.ReadFile("help/" + command.Name() + ".txt") // a test checks that every command has one
	command.Long = strings.TrimSuffix(string(long), "\n")
	command.RunE = func(_ *cobra.Command, args []string) (err error) {
		if err := onlyOneStdin(args); err != nil {
			return err
		}
		c.began = true
		c.args = args
		c.isGiven = command.Flags().Changed
		c.code, err = do()
		return err
	}
	return command
}

// needs returns a function that takes exactly the named arguments.
func needs(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		wanted := strings.Join(names, " and ")
		given := plaintext.Counted(len(args), "argument")
		return fmt.Errorf("needs %s, and has %s", wanted, given)
	}
}

// onlyOneStdin refuses files of which several are standard input.
func onlyOneStdin(files []string) error {
	first := slices.Index(files, stdin)
	if first >= 0 && slices.Contains(files[first+1:], stdin) {
		return &usageError{"standard input can be only one of the files"}
	}
	return nil
}

// maxHelp is the number of columns of help.
const maxHelp = 100

// knownCommand refuses an unknown command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown command %q%s", args[0], similar(root, args[0]))
}
