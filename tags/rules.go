package tags

import "strconv"

// Rules are what one cloud demands of the infrastructure tags of one kind of resource, and what may be done about them. They are data:
// every operation of this package reads them and knows no cloud.
//
// Rules of a known cloud come from [Cloud.Rules]. Drivers of other clouds fill in their own; an operator with another quota changes
// MaxTags of a copy. The zero value allows nothing: no key, no value, no infrastructure tag.
type Rules struct {
	Name   string // for messages, such as "AWS tags"
	Source string // the documentation that the row was taken from

	Form    Form    // keys and values, or keys only
	Folding Folding // whether keys that differ only in case are one key

	MaxTags   int      // infrastructure tags per resource
	Uncounted []string // prefixes, in any case, of live keys that do not count

	Key   Text // what a key may be
	Value Text // what a value may be; unused for KeysOnly

	Reserved []Reserved // keys that are not for users

	Cleaning Cleaning // how [Rules.Sanitize] repairs what a user or a pool label brings

	Guard      Guard // the condition that a removal can carry
	SetCall    Call  // how much one call sets
	RemoveCall Call  // how much one call removes
}

// Form says whether infrastructure tags have values. The zero value is KeysAndValues.
type Form uint8

// The forms.
const (
	KeysAndValues Form = iota
	KeysOnly
)

// String returns the form's name.
func (f Form) String() string {
	switch f {
	case KeysAndValues:
		return "KeysAndValues"
	case KeysOnly:
		return "KeysOnly"
	}
	return "Form(" + strconv.Itoa(int(f)) + ")"
}

// Guard is the condition under which a cloud removes an infrastructure tag. It is that of the calls that Source names: a driver that makes
// others changes it in its copy of the rules. The zero value is Unguarded, the most dangerous one, so that nothing relies on a
// condition that a driver forgot to declare.
type Guard uint8

// The guards.
const (
	Unguarded    Guard = iota // the key goes, whatever its value is by now
	GuardValue                // the key goes only if it has the value given
	GuardVersion              // everything is written at once, and only if nothing changed since it was read
)

// String returns the guard's name.
func (g Guard) String() string {
	switch g {
	case Unguarded:
		return "Unguarded"
	case GuardValue:
		return "GuardValue"
	case GuardVersion:
		return "GuardVersion"
	}
	return "Guard(" + strconv.Itoa(int(g)) + ")"
}

// Call is how much a cloud takes in one call. Zero counts as one.
type Call struct {
	Resources int // resources of one call, all of which get the same infrastructure tags
	Tags      int // infrastructure tags of one call
}

// Rules returns the rules of a kind of resource. The error has the code [NoRules] if there are none: for a value that is no cloud or no
// kind, and for OpenStack's network interfaces, whose ports carry no keys with values.
func (c Cloud) Rules(k Kind) (Rules, error) {
	for _, row := range table() {
		if row.cloud == c && row.has(k) {
			return row.rules, nil
		}
	}
	return Rules{}, &Error{
		Code: NoRules, Rules: c.String(),
		What: "resources of kind " + k.String() + " carry no infrastructure tags that this package knows",
		Cure: "leave them out",
	}
}
