package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// FormatVersion is the version of the JSON form, which report.schema.json describes. Under one version members may be added; none is removed
// or changes its meaning.
const FormatVersion = 1

// The JSON form. report.schema.json documents its members.
type (
	jsonReport struct {
		FormatVersion int        `json:"formatVersion"`
		Outcome       string     `json:"outcome"`
		Pools         []jsonPool `json:"pools"`
		Assumed       []string   `json:"assumedUnchanged"`
		Notes         []string   `json:"notes"`
	}
	jsonPool struct {
		Name       string       `json:"name,omitempty"`
		FormerName string       `json:"formerName,omitempty"`
		State      string       `json:"state"`
		Strategy   string       `json:"strategy"`
		Outcome    string       `json:"outcome,omitempty"`
		Message    string       `json:"message"`
		Changes    []jsonChange `json:"changes"`
		Assumed    []string     `json:"assumedUnchanged"`
		Notes      []string     `json:"notes"`
	}
	jsonChange struct {
		Op        string          `json:"op"`
		Path      string          `json:"path"`
		Pointer   string          `json:"pointer"`
		Class     string          `json:"class"`
		Origin    string          `json:"origin"`
		Source    string          `json:"source,omitempty"`
		Old       json.RawMessage `json:"old,omitempty"`
		New       json.RawMessage `json:"new,omitempty"`
		Sensitive bool            `json:"sensitive,omitempty"`
		Omitted   bool            `json:"omitted,omitempty"`
		Cause     bool            `json:"cause,omitempty"`
	}
)

// JSON returns the report for programs. Values are whole, and numbers exact: decode them accordingly. It is an error if the values of a
// [hotupdate.Change] are no JSON, which those of a Diff always are.
func JSON(plan pool.Plan) ([]byte, error) {
	shared := sharedRemarks(plan)
	out := jsonReport{
		FormatVersion: FormatVersion, Outcome: plan.Outcome().String(), Pools: make([]jsonPool, len(plan)),
		Assumed: present(shared.assumed), Notes: []string{},
	}
	for i, p := range plan {
		pool, err := jsonPoolOf(p, remarksOf(p, shared))
		if err != nil {
			return nil, err
		}
		out.Pools[i] = pool
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return []byte(escapedLines(text.String())), nil
}

func jsonPoolOf(p pool.Planned, remarks remarks) (jsonPool, error) {
	out := jsonPool{
		Name: p.Name, FormerName: p.FormerName, State: p.State.String(), Strategy: p.Strategy.String(), Message: verdictOf(p).meaning,
		Changes: make([]jsonChange, len(p.Changes)), Assumed: present(remarks.assumed), Notes: present(remarks.notes),
	}
	if p.State == pool.Kept || p.State == pool.Renamed {
		out.Outcome = p.Effect().String()
	}
	causes := isCause(p)
	for i, c := range p.Changes {
		change, err := jsonOf(c)
		if err != nil {
			return out, err
		}
		change.Cause = causes[i]
		out.Changes[i] = change
	}
	return out, nil
}

func jsonOf(c hotupdate.Change) (jsonChange, error) {
	out := jsonChange{
		Op: c.Op.String(), Path: c.Path, Pointer: c.Pointer, Class: c.Class.String(), Origin: c.Origin.String(), Source: c.Source,
		Sensitive: c.Sensitive, Omitted: c.Omitted,
	}
	if c.Sensitive {
		return out, nil
	}
	for _, value := range []string{c.Old, c.New} {
		if value != "" && !json.Valid([]byte(value)) {
			return out, fmt.Errorf("report: %s: has a value that is no JSON; take changes from hotupdate.Schema.Diff", plaintext.Printable(c.Path))
		}
	}
	out.Old, out.New = json.RawMessage(c.Old), json.RawMessage(c.New)
	return out, nil
}

// present is a list that is not null in JSON.
func present(list []string) []string { return append([]string{}, list...) }

// escapedLines escapes unprintable characters, which are all in strings: newlines are layout.
func escapedLines(text string) string {
	var b bytes.Buffer
	for l := range bytes.Lines([]byte(text)) {
		b.WriteString(plaintext.Printable(string(bytes.TrimSuffix(l, []byte("\n")))))
		b.WriteByte('\n')
	}
	return b.String()
}
