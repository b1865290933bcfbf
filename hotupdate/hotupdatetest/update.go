package hotupdatetest

import (
	"flag"
	"fmt"
	"slices"
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

var updateWords = []string{Verify: "false", UpdateHarmless: "true", UpdateRolling: "roll"}

// String returns the word that Set reads: false, true or roll.
func (u *Update) String() string {
	if int(*u) < len(updateWords) {
		return updateWords[*u]
	}
	return "unknown"
}

// Set reads false, true or roll.
func (u *Update) Set(text string) error {
	at := slices.Index(updateWords, text)
	if at < 0 {
		return misuse(fmt.Sprintf("-update=%q", text), "is none of true, roll and false", "write -update or -update=roll")
	}
	*u = Update(at) //nolint:gosec // one of three
	return nil
}

// IsBoolFlag lets -update stand alone.
func (u *Update) IsBoolFlag() bool { return true }
