package report_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// inGitLab checks the rules of GitLab's documentation, "Code Quality", section "Code Quality report format": the report is one array of
// issues without a byte-order mark; description, check_name, fingerprint, severity, location.path and location.lines.begin are required,
// severity is one of five words, path is relative to the repository and does not begin with ./, and no two issues have
// the same fingerprint.
func inGitLab(t require.TestingT, text []byte) (problems []string) {
	var issues []map[string]any
	require.NoError(t, json.Unmarshal(text, &issues), "%s", text)
	require.NotNil(t, issues, "null is no array")
	seen := map[any]bool{}
	for i, issue := range issues {
		fail := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("%d: ", i)+fmt.Sprintf(format, args...))
		}
		for _, name := range []string{"description", "check_name", "fingerprint", "severity"} {
			if value, isText := issue[name].(string); !isText || value == "" {
				fail("%s is not a text", name)
			}
		}
		if !slices.Contains([]any{"info", "minor", "major", "critical", "blocker"}, issue["severity"]) {
			fail("severity is %v", issue["severity"])
		}
		if seen[issue["fingerprint"]] {
			fail("the fingerprint is repeated")
		}
		seen[issue["fingerprint"]] = true
		location, _ := issue["location"].(map[string]any)
		lines, _ := location["lines"].(map[string]any)
		if begin, isNumber := lines["begin"].(float64); !isNumber || begin < 1 || begin != float64(int(begin)) {
			fail("lines.begin is %v", lines["begin"])
		}
		if path, isText := location["path"].(string); !isText || path == "" || strings.HasPrefix(path, "./") {
			fail("path is %v", location["path"])
		}
	}
	return problems
}

// element is a rule of junit-10.xsd of the xUnit plugin of Jenkins: the attributes that an element must and may have,
// and the elements in it.
type element struct {
	required, optional, children []string
}

// junitRules are the rules for the elements that this package writes, from that schema.
var junitRules = map[string]element{
	"testsuites": {nil, []string{"name", "time", "tests", "failures", "errors"}, []string{"testsuite"}},
	"testsuite": {
		[]string{"name", "tests", "failures", "errors"},
		[]string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
		[]string{"testsuite", "properties", "testcase", "system-out", "system-err"},
	},
	"testcase": {
		[]string{"name"},
		[]string{"time", "classname", "group"},
		[]string{"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError", "system-out", "system-err"},
	},
	"failure":    {nil, []string{"type", "message"}, nil},
	"error":      {nil, []string{"type", "message"}, nil},
	"skipped":    {nil, []string{"type", "message"}, nil},
	"system-out": {},
}

// inJUnit checks a document against [junitRules].
func inJUnit(t require.TestingT, text string) (problems []string) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	var above []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			require.Empty(t, above)
			return problems
		}
		require.NoError(t, err, "%s", text)
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			rule, isKnown := junitRules[name]
			if !isKnown || len(above) == 0 && name != "testsuites" {
				problems = append(problems, name+" is no element of the schema at this place")
			}
			if len(above) > 0 && !slices.Contains(junitRules[above[len(above)-1]].children, name) {
				problems = append(problems, name+" is in "+above[len(above)-1])
			}
			var has []string
			for _, attribute := range token.Attr {
				has = append(has, attribute.Name.Local)
				if !slices.Contains(append(rule.required, rule.optional...), attribute.Name.Local) {
					problems = append(problems, name+" has "+attribute.Name.Local)
				}
			}
			for _, required := range rule.required {
				if !slices.Contains(has, required) {
					problems = append(problems, name+" lacks "+required)
				}
			}
			above = append(above, name)
		case xml.EndElement:
			above = above[:len(above)-1]
		}
	}
}

func gitlab(t require.TestingT, f report.Findings) []byte {
	text, err := report.JSON(report.GitLab(f))
	require.NoError(t, err)
	return text
}

func junit(t require.TestingT, f report.Findings) string {
	var out strings.Builder
	require.NoError(t, report.JUnit(&out, f))
	return out.String()
}

// TestPublishedFormats: whatever a plan holds, its reports for GitLab and JUnit are as the formats are published.
func TestPublishedFormats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		found := anyReport(t).Findings()
		for range rapid.IntRange(0, 2).Draw(t, "broken") {
			found.NotJudged = append(
				found.NotJudged,
				report.NotJudged{Place: pool.Place{File: anyText().Draw(t, "file"), Line: 1}, Text: anyText().Draw(t, "why")},
			)
		}
		require.Empty(t, inGitLab(t, gitlab(t, found)))
		text := junit(t, found)
		require.Empty(t, inJUnit(t, text), text)
	})
}

