package hotupdatetest

import (
	"flag"
	"fmt"
)

// Update says what [Golden] does when the file and the type differ. It is a flag, see [flag.Value]: -update stands for UpdateHarmless,
// -update=roll for UpdateRolling. The zero value is Verify.
type Update uint8

// The ways to update.
const (
	Verify         Update = iota // fail, and explain the difference
	UpdateHarmless               // write the file unless the difference would roll a pool or refuse a configuration
	UpdateRolling                // write the file whatever the difference does
)

var _ flag.Value = (*Update)(nil)

// String returns the word that Set reads: false, true or roll.
func (u *Update) String() string {
	if u == nil {
		return "false"
	}
	switch *u {
	case Verify:
		return "false"
	case UpdateHarmless:
		return "true"
	case UpdateRolling:
		return "roll"
	}
	return "unknown"
}

// Set reads false, true or roll.
func (u *Update) Set(text string) error {
	switch text {
	case "false":
		*u = Verify
	case "true":
		*u = UpdateHarmless
	case "roll":
		*u = UpdateRolling
	default:
		return fmt.Errorf("hotupdatetest: -update=%q: is none of true, roll and false; write -update or -update=roll", text) //nolint:err113 // flag prints it
	}
	return nil
}

// IsBoolFlag lets -update stand alone.
func (u *Update) IsBoolFlag() bool { return true }

// WithUpdate says what [Golden] does about a difference.
func WithUpdate(u Update) Option {
	return optionFunc(func(s *settings) { s.update = u })
}

// WithVector adds a configuration to those that [Golden] keeps, as raw JSON of the versioned type. It is written to the file as it
// is, so it must hold no secret.
func WithVector(name, raw string) Option {
	return optionFunc(func(s *settings) { s.vectors = append(s.vectors, vector{Name: name, Config: []byte(raw)}) })
}
