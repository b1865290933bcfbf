package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestTones: no two words that stand in one bar have the same colour, in a browser or on a terminal.
// Machines that are deleted have one colour, and so have machines that are created.
func TestTones(t *testing.T) {
	t.Parallel()
	sameAs := map[string]string{
		verdict.PoolRenamed.String():             verdict.Removed.String(),
		verdict.MachinesDeleted.String():         verdict.Removed.String(),
		verdict.AllMachinesMayBeDeleted.String(): verdict.Removed.String(),
		verdict.MachinesAdded.String():           verdict.Added.String(),
	}
	byTone := map[page.Tone]string{}
	byColor := map[string]string{}
	for _, word := range words {
		if other := sameAs[word]; other != "" {
			assert.Equal(t, ToneOf(other), ToneOf(word))
			continue
		}
		tone := ToneOf(word)
		color := toneColors[tone]
		assert.Equal(t, tone == page.Unsure, word == verdict.Indeterminate.String(), word)
		assert.NotEmpty(t, color, word)
		assert.Empty(t, byTone[tone], "%s has the tone of this word", word)
		assert.Empty(t, byColor[color], "%s has the colour of this word", word)
		byTone[tone] = word
		byColor[color] = word
	}
	assert.Len(t, byColor, len(toneColors))
}
