package main

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

// addJudgement adds the flags that choose the rules by which a change is judged.
func (c *call) addJudgement(command *cobra.Command) {
	c.addFacts(command)
	command.Flags().BoolVar(&c.defaulted, "defaulted", false,
		"one of the provider configs was read back from a cluster")
}

// addFacts adds the flags for facts that decide about a change and that its manifests do not have.
func (c *call) addFacts(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.strategy, "strategy", "",
		"the update `STRATEGY` of all pools, such as AutoInPlaceUpdate")
	among(command, "strategy", hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate)
	c.addLandscape(command)
}

// addLandscape adds the flags for facts of a landscape, such as the extension.
func (c *call) addLandscape(command *cobra.Command) {
	flags := command.Flags()
	c.addExtension(command)
	flags.StringVar(&c.eras, "eras", "",
		"the `FILE` with the eras in which the extension names pools")
	flags.StringVar(&c.cloudProfile, "cloudprofile", "",
		"the `FILE` with CloudProfiles and other objects of Gardener")
}

// addExtension adds the flag of the extension that receives a change.
func (c *call) addExtension(command *cobra.Command) {
	command.Flags().StringVar(&c.extension, "extension", "",
		"judge by this `EXTENSION` alone")
	oneOf(command, "extension", judge.Adopted, judge.Released)
}

// reader returns a reader of manifests that judges by the flags.
func (c *call) reader() (*side.Reader, error) {
	if c.classes != "" && c.crd == "" {
		return nil, &usageError{"--classes is for the objects of --crd"}
	}
	if err := onlyOneStdin(append([]string{c.crd, c.classes, c.cloudProfile}, c.args...)); err != nil {
		return nil, err
	}
	schemas, err := side.NewCatalog(cmp.Or(c.schema, c.eras), c.std.providers)
	if err == nil && c.crd != "" {
		var custom *crds.Set
		custom, err = crds.Read(c.crd, c.classes, c.std.in)
		schemas.Define(custom)
	}
	if err != nil {
		return nil, err
	}
	options := judge.Options{Defaulted: c.defaulted, Schema: schemas.Schema, Providers: c.std.providers}
	if strategy, _ := hotupdate.ParseStrategy(c.strategy); c.strategy != "" {
		options.Strategy = &strategy
	}
	options.Extension = judge.Extension(cmp.Or(c.extension, judge.Both.String()))
	if file := cmp.Or(c.eras, c.schema); file != "" {
		named, err := release.Read(file)
		if err != nil {
			return nil, err
		}
		options.Naming = namingOf(named)
	}
	options.Landscape = c.config.Landscape
	r := &side.Reader{Stdin: c.std.in, Schemas: schemas, Options: options, Pools: c.pools}
	r.Landscape, err = c.landscape()
	return r, err
}

// namingOf returns the naming of pools by a release. It covers the provider config only.
func namingOf(r *release.Release) *judge.Naming {
	naming := &judge.Naming{Assumed: r.IsSchema, Additional: func(p *facts.Pool) (judge.Additional, error) {
		hashed, err := r.Hash(p)
		return judge.Additional{Era: hashed.Era.Name, Data: hashed.Data, Unknown: hashed.IsUnknown()},
			errors.Join(err, hashed.Refused)
	}}
	for _, e := range r.Eras {
		naming.Versions = append(naming.Versions, e.From)
	}
	return naming
}

// addAccept adds the flag of the findings that people accept.
func (c *call) addAccept(command *cobra.Command) {
	command.Flags().StringVar(&c.accept, "accept", "",
		"the `FILE` with findings that are accepted until a date")
}
