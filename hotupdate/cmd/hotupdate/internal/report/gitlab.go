package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// The members of an issue in GitLab's reports of code quality.
// Source: GitLab's documentation, "Code Quality", section "Code Quality report format".
type (
	qualityIssue struct {
		Description string          `json:"description"`
		CheckName   string          `json:"check_name"`
		Fingerprint string          `json:"fingerprint"`
		Severity    string          `json:"severity"`
		Location    qualityLocation `json:"location"`
	}
	qualityLocation struct {
		Path  string       `json:"path"`
		Lines qualityLines `json:"lines"`
	}
	qualityLines struct {
		Begin int `json:"begin"`
	}
)

// notJudged is the name of the check of an object that is not judged.
const notJudged = "not-judged"

// GitLab returns findings as a report of code quality for GitLab's merge requests, as a value for
// JSON. An issue is a finding; its check is the verdict. Accepted findings have the severity info.
// A finding without a place, such as in standard input, is at line 1 of the file "-".
func GitLab(f Findings) any {
	issues := []qualityIssue{}
	seen := map[string]int{}
	add := func(check, severity, text string, at pool.Place) {
		issue := qualityIssue{
			Description: plaintext.Printable(text), CheckName: check, Severity: severity, Location: locationIn(at),
		}
		// GitLab shows one issue for each fingerprint. It does not contain the line, so it stays
		// the same if lines are added above.
		issue.Fingerprint = strings.Join([]string{check, issue.Location.Path, issue.Description}, "\x00")
		seen[issue.Fingerprint]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", issue.Fingerprint, seen[issue.Fingerprint]))
		issue.Fingerprint = hex.EncodeToString(sum[:])
		issues = append(issues, issue)
	}
	for _, n := range f.All {
		severity := severityOf(n.Verdict)
		text := n.Verdict + ": " + n.Subject + ": " + n.Text
		if n.Accepted != "" {
			severity = "info"
			text += " (" + n.Accepted + ")"
		}
		add(n.Verdict, severity, text, n.Place)
	}
	for _, one := range f.NotJudged {
		add(notJudged, "critical", "not judged: "+strings.ReplaceAll(one.Text, "\n", "; "), one.Place)
	}
	return issues
}

// severityOf is the severity of a verdict, of which GitLab has five.
func severityOf(word string) string {
	switch ToneOf(word) {
	case page.Calm, page.Live:
		return "info"
	case page.Add:
		return "minor"
	case page.Move, page.Drain, page.Unsure:
		return "major"
	case page.Delete:
		return "blocker"
	case page.Replace, page.Stop:
	}
	return "critical"
}

// locationIn is a place as GitLab has it: a path without ./ at its beginning.
func locationIn(at pool.Place) qualityLocation {
	if at.File == "" {
		return qualityLocation{"-", qualityLines{1}}
	}
	return qualityLocation{path.Clean(filepath.ToSlash(at.File)), qualityLines{max(1, at.Line)}}
}
