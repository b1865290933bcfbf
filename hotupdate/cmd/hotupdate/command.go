package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// streams are the standard streams of a run.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// The exit codes of every command. Those of plan's outcomes are in plan.go.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// command is one of the words after hotupdate.
type command struct {
	name, synopsis string
	help           string
	flags          func(*pflag.FlagSet) action
}

// action is what a command does with its arguments once its flags are parsed. What it writes reaches standard output only if it succeeds.
type action func(args []string, in io.Reader, out io.Writer) (exitCode int, err error)

// usageError says that the command line is wrong.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func commands() []command {
	return []command{planCommand(), hashCommand(), explainCommand()}
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
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], std)
		}
	}
	fmt.Fprintf(std.err, "hotupdate: unknown command %q\n%s", args[0], usage())
	return exitUsage
}

func usage() string {
	var text strings.Builder
	text.WriteString("usage:\n")
	for _, c := range commands() {
		text.WriteString("  hotupdate " + c.name + " " + c.synopsis + "\n")
	}
	return text.String() + "Files are YAML or JSON; - is standard input. Each command has --help.\n"
}

func (c command) run(args []string, std streams) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.Usage = func() {}
	do := c.flags(flags)
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(std.out, "usage: hotupdate %s %s\n\n%s\n\nFILE, OLD and NEW are YAML or JSON; - is standard input.\n%s", c.name, c.synopsis, c.help, flags.FlagUsages())
		return exitOK
	} else if err != nil {
		return c.usage(std, err)
	}
	var out bytes.Buffer
	code, err := do(flags.Args(), std.in, &out)
	var wrong *usageError
	switch {
	case errors.As(err, &wrong):
		return c.usage(std, err)
	case err != nil:
		fmt.Fprintln(std.err, err)
		return exitError
	}
	if _, err := out.WriteTo(std.out); err != nil {
		fmt.Fprintln(std.err, "hotupdate: standard output:", err)
		return exitError
	}
	return code
}

func (c command) usage(std streams, err error) int {
	fmt.Fprintf(std.err, "hotupdate %s: %v\nusage: hotupdate %s %s\n", c.name, err, c.name, c.synopsis)
	return exitUsage
}

// want checks the number of file arguments. Standard input can be read once.
func want(n int, args []string) error {
	if len(args) != n {
		return &usageError{fmt.Sprintf("takes %d file arguments, not %d", n, len(args))}
	}
	if n == 2 && args[0] == stdin && args[1] == stdin {
		return &usageError{"standard input can be only one of the files"}
	}
	return nil
}
