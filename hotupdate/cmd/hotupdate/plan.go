package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

func planCommand() command {
	return command{
		name:     "plan",
		synopsis: "[--pool NAME] [--strategy NAME] [--schema FILE] [--output FORMAT] [--defaulted] [--exit-code] OLD NEW",
		help: `Tells what applying NEW after OLD does to machines. Both are provider configs, Worker manifests or Shoot manifests, as a user writes them
or as a cluster returns them. Of every worker pool it says whether it was added, removed or renamed, what happens to its machines, and
which changes are to blame, each with its class and where the class comes from.

A provider config is taken to be hashed by the Schema of its apiVersion and kind. One of a provider that is not built in has none, unless
--schema names it: then it is compared as a whole, and any change of it counts as one that replaces machines. One of a built-in provider
in a version or kind that is not built in is an error, as in hash and explain: it is a mistake, or newer than this command.

What the files do not tell is listed as assumed unchanged. Where a default of Gardener that is not known decides, the verdict is
indeterminate.

Exit code: 0; with --exit-code that of the gravest verdict, in this order: 0 none, 10 hot update, 9 machines come or go (another number of
them, another zone, hibernation, a pool that is added or removed), 11 in-place update, 14 indeterminate, 12 roll (also of a renamed pool),
13 forbidden. 1 is an error, 2 wrong usage.`,
		flags: func(flags *pflag.FlagSet, c *call) {
			c.addOutput(flags, textOutput, markdownOutput, jsonOutput)
			c.addPools(flags)
			flags.StringVar(&c.strategy, "strategy", "", "update strategy of every pool, by its `NAME`: AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate\n(default: each pool's own; for a provider config AutoRollingUpdate)")
			flags.BoolVar(&c.defaulted, "defaulted", false, "one of the provider configs was read back from a cluster that may have filled in defaults: the verdict\nis indeterminate where a field that only one of them sets decides it")
			flags.BoolVar(&c.exitCode, "exit-code", false, "tell the verdict by the exit code as well")
		},
		do: planChange,
	}
}

func planChange(c *call) (int, error) {
	if err := want(2, c.args); err != nil {
		return 0, err
	}
	options := pool.Options{Defaulted: c.defaulted}
	if c.strategy != "" {
		strategy, ok := hotupdate.ParseStrategy(c.strategy)
		if !ok {
			return 0, &usageError{fmt.Sprintf("unknown strategy %q; write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate", c.strategy)}
		}
		options.Strategy = &strategy
	}
	schemas, err := newCatalog(c.schema)
	if err != nil {
		return 0, err
	}
	options.Schema = schemas.schema
	old, oldErr := readChecked(c.args[0], c, schemas, options)
	updated, newErr := readChecked(c.args[1], c, schemas, options)
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	plan, err := c.plan(old, updated, schemas, options)
	if err != nil {
		return 0, err
	}
	err = c.output.write(
		func() { c.out.WriteString(report.Text(plan, c.color)) },
		func() { c.out.WriteString(report.Markdown(plan)) },
		func() error {
			text, err := report.JSON(plan)
			c.out.Write(text)
			return err
		},
	)
	if !c.exitCode {
		return exitOK, err
	}
	return exitCodeOf(plan.Verdict()), err
}

// readChecked reads a manifest with its provider configs, so that all mistakes of both files are reported at once, each with its file.
func readChecked(file string, c *call, schemas *catalog, options pool.Options) (*manifest, error) {
	m, err := readManifest(file, c.in)
	if err != nil {
		return nil, err
	}
	err = pool.Check(m.Pools, options)
	return m, errors.Join(schemas.check(m.from, m.Pools), inFile(m.from, err))
}

func (o *options) plan(old, updated *manifest, schemas *catalog, options pool.Options) (*pool.Plan, error) {
	if old.kind != updated.kind {
		return nil, fmt.Errorf("%s: is of another kind than %s; compare manifests of one kind", updated.from, old.from)
	}
	if err := o.checkPool(updated); err != nil {
		return nil, err
	}
	if updated.isBare() && updated.kind.Kind != "WorkerConfig" { // which is taken for a provider config whatever its API group
		if _, err := schemas.schemaOf(updated.from, updated.kind); err != nil {
			return nil, err
		}
	}
	plan, err := pool.NewPlan(old.Manifest, updated.Manifest, options)
	if err != nil {
		return nil, inFile(updated.from, err)
	}
	// A renamed pool is found by its former name, too.
	plan.Pools, err = choose(plan.Pools, o.pools, updated.from, func(one pool.Planned) []string { return []string{one.Name, one.FormerName} })
	return plan, err
}

func exitCodeOf(v pool.Verdict) int {
	if v == pool.None {
		return exitOK
	}
	return cmp.Or(map[pool.Verdict]int{
		pool.ComeOrGo: exitComeOrGo, pool.HotUpdate: exitHotUpdate, pool.InPlaceUpdate: exitInPlaceUpdate, pool.Roll: exitRoll, pool.Forbidden: exitForbidden,
	}[v], exitIndeterminate)
}
