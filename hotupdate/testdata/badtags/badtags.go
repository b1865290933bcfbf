// Package badtags holds types with struct tags that go vet rejects, as users write them. It lies in testdata, where vet does not look.
package badtags

// Unquoted is the proposal's own spelling.
type Unquoted struct {
	Tags string `json:"tags" hotupdatable:true`
}

// UnquotedOnly has no other struct tag.
type UnquotedOnly struct {
	Tags string `hotupdatable:true`
}

// Hidden is behind a malformed struct tag of another key.
type Hidden struct {
	Tags string `json:tags hotupdatable:"true"`
}

// Twice has the key twice.
type Twice struct {
	Tags string `json:"tags" hotupdatable:"true" hotupdatable:"false"`
}

// Unexported has a struct tag on a field that JSON does not see.
type Unexported struct {
	Name string `json:"name"`
	tags string `json:"tags" hotupdatable:"true"`
}

// UnexportedAlone has no other field.
type UnexportedAlone struct {
	tags string `hotupdatable:"true"`
}

// EmbeddedText embeds an unexported type that is no struct.
type EmbeddedText struct {
	Name string `json:"name"`
	text `hotupdatable:"true"`
}

type text string

// SameLevel has one JSON name twice, so neither field is in JSON.
type SameLevel struct {
	Other string `json:"other"`
	A     string `json:"name" hotupdatable:"true"`
	B     string `json:"name" hotupdatable:"false"`
}

// OneTagged has one JSON name twice, and one struct tag.
type OneTagged struct {
	Other string `json:"other"`
	A     string `json:"name"`
	B     string `json:"name" hotupdatable:"true"`
}

// Untagged has one JSON name twice, and no struct tag.
type Untagged struct {
	Other string `json:"other"`
	A     string `json:"name"`
	B     string `json:"name"`
}

// Siblings embeds two structs with one JSON name in common.
type Siblings struct {
	Left
	Right
}

// Left and Right have a name in common.
type (
	Left struct {
		Name string `json:"name" hotupdatable:"true"`
		Left string `json:"left" hotupdatable:"true"`
	}
	Right struct {
		Name  string `json:"name" hotupdatable:"inplace"`
		Right string `json:"right"`
	}
)

// Diamond embeds one struct by two ways at one depth, so its fields drop each other.
type Diamond struct {
	North
	South
}

// North and South embed the same struct.
type (
	North struct {
		Base  `hotupdatable:"true"`
		North string `json:"north"`
	}
	South struct {
		Base
		South string `json:"south"`
	}
	Base struct {
		Base string `json:"base" hotupdatable:"true"`
	}
)

// PointerToUnexported embeds what encoding/json cannot fill.
type PointerToUnexported struct {
	*hidden
	Name string `json:"name"`
}

// NamedPointerToUnexported embeds the same under a name.
type NamedPointerToUnexported struct {
	*hidden `json:"hidden"`
	Name    string `json:"name"`
}

type hidden struct {
	Text string `json:"text"`
}

// FillNamed sets the embedded pointer, which only this package can.
func (c *NamedPointerToUnexported) FillNamed(text string) { c.hidden = &hidden{text} }
