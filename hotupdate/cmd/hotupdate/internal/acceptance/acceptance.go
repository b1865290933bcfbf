// Package acceptance reads the file with the findings that people accept for a time, and says which
// finding is accepted. The commands plan and audit take the same file.
//
// It owns the format of the file, the dates and the comparison of a finding with an entry. It does not
// know how a command finds something, or what a verdict means.
package acceptance

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Member is a member of an entry that a finding has to match.
type Member string

// The members by which an entry chooses findings.
const (
	Verdict   Member = "verdict"
	Path      Member = "path"
	Kind      Member = "finding" // the kind of a hotupdate.Finding
	Code      Member = "code"    // the code of a fault.Error
	Minor     Member = "minor"   // of Kubernetes
	Project   Member = "project"
	Namespace Member = "namespace"
	Name      Member = "name"
	Pool      Member = "pool"
)

var members = []Member{Verdict, Path, Kind, Code, Minor, Project, Namespace, Name, Pool}

// The other members of an entry. Both are required.
const (
	reason  = "reason"  // why the findings are accepted
	expires = "expires" // the last day on which they are, such as 2026-12-31
)

// Finding is one reason for what a command says about a pool. A member without a value matches no
// entry that has the member. A member may have several values if it is known by several names.
type Finding map[Member][]string

// Command says what the findings of a command have.
type Command struct {
	// Verdicts are the words of its verdicts.
	Verdicts []string
	// Lacks are the members that its findings do not have.
	Lacks []Member
}

// List is a file of accepted findings. A nil List accepts nothing. It is not safe for concurrent use.
type List struct {
	entries []*entry
	today   string
}

type entry struct {
	place           string // in the file
	reason, expires string
	wants           map[Member]string
	concerns        bool // the command may have such a finding
	isUsed          bool
}

// Read reads a file of accepted findings, in YAML or JSON, for one of the commands. An entry for
// another command accepts nothing. All problems are joined, each with its place.
func Read(file string, command Command, others []Command, today time.Time) (*List, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, manifests.InFile(file, err)
	}
	return Parse(data, file, command, others, today)
}

// Parse is [Read] for the text of a file.
func Parse(text []byte, file string, command Command, others []Command, today time.Time) (*List, error) {
	root, err := tree.ParseYAML(text, 1)
	if err != nil {
		return nil, manifests.InFile(file, err)
	}
	r := reader{file: file, command: command, others: others}
	list := &List{entries: r.entries(root), today: today.Format(time.DateOnly)}
	return list, errors.Join(r.problems...)
}

// Why says why all findings about a pool are accepted, and until when each of the reasons holds, the first to
// expire first and each once. It is empty if there are none, or if one of them is not accepted.
func (l *List) Why(findings []Finding) string {
	if l == nil || len(findings) == 0 {
		return ""
	}
	var reasons []string
	isAccepted := true
	for _, finding := range findings {
		found := l.accepting(finding)
		if found == nil {
			isAccepted = false
			continue
		}
		reasons = append(reasons, fmt.Sprintf("until %s: %s", found.expires, found.reason))
	}
	if !isAccepted {
		return ""
	}
	slices.Sort(reasons) // by the day
	return "accepted " + strings.Join(slices.Compact(reasons), "; ")
}

// accepting returns the entry that accepts a finding for the longest time from today on, or nil if there is none. It
// marks all that accept it as used.
func (l *List) accepting(finding Finding) (longest *entry) {
	for _, e := range l.entries {
		if !e.concerns || l.hasExpired(e) || !e.matches(finding) {
			continue
		}
		e.isUsed = true
		if longest == nil || e.expires > longest.expires {
			longest = e
		}
	}
	return longest
}

func (l *List) hasExpired(e *entry) bool { return e.expires < l.today }

// matches reports whether a finding has the values of all members of the entry.
func (e *entry) matches(finding Finding) bool {
	for member, want := range e.wants {
		if !slices.Contains(finding[member], want) {
			return false
		}
	}
	return true
}

// Remarks names the entries that have expired, and the entries that match no finding. If the
// command has not read everything, the latter are not named: they may match a missing finding.
func (l *List) Remarks(isComplete bool) (remarks []string) {
	if l == nil {
		return nil
	}
	for _, e := range l.entries {
		switch {
		case l.hasExpired(e):
			remarks = append(remarks, fmt.Sprintf("%s has expired on %s: %s", e.place, e.expires, e.reason))
		case isComplete && e.concerns && !e.isUsed:
			remarks = append(remarks, fmt.Sprintf("%s accepts nothing that was found: %s", e.place, e.reason))
		}
	}
	return remarks
}

