//go:build man

package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// packaging returns the command that writes manual pages, for packages of the command. It stands in builds with the tag
// man alone: the library that writes the pages takes more time at each start than any other one.
func (c *call) packaging() []*cobra.Command {
	man := c.command(&cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "write manual pages",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
	}, func() (int, error) {
		const source = "hotupdate"
		root := (&call{std: c.std}).root() // with the flags of all commands
		root.InitDefaultCompletionCmd()
		problems := []error{doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: source}, c.args[0])}
		for _, topic := range topicsOf(root) {
			header := &doc.GenManHeader{Section: "7", Source: source}
			problems = append(problems, doc.GenManTree(topic, header, c.args[0]))
		}
		return exitOK, errors.Join(problems...)
	})
	man.Long = "Writes a manual page for every command into a directory that exists. SOURCE_DATE_EPOCH is the time\n" +
		"in their headings, if it is set."
	return []*cobra.Command{man}
}
