package hotupdatetest

import "flag"

// update says what [Golden] does when the file and the type differ.
type update uint8

const (
	verify         update = iota // fail, and explain the difference
	updateHarmless               // write the file unless the difference would roll a pool or refuse a configuration
	updateRolling                // write the file whatever the difference does
)

var updateWords = map[string]update{"false": verify, "true": updateHarmless, "roll": updateRolling}

// UpdateFlag defines a flag by which [Golden] writes its files, and returns the Option that reads
// the flag: with the name update, -update and -update=roll. Define it before the flags are parsed:
// in a variable of the test's package.
func UpdateFlag(flags *flag.FlagSet, name string) Option {
	u := verify
	flags.BoolFunc(name, "write golden files if that rolls no pool; -"+name+"=roll writes them in any case",
		func(text string) error {
			word, ok := updateWords[text]
			if !ok {
				return misuse("-"+name+"="+text, "must be true, roll or false", "write -"+name+" or -"+name+"=roll")
			}
			u = word
			return nil
		})
	return func(s *subject) error {
		s.update = u
		return nil
	}
}
