package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/validator"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// addDefinitions adds the flags for the CRDs of custom resources and the classes of their fields.
func (c *call) addDefinitions(command *cobra.Command) {
	command.Flags().StringVar(&c.crd, "crd", "",
		"the `FILE` with the CRDs of custom resources")
	command.Flags().StringVar(&c.classes, "classes", "",
		"the `FILE` with the classes of the fields of --crd")
}

// addValidator adds the flags of the program that asks the API server's own code.
func (c *call) addValidator(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.validator, "validator", "",
		"the `COMMAND` that asks the API server's own code, or none")
	flags.StringVar(&c.kubernetes, "kubernetes", "", "the `VERSION` of an API server older than 1.30")
}

// validation returns the program that the flags name, and the API server that it stands for.
func (c *call) validation() (validator.Options, error) {
	program, err := validator.Find(c.validator)
	options := validator.Options{Program: program}
	if c.kubernetes == "" {
		return options, err
	}
	if program == "" {
		return options, errors.Join(err, &usageError{"--kubernetes needs hotupdate-crd in the PATH, or --validator"})
	}
	minor, versionErr := kubeminor.Parse(c.kubernetes)
	if versionErr != nil {
		wrong := &usageError{"--kubernetes: is not a version of Kubernetes; write one such as 1.29"}
		return options, errors.Join(err, wrong)
	}
	options.Kubernetes = minor.String()
	return options, err
}

// addClasses adds the flag for the classes of two releases of CRDs.
func (c *call) addClasses(command *cobra.Command, releases string) {
	command.Flags().StringVar(&c.classes, "classes", "",
		"the `FILE` with classes of fields, if "+releases+" are CRDs")
}

// checkNoClasses refuses classes beside releases that have classes already.
func (c *call) checkNoClasses() error {
	if c.classes != "" {
		return &usageError{"--classes is for two releases of CRDs; a Schema has its classes"}
	}
	return nil
}

// definitions reads two files or directories with CRDs. The sets are nil if neither has any.
func (c *call) definitions(old, updated string) (before, after *crds.Set, err error) {
	areOld := crds.AreIn(old)
	areNew := crds.AreIn(updated)
	switch {
	case areOld && areNew:
		return crds.ReadBoth(old, updated, c.classes)
	case areOld:
		return nil, nil, fmt.Errorf("%s: has CRDs, and %s has none; compare two releases of CRDs", old, updated)
	case areNew:
		return nil, nil, fmt.Errorf("%s: has CRDs, and %s has none; compare two releases of CRDs", updated, old)
	}
	return nil, nil, nil
}

// judgeObjects judges custom resources, until they end or the user interrupts.
func (c *call) judgeObjects(
	old, updated *crds.Set, known *audit.Known, list func(*audit.JudgedPool) error, err error,
) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	if c.audit.provider != "" {
		return nil, &usageError{"--provider is for Shoots and Workers, and not for the objects of CRDs"}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	documents, err := c.documents()
	if err != nil {
		return nil, err
	}
	session, err := c.startValidator(updated)
	if err != nil {
		return nil, err
	}
	made, err := audit.NewResources(old, updated, session).Run(ctx, documents, audit.Options{
		Known: *known, Each: list,
	})
	if session != nil {
		err = errors.Join(err, session.Close())
	}
	return made, err
}

// startValidator starts the program that asks the API server's own code, with the CRDs of the new release. The session
// is nil if nobody is asked.
func (c *call) startValidator(updated *crds.Set) (*validator.Session, error) {
	options, err := c.validation()
	if err != nil || options.Program == "" {
		return nil, err
	}
	session, err := options.Start(updated.Definitions())
	if err != nil {
		return nil, err
	}
	for _, ignored := range session.Ignored {
		c.std.printError(errors.New("Kubernetes " + session.Version + ": " + ignored))
	}
	return session, nil
}

// definitionsDiff is the JSON output of schema diff for CRDs.
type definitionsDiff struct {
	FormatVersion int            `json:"formatVersion"`
	Harmless      bool           `json:"harmless"`
	Resources     []resourceDiff `json:"resources"`
}

// resourceDiff is what changes for the objects of one version of a kind.
type resourceDiff struct {
	facts.TypeMeta
	*schemaDiff // nil if only one of the releases has the version

	// Only is old or new if only this release has the version.
	Only string `json:"only,omitempty"`
}

// diffDefinitions compares the versions of kinds that two releases of CRDs have.
func (c *call) diffDefinitions(old, updated *crds.Set, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	diff := &definitionsDiff{FormatVersion: listVersion, Harmless: true, Resources: []resourceDiff{}}
	var problems []error
	for _, of := range crds.AllTypes(old, updated) {
		one, err := diffResource(of, old, updated)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		diff.Harmless = diff.Harmless && one.isHarmless()
		diff.Resources = append(diff.Resources, one)
	}
	if err := updated.CheckClasses(); err != nil {
		return 0, errors.Join(append(problems, err)...)
	}
	problems = append(problems, slices.Concat(old.Problems, updated.Problems)...)
	if len(diff.Resources) == 0 {
		return 0, errors.Join(problems...)
	}
	for _, problem := range problems {
		c.std.printError(problem)
	}
	text := diff.text()
	code := exitOK
	for _, one := range diff.Resources {
		if one.schemaDiff != nil {
			code = graver(code, c.codeOf(one.schemaDiff))
		}
		if one.Only == "old" && c.exitCode {
			code = graver(code, exitIndeterminate)
		}
	}
	if len(problems) > 0 {
		code = exitError
	}
	_, err = c.show(text, diff)
	return code, err
}

// diffResource compares a version of a kind, which may be in one of the releases only.
func diffResource(of facts.TypeMeta, old, updated *crds.Set) (resourceDiff, error) {
	before, oldErr := old.Schema(of)
	after, newErr := updated.Schema(of)
	one := resourceDiff{TypeMeta: of}
	switch err := errors.Join(oldErr, newErr); {
	case err != nil:
		return one, err
	case before == nil:
		one.Only = "new"
		return one, nil
	case after == nil:
		one.Only = "old"
		return one, nil
	}
	if old.IsWhole(of) != updated.IsWhole(of) {
		return one, fmt.Errorf("%s: has a spec in only one of the releases; compare the objects themselves", of.Kind)
	}
	diff, err := newFingerprints(before, after)
	for _, f := range crds.Diff(old, updated, of) {
		diff.Harmless = diff.Harmless && f.Harmless()
		diff.Findings = append(diff.Findings, jsonFinding{f.Finding, f.Harmless(), f.Text, f.IsUndecided})
	}
	one.schemaDiff = diff
	return one, err
}

// isHarmless reports whether no unchanged object is concerned. What happens to objects of a version
// that is gone is not known.
func (d *resourceDiff) isHarmless() bool {
	return d.Only == "new" || d.schemaDiff != nil && d.schemaDiff.Harmless
}

// text names the version of the kind in front of each finding, if there are several.
func (d *definitionsDiff) text() string {
	var text strings.Builder
	for _, one := range d.Resources {
		name := one.APIVersion + " " + one.Kind
		switch {
		case one.Only == "old":
			text.WriteString("! " + printable(name))
			text.WriteString(": is no longer served: what happens to its objects is not known\n")
		case one.Only == "new":
			text.WriteString("  " + printable(name) + ": is new\n")
		case len(d.Resources) > 1:
			text.WriteString(one.text(name + ": "))
		default:
			text.WriteString(one.text(""))
		}
	}
	if text.Len() == 0 {
		return "the CRDs mean the same\n"
	}
	return text.String()
}
