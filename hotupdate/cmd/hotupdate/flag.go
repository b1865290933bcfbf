package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// oneOf declares the words that a flag accepts, for help and completion. [checked] refuses all
// others.
func oneOf[W any](command *cobra.Command, flag string, words ...W) {
	among(command, flag, words...)
	f := command.Flags().Lookup(flag)
	f.Usage += ": " + choice(f.Annotations[allowed])
}

// choice is a list of words, of which one is to be chosen.
func choice(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// among is oneOf for words that are too many for the line of the flag.
func among[W any](command *cobra.Command, flag string, words ...W) {
	var texts []string
	for _, word := range words {
		texts = append(texts, fmt.Sprint(word))
	}
	f := command.Flags().Lookup(flag)
	f.Annotations = map[string][]string{allowed: texts}
	// fails for a flag that the command does not have, which a test would see
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(texts, cobra.ShellCompDirectiveNoFileComp))
}

// ofVerdicts is [among] for a flag that takes verdicts, in the spelling of a person: see [verdict.Written].
func ofVerdicts(command *cobra.Command, flag string, verdicts []verdict.Verdict) {
	among(command, flag, verdicts...)
	command.Flags().Lookup(flag).Annotations[spelledFreely] = []string{}
}

// allowed is the annotation of a flag with the words that it accepts. spelledFreely says that [verdict.Written] is
// the word that is meant.
const (
	allowed       = "allowed"
	spelledFreely = "spelled freely"
)

// checked is a flag that accepts only the allowed words, and only one value unless it is a list.
type checked struct {
	pflag.Value

	flag  *pflag.Flag
	given *string
}

// Set parses the value.
func (c *checked) Set(text string) error {
	if _, isList := c.Value.(pflag.SliceValue); !isList && c.given != nil && *c.given != text {
		return fmt.Errorf("was given as %q before, and takes one value", *c.given)
	}
	words := strings.Split(text, ",")
	if c.flag.Annotations[spelledFreely] != nil {
		for i, word := range words {
			words[i] = verdict.Written(word)
		}
	}
	if err := c.check(words); err != nil {
		return err
	}
	c.given = &text
	return c.Value.Set(strings.Join(words, ","))
}

// check refuses a word that the flag does not accept, and names the one that was probably meant.
func (c *checked) check(words []string) error {
	known := c.flag.Annotations[allowed]
	for _, word := range words {
		if known == nil || slices.Contains(known, word) {
			continue
		}
		if meant := fieldpath.Nearest(word, known); meant != "" {
			return fmt.Errorf("did you mean %s? The words are %s", meant, choice(known))
		}
		return fmt.Errorf("write %s", choice(known))
	}
	return nil
}

// String returns the value for help, which leaves out the default of a list, of --limit and of words: the
// usage says what they mean.
func (c *checked) String() string {
	text := c.Value.String()
	isTold := c.flag.DefValue == "" || text == "[]" || text == "-1"
	if isTold && !c.flag.Changed {
		return ""
	}
	return text
}

// check makes all flags of a command checked.
func check(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) { f.Value = &checked{Value: f.Value, flag: f} })
}

// suggestFlag adds the flag that was probably meant to an error about an unknown flag.
func suggestFlag(command *cobra.Command, err error) error {
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	unknown, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if meant := fieldpath.Nearest(unknown, names); ok && meant != "" {
		return fmt.Errorf("%w%s", err, didYouMean("--"+meant))
	}
	return err
}

// nearest is the end of an error about a word: the known word that is similar, if there is one.
func nearest(word string, known []string) string {
	if meant := fieldpath.Nearest(word, known); meant != "" {
		return didYouMean(meant)
	}
	return ""
}

// didYouMean is the end of an error about a word that is similar to a known one.
func didYouMean(known string) string { return "; did you mean " + known + "?" }

// completePools completes the name of a pool by the pools in the files on the command line.
func (c *call) completePools(
	_ *cobra.Command, files []string, _ string,
) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	r, err := c.reader()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, file := range slices.DeleteFunc(files, func(file string) bool { return file == stdin }) {
		found, _ := r.Read(file) // of a file with problems, nothing is completed
		for _, m := range found {
			for _, p := range m.Pools {
				names = append(names, p.Worker.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}
