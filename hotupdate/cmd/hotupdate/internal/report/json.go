package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// FormatVersion is the version of the JSON form, see report.schema.json. Under one version members may be added, but not removed or changed.
const FormatVersion = 2

// JSON returns the report for programs. Values are whole, and numbers exact: decode them accordingly.
func JSON(r *Report) ([]byte, error) { return Indented(r) }

// Indented returns a value as JSON for programs and people. Only strings can hold what is unprintable, and there it is escaped.
func Indented(value any) ([]byte, error) {
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

// Parse reads what [JSON] wrote, also that of a later release under the same version: members that are not known are left out.
//
// All problems come back joined, each a [*fault.Error].
func Parse(text []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "malformed-report", What: "is no report", Hint: "write one with plan --output json"}
	}
	if r.FormatVersion != FormatVersion {
		return nil, &fault.Error{
			Kind: fault.Unsupported, Code: "unsupported-report", Path: "formatVersion", What: fmt.Sprintf("is %d, and this release reads %d", r.FormatVersion, FormatVersion),
			Hint: "write the report anew with plan --output json",
		}
	}
	p := parser{}
	p.word("verdict", r.Verdict, words)
	for i := range r.Manifests {
		m, path := &r.Manifests[i], fmt.Sprintf("manifests[%d]", i)
		p.word(path+".verdict", m.Verdict, words)
		p.changes(path, m.Changes)
		for j := range m.Pools {
			one, path := &m.Pools[j], fmt.Sprintf("%s.pools[%d]", path, j)
			p.word(path+".verdict", one.Verdict, words)
			p.word(path+".state", one.State, states)
			p.changes(path, one.Changes)
		}
	}
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	return &r, nil
}

// The words of reports that decide how they are shown.
var (
	states = []string{pool.Kept.String(), pool.Added.String(), pool.Removed.String(), pool.Renamed.String()}
	ops    = []string{hotupdate.Add.String(), hotupdate.Remove.String(), hotupdate.Replace.String()}
)

// parser collects the problems of a report.
type parser struct{ problems fault.List }

func (p *parser) word(path, word string, known []string) {
	if !slices.Contains(known, word) {
		p.problems.Add(&fault.Error{
			Kind: fault.Unknown, Code: "unknown-word", Path: path, What: "has a word that is not known", Hint: "write one of " + strings.Join(known, ", "),
		})
	}
}

// changes checks changes, and takes the indentation out of their values.
func (p *parser) changes(path string, changes []Change) {
	for i := range changes {
		c := &changes[i]
		path := fmt.Sprintf("%s.changes[%d]", path, i)
		p.word(path+".verdict", c.Verdict, words)
		p.word(path+".op", c.Op, ops)
		if c.Sensitive {
			c.Old, c.New = nil, nil
		}
		c.Old, c.New = compact(c.Old), compact(c.New)
	}
}

func compact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var text bytes.Buffer
	_ = json.Compact(&text, raw) // which was read as JSON
	return text.Bytes()
}
