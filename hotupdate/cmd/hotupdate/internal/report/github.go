package report

import (
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// GitHub returns the annotations of a workflow of GitHub, a line for each cause, at the first of
// its places. A cause is a change that decides the verdict on some pools: errors where machines are
// replaced or deleted and where a change is refused, notices where running machines are updated or
// people accept the verdict, and warnings otherwise. Notices also have the assumptions behind
// verdicts.
//
// Source: GitHub's documentation, "Workflow commands for GitHub Actions".
func GitHub(f Findings) string {
	var text strings.Builder
	for _, n := range f.Causes() {
		place := ""
		first := n.Samples[0]
		if first.Place != nil {
			place = fmt.Sprintf("file=%s,line=%d,", property(first.File), first.Line)
		}
		subject := plaintext.Printable(first.Pool)
		if n.Pools > 1 {
			subject += " and " + plaintext.Thousands(n.Pools-1) + " more"
		}
		level := gravityOf(n.Verdict)
		says := plaintext.Printable(n.Text)
		body := says
		if n.Accepted != "" {
			level = asNote
			body = says + " (" + plaintext.Printable(n.Accepted) + ")"
		}
		fmt.Fprintf(&text, "::%s %stitle=%s::%s\n", annotations[level], place,
			property(n.Verdict+": "+subject), message(body))
	}
	for _, one := range f.NotJudged {
		fmt.Fprintf(&text, "::error file=%s,line=%d,title=not judged::%s\n", property(one.File), one.Line,
			message(plaintext.Printable(strings.ReplaceAll(one.Text, "\n", "; "))))
	}
	for _, a := range f.Assumptions {
		fmt.Fprintf(&text, "::notice title=assumption::%s\n", message(plaintext.Printable(a)))
	}
	for _, warning := range f.Warnings {
		fmt.Fprintf(&text, "::warning::%s\n", message(plaintext.Printable(warning)))
	}
	return text.String()
}

// gravity is a level of annotations and of SARIF.
type gravity int

const (
	asNote gravity = iota
	asWarning
	asError
)

func gravityOf(word string) gravity {
	switch ToneOf(word) {
	case page.Calm, page.Live:
		return asNote
	case page.Replace, page.Stop, page.Delete:
		return asError
	case page.Add, page.Move, page.Drain, page.Unsure:
	}
	return asWarning
}

var annotations = map[gravity]string{asNote: "notice", asWarning: "warning", asError: "error"}

// message escapes the text of a workflow command, and property the value of one of its properties.
func message(text string) string { return inMessage.Replace(text) }

func property(text string) string { return inProperty.Replace(text) }

var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
