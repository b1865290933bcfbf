package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// verdict is the first line about a pool: a word, what that means, and the paths to blame. Text and Markdown show it alike.
type verdict struct {
	outcome hotupdate.Outcome // colours the word
	word    string
	meaning string
	causes  []string // paths
	more    int      // causes that are not among them
}

// maxCauses bounds the verdict; every change has a line of its own below.
const maxCauses = 5

func (p Pool) verdict() verdict {
	v := verdict{outcome: p.outcome(), word: p.State.String()}
	switch p.State {
	case Added:
		v.meaning = "its machines are created"
		return v
	case Removed:
		v.meaning = "its machines are deleted"
		return v
	case Renamed:
		v.meaning = "every machine of the pool is replaced, since its name is in their names"
		return v
	case Kept:
	}
	v.word, v.meaning = p.Outcome.String(), p.Outcome.Consequence(p.Strategy)
	if p.Meaning != "" {
		v.meaning = plaintext.ASCII(p.Meaning)
	}
	causes := p.causes()
	for _, c := range causes[:min(len(causes), maxCauses)] {
		v.causes = append(v.causes, c.Path)
	}
	v.more = len(causes) - len(v.causes)
	return v
}

// blame names the causes, each as show shows it.
func (v verdict) blame(show func(path string) string) string {
	if len(v.causes) == 0 {
		return ""
	}
	shown := make([]string, len(v.causes))
	for i, path := range v.causes {
		shown[i] = show(path)
	}
	text := "; cause: " + strings.Join(shown, ", ")
	if v.more > 0 {
		text += " and " + strconv.Itoa(v.more) + " more"
	}
	return text
}

// causes are the changes that somebody has to take back who wants a milder outcome. Hot updates want no excuse.
func (p Pool) causes() hotupdate.Changes {
	if p.State != Kept || p.Outcome == hotupdate.NoUpdate || p.Outcome == hotupdate.HotUpdate {
		return nil
	}
	if p.Causes != nil {
		return p.Causes
	}
	return p.Changes.Causes(p.Strategy)
}

// isCause finds the causes among the changes, place by place.
func (p Pool) isCause() []bool {
	causes := p.causes()
	found := make([]bool, len(p.Changes))
	for i, c := range p.Changes {
		found[i] = len(causes) > 0 && c == causes[0]
		if found[i] {
			causes = causes[1:]
		}
	}
	return found
}

// summary counts the verdicts of several pools: 4 pools: 1 roll, 1 removed, 2 none.
func (r Report) summary() string {
	var words []string
	counts := map[string]int{}
	for _, p := range slices.SortedStableFunc(slices.Values(r.Pools), byGravity) {
		word := p.verdict().word
		if counts[word]++; counts[word] == 1 {
			words = append(words, word)
		}
	}
	for i, word := range words {
		words[i] = strconv.Itoa(counts[word]) + " " + word
	}
	switch len(r.Pools) {
	case 0:
		return "there are no worker pools"
	case 1:
		return "1 pool: " + strings.Join(words, ", ")
	default:
		return fmt.Sprintf("%d pools: %s", len(r.Pools), strings.Join(words, ", "))
	}
}

// byGravity puts the gravest first, and among those of one gravity kept pools before others.
func byGravity(a, b Pool) int {
	if d := severity(b.outcome()) - severity(a.outcome()); d != 0 {
		return d
	}
	return int(a.State) - int(b.State)
}

// isBare reports whether the report is about one provider config, without pools.
func (r Report) isBare() bool { return len(r.Pools) == 1 && r.Pools[0].Name == "" }

// marker stands at the beginning of a change.
func marker(op hotupdate.Op) string {
	switch op {
	case hotupdate.Add:
		return "+"
	case hotupdate.Remove:
		return "-"
	case hotupdate.Replace:
	}
	return "~"
}

// origin words where a class comes from.
func origin(c hotupdate.Change) string {
	switch c.Origin {
	case hotupdate.OriginStructTag:
		return "struct tag on " + c.Source
	case hotupdate.OriginInherited:
		return "inherited from " + c.Source
	case hotupdate.OriginOverride:
		return "override of " + c.Source
	case hotupdate.OriginHotWhen:
		return "hotwhen on " + c.Source
	case hotupdate.OriginUnknown:
		return "not in the Schema"
	case hotupdate.OriginDefault:
	}
	return "default, no struct tag"
}