// TestValidatorsRefuse: the validators of this test find what is wrong.
func TestValidatorsRefuse(t *testing.T) {
	t.Parallel()
	issue := `{"description":"a","check_name":"b","fingerprint":"c","severity":"info","location":{"path":"d","lines":{"begin":1}}}`
	assert.Empty(t, inGitLab(t, []byte("["+issue+"]")))
	for wrong, want := range map[string]string{
		strings.Replace(issue, `"a"`, `""`, 1):        "0: description is not a text",
		strings.Replace(issue, "info", "bad", 1):      "0: severity is bad",
		strings.Replace(issue, `"d"`, `"./d"`, 1):     "0: path is ./d",
		strings.Replace(issue, `:1}`, `:0}`, 1):       "0: lines.begin is 0",
		issue + "," + issue:                           "1: the fingerprint is repeated",
		strings.Replace(issue, "fingerprint", "f", 1): "0: fingerprint is not a text",
	} {
		assert.Equal(t, []string{want}, inGitLab(t, []byte("["+wrong+"]")))
	}
	suites := `<testsuites><testsuite name="a" tests="1" failures="0" errors="0"><testcase name="b"/></testsuite></testsuites>`
	assert.Empty(t, inJUnit(t, suites))
	for wrong, want := range map[string]string{
		strings.Replace(suites, ` tests="1"`, "", 1):                   "testsuite lacks tests",
		strings.Replace(suites, `"b"`, `"b" file="c"`, 1):              "testcase has file",
		strings.Replace(suites, `<testcase name="b"/>`, "<error/>", 1): "error is in testsuite",
	} {
		assert.Equal(t, []string{want}, inJUnit(t, wrong))
	}
}

// TestGitLab: an issue for each change that decides, at its line.
func TestGitLab(t *testing.T) {
	found := report.New(placedPlans(), nil, report.Selection{}).Findings()
	found.All[2].Accepted = "accepted until 2999-12-31: agreed"
	found.NotJudged = []report.NotJudged{{Place: pool.Place{File: "./new/b.yaml", Line: 7}, Text: "is broken"}}
	text := regexp.MustCompile(`"fingerprint": "[0-9a-f]{64}"`).ReplaceAllString(string(gitlab(t, found)), `"fingerprint": ""`)
	assert.JSONEq(t, `[
		{"description": "removed: pool b of Shoot garden-dev/web: the machines are deleted", "check_name": "removed", "fingerprint": "",
			"severity": "blocker", "location": {"path": "new/w b.yaml", "lines": {"begin": 10}}},
		{"description": "removed: Shoot gone: the manifest is removed", "check_name": "removed", "fingerprint": "",
			"severity": "blocker", "location": {"path": "old/gone.yaml", "lines": {"begin": 7}}},
		{"description": "roll: pool a of Shoot garden-dev/web: ~ volume.iops 3000 -> 4000: by Gardener's rules for worker pools (accepted until 2999-12-31: agreed)",
			"check_name": "roll", "fingerprint": "", "severity": "info", "location": {"path": "new/w b.yaml", "lines": {"begin": 22}}},
		{"description": "not judged: is broken", "check_name": "not-judged", "fingerprint": "", "severity": "critical",
			"location": {"path": "new/b.yaml", "lines": {"begin": 7}}}
	]`, text)
	before := string(gitlab(t, found))
	found.All[0].Place.Line++
	fingerprints := regexp.MustCompile(`[0-9a-f]{64}`)
	assert.Equal(
		t, fingerprints.FindAllString(before, -1), fingerprints.FindAllString(string(gitlab(t, found)), -1), "a line above moves no issue",
	)
	assert.Equal(t, "[]\n", string(gitlab(t, report.Findings{})))
}

