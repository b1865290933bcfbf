package fault

// The codes on which callers decide. They are the values of [Error.Code], for [Is]. All other codes are
// stable too; they name mistakes of a program or an input that a person corrects.
const (
	// InvalidJSON: a text is not JSON.
	InvalidJSON = "invalid-json"
	// TooDeep: a value is nested too deeply, or contains itself.
	TooDeep = "too-deep"
	// WrongJSONType: a JSON value has another type than its field.
	WrongJSONType = "wrong-json-type"
	// InvalidIntOrString: a value is neither an integer nor a string.
	InvalidIntOrString = "invalid-int-or-string"
	// UnknownMember: no field has the name of the member.
	UnknownMember = "unknown-member"
	// DuplicateMember: an object has two members with one name.
	DuplicateMember = "duplicate-member"
	// DuplicateMapKey: a map has two keys with one text.
	DuplicateMapKey = "duplicate-map-key"
	// DuplicateListKey: two elements of a list have one key.
	DuplicateListKey = "duplicate-list-key"
	// RepeatedKey: an element has the key of an element before it.
	RepeatedKey = "repeated-key"
	// TypeMismatch: a Go value is not of the type of the Schema.
	TypeMismatch = "type-mismatch"

	// UnknownClass: a struct tag begins with a word that is not a class.
	UnknownClass = "unknown-class"
	// NoJSONName: a Go field has no name in JSON.
	NoJSONName = "no-json-name"
	// UnknownPath: an option is for a path that the type does not have.
	UnknownPath = "unknown-path"

	// MalformedVersion: a text is not a Kubernetes version.
	MalformedVersion = "malformed-version"
	// UnknownStrategy: an update strategy is not known.
	UnknownStrategy = "unknown-strategy"
	// EraFailed: the function of an era returned an error.
	EraFailed = "era-failed"
	// NoSecretName: gardenlet has not set the name of the node-agent secret yet.
	NoSecretName = "no-secret-name"
	// NameCollision: one short name stands for two digests.
	NameCollision = "name-collision"

	// ForeignRecord: the record of a machine belongs to another machine.
	ForeignRecord = "foreign-record"
	// MissingClass: the class of a machine is missing.
	MissingClass = "missing-class"
	// FailedCall: a call of a driver failed.
	FailedCall = "failed-call"
	// LoginTimeout: the login of a driver did not end in time.
	LoginTimeout = "login-timeout"
)
