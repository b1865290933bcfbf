package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

// choice is a flag that takes one of some words.
type choice struct {
	word    string
	allowed []string
}

// addChoice adds a flag that takes one of some words. Without the flag it is the given one.
func (f *choice) add(command *cobra.Command, name, shorthand, without, usage string, allowed ...string) {
	*f = choice{without, allowed}
	command.Flags().VarP(f, name, shorthand, usage+": "+f.list())
	complete(command, name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

func (f *choice) list() string {
	last := len(f.allowed) - 1
	return strings.Join(f.allowed[:last], ", ") + " or " + f.allowed[last]
}

// String returns the word.
func (f *choice) String() string { return f.word }

// Type returns the word that stands for the value in --help.
func (f *choice) Type() string { return "WORD" }

// Set reads the word.
func (f *choice) Set(text string) error {
	if !slices.Contains(f.allowed, text) {
		return errors.New("write " + f.list())
	}
	f.word = text
	return nil
}

// single is a flag that takes one value. A second, other value is an error: of two values only one would count.
type single struct {
	pflag.Value

	given *string
}

// Set reads the value.
func (f *single) Set(text string) error {
	if f.given != nil && *f.given != text {
		return fmt.Errorf("was given as %q before, and takes one value", *f.given)
	}
	f.given = &text
	return f.Value.Set(text)
}

// refuseRepeated makes single flags of all flags that take no list.
func refuseRepeated(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if _, takesList := f.Value.(pflag.SliceValue); !takesList {
			f.Value = &single{Value: f.Value}
		}
	})
}

// suggestFlag is the error about flags, with the flag that was probably meant.
func suggestFlag(command *cobra.Command, err error) error {
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if unknown, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		if meant := members.Nearest(unknown, names); meant != "" {
			return &usageError{err.Error() + didYouMean("--"+meant)}
		}
	}
	return &usageError{err.Error()}
}

// didYouMean is the end of an error about a word, if something like it is known.
func didYouMean(known ...string) string {
	if len(known) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(known, " or ") + "?"
}

// complete says how a shell completes the value of a flag.
func complete(command *cobra.Command, flag string, values cobra.CompletionFunc) {
	_ = command.RegisterFlagCompletionFunc(flag, values) // fails for a flag that the command does not have, which a test would see
}

// completePools completes the name of a pool with those in the files that are named already.
func (c *call) completePools(_ *cobra.Command, files []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	schemas, err := side.NewCatalog(c.schema)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	r := &side.Reader{Schemas: schemas, Options: pool.Options{Schema: schemas.Schema}}
	for _, file := range slices.DeleteFunc(files, func(file string) bool { return file == stdin }) {
		for _, m := range r.Read(file) {
			for _, p := range m.Pools {
				names = append(names, p.Worker.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}
