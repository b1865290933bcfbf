package audit

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
)

// Known are the known findings: those that people accept for a time, and those of a former result.
// The zero value has none.
type Known struct {
	FormatVersion int          `json:"formatVersion"`
	Accepted      []Acceptance `json:"accepted"`

	today, baseline string          // the date, and the file of the baseline
	findings        map[string]bool // of the baseline
}

// Acceptance accepts the reasons, of the pools, that match all of its members that are set.
type Acceptance struct {
	// Reason says why the finding is accepted, and Expires until which day, such as 2026-12-31.
	// Both are required.
	Reason  string `json:"reason"`
	Expires string `json:"expires"`

	Verdict   Verdict `json:"verdict"`
	Path      string  `json:"path"`
	Finding   string  `json:"finding"`
	Code      string  `json:"code"`
	Minor     string  `json:"minor"`
	Project   string  `json:"project"`
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Pool      string  `json:"pool"`
}

// LoadKnown reads a file of acceptances, in YAML or JSON, and a former result. The file names may be
// empty. Acceptances that expired before today have no effect.
func LoadKnown(accepted, baseline string, today time.Time) (*Known, error) {
	k := &Known{today: today.Format(time.DateOnly), baseline: baseline, findings: map[string]bool{}}
	var problems []error
	if baseline != "" {
		problems = append(problems, k.readBaseline(baseline))
	}
	if accepted != "" {
		problems = append(problems, k.readAccepted(accepted))
	}
	return k, errors.Join(problems...)
}

func (k *Known) readBaseline(file string) error {
	r, err := load(file)
	if err != nil {
		return err
	}
	findings, err := r.findings()
	for _, p := range findings {
		k.findings[p.finding()] = true
	}
	return manifest.InFile(file, err)
}

func (k *Known) readAccepted(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return manifest.InFile(file, err)
	}
	if err := yaml.UnmarshalStrict(data, k); err != nil {
		return manifest.InFile(file, fmt.Errorf("is no list of accepted findings: %w", err))
	}
	var problems []error
	if k.FormatVersion != 1 {
		problems = append(problems, fmt.Errorf("has formatVersion %d; write 1", k.FormatVersion))
	}
	for i, one := range k.Accepted {
		_, noDay := time.Parse(time.DateOnly, one.Expires)
		if one.Reason == "" || noDay != nil || cmp.Or(one.wants()...) == "" ||
			one.Verdict != "" && !slices.Contains(Verdicts(), one.Verdict) {
			problems = append(problems,
				fmt.Errorf("accepted[%d]: write a reason, expires as in 2026-12-31, and what is accepted: a verdict "+
					"of %v, path, finding, code, "+
					"minor, project, namespace, name or pool", i, Verdicts()))
		}
	}
	return manifest.InFile(file, errors.Join(problems...))
}

// isEmpty reports whether no finding is known.
func (k *Known) isEmpty() bool { return len(k.Accepted)+len(k.findings) == 0 }

// why says why a finding is known: all of its reasons are accepted, or it is in the baseline.
func (k *Known) why(p *JudgedPool) (why string) {
	for _, cause := range p.causes() {
		i := slices.IndexFunc(k.Accepted,
			func(one Acceptance) bool { return one.Expires >= k.today && one.accepts(p, cause) })
		if i < 0 {
			why = ""
			break
		}
		why = fmt.Sprintf("accepted until %s: %s", k.Accepted[i].Expires, k.Accepted[i].Reason)
	}
	if why == "" && k.findings[p.finding()] {
		why = "as in " + k.baseline
	}
	return why
}

// wants are the members of the acceptance. An empty one matches everything.
func (a *Acceptance) wants() []string {
	return []string{string(a.Verdict), a.Path, a.Finding, a.Code, a.Minor, a.Project, a.Namespace, a.Name, a.Pool}
}

func (a *Acceptance) accepts(p *JudgedPool, c causeKey) bool {
	has := []string{string(p.Verdict), c.Path, c.Finding, c.Code, c.Minor, p.Project, p.Namespace, p.Name, p.Pool}
	return slices.EqualFunc(a.wants(), has, func(want, has string) bool { return want == "" || want == has })
}

// remarks name the acceptances that have expired.
func (k *Known) remarks() (all []string) {
	for i, one := range k.Accepted {
		if one.Expires < k.today {
			all = append(all, fmt.Sprintf("accepted[%d] has expired on %s: %s", i, one.Expires, one.Reason))
		}
	}
	return all
}

// finding identifies the finding about a pool.
func (p *JudgedPool) finding() string {
	parts := []string{p.Kind, p.Namespace, p.Name, p.Pool, string(p.Verdict)}
	for _, c := range p.causes() {
		if c.Path+c.Finding+c.Code != "" {
			c.Text = "" // another release may word it otherwise
		}
		parts = append(parts, strings.Join([]string{c.Path, c.Finding, c.Code, c.OldEra, c.NewEra, c.Text}, "\x01"))
	}
	slices.Sort(parts[5:])
	return strings.Join(parts, "\x00")
}
