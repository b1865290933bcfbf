package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// build is what the command knows of how it was built.
type build struct {
	FormatVersion int    `json:"formatVersion"`
	Version       string `json:"version"` // of the module; (devel) if nobody told
	Revision      string `json:"revision,omitempty"`
	Time          string `json:"time,omitempty"` // of the revision
	Modified      bool   `json:"modified,omitempty"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
}

// ownBuild reads what the Go command wrote into the binary.
func ownBuild() build {
	b := build{FormatVersion: listVersion, Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

// String returns the build in one line.
func (b build) String() string {
	words := []string{b.Version}
	if b.Revision != "" {
		words = append(words, "commit "+b.Revision)
	}
	if b.Modified {
		words = append(words, "modified")
	}
	return strings.Join(append(words, b.Go, b.Platform), ", ")
}

func (p *process) versionCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "version",
		Short: "which build of the command this is",
		Long:  "Writes the version of the module, the commit, the Go version and the platform that the command was built with and for.",
		Args:  cobra.NoArgs,
	}, func(c *call) (int, error) {
		if c.output.word == jsonOutput {
			return exitOK, writeJSON(c, ownBuild())
		}
		fmt.Fprintln(&c.out, "hotupdate", ownBuild())
		return exitOK, nil
	}, func(c *call, command *cobra.Command) { c.addOutput(command, textOutput, jsonOutput) })
}

// manCommand is for those who package the command.
func (p *process) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "write manual pages",
		Long:   "Writes a manual page for every command into a directory that exists. SOURCE_DATE_EPOCH is the time in their headings, if it is set.",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			p.began = true
			return doc.GenManTree(command.Root(), &doc.GenManHeader{Section: "1", Source: "hotupdate " + ownBuild().Version}, args[0])
		},
	}
}
