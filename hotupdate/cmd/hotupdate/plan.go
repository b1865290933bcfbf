package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The exit codes of plan --exit-code.
const (
	exitHotUpdate     = 10
	exitInPlaceUpdate = 11
	exitRoll          = 12
	exitForbidden     = 13
	exitIndeterminate = 14
)

func planCommand() command {
	return command{
		name:     "plan",
		synopsis: "[--strategy NAME] [--defaulted] [--exit-code] OLD NEW",
		help: `Tells what applying NEW after OLD does to the machines of a worker pool: first the verdict, then each change with its class and where
the class comes from.

Exit code: 0; with --exit-code 0 for none, 10 hot update, 11 in-place update, 12 roll, 13 forbidden, 14 indeterminate. 1 is an error, 2
wrong usage.`,
		flags: func(flags *pflag.FlagSet) action {
			p := &planner{}
			flags.StringVar(&p.strategy, "strategy", "", "update strategy of the pool, by its `NAME`: AutoRollingUpdate (default), AutoInPlaceUpdate or ManualInPlaceUpdate")
			flags.BoolVar(&p.defaulted, "defaulted", false, "one of the files was read back from a cluster that may have filled in defaults: the verdict is\nindeterminate where a field that only one file sets decides it")
			flags.BoolVar(&p.exitCode, "exit-code", false, "tell the verdict by the exit code as well")
			return p.run
		},
	}
}

type planner struct {
	strategy  string
	defaulted bool
	exitCode  bool
}

func (p *planner) run(args []string, in io.Reader, out io.Writer) (int, error) {
	if err := want(2, args); err != nil {
		return 0, err
	}
	strategy, ok := hotupdate.ParseStrategy(p.strategy)
	if !ok {
		return 0, &usageError{fmt.Sprintf("unknown strategy %q; write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate", p.strategy)}
	}
	old, oldErr := readManifest(args[0], in)
	updated, newErr := readManifest(args[1], in)
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	if old.kind.name != updated.kind.name {
		return 0, fmt.Errorf("%s: is of another kind than %s; compare configs of one kind", updated.file, old.file)
	}
	changes, err := old.kind.schema.Diff(old.config, updated.config)
	if err != nil {
		return 0, inFile(updated.file, err)
	}
	outcome := p.outcome(changes, strategy)
	writeVerdict(out, outcome, changes, strategy)
	writeChanges(out, changes)
	p.writeAssumptions(out, strategy)
	if !p.exitCode {
		return exitOK, nil
	}
	return exitCodeOf(outcome), nil
}

func (p *planner) outcome(changes hotupdate.Changes, strategy hotupdate.Strategy) hotupdate.Outcome {
	if p.defaulted {
		return changes.OutcomeIfDefaulted(strategy)
	}
	return changes.Outcome(strategy)
}

// writeAssumptions says what the verdict takes for granted: two provider configs do not tell the rest of the pool.
func (p *planner) writeAssumptions(out io.Writer, strategy hotupdate.Strategy) {
	text := "assumed unchanged: the rest of the worker pool"
	if p.strategy == "" {
		text += "; assumed strategy: " + strategy.String()
	}
	fmt.Fprintln(out, text)
}

func exitCodeOf(outcome hotupdate.Outcome) int {
	switch outcome {
	case hotupdate.NoUpdate:
		return exitOK
	case hotupdate.HotUpdate:
		return exitHotUpdate
	case hotupdate.InPlaceUpdate:
		return exitInPlaceUpdate
	case hotupdate.Roll:
		return exitRoll
	case hotupdate.UpdateForbidden:
		return exitForbidden
	case hotupdate.Indeterminate:
	}
	return exitIndeterminate
}
