package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
)

// written writes a page with one bar and one text.
func written(t *testing.T, script, text string) string {
	t.Helper()
	var out strings.Builder
	bar := page.Bar{
		Label: text, Parts: []page.Part{{"roll", page.Replace, 1476}, {"none", page.Calm, 0}, {text, page.Stop, 1}, {"", "", 5}},
	}
	require.NoError(t, page.Write(&out, page.Page{
		Title: text, Lead: text, Tone: page.Stop, Script: script,
		Template: `{{template "bar" .Bar}}<p title="{{.Text}}">{{.Text}}</p>`, Content: map[string]any{"Bar": bar, "Text": text},
	}))
	return out.String()
}

// TestPageIsSelfContained: nothing is loaded, and nothing runs but the report's own script.
func TestPageIsSelfContained(t *testing.T) {
	t.Parallel()
	const script = `document.title = "a" + '<b>' + "&";`
	out := written(t, script, "x")
	sum := sha256.Sum256([]byte(script))
	assert.Contains(t, out, "<script>"+script+"</script>")
	assert.Contains(t, html.UnescapeString(out), "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	assert.Contains(t, html.UnescapeString(written(t, "", "x")), "script-src 'none'")
	assert.NotContains(t, written(t, "", "x"), "<script")
	assert.NotRegexp(t, `https?:|//|\ssrc=|\shref=|url\(|@import`, out)
}

// TestPageEscapes: what a manifest holds is text, wherever it stands.
func TestPageEscapes(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script><img src=x onerror=y> ` + "' onclick=`" + ` </title></style>`
	plain := written(t, "", "x")
	out := written(t, "", hostile)
	tags := func(text string) []string { return regexp.MustCompile(`<[a-z/!][^\s>]*`).FindAllString(text, -1) }
	assert.Equal(t, tags(plain), tags(out), "the same elements")
	assert.Contains(t, html.UnescapeString(out), hostile)
}

// TestBarSharesItsWidth: parts grow with their counts, and one that counts nothing is not there. People read the counts as in text.
func TestBarSharesItsWidth(t *testing.T) {
	t.Parallel()
	out := written(t, "", "x")
	assert.Contains(t, out, `<span class="part replace" style="flex-grow: 1476" title="roll: 1,476">`)
	assert.Contains(t, out, `<li><span class="key replace"></span>roll <b>1,476</b></li>`)
	assert.Contains(t, out, `<li><span class="key stop"></span>x <b>1</b></li>`)
	assert.NotContains(t, out, "none: 0")
	assert.Contains(t, out, `<span class="part " style="flex-grow: 5"></span>`, "a blank part")
	assert.Equal(t, 2, strings.Count(out, "<li>"), "which is not in the legend")
	assert.NotContains(t, out, "ZgotmplZ")
}

func TestTemplateWithAMistake(t *testing.T) {
	t.Parallel()
	err := page.Write(io.Discard, page.Page{Template: "{{"})
	assert.Error(t, err)
}