// reader reads a file and collects its problems.
type reader struct {
	file     string
	command  Command
	others   []Command
	problems []error
}

// problem adds a problem of a node of the file.
func (r *reader) problem(at *tree.Node, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s:%d: %w", r.file, max(1, at.Line()), fmt.Errorf(format, args...)))
}

const (
	formatVersion  = "formatVersion"
	currentVersion = "1"
	accepted       = "accepted"
)

func (r *reader) entries(root *tree.Node) (entries []*entry) {
	if root.Kind() != tree.Object {
		r.problem(root, "is not a list of accepted findings; write formatVersion: 1 and accepted: [ENTRY...]")
		return nil
	}
	r.checkNames(root, "", []string{formatVersion, accepted})
	if version, _ := root.At(formatVersion).Number(); version.String() != currentVersion {
		r.problem(root, "has formatVersion %s; write 1", shown(root.At(formatVersion)))
	}
	list := root.At(accepted)
	if list != nil && list.Kind() != tree.List {
		r.problem(list, "accepted: is not a list; write an entry with a reason after each dash")
	}
	for i, node := range list.Elements() {
		entries = append(entries, r.entry(node, fieldpath.At(accepted, i)))
	}
	return entries
}

// entry reads one entry. The path leads to it.
func (r *reader) entry(node *tree.Node, path string) *entry {
	e := &entry{place: fmt.Sprintf("%s:%d: %s", r.file, node.Line(), path), wants: map[Member]string{}}
	if node.Kind() != tree.Object {
		r.problem(node, "%s: is not an entry; write an object with reason, expires and what is accepted", path)
		return e
	}
	known := []string{reason, expires}
	for _, member := range members {
		known = append(known, string(member))
	}
	r.checkNames(node, path, known)
	text := func(name string) string { return r.text(node.At(name), fieldpath.Join(path, name)) }
	e.reason = text(reason)
	e.expires = text(expires)
	for _, member := range members {
		if want := text(string(member)); want != "" {
			e.wants[member] = want
		}
	}
	if e.reason == "" {
		r.problem(node, "%s: has no reason; write one, for those who find the entry later", path)
	}
	if _, err := time.Parse(time.DateOnly, e.expires); err != nil {
		r.problem(node, "%s: has no last day; write expires: 2026-12-31", path)
	}
	if len(e.wants) == 0 {
		r.problem(node, "%s: accepts every finding; write what it accepts: %s", path,
			strings.Join(known[len(known)-len(members):], ", "))
	}
	e.concerns = r.concerns(node.At(string(Verdict)), e, path)
	return e
}

// text returns a text. Without quotes, YAML reads a minor such as 1.30 as the number 1.3.
func (r *reader) text(node *tree.Node, path string) string {
	if node != nil && node.Kind() != tree.Text {
		r.problem(node, "%s: is not text in YAML; write it in quotes", path)
	}
	return node.Text()
}

// concerns reports whether the command may have a finding that the entry accepts.
func (r *reader) concerns(at *tree.Node, e *entry, path string) bool {
	for _, member := range r.command.Lacks {
		if e.wants[member] != "" {
			return false
		}
	}
	word := e.wants[Verdict]
	if word == "" || slices.Contains(r.command.Verdicts, word) {
		return true
	}
	known := r.command.Verdicts
	for _, other := range r.others {
		if slices.Contains(other.Verdicts, word) {
			return false
		}
		known = append(slices.Clone(known), other.Verdicts...)
	}
	r.problem(at, "%s.verdict: is unknown%s; known are %s", path, didYouMean(word, known), strings.Join(known, ", "))
	return false
}

// checkNames reports the members of an object that are unknown.
func (r *reader) checkNames(object *tree.Node, path string, known []string) {
	for name, value := range object.Members() {
		if !slices.Contains(known, name) {
			r.problem(value, "%s: is unknown%s", fieldpath.Join(path, name), didYouMean(name, known))
		}
	}
}

func didYouMean(name string, known []string) string {
	if meant := fieldpath.Nearest(name, known); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return ""
}

// shown is the value of a node for messages.
func shown(node *tree.Node) string {
	if node == nil {
		return "none"
	}
	return string(node.JSON())
}
