package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// FormatVersion is the version of the JSON form, see report.schema.json. Under one version members may be added, but not removed or changed.
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
func JSON(plan *pool.Plan) ([]byte, error) {
	shared := sharedRemarks(plan)
	out := jsonReport{
		FormatVersion: FormatVersion, Outcome: plan.Verdict().String(), Pools: make([]jsonPool, len(plan.Pools)),
		Assumed: present(shared.assumed), Notes: []string{},
	}
	for i, p := range plan.Pools {
		pool, err := jsonPoolOf(p, remarksOf(p, shared))
		if err != nil {
			return nil, err
		}
		out.Pools[i] = pool
	}
	return Indented(out)
}

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

func jsonPoolOf(p pool.Planned, remarks remarks) (jsonPool, error) {
	out := jsonPool{
		Name: p.Name, FormerName: p.FormerName, State: p.State.String(), Strategy: p.Strategy.String(), Message: verdictOf(p).meaning,
		Changes: make([]jsonChange, len(p.Changes)), Assumed: present(remarks.assumed), Notes: present(remarks.notes),
	}
	if p.State == pool.Kept || p.State == pool.Renamed {
		out.Outcome = p.Effect().String()
	}
	for i, c := range p.Changes {
		change, err := jsonOf(c.Change)
		if err != nil {
			return out, err
		}
		change.Cause = c.Decides && len(verdictOf(p).causes) > 0
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
