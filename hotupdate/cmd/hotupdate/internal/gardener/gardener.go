// Package gardener asks Gardener's own code about changes of Shoots.
//
// That code is in a separate program, hotupdate-gardener, because it is too large for this one.
// Package gardenerplugin has the format of the messages, and package plugin runs the program. This
// package must not know what an answer means for a plan: package pool merges answers.
package gardener

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/plugin"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
)

// Flag is the flag by which users name the program.
const Flag = "--gardener"

// Find returns the path of the program that a user names, see [plugin.Find].
func Find(named string) (string, error) { return plugin.Find(Flag, named, gardenerplugin.Command) }

// Session is a running program. It is safe for concurrent use.
type Session struct {
	*plugin.Session[gardenerplugin.Answer]

	// Version is the version of Gardener whose code answers.
	Version string
	// Ignored are the objects that the program does not use, each with the reason.
	Ignored []string
}

// Start starts the program at a path. Objects are the objects in JSON that the admission of Shoots
// reads in addition to a Shoot, and gates the known feature gates of the landscape. The caller has
// to close the session.
func Start(program string, objects []json.RawMessage, gates map[string]bool) (*Session, error) {
	var ready gardenerplugin.Ready
	setup := gardenerplugin.Setup{
		FormatVersion: gardenerplugin.FormatVersion, Objects: objects, FeatureGates: gates,
	}
	session, err := plugin.Start[gardenerplugin.Answer](program, Flag, setup, &ready, func() error {
		return plugin.CheckReady(ready.Error, ready.FormatVersion, gardenerplugin.FormatVersion)
	})
	return &Session{session, ready.Gardener, ready.Ignored}, err
}

// Ask returns the answer to a question. The two Shoots are in JSON; without an old one, the Shoot is
// created. The way is how manifests are applied, see [gardenerplugin.Question]; empty if it is not known.
func (s *Session) Ask(old, updated []byte, way string) (gardenerplugin.Answer, error) {
	return s.Session.Ask(gardenerplugin.Question{Old: old, New: updated, Apply: way})
}
