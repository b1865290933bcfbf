package report

import (
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// verdict is the first line about a pool: a word, what that means, and the paths to blame. Text and Markdown show it alike.
type verdict struct {
	word    string
	meaning string
	causes  hotupdate.Changes
}

// maxCauses bounds the causes in a verdict; every change has a line of its own below.
const maxCauses = 5

var stateMeanings = map[pool.State]string{
	pool.Added:   "its machines are created",
	pool.Removed: "its machines are deleted",
	pool.Renamed: "every machine of the pool is replaced, since its name is in their names",
}

func verdictOf(p pool.Planned) verdict {
	if meaning, ok := stateMeanings[p.State]; ok {
		return verdict{word: p.State.String(), meaning: meaning}
	}
	v := verdict{word: p.Outcome.String(), meaning: p.Consequence()}
	if p.State == pool.Kept && p.Outcome != hotupdate.HotUpdate { // which wants no excuse
		v.causes = p.Causes()
	}
	return v
}

// line writes the verdict with the word as it is given, and each cause as show shows it.
func (v verdict) line(word string, show func(path string) string) string {
	text := word + ": " + v.meaning
	if len(v.causes) == 0 {
		return text
	}
	var shown []string
	for _, c := range v.causes[:min(len(v.causes), maxCauses)] {
		shown = append(shown, show(c.Path))
	}
	text += "; cause: " + strings.Join(shown, ", ")
	if more := len(v.causes) - maxCauses; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// isCause reports for each change of a pool whether it is a cause.
func isCause(p pool.Planned) []bool {
	causes := verdictOf(p).causes
	found := make([]bool, len(p.Changes))
	for i, c := range p.Changes {
		found[i] = len(causes) > 0 && c == causes[0]
		if found[i] {
			causes = causes[1:]
		}
	}
	return found
}
