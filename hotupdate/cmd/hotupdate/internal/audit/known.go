package audit

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/acceptance"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Known are the known findings: findings that people accept for a time, and findings of a former result.
// The zero value has none.
type Known struct {
	accepted *acceptance.List
	baseline string          // the file of the former result
	findings map[string]bool // of the former result
}

// AcceptedVerdicts says which verdicts of a command's findings people may accept.
func AcceptedVerdicts() acceptance.Command {
	return acceptance.Command{Verdicts: verdict.Words(verdict.FailingReleases())}
}

// LoadKnown returns the findings that a list accepts, which may be nil, and the findings of a former result,
// whose file name may be empty.
func LoadKnown(accepted *acceptance.List, baseline string) (*Known, error) {
	k := &Known{accepted: accepted, baseline: baseline, findings: map[string]bool{}}
	if baseline == "" {
		return k, nil
	}
	return k, k.readBaseline(baseline)
}

func (k *Known) readBaseline(file string) error {
	r, err := load(file)
	if err != nil {
		return err
	}
	findings, err := findingsOf(r)
	for _, p := range findings {
		k.findings[p.finding()] = true
	}
	return manifest.InFile(file, err)
}

// isEmpty reports whether no finding is known.
func (k *Known) isEmpty() bool { return k.accepted == nil && len(k.findings) == 0 }

// why says why a finding is known: all of its reasons are accepted, or it is in the baseline.
func (k *Known) why(p *JudgedPool) string {
	if why := k.accepted.Why(p.accepted()); why != "" {
		return why
	}
	if k.findings[p.finding()] {
		return "in the baseline: " + k.baseline
	}
	return ""
}

// accepted are the reasons for the verdict on the pool, as an acceptance names them.
func (p *JudgedPool) accepted() (findings []acceptance.Finding) {
	for _, cause := range p.causes() {
		findings = append(findings, acceptance.Finding{
			acceptance.Verdict: {p.Verdict}, acceptance.Path: p.pathsOf(&cause.reason),
			acceptance.Kind: {cause.reason.Finding}, acceptance.Code: {cause.reason.Code},
			acceptance.Minor: {cause.minor}, acceptance.Project: {p.Of.Project},
			acceptance.Namespace: {p.Of.Namespace}, acceptance.Name: {p.Of.Name}, acceptance.Pool: {p.Name},
		})
	}
	return findings
}

// pathsOf returns the names of the field of a reason in an acceptance. That of a pool has them as plan does.
func (p *JudgedPool) pathsOf(reason *Reason) []string {
	if reason.Path == "" || p.Name == "" {
		return []string{reason.Path}
	}
	return pool.PathsInConfig(reason.Path)
}

// finding identifies the finding about a pool.
func (p *JudgedPool) finding() string {
	parts := []string{p.Of.Kind, p.Of.Namespace, p.Of.Name, p.Name, p.Verdict}
	for _, r := range p.Reasons {
		if r.Path+r.Finding+r.Code != "" {
			r.Text = "" // another release may word it otherwise
		}
		parts = append(parts, strings.Join([]string{r.Path, r.Finding, r.Code, p.OldEra, p.NewEra, r.Text}, "\x01"))
	}
	slices.Sort(parts[5:])
	return strings.Join(parts, "\x00")
}
