package report_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

// anyText has what is hostile to terminals, Markdown and JSON.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "bc", "`", "```", "~~~", "|", "*", "\n", "\r\n", "\n```\n", "<b>", "&", "@x", "\x1b[2J", "\u202e", "\u2066", "\u009b", "\x00", "\xff", "\u00e9", "\U0001f40b", `\`, `"`, "#", " ", strings.Repeat("long", 50),
		}), 0, 8).Draw(t, "pieces")
		return strings.Join(pieces, "")
	})
}

// anyPlan draws plans whose every text is anything.
func anyPlan(t *rapid.T) *pool.Plan {
	text := func() string { return anyText().Draw(t, "text") }
	plan := &pool.Plan{}
	for range rapid.IntRange(0, 3).Draw(t, "pools") {
		p := pool.Planned{
			Name: text(), FormerName: text(), State: pool.State(rapid.IntRange(0, 4).Draw(t, "state")), Comparison: pool.Comparison{
				Strategy: hotupdate.Strategy(rapid.IntRange(0, 3).Draw(t, "strategy")), Verdict: pool.Verdict(rapid.IntRange(0, 6).Draw(t, "outcome")),
				Unknown: rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, int(pool.UnknownRestOfPool)), unknownOf), 0, 3, rapid.ID[pool.Unknown]).Draw(t, "unknown"),
				Rules:   rapid.SliceOfN(rapid.Map(rapid.IntRange(0, int(pool.WaitsForMaintenance)), noteOf), 0, 2).Draw(t, "notes"),
			},
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			old, _ := json.Marshal(text())
			updated, _ := json.Marshal(text())
			p.Changes = append(p.Changes, pool.Change{Decides: rapid.Bool().Draw(t, "decides"), Change: hotupdate.Change{
				Path: text(), Pointer: text(), Source: text(), Old: string(old), New: string(updated), Sensitive: rapid.Bool().Draw(t, "sensitive"),
				Op: hotupdate.Op(rapid.IntRange(0, 3).Draw(t, "op")), Class: hotupdate.Class(rapid.IntRange(0, 4).Draw(t, "class")), Origin: hotupdate.Origin(rapid.IntRange(0, 5).Draw(t, "origin")),
			}})
		}
		plan.Pools = append(plan.Pools, p)
	}
	return plan
}

func unknownOf(i int) pool.Unknown { return pool.Unknown(i) }

func noteOf(i int) pool.Rule { return pool.Rule(i) }

// lines counts the lines that a plan has as text, from the plan alone.
func lines(plan *pool.Plan) int {
	var shared []pool.Unknown
	for u := range pool.UnknownRestOfPool + 1 {
		compared, unknown := 0, 0
		for _, p := range plan.Pools {
			if p.State == pool.Added || p.State == pool.Removed {
				continue
			}
			compared++
			if slices.Contains(p.Unknown, u) {
				unknown++
			}
		}
		if compared > 0 && compared == unknown {
			shared = append(shared, u)
		}
	}
	n := min(1, len(shared))
	for _, p := range plan.Pools {
		n += 1 + len(p.Changes)
		for _, u := range p.Unknown {
			if !slices.Contains(shared, u) {
				n++
				break
			}
		}
		for _, note := range p.Rules {
			if p.State != pool.Kept || note.Kind() != pool.Refuses {
				n++
			}
		}
	}
	if len(plan.Pools) != 1 || plan.Pools[0].Name != "" { // the line that counts, and empty lines between pools and before the remarks
		n += 1 + len(plan.Pools) + min(1, len(shared))
	}
	return n
}

// TestTextIsHarmless: whatever a plan holds, its text is printable ASCII in as many lines as the plan has things to say.
func TestTextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyPlan(t)
		text := report.Text(r, report.Plain)
		require.Equal(t, -1, strings.IndexFunc(text, func(c rune) bool { return c != '\n' && (c < ' ' || c > '~') }), "%q", text)
		require.Equal(t, lines(r), strings.Count(text, "\n"), "%s", text)
	})
}

// TestColorsChangeNothingElse: without the escapes that were asked for, coloured text is plain text.
func TestColorsChangeNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyPlan(t)
		text := report.Text(r, report.ANSI)
		for _, escape := range []string{"0", "1", "31", "32", "33", "36"} {
			text = strings.ReplaceAll(text, "\x1b["+escape+"m", "")
		}
		require.Equal(t, report.Text(r, report.Plain), text)
	})
}

