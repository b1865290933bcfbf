package report

import (
	"encoding/json"
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// FormatVersion is the version of the JSON form, see report.schema.json. Within a version, members
// may be added, but not removed or changed.
const FormatVersion = 2

// JSON returns a report, or another value, as JSON for programs and people. Unprintable characters
// are escaped; only strings can have them. Values are whole, and numbers exact: decode them
// accordingly.
func JSON(value any) ([]byte, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	lines := strings.Split(text.String(), "\n")
	for i, line := range lines {
		lines[i] = plaintext.Printable(line)
	}
	return []byte(strings.Join(lines, "\n")), err
}
