// Package config reads the config file of a repository, .hotupdate.yaml. It has the facts of a
// landscape that are in no manifest, the way in which manifests are applied, and the rules of a
// gate.
//
// It owns the format of the file, where the file is searched, and which version of it counts: the
// version in the work tree or, for a change that git or a pull request shows, the version of the
// commit before the change. It must not know the effect of a fact on machines, or the flags of
// commands, which override the file.
//
//   - The format is published as a JSON Schema, see [Schema]. [Parse] refuses all that the schema refuses.
//   - A path in the file is relative to the file. Globs are relative to the compared directories.
//   - A fact that the file does not state stays unknown.
package config

import (
	_ "embed"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// Name is the name of the file.
const Name = ".hotupdate.yaml"

// FormatVersion is the version of the format.
const FormatVersion = 1

// File is the content of a config file. The zero value states nothing.
type File struct {
	// Name names the file for messages: its path, or COMMIT:PATH.
	Name string
	// Landscape has the facts of the landscape.
	Landscape facts.Landscape
	// Apply says how manifests are applied, as --apply does; empty if the file does not say it.
	Apply string
	// Accept is the file of accepted changes, and CloudProfile the one with CloudProfiles; empty for none.
	Accept, CloudProfile string
	// FailOn are the verdicts that fail a gate, in the words of --fail-on.
	FailOn []string
	// UndecidedPasses says that a gate passes if a listed verdict is only possible, or if something is not
	// judged.
	UndecidedPasses bool
	// Exclude are globs of the files that are left out.
	Exclude []string

	// Notes list the changes of the file, and of the files that it names, since the commit that
	// counts. These changes decide nothing.
	Notes []string

	folder folder // has the file, and the files that it names
	path   string // of the file in the folder
	now    folder // has the files after the commit of folder; nil if there is no such version
}

//go:embed config.v1.schema.json
var schema []byte

// Schema returns the JSON Schema of the file.
func Schema() []byte { return slices.Clone(schema) }
