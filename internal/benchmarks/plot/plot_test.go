package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/benchmarks/plot"
)

func TestWrite(t *testing.T) {
	p := plot.Plot{Title: "a < b", XLabel: "x", YLabel: "y & z", Lines: []plot.Line{
		{Name: "rising", Points: []plot.Point{{X: 10, Y: 0.5}, {X: 1000, Y: 50}}},
		{Name: "one", Points: []plot.Point{{X: 100, Y: 5}}},
	}}
	var b strings.Builder
	require.NoError(t, p.Write(&b))
	assert.Contains(t, b.String(), "a &lt; b")
	assert.Contains(t, b.String(), ">0.1<", "the axis begins at the power of ten below")
	assert.Contains(t, b.String(), `points="70.0,`, "the least value stands at the left edge")
	for decoder := xml.NewDecoder(strings.NewReader(b.String())); ; {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}
