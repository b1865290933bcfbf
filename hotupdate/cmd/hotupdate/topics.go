package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// pageSuffix is the ending of the topics among the files of help, which are pages that links can lead to.
const pageSuffix = ".md"

// topics are the texts of help that belong to no command. Each is a page, which begins with its title as a heading.
func (c *call) topics() (commands []*cobra.Command) {
	entries, _ := help.ReadDir("help") // it is embedded
	for _, entry := range entries {
		name, isTopic := strings.CutSuffix(entry.Name(), pageSuffix)
		if !isTopic {
			continue
		}
		page := path.Join("help", entry.Name())
		topic := &cobra.Command{Use: name, Short: headingOf(page)}
		if c.mayCall(name) {
			text, _ := help.ReadFile(page)
			topic.Long = string(text)
		}
		topic.SetHelpTemplate("{{.Long}}")
		commands = append(commands, topic)
	}
	return commands
}

// headingOf returns the title of a page.
func headingOf(page string) string {
	const most = 200 // a test compares all headings
	file, err := help.Open(page)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	start := make([]byte, most)
	size, _ := file.Read(start)
	heading, _, _ := strings.Cut(string(start[:size]), "\n")
	return strings.TrimPrefix(heading, "# ")
}

// helpCommand writes the help of a command, or a topic.
func (c *call) helpCommand() (command *cobra.Command) {
	command = c.command(&cobra.Command{
		Use:               "help [COMMAND or TOPIC]",
		Short:             "the help of a command, or about a topic",
		ValidArgsFunction: completeHelp,

		DisableFlagsInUseLine: true,
	}, func() (int, error) {
		found, rest, err := command.Root().Find(c.args)
		if err != nil || len(rest) > 0 {
			asked := strings.Join(c.args, " ")
			return 0, &usageError{fmt.Sprintf("no command or topic %q%s", asked, similar(command.Root(), c.args[0]))}
		}
		found.InitDefaultHelpFlag()
		found.InitDefaultVersionFlag()
		return exitOK, found.Help()
	})
	return command
}

// similar suggests the command or topic below a command whose name is similar to a word.
func similar(below *cobra.Command, word string) string {
	var names []string
	for _, one := range visible(below) {
		names = append(names, one.Name())
	}
	return nearest(word, names)
}

// completeHelp completes the name of a command or topic.
func completeHelp(help *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if below, rest, err := help.Root().Find(args); err == nil && len(rest) == 0 {
		for _, one := range visible(below) {
			names = append(names, cobra.CompletionWithDesc(one.Name(), one.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// visible are the commands and topics below a command that a user sees.
func visible(below *cobra.Command) (commands []*cobra.Command) {
	for _, one := range below.Commands() {
		if one.IsAvailableCommand() || one.IsAdditionalHelpTopicCommand() {
			commands = append(commands, one)
		}
	}
	return commands
}

// topicsOf are the topics below a command.
func topicsOf(command *cobra.Command) []*cobra.Command {
	isCommand := func(one *cobra.Command) bool { return !one.IsAdditionalHelpTopicCommand() }
	return slices.DeleteFunc(visible(command), isCommand)
}