// TestJUnit: a test case for each pool of which something is found.
func TestJUnit(t *testing.T) {
	found := report.New(placedPlans(), []string{"odd"}, report.Selection{}).Findings()
	found.All[2].Accepted = "accepted until 2999-12-31: agreed"
	found.All = append(found.All, report.Finding{Verdict: verdict.HotUpdate.String(), Subject: "pool <h>", Text: "running"})
	found.NotJudged = []report.NotJudged{{Place: pool.Place{File: "new/b.yaml", Line: 7}, Text: "is\nbroken"}}
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hotupdate plan" tests="5" failures="2" errors="1">
  <testsuite name="hotupdate plan" tests="5" failures="2" errors="1" skipped="1">
    <testcase name="pool b of Shoot garden-dev/web" classname="hotupdate plan">
      <failure type="removed" message="removed: the machines are deleted">new/w b.yaml:10</failure>
    </testcase>
    <testcase name="Shoot gone" classname="hotupdate plan">
      <failure type="removed" message="removed: the manifest is removed">old/gone.yaml:7</failure>
    </testcase>
    <testcase name="pool a of Shoot garden-dev/web" classname="hotupdate plan">
      <skipped type="roll" message="roll: ~ volume.iops 3000 -&gt; 4000: by Gardener&#39;s rules for worker pools (accepted until 2999-12-31: agreed)">new/w b.yaml:22</skipped>
    </testcase>
    <testcase name="pool &lt;h&gt;" classname="hotupdate plan">
      <system-out>hot-update: running&#xA;</system-out>
    </testcase>
    <testcase name="not judged new/b.yaml:7" classname="hotupdate plan">
      <error type="not-judged" message="is; broken">new/b.yaml:7</error>
    </testcase>
    <system-out>odd&#xA;</system-out>
  </testsuite>
</testsuites>
`, junit(t, found))
	assert.Contains(t, junit(t, report.Findings{Command: "plan"}), `tests="1" failures="0" errors="0"`, "a run without findings is a run")
}

// TestFormatsAgree: every format for programs has the same verdicts, each as often, with what people accept.
func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		accepted := func() string {
			return rapid.SampledFrom([]string{"", "accepted until 2999-12-31: agreed"}).Draw(t, "accepted")
		}
		plans := rapid.SliceOfN(rapid.Custom(anyPlan), 0, 3).Draw(t, "plans")
		for _, plan := range plans {
			plan.Accepted = accepted()
			for i := range plan.Pools {
				plan.Pools[i].Accepted = accepted()
			}
		}
		r := report.New(plans, nil, report.Selection{})
		found := r.Findings()
		var all, causes []string
		for _, one := range found.All {
			all = append(all, told(one.Verdict, one.Accepted != ""))
		}
		for _, one := range r.Causes {
			causes = append(causes, told(one.Verdict, one.Accepted != ""))
		}
		require.ElementsMatch(t, all, toldInSARIF(t, found))
		require.ElementsMatch(t, all, toldInGitLab(t, found))
		require.ElementsMatch(t, all, toldInJUnit(t, found))
		require.ElementsMatch(t, causes, toldInGitHub(found))
		require.Subset(t, all, causes)
		require.Subset(t, causes, all)
	})
}

// told is a verdict in a format, and whether people accept it.
func told(verdict string, isAccepted bool) string { return fmt.Sprint(verdict, " ", isAccepted) }

const isAccepted = "(accepted until "

func toldInSARIF(t require.TestingT, f report.Findings) (all []string) {
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID       string
				Suppressions []any
			}
		}
	}
	text, err := report.JSON(report.SARIF(f, ""))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &log))
	for _, one := range log.Runs[0].Results {
		all = append(all, told(one.RuleID, len(one.Suppressions) > 0))
	}
	return all
}

func toldInGitLab(t require.TestingT, f report.Findings) (all []string) {
	var issues []struct {
		Check       string `json:"check_name"`
		Description string
	}
	require.NoError(t, json.Unmarshal(gitlab(t, f), &issues))
	for _, one := range issues {
		all = append(all, told(one.Check, strings.Contains(one.Description, isAccepted)))
	}
	return all
}

func toldInJUnit(t require.TestingT, f report.Findings) (all []string) {
	type message struct {
		Type string `xml:"type,attr"`
	}
	var suites struct {
		Cases []struct {
			Failures []message `xml:"failure"`
			Skipped  []message `xml:"skipped"`
			Notes    string    `xml:"system-out"`
		} `xml:"testsuite>testcase"`
	}
	require.NoError(t, xml.Unmarshal([]byte(junit(t, f)), &suites))
	for _, one := range suites.Cases {
		for _, failure := range one.Failures {
			all = append(all, told(failure.Type, false))
		}
		for _, skipped := range one.Skipped {
			all = append(all, told(skipped.Type, true))
		}
		for note := range strings.Lines(one.Notes) {
			verdict, _, _ := strings.Cut(note, ": ")
			all = append(all, told(verdict, false))
		}
	}
	return all
}

func toldInGitHub(f report.Findings) (all []string) {
	title := regexp.MustCompile(`(?m)^::[a-z]+ .*?title=([a-z-]+)%3A(.*)$`)
	for _, one := range title.FindAllStringSubmatch(report.GitHub(f), -1) {
		all = append(all, told(one[1], strings.Contains(one[2], isAccepted)))
	}
	return all
}
