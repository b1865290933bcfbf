// Package validator asks the API server's own code whether it accepts custom resources.
//
// That code is in a separate program, hotupdate-crd, because it is too large for this one. Package
// crdplugin has the format of the messages, and package plugin runs the program. This package must
// not know what an answer means for machines.
package validator

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/plugin"
	"github.com/hotupdate/providerconfig/internal/crdplugin"
)

// Flag is the flag by which users name the program.
const Flag = "--validator"

// Find returns the path of the program that a user names, see [plugin.Find].
func Find(named string) (string, error) { return plugin.Find(Flag, named, crdplugin.Command) }

// Session is a running program. It is safe for concurrent use.
type Session struct {
	*plugin.Session[crdplugin.Answer]

	// Version is the version of Kubernetes whose code answers.
	Version string
	// Ignored are the definitions that the program does not use, each with the reason.
	Ignored []string
}

// Options choose the program and the version of the API server.
type Options struct {
	// Program is the path of the program; empty for none.
	Program string
	// Kubernetes is the minor version of the API server; empty for one of 1.30 or newer.
	Kubernetes string
}

// Start starts the program, with CustomResourceDefinitions in JSON. The caller has to close the session.
func (o Options) Start(definitions []json.RawMessage) (*Session, error) {
	var ready crdplugin.Ready
	setup := crdplugin.Setup{
		FormatVersion: crdplugin.FormatVersion, Definitions: definitions, Kubernetes: o.Kubernetes,
	}
	session, err := plugin.Start[crdplugin.Answer](o.Program, Flag, setup, &ready, func() error {
		return plugin.CheckReady(ready.Error, ready.FormatVersion, crdplugin.FormatVersion)
	})
	return &Session{session, ready.APIServer, ready.Ignored}, err
}

// Ask returns whether the API server accepts an object in JSON: as an update of an old object, or
// as a new object if there is no old one.
func (s *Session) Ask(old, updated []byte) (crdplugin.Answer, error) {
	return s.Session.Ask(crdplugin.Question{Old: old, New: updated})
}
