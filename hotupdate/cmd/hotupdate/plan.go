package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

func planCommand() command {
	return command{
		name:     "plan",
		synopsis: "[--pool NAME] [--strategy NAME] [--schema FILE] [--eras FILE] [--extension NAME] [--cloudprofile FILE] [--output FORMAT] [--defaulted] [--exit-code] OLD NEW",
		help: `Tells what applying NEW after OLD does to machines. Both are provider configs, Worker manifests or Shoot manifests, as a user writes them
or as a cluster returns them. Of every worker pool it says whether it was added, removed or renamed, what happens to its machines, and
which changes are to blame, each with its class and where the class comes from.

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
		flags: func(flags *pflag.FlagSet, c *call) {
			c.addOutput(flags, textOutput, markdownOutput, jsonOutput)
			c.addPools(flags)
			c.judgement.add(flags)
			flags.BoolVar(&c.exitCode, "exit-code", false, "tell the verdict by the exit code as well")
		},
		do: planChange,
	}
}

func planChange(c *call) (int, error) {
	if err := want(2, c.args); err != nil {
		return 0, err
	}
	options, schemas, err := c.judgeBy()
	if err != nil {
		return 0, err
	}
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
