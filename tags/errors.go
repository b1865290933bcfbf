package tags

import "strconv"

// Code says what kind of problem an [Error] reports. The zero value is UnknownCode.
type Code uint8

// The codes.
const (
	UnknownCode      Code = iota
	NoRules               // a cloud or a kind without infrastructure tags
	OverLimit             // more infrastructure tags than a resource takes
	KeyClash              // keys that are one key to the cloud
	ReservedKey           // a desired key that MCM, the driver or the cloud reserves
	SecondClusterKey      // mandatory keys that name more than one cluster
)

// String returns the code's name.
func (c Code) String() string {
	switch c {
	case NoRules:
		return "NoRules"
	case OverLimit:
		return "OverLimit"
	case KeyClash:
		return "KeyClash"
	case ReservedKey:
		return "ReservedKey"
	case SecondClusterKey:
		return "SecondClusterKey"
	case UnknownCode:
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

// Error is one problem. It names rules, resources and keys, never the value of an infrastructure tag.
type Error struct {
	Code     Code
	Rules    string // the name of the rules, such as "AWS tags"
	Resource string // the ID of the resource, if the problem is that of one
	Key      string // the key, if the problem is that of one
	What     string // what is wrong
	Cure     string // what to do instead
}

// Error returns "tags: <rules>: <resource>: key <key>: <what>; <cure>" without the parts that do not apply.
func (e *Error) Error() string {
	text := "tags: " + e.Rules + ": "
	if e.Resource != "" {
		text += e.Resource + ": "
	}
	if e.Key != "" {
		text += "key " + strconv.Quote(e.Key) + ": "
	}
	text += e.What
	if e.Cure != "" {
		text += "; " + e.Cure
	}
	return text
}
