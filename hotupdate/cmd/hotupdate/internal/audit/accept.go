package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
)

// Acceptances are findings that people know and accept for a time.
type Acceptances struct {
	FormatVersion int           `json:"formatVersion"`
	Accepted      []*Acceptance `json:"accepted"`

	today string
}

// Acceptance accepts the reasons that have all that it names, of the pools that do.
type Acceptance struct {
	// Reason says why the finding is accepted, Expires the last day of that, as 2026-12-31. Both are needed.
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

	used bool
}

// LoadAcceptances reads a file in YAML or JSON. What has expired before today accepts nothing.
func LoadAcceptances(file string, today time.Time) (*Acceptances, error) {
	data, err := release.ReadFile(file)
	if err != nil {
		return nil, err
	}
	a := &Acceptances{today: today.Format(time.DateOnly)}
	err = yaml.UnmarshalStrict(data, a)
	if err != nil {
		return nil, manifest.InFile(file, fmt.Errorf("is no list of accepted findings: %w", err))
	}
	return a, manifest.InFile(file, a.check())
}

func (a *Acceptances) check() error {
	var problems []error
	if a.FormatVersion != 1 {
		problems = append(problems, fmt.Errorf("has formatVersion %d; write 1", a.FormatVersion))
	}
	for i, one := range a.Accepted {
		fail := func(what string) { problems = append(problems, fmt.Errorf("accepted[%d]: %s", i, what)) }
		if one == nil {
			fail("is empty; write what is accepted")
			continue
		}
		if one.Reason == "" {
			fail("has no reason; say why the finding is accepted")
		}
		if _, err := time.Parse(time.DateOnly, one.Expires); err != nil {
			fail("expires: is no day; write one, such as 2026-12-31")
		}
		if one.Verdict != "" && !slices.Contains(Verdicts(), one.Verdict) {
			fail(fmt.Sprintf("verdict: is unknown; write one of %v", Verdicts()))
		}
		if cmp.Or(one.wants()...) == "" {
			fail("names nothing; write a verdict, path, finding, code, minor, project, namespace, name or pool")
		}
	}
	return errors.Join(problems...)
}

// Known says that every reason of a finding is accepted.
func (a *Acceptances) Known(p *Pool) string {
	var known string
	for _, cause := range p.causes() {
		i := slices.IndexFunc(a.Accepted, func(one *Acceptance) bool { return one.Expires >= a.today && one.accepts(p, cause.causeKey) })
		if i < 0 {
			return ""
		}
		a.Accepted[i].used = true
		known = fmt.Sprintf("accepted until %s: %s", a.Accepted[i].Expires, a.Accepted[i].Reason)
	}
	return known
}

// wants is what the acceptance names; nothing stands for anything.
func (a *Acceptance) wants() []string {
	return []string{string(a.Verdict), a.Path, a.Finding, a.Code, a.Minor, a.Project, a.Namespace, a.Name, a.Pool}
}

func (a *Acceptance) accepts(p *Pool, c causeKey) bool {
	has := []string{string(p.Verdict), c.Path, c.Finding, c.Code, c.Minor, p.Project, p.Namespace, p.Name, p.Pool}
	for i, want := range a.wants() {
		if want != "" && want != has[i] {
			return false
		}
	}
	return true
}

// finish names the acceptances that accept nothing.
func (a *Acceptances) finish(r *Report) {
	for i, one := range a.Accepted {
		switch {
		case one.Expires < a.today:
			r.Remarks = append(r.Remarks, fmt.Sprintf("accepted[%d] has expired on %s: %s", i, one.Expires, one.Reason))
		case !one.used:
			r.Remarks = append(r.Remarks, fmt.Sprintf("accepted[%d] accepts nothing that was found: %s", i, one.Reason))
		}
	}
}
