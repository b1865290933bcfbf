package gardener_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// difference is that Gardener and plan answer differently after an edit of a kind of a field.
type difference struct {
	gardener, plan effect
	field          string // of two edits, both
	kind           kind   // of two edits, both
	noProfile      bool   // the CloudProfile is given to neither side
}

func (d difference) String() string {
	return fmt.Sprintf("Gardener: %s, plan: %s after %s of %s", d.gardener, d.plan, d.kind, d.field)
}

// both joins the fields or kinds of two edits.
func both[T ~string](a, b T) T { return min(a, b) + " and " + max(a, b) }

// disagreement is a pair of answers, without the edit that leads to it.
type disagreement struct{ gardener, plan effect }

// disagreements returns where the answers to a pair differ, worst first. A change that Gardener
// refuses replaces no machine, whatever plan says; and plan leaves refusals to Gardener. Where
// Gardener's code fails, there is no answer. Nor is there one for an old manifest that Gardener would not
// create: kubectl apply may merge an edit away that no Shoot can begin with, such as a second pool of a name.
func (p *pair) disagreements() (found []disagreement) {
	g := p.gardener
	own := p.plan
	switch {
	case g.shoot == refused || g.shoot == failed || p.isImpossible():
		return nil
	case own.shoot == refused || own.shoot == failed:
		return []disagreement{{g.shoot, own.shoot}}
	}
	for _, name := range slices.Sorted(maps.Keys(g.pools)) {
		d := disagreement{g.pools[name], cmp.Or(own.pools[name], none)}
		isOpen := g.mayBeRefused && d.plan == indeterminate
		if d.gardener != d.plan && !isOpen && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	isOpen := g.mayBeRefused && own.shoot == indeterminate
	if len(found) == 0 && g.shoot != own.shoot && !isOpen {
		found = append(found, disagreement{g.shoot, own.shoot})
	}
	return found
}

// isImpossible reports whether Gardener would not create the old Shoot.
func (p *pair) isImpossible() bool { return len(p.answer.OldRefusals) > 0 }

// differences returns the disagreements with the edits.
func (p *pair) differences() (found []difference) {
	for _, d := range p.disagreements() {
		one := difference{d.gardener, d.plan, p.edits[0].field, p.edits[0].kind, p.base.profile == ""}
		if len(p.edits) == 2 {
			one.field = both(p.edits[0].field, p.edits[1].field)
			one.kind = both(p.edits[0].kind, p.edits[1].kind)
		}
		found = append(found, one)
	}
	return found
}

// group is a cause of differences.
type group struct {
	// Cause is for the reader: what plan says, or why the difference is right.
	Cause    string `json:"cause"`
	Gardener effect `json:"gardener"`
	Plan     effect `json:"plan"`
	// NoProfile says that the group is only for Shoots whose CloudProfile is given to neither side.
	NoProfile bool              `json:"noProfile,omitempty"`
	Fields    map[string][]kind `json:"fields"`
}

// list is the file with the differences.
type list struct {
	// Accepted are right: Cause says why. They hold for all kinds of edits and all that is below the
	// fields, whose kinds are empty.
	Accepted []group `json:"accepted"`
	// ToBeMended are defects of plan's.
	ToBeMended []group `json:"toBeMended"`

	occurred map[*group]map[string][]kind
}

// anyEffect stands in the list for all of Gardener's answers but a refusal.
const anyEffect effect = "any"

const listFile = "testdata/differences.yaml"

func readList(tb testing.TB) *list {
	tb.Helper()
	text, err := os.ReadFile(listFile)
	require.NoError(tb, err)
	l := &list{occurred: map[*group]map[string][]kind{}}
	require.NoError(tb, yaml.UnmarshalStrict(text, l))
	for i := range l.Accepted {
		require.NotEmpty(tb, l.Accepted[i].Cause)
	}
	return l
}

func (l *list) groups() (groups []*group) {
	for i := range l.Accepted {
		groups = append(groups, &l.Accepted[i])
	}
	for i := range l.ToBeMended {
		groups = append(groups, &l.ToBeMended[i])
	}
	return groups
}

func (l *list) isAccepted(g *group) bool {
	for i := range l.Accepted {
		if g == &l.Accepted[i] {
			return true
		}
	}
	return false
}

// accepts reports whether a difference is accepted.
func (l *list) accepts(d difference) bool {
	g, _ := l.find(d)
	return g != nil && l.isAccepted(g)
}

// find returns the group of a difference, and the field of it in the list.
func (l *list) find(d difference) (*group, string) {
	for _, g := range l.groups() {
		isOfAnswers := (g.Gardener == anyEffect || g.Gardener == d.gardener) && g.Plan == d.plan
		if !isOfAnswers || g.NoProfile && !d.noProfile {
			continue
		}
		for field, kinds := range g.Fields {
			isBelow := len(kinds) == 0 && strings.HasPrefix(d.field, field)
			isListed := field == d.field && slices.Contains(kinds, d.kind)
			if isBelow || isListed {
				return g, field
			}
		}
	}
	return nil, ""
}

// has reports whether a difference is in the list, and remembers that it occurred.
func (l *list) has(d difference) bool {
	g, field := l.find(d)
	if g != nil {
		l.remember(g, field, d.kind)
	}
	return g != nil
}

func (l *list) remember(g *group, field string, of kind) {
	if l.occurred[g] == nil {
		l.occurred[g] = map[string][]kind{}
	}
	if !slices.Contains(l.occurred[g][field], of) {
		l.occurred[g][field] = append(l.occurred[g][field], of)
	}
}

// explains reports whether the list has one of both answers for one of the fields: the disagreement
// after two edits is that of one of them, and another value of a field may lead to another answer of
// the other side. What explains it in all of its answers has occurred.
func (l *list) explains(p *pair, d disagreement) bool {
	for _, e := range p.edits {
		for _, g := range l.groups() {
			isOther := g.Plan != d.plan && g.Gardener != d.gardener
			if isOther || g.NoProfile && p.base.profile != "" {
				continue
			}
			for field := range g.Fields {
				isBelow := l.isAccepted(g) && strings.HasPrefix(e.field, field)
				if field != e.field && !isBelow {
					continue
				}
				if g.Plan == d.plan && g.Gardener == d.gardener {
					l.remember(g, field, e.kind)
				}
				return true
			}
		}
	}
	return false
}

// unlisted returns the differences of a pair that are not in the list.
func (l *list) unlisted(p *pair) (found []difference) {
	disagreements := p.disagreements()
	for i, d := range p.differences() {
		isLoose := len(p.edits) == 2 || *seed != fixedSeed
		isExplained := isLoose && l.explains(p, disagreements[i])
		if !isExplained && !l.has(d) {
			found = append(found, d)
		}
	}
	return found
}

// gone returns what is in the list and did not occur.
func (l *list) gone() (names []string) {
	for _, g := range l.groups() {
		for field, kinds := range g.Fields {
			occurred := l.occurred[g][field]
			if len(kinds) == 0 && len(occurred) == 0 {
				names = append(names, difference{g.Gardener, g.Plan, field, "edits", g.NoProfile}.String())
			}
			for _, k := range kinds {
				if !slices.Contains(occurred, k) {
					names = append(names, difference{g.Gardener, g.Plan, field, k, g.NoProfile}.String())
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// shrink removes what did not occur.
func (l *list) shrink() {
	for _, groups := range []*[]group{&l.Accepted, &l.ToBeMended} {
		for i := range *groups {
			g := &(*groups)[i]
			for field, kinds := range g.Fields {
				occurred := l.occurred[g][field]
				if len(kinds) > 0 {
					g.Fields[field] = slices.DeleteFunc(kinds, func(k kind) bool { return !slices.Contains(occurred, k) })
				}
				if len(occurred) == 0 {
					delete(g.Fields, field)
				}
			}
		}
		*groups = slices.DeleteFunc(*groups, func(g group) bool { return len(g.Fields) == 0 })
	}
}

const listHead = `# Where hotupdate plan answers differently from Gardener's own code, by the edit of a Shoot.
# The list may only shrink: TestDifferences fails for a difference that is not here, and for one that
# no longer occurs. go test -run TestDifferences . -update removes those that no longer occur.
`

// bytes returns the text of the list, one field a line.
func (l *list) bytes() []byte {
	var out bytes.Buffer
	out.WriteString(listHead)
	for _, section := range []struct {
		name, comment string
		groups        []group
	}{
		{"accepted", "# Right as they are, with the reason; for all edits of a field and below it.\n", l.Accepted},
		{"toBeMended", "# To be mended: defects of plan, by what it says.\n", l.ToBeMended},
	} {
		fmt.Fprintf(&out, "\n%s%s:\n", section.comment, section.name)
		for _, g := range section.groups {
			fmt.Fprintf(&out, "- cause: %s\n  gardener: %s\n  plan: %s\n", quoted(g.Cause), g.Gardener, g.Plan)
			if g.NoProfile {
				out.WriteString("  noProfile: true\n")
			}
			out.WriteString("  fields:\n")
			for _, field := range slices.Sorted(maps.Keys(g.Fields)) {
				kinds := slices.Sorted(slices.Values(g.Fields[field]))
				text := make([]string, len(kinds))
				for i, k := range kinds {
					text[i] = quoted(string(k))
				}
				fmt.Fprintf(&out, "    %s: [%s]\n", quoted(field), strings.Join(text, ", "))
			}
		}
	}
	return out.Bytes()
}

// quoted returns a text as YAML has it, in quotes only where they are needed.
func quoted(text string) string {
	if !strings.ContainsAny(text, ":#,[]{}'\"&*!|>%@`\n") && text != "" {
		return text
	}
	q, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(q)
}
