package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// The elements of JUnit's reports that CI systems read.
// Source: junit-10.xsd of the xUnit plugin of Jenkins.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Cases    []*junitCase `xml:"testcase"`
		Notes    string       `xml:"system-out,omitempty"`
	}
	junitCase struct {
		Name     string         `xml:"name,attr"`
		Class    string         `xml:"classname,attr"`
		Errors   []junitMessage `xml:"error"`
		Failures []junitMessage `xml:"failure"`
		Skipped  []junitMessage `xml:"skipped"`
		Notes    string         `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes findings as test cases of JUnit: one for each pool of which something is found. It fails where an
// annotation of [GitHub] is an error or a warning, and is skipped if people accept the verdict. An object that is not
// judged is an error. If nothing is found, one test case passes.
func JUnit(out io.Writer, f Findings) error {
	suite := junitSuite{Name: "hotupdate " + f.Command}
	cases := map[string]*junitCase{}
	of := func(name string) *junitCase {
		name = plaintext.Printable(name)
		if cases[name] == nil {
			cases[name] = &junitCase{Name: name, Class: suite.Name}
			suite.Cases = append(suite.Cases, cases[name])
		}
		return cases[name]
	}
	for _, n := range f.All {
		of(n.Subject).add(n)
	}
	for _, one := range f.NotJudged {
		text := plaintext.Printable(strings.ReplaceAll(one.Text, "\n", "; "))
		name := strings.TrimSuffix("not judged "+placeIn(one.Place), " ")
		of(name).Errors = append(of(name).Errors, junitMessage{notJudged, text, placeIn(one.Place)})
	}
	if len(suite.Cases) == 0 {
		of(none)
	}
	suite.count()
	for _, text := range append(f.Warnings, f.Assumptions...) {
		suite.Notes += plaintext.Printable(text) + "\n"
	}
	return writeXML(out, junitSuites{
		Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Suites: []junitSuite{suite},
	})
}

// add adds a finding about the pool of the test case.
func (c *junitCase) add(n Finding) {
	message := junitMessage{n.Verdict, plaintext.Printable(n.Verdict + ": " + n.Text), placeIn(n.Place)}
	switch {
	case n.Accepted != "":
		message.Message += " (" + plaintext.Printable(n.Accepted) + ")"
		c.Skipped = append(c.Skipped, message)
	case gravityOf(n.Verdict) == asNote:
		c.Notes += message.Message + "\n"
	default:
		c.Failures = append(c.Failures, message)
	}
}

// count counts the test cases by their result.
func (s *junitSuite) count() {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		switch {
		case len(c.Errors) > 0:
			s.Errors++
		case len(c.Failures) > 0:
			s.Failures++
		case len(c.Skipped) > 0:
			s.Skipped++
		}
	}
}

// placeIn is a place in a text, and nothing if it is not known.
func placeIn(at pool.Place) string {
	if at.File == "" {
		return ""
	}
	return plaintext.Printable(fmt.Sprintf("%s:%d", at.File, at.Line))
}

func writeXML(out io.Writer, value any) error {
	_, err := io.WriteString(out, xml.Header)
	if err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err = io.WriteString(out, "\n")
	return err
}
