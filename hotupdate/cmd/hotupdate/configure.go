package main

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/acceptance"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

// addConfig adds the flags of the config file.
func (c *call) addConfig(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.configFile, "config", "",
		"the config `FILE`, or none; else "+config.Name+" here or above")
	flags.StringVar(&c.base, "base", "",
		"the `COMMIT` whose config file counts, such as origin/main")
}

// addExclude adds the flag of the files that are left out.
func (c *call) addExclude(command *cobra.Command) {
	command.Flags().StringArrayVar(&c.exclude, "exclude", nil,
		"leave out files that match this `GLOB`; may be repeated")
}

// configure reads the config file, and sets the options that no flag sets.
func (c *call) configure() error {
	choice := config.Choice{Named: c.configFile, Directory: ".", Base: cmp.Or(c.base, c.gitBase), Head: c.gitHead}
	var err error
	if c.shown != nil {
		choice, err = c.choiceForGit(choice)
	}
	if err != nil {
		return err
	}
	found, err := config.Find(choice)
	if err != nil {
		return errors.New(manifests.Reason(err))
	}
	c.config = found
	if !c.isGiven("exclude") {
		c.exclude = c.config.Exclude
	}
	if !c.isGiven("apply") {
		c.apply = c.config.Apply
	}
	c.passUndecided = c.config.UndecidedPasses
	isViewer := c.shown != nil || isOfKubectl(c.args) // a viewer must not fail
	if isGate := c.isGiven("fail-on") || c.isGiven("exit-code"); !isGate && !isViewer {
		c.failOn = c.config.FailOn
	}
	return nil
}

// configureAndTell is [call.configure] for a command whose report cannot show notes: it prints
// them.
func (c *call) configureAndTell() error {
	err := c.configure()
	for _, note := range c.config.Notes {
		c.std.printError(errors.New(note))
	}
	return err
}

// choiceForGit chooses the file of the commit that git compares with, unless flags choose one.
func (c *call) choiceForGit(choice config.Choice) (config.Choice, error) {
	choice.Directory = filepath.Join(".", c.std.gitPrefix)
	if choice.Base != "" || choice.Named == config.None {
		return choice, nil
	}
	var err error
	choice.Base, err = config.BaseOf(choice.Directory, *c.shown)
	if choice.Base == "" && choice.Named == "" {
		choice.Named = config.None
	}
	return choice, err
}

// shownByGit returns the file that git shows, if git calls plan: its external diff has at least 7 arguments, and
// git difftool 2.
func (c *call) shownByGit() (*config.Shown, error) {
	switch {
	case c.gitRange != "":
		return nil, nil //nolint:nilnil // the user calls
	case len(c.args) > 2:
		return &config.Shown{Path: c.args[0], OldBlob: c.args[2]}, nil
	case c.std.byGit && c.std.shownPath != "":
		blob, err := config.BlobOf(c.args[0])
		return &config.Shown{Path: c.std.shownPath, OldBlob: blob}, err
	}
	return nil, nil //nolint:nilnil // the user calls
}

// landscape reads the CloudProfiles that a flag or the config file names; nil if neither does.
func (c *call) landscape() (*side.Landscape, error) {
	if c.cloudProfile != "" {
		return side.ReadLandscape(c.cloudProfile, c.std.in)
	}
	if c.config.CloudProfile == "" {
		return nil, nil //nolint:nilnil // there are none
	}
	text, from, err := c.config.Read(c.config.CloudProfile)
	if err != nil {
		return nil, errors.New(manifests.Reason(err))
	}
	return side.ReadLandscapeFrom(from, bytes.NewReader(text))
}

// accepted reads the file of accepted findings that a flag or the config file names, for a command; it is nil if
// neither does.
func (c *call) accepted(of acceptance.Command, others ...acceptance.Command) (*acceptance.List, error) {
	if c.accept != "" {
		return acceptance.Read(c.accept, of, others, time.Now())
	}
	if c.config.Accept == "" {
		return nil, nil //nolint:nilnil // a nil List accepts nothing
	}
	text, from, err := c.config.Read(c.config.Accept)
	if err != nil {
		return nil, errors.New(manifests.Reason(err))
	}
	return acceptance.Parse(text, from, of, others, time.Now())
}
