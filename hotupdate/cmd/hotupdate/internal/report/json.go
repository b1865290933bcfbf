package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
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

// Parse reads the output of [JSON], also of a later release with the same version: it ignores
// unknown members. Verdicts, states and ops must be known.
func Parse(text []byte) (*Report, error) {
	var r Report
	var compact bytes.Buffer // removes the indentation of values
	_ = json.Compact(&compact, text)
	if !utf8.Valid(text) || json.Unmarshal([]byte(plaintext.Printable(compact.String())), &r) != nil {
		return nil, &fault.Error{
			Kind: fault.Malformed, Code: "malformed-report", What: "is no report",
			Hint: "write one with plan --output json",
		}
	}
	if r.FormatVersion != FormatVersion {
		return nil, &fault.Error{
			Kind: fault.Unsupported, Code: "unsupported-report", Path: "formatVersion",
			What: fmt.Sprintf("is %d, and this release reads %d", r.FormatVersion, FormatVersion),
			Hint: "write the report anew with plan --output json",
		}
	}
	if !r.isKnown() {
		return nil, &fault.Error{
			Kind: fault.Unknown, Code: "unknown-word", What: "has a verdict, state or op that is not known",
			Hint: "use the release that wrote it",
		}
	}
	return &r, nil
}

// isKnown reports whether all verdicts, states and ops of the report are known. It removes
// sensitive values.
func (r *Report) isKnown() bool {
	known, verdicts := true, []string{r.Verdict}
	var changes [][]Change
	for _, m := range r.Manifests {
		verdicts, changes = append(verdicts, m.Verdict), append(changes, m.Changes)
		for _, p := range m.Pools {
			verdicts, changes = append(verdicts, p.Verdict), append(changes, p.Changes)
			known = known && slices.Contains(states, p.State)
		}
	}
	for _, list := range changes {
		for i := range list {
			c := &list[i]
			verdicts = append(verdicts, c.Verdict)
			known = known && slices.Contains(ops, c.Op)
			if c.Sensitive {
				c.Old, c.New = nil, nil
			}
		}
	}
	return known && !slices.ContainsFunc(verdicts,
		func(word string) bool { return !slices.Contains(words, word) || slices.Contains(states, word) })
}

// The states and ops of reports.
var (
	states = []string{pool.Kept.String(), pool.Added.String(), pool.Removed.String(), pool.Renamed.String()}
	ops    = []string{string(hotupdate.Add), string(hotupdate.Remove), string(hotupdate.Replace)}
)
