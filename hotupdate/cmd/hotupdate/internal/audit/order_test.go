package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

func documents(text string) iter.Seq[*manifest.Document] {
	return manifest.Documents([]string{manifest.Stdin}, strings.NewReader(text))
}

// TestRunKeepsTheOrder: pools come in the order of the stream, although all processors judge them, and two audits at once find the same.
func TestRunKeepsTheOrder(t *testing.T) {
	t.Parallel()
	both := releases(t)
	var text bytes.Buffer
	_, err := newFleet(300).write(&text, asLines)
	require.NoError(t, err)
	for range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			line := 0
			made, err := both.Run(t.Context(), documents(text.String()), audit.Options{Each: func(p *audit.JudgedPool) error {
				assert.GreaterOrEqual(t, p.Of.NewPlace.Line, line)
				line = p.Of.NewPlace.Line
				return nil
			}})
			require.NoError(t, err)
			assert.False(t, made.Partial)
			assert.Greater(t, line, 250)
		})
	}
}

// TestRunIsInterrupted: what is known until then is reported as partial, even while the input says nothing more.
func TestRunIsInterrupted(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	_, err := newFleet(300).write(&text, asLines)
	require.NoError(t, err)
	in, out := io.Pipe()
	t.Cleanup(func() { _ = out.Close() })
	go func() { _, _ = out.Write(text.Bytes()) }() // and does not end
	ctx, cancel := context.WithCancel(t.Context())
	pools := 0
	made, err := releases(t).Run(ctx, manifest.Documents([]string{manifest.Stdin}, in), audit.Options{Each: func(*audit.JudgedPool) error {
		if pools++; pools == 10 {
			cancel()
		}
		return nil
	}})
	require.NoError(t, err)
	assert.True(t, made.Partial)
	assert.Contains(t, report.Text(made, report.Style{Columns: 200}), " (partial: the audit was interrupted)")
	pools = 0
	for _, s := range made.Sum {
		pools += s.Pools
	}
	assert.GreaterOrEqual(t, pools, 10)
	assert.Less(t, made.Objects.Read, 300)
}

// TestRunStopsWhenTheResultCannotBeWritten: the error is that of whoever takes the pools.
func TestRunStopsWhenTheResultCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	_, err := releases(
		t,
	).Run(t.Context(), documents(string(newFleet(1).shoot(1))), audit.Options{Each: func(*audit.JudgedPool) error { return full }})
	assert.ErrorIs(t, err, full)
}

// TestDuplicates: one object is judged once. Two of one name are two if they differ and no UID says otherwise.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	const worker = `{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":"a"%s},"spec":{"type":"fleet","pools":[{"name":%q}]}}`
	for _, test := range []struct {
		name          string
		first, second string
		want          int
	}{
		{"the same", fmt.Sprintf(worker, "", "p"), fmt.Sprintf(worker, "", "p"), 1},
		{"another spec", fmt.Sprintf(worker, "", "p"), fmt.Sprintf(worker, "", "q"), 2},
		{"another UID", fmt.Sprintf(worker, `,"uid":"1"`, "p"), fmt.Sprintf(worker, `,"uid":"2"`, "p"), 2},
		{"the same UID, seen later", fmt.Sprintf(worker, `,"uid":"1"`, "p"), fmt.Sprintf(worker, `,"uid":"1"`, "q"), 1},
		{"another namespace", fmt.Sprintf(worker, "", "p"), fmt.Sprintf(worker, `,"namespace":"n"`, "p"), 2},
	} {
		made, err := releases(
			t,
		).Run(t.Context(), documents(test.first+"\n"+test.second), audit.Options{Each: func(*audit.JudgedPool) error { return nil }})
		require.NoError(t, err)
		assert.Equal(t, test.want, made.Objects.Judged, test.name)
		assert.Equal(t, 2-test.want, made.Objects.Skipped[report.Duplicate], test.name)
	}
}

// TestMarkdownFits: a report of many rows fits into a comment, and counts what does not.
func TestMarkdownFits(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	_, err := newFleet(1000).write(&text, asLines)
	require.NoError(t, err)
	made := audited(t, releases(t), text.String())
	style := report.Style{All: true, Shown: report.Shown{By: report.ByProject, Limit: -1}}
	out := report.Markdown(made, style)
	assert.LessOrEqual(t, len(out), 64<<10)
	assert.Regexp(t, `(?m)^and \d+ more; --limit 0 shows all$`, out, "20 of the projects")
	style.Shown.Limit = 0
	style.Shown.By = report.ByCause
	many := report.NewFleet("")
	for i := range 2000 {
		many.NotJudged = append(many.NotJudged, report.NotJudged{Text: fmt.Sprintf("file-%d.yaml:1: is not valid YAML or JSON", i)})
	}
	out = report.Markdown(many, style)
	assert.LessOrEqual(t, len(out), 64<<10)
	assert.Greater(t, len(out), 60<<10)
	assert.Regexp(t, `(?m)^and \d+ more lines$`, out)
}

// audited audits a text, and returns the report with all of its pools.
func audited(t *testing.T, both *audit.Releases, text string) *report.Report {
	t.Helper()
	var pools []*audit.JudgedPool
	made, err := both.Run(t.Context(), documents(text), audit.Options{Each: func(p *audit.JudgedPool) error {
		pools = append(pools, p)
		return nil
	}})
	require.NoError(t, err)
	audit.List(made, pools)
	return made
}

// TestHTMLIsSelfContained: what a manifest holds is text in a page that loads nothing.
func TestHTMLIsSelfContained(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script><img src=x onerror=y>`
	worker := fmt.Sprintf(
		`{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":%q,"namespace":%[1]q},"spec":{"type":"fleet","pools":[{"name":%[1]q,"kubernetesVersion":%[1]q}]}}`,
		hostile,
	)
	var out bytes.Buffer
	require.NoError(t, report.HTML(&out, audited(t, releases(t), worker), report.Shown{By: report.ByCause, Limit: -1}))
	assert.NotContains(t, out.String(), hostile)
	assert.Contains(t, out.String(), "&lt;script&gt;alert(1)")
	assert.Equal(t, 1, strings.Count(out.String(), "<script"))
	assert.NotRegexp(t, `https?:|\ssrc=|\shref=|url\(|@import`, strings.ReplaceAll(out.String(), "&lt;img src=x", ""))
	assert.NotContains(t, out.String(), "ZgotmplZ")
}
