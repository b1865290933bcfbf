package machineupdate

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Hot is the hot part of a provider spec: the Hot fields in canonical JSON, as [hotupdate.Schema.AppendHot] writes them. The empty
// string is none at all, as when nothing was ever applied; Nothing is a hot part without fields, whose application removes everything that is
// owned.
//
// Printing it shows its length: it may be secret. Convert it to a string to read it.
type Hot string

// Nothing is the hot part of a provider spec in which nothing is hot.
const Nothing Hot = "{}"

// JSON returns the hot part as JSON, null for none.
func (h Hot) JSON() json.RawMessage {
	if h == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(h)
}

// Format prints the length, for every verb.
func (h Hot) Format(f fmt.State, _ rune) {
	// A formatter has nobody to tell that writing failed; fmt does not either.
	_, _ = io.WriteString(f, "hot part of "+strconv.Itoa(len(h))+" bytes")
}