// TestMarkdownIsHarmless: outside of code there are but the words of this library, whatever a plan holds.
func TestMarkdownIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := report.Markdown(anyPlan(t))
		require.Equal(t, -1, strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }), "%q", text)
		for line := range strings.SplitSeq(withoutCode(t, text), "\n") {
			line = strings.TrimPrefix(line, "### Pool ")
			require.Equal(t, -1, strings.IndexFunc(line, func(c rune) bool {
				return !strings.ContainsRune("*:;,-'() ", c) && // parentheses without brackets before them are no link
					(c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c))
			}), "%q", line)
		}
	})
}

// withoutCode leaves out code blocks and code spans, by the rules of CommonMark.
func withoutCode(t require.TestingT, text string) string {
	var outside []string
	inBlock := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case inBlock:
			inBlock = strings.TrimLeft(line, " ") != "```"
		case line == "```diff":
			inBlock = true
		default:
			outside = append(outside, withoutSpans(t, line))
		}
	}
	require.False(t, inBlock, "a code block has no end")
	return strings.Join(outside, "\n")
}

func withoutSpans(t require.TestingT, line string) string {
	begin := strings.IndexByte(line, '`')
	if begin < 0 {
		return line
	}
	rest := strings.TrimLeft(line[begin:], "`")
	fence := line[begin : len(line)-len(rest)]
	for at := 0; ; {
		next := strings.IndexByte(rest[at:], '`')
		require.GreaterOrEqual(t, next, 0, "a code span has no end: %q", line)
		tail := strings.TrimLeft(rest[at+next:], "`")
		if len(rest)-at-next-len(tail) == len(fence) {
			return line[:begin] + withoutSpans(t, tail)
		}
		at = len(rest) - len(tail)
	}
}

// TestJSONHasEverything: what a plan holds is in its JSON, whole, in printable characters.
func TestJSONHasEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyPlan(t)
		encoded, err := report.JSON(r)
		require.NoError(t, err)
		require.Equal(t, -1, strings.IndexFunc(string(encoded), func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }), "%q", encoded)
		var decoded struct {
			Pools []struct {
				Name    string
				Changes []struct {
					Path, Pointer string
					Old, New      json.RawMessage
				}
				Notes   []string
				Message string
				Assumed []string `json:"assumedUnchanged"`
			}
			Assumed []string `json:"assumedUnchanged"`
		}
		require.NoError(t, json.Unmarshal(encoded, &decoded))
		require.Len(t, decoded.Pools, len(r.Pools))
		for i, p := range r.Pools {
			require.Equal(t, valid(p.Name), decoded.Pools[i].Name)
			for _, note := range p.Rules {
				told := slices.Concat(decoded.Pools[i].Notes, strings.Split(decoded.Pools[i].Message, "; "))
				if p.State != pool.Kept || note.Kind() != pool.Refuses || p.Verdict == pool.Forbidden {
					require.Contains(t, told, note.String())
				}
			}
			for _, unknown := range p.Unknown {
				if p.State == pool.Kept || p.State == pool.Renamed {
					require.Contains(t, append(decoded.Assumed, decoded.Pools[i].Assumed...), unknown.String())
				}
			}
			for j, c := range p.Changes {
				got := decoded.Pools[i].Changes[j]
				require.Equal(t, [2]string{valid(c.Path), valid(c.Pointer)}, [2]string{got.Path, got.Pointer})
				if c.Sensitive {
					require.Empty(t, string(got.Old)+string(got.New))
				} else {
					require.JSONEq(t, c.Old, string(got.Old))
					require.JSONEq(t, c.New, string(got.New))
				}
			}
		}
	})
}

// valid is text as JSON can hold it.
func valid(text string) string {
	var b strings.Builder
	for _, c := range text { // bytes that are not UTF-8 are replaced one by one, as encoding/json does
		b.WriteRune(c)
	}
	return b.String()
}

