// Command hotupdate tells what a change does to the machines of worker pools.
//
//	hotupdate plan OLD NEW             what applying NEW after OLD does, and which fields cause it
//	hotupdate hash FILE                the digest that a worker pool's name depends on
//	hotupdate explain FILE             the class of every field that is set
//	hotupdate schema [PROVIDER]        the Schemas of the provider configs that are built in
//	hotupdate schema diff OLD NEW      what another Schema does to unchanged configs
//	hotupdate schema report            the JSON Schema of the reports of plan
//	hotupdate schema config            the JSON Schema of the config file
//	hotupdate rules [FIELD]            the fields that plan judges, or one, with the functions that say so
//	hotupdate audit PATH...            what a release does to an unchanged fleet
//	hotupdate serve                    warn at kubectl apply: an admission webhook that says what plan says
//	hotupdate version                  which build of the command this is
//
// FILE of hash and explain is a provider config, a Worker manifest or a Shoot manifest. OLD and NEW
// of plan and PATH of audit are files or directories of many of them. All are YAML or JSON, and -
// is standard input. OLD and NEW of schema diff are Schemas or sets of eras in JSON.
//
// See hotupdate COMMAND --help for the flags, and hotupdate help for the topics, whose pages are in
// the folder help. hotupdate completion SHELL writes a script that completes commands, flags and the
// names of pools. Installed as kubectl-hotupdate, the command is
// the plugin kubectl hotupdate.
package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

func main() {
	debug.SetGCPercent(200) // a run is short: collecting less often saves a tenth of its time
	std := streams{
		program: filepath.Base(os.Args[0]), in: os.Stdin, out: os.Stdout, err: os.Stderr, byGit: byGit(),
		gitPrefix: os.Getenv("GIT_PREFIX"), shownPath: os.Getenv("BASE"),
		providers: extensions.All(),
	}
	if info, err := os.Stdout.Stat(); err == nil {
		std.color = report.IsColored(info.Mode(), os.Getenv("NO_COLOR"), os.Getenv("TERM"))
	}
	if columns, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		std.columns = columns
	}
	if term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb" {
		std.progress = newProgress(os.Stderr, time.Now)
	}
	os.Exit(run(os.Args[1:], std))
}

// byGit reports whether git calls the command to show a difference.
func byGit() bool { return os.Getenv("GIT_DIFF_PATH_TOTAL") != "" }
