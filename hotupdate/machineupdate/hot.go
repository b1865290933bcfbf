package machineupdate

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Hot is the hot part of a provider spec: the Hot fields in canonical JSON, as [hotupdate.Schema.HotDocument] writes them. The empty string
// means that no hot part is known, as before the first success.
//
// Printing it shows its length: it may be secret. Convert it to a string to read it.
type Hot string

// Nothing is the hot part of a provider spec without Hot fields. Applying it removes everything that is owned.
const Nothing Hot = "{}"

// JSON returns the hot part as JSON, null if none is known.
func (h Hot) JSON() json.RawMessage {
	if h == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(h)
}

// Format prints the length, for every verb.
func (h Hot) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = io.WriteString(f, "hot part of "+strconv.Itoa(len(h))+" bytes")
}