// TestSecretsAreNotInReports: nothing of a sensitive value reaches a rendering, though path and verdict do.
func TestSecretsAreNotInReports(t *testing.T) {
	r := bare(hotupdate.AutoInPlaceUpdate, pool.Forbidden, secret)
	r.Pools = append(r.Pools, pool.Planned{Name: "a", State: pool.Removed, Comparison: pool.Comparison{Changes: judged(secret)}})
	encoded, err := report.JSON(r)
	require.NoError(t, err)
	for _, rendering := range []string{report.Text(r, report.Plain), report.Text(r, report.ANSI), report.Markdown(r), string(encoded)} {
		assert.NotContains(t, rendering, "hunter")
		assert.Contains(t, rendering, "token")
		assert.Contains(t, rendering, "forbidden")
	}
}

func TestColorFor(t *testing.T) {
	const terminal = fs.ModeDevice | fs.ModeCharDevice
	for _, tc := range []struct {
		name          string
		mode          fs.FileMode
		noColor, term string
		want          report.Color
	}{
		{"terminal", terminal, "", "xterm", report.ANSI},
		{"terminal of unknown kind", terminal, "", "", report.ANSI},
		{"terminal without colours", terminal, "", "dumb", report.Plain},
		{"user wants none", terminal, "1", "xterm", report.Plain},
		{"any value of NO_COLOR counts", terminal, "0", "xterm", report.Plain},
		{"file", 0, "", "xterm", report.Plain},
		{"pipe", fs.ModeNamedPipe, "", "xterm", report.Plain},
		{"disk", fs.ModeDevice, "", "xterm", report.Plain},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, report.ColorFor(tc.mode, tc.noColor, tc.term)) })
	}
}

// TestMarkdownFitsIntoComment: GitHub refuses a comment of more than 65,536 characters; what is left out is counted.
func TestMarkdownFitsIntoComment(t *testing.T) {
	r := &pool.Plan{}
	for i := range 20 {
		p := pool.Planned{Name: fmt.Sprintf("pool-%d", i), Comparison: pool.Comparison{Verdict: pool.Roll}}
		for j := range 500 {
			c := iops
			c.Path = fmt.Sprintf("args[%d]", j)
			p.Changes = append(p.Changes, pool.Change{Change: c, Decides: true})
		}
		r.Pools = append(r.Pools, p)
	}
	text := report.Markdown(r)
	assert.Less(t, len(text), 65_536)
	for i := range 20 {
		assert.Contains(t, text, fmt.Sprintf("### Pool `pool-%d`\n\n**roll**: every machine of the pool is replaced; cause: `args[0]`", i), "every verdict is there")
	}
	shown := strings.Count(text, "<- roll")
	assert.Equal(t, 19*500+500-shown, countHidden(t, text))
}

// countHidden adds up the changes that a report says it does not show.
func countHidden(t *testing.T, text string) (hidden int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		var n int
		if _, err := fmt.Sscanf(line, "# %d more changes are not shown here", &n); err == nil {
			hidden += n
		}
	}
	return hidden
}

// TestValuesMustBeJSON: a Change that somebody made by hand fails instead of breaking the JSON around it, and its value is not quoted.
func TestValuesMustBeJSON(t *testing.T) {
	_, err := report.JSON(bare(hotupdate.AutoRollingUpdate, pool.Roll, replaced("1", "hunter2")))
	require.ErrorContains(t, err, "volume.iops")
	assert.NotContains(t, err.Error(), "hunter2")
}

// TestReportOfDiff: what Diff finds in a provider config is shown with all its values, and no value is null that is not.
func TestReportOfDiff(t *testing.T) {
	schema, err := hotupdate.SchemaOf[aws.WorkerConfig]()
	require.NoError(t, err)
	changes, err := schema.DiffRaw([]byte(`{"volume":{"iops":3000},"dataVolumes":[{"name":"a","snapshotID":"s"}]}`),
		[]byte(`{"volume":{"iops":4000},"tags":{"vm":{"a":"1"}}}`))
	require.NoError(t, err)
	r := bare(hotupdate.AutoRollingUpdate, pool.Roll, changes...)
	assert.Equal(t, []string{
		"roll: every machine of the pool is replaced; cause: dataVolumes[name=a].snapshotID, volume.iops",
		`- dataVolumes[name=a].snapshotID  "s"           immutable  inherited from aws.WorkerConfig.DataVolumes  <- roll`,
		`+ tags.vm[a]                      "1"           hot        inherited from aws.WorkerConfig.Tags`,
		`~ volume.iops                     3000 -> 4000  immutable  default, no struct tag                       <- roll`,
		"",
	}, strings.Split(report.Text(r, report.Plain), "\n"))
}
