package audit_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

// write writes a file.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "former.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// FuzzLoad: whatever a former result holds, it is an error or can be merged with itself and shown in every format.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		`{"formatVersion":4,"command":"audit","compared":{"old":"a","new":"b"},"objects":{"read":1,"judged":1,"skipped":{}},"sum":[{"verdict":"roll","pools":1,"machines":2}],"manifests":[
			{"newPlace":{"file":"f","line":1},"kind":"Shoot","name":"s","state":"kept","verdict":"roll","pools":[{"name":"p","strategy":"x","verdict":"roll","touched":2,"reasons":[{"path":"a[b].c","text":"a[b].c: x"}]}]}]}`,
		`{"kind":"Worker","name":"s","verdict":"none","pools":[{"name":"p","verdict":"none"}]}` + "\n" + `{"notJudged":{"file":"f","text":"x"}}` + "\n" + `{"report":{"formatVersion":4,"command":"audit","partial":true}}`,
		`{"kind":"Worker","name":"s","verdict":"none","pools":[{"name":"p","verdict":"\u001b[2J"},null]}` + "\n" + `{"report":{"formatVersion":4,"command":"audit","partial":true}}`,
		`{"formatVersion":4,"command":"audit","causes":[null]}`,
		`{"formatVersion":4,"command":"audit","objects":null,"groups":null,"unit":"\u001b[2J","warnings":["\u001b[2J"]}`,
		`{"formatVersion":4,"command":"audit","assumptions":[{"name":"rest-of-name","text":"a\u001b[2J","answer":"b","pools":3},{"name":"?"},null]}`,
		`{"formatVersion":4,"command":"audit","eras":[null]}`,
		`{"formatVersion":4,"command":"audit","eras":[{"minor":"\u001b[2J","oldEra":"\u001b[2J","differ":true,"pools":-1},{"minor":"y","newEra":"z","pools":-1}]}`,
		`{"formatVersion":4,"command":"audit","manifests":[null,{"pools":[{"verdict":"roll"}]}]}`,
		`{"formatVersion":4,"command":"audit","sum":[null,{"verdict":"?","pools":-1},{"verdict":"roll","pools":7,"machines":-1}]}`,
		`{"formatVersion":4,"command":"audit","groups":{"zone":{"a":{"roll":{"pools":1}}},"minor":{"1.35":{"roll":null},"x":null,"\u001b[2J":{"roll":{"pools":1}}}}}`,
		`{"formatVersion":4,"command":"audit","causes":[{"verdict":"roll","pools":-5,"samples":[{},{"file":"\u001b[2J","pool":"\u001b[2J"},{},{},{},{},{}]}]}`,
		`{"formatVersion":4,"command":"audit","causes":[{"verdict":"roll","text":"\u001b[2J","accepted":"a: \u001b[2J","minor":"\u001b[2J","pools":9000000000000000000,"samples":[]}]}`,
		`{"formatVersion":4,"command":"plan","causes":[{"verdict":"?","minor":"x"}]}`,
		`{"formatVersion":4}`, `{"report":null}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "result.json")
	f.Fuzz(func(t *testing.T, result []byte) {
		require.NoError(t, os.WriteFile(file, result, 0o600))
		var pools []*audit.JudgedPool
		merged, err := audit.Merge([]string{file, file}, &audit.Known{}, func(p *audit.JudgedPool) error {
			pools = append(pools, p)
			return nil
		})
		if err != nil {
			return
		}
		for _, list := range [][]*audit.JudgedPool{nil, pools} {
			audit.List(merged, list)
			for _, by := range append(report.Dimensions(), report.ByCause) {
				style := report.Style{All: true, Shown: report.Shown{By: by, Limit: -1}}
				require.NotContains(t, report.Text(merged, style), "\x1b")
				require.NotContains(t, report.Markdown(merged, style), "\x1b")
				require.NoError(t, report.HTML(io.Discard, merged, style.Shown))
				require.NotContains(t, report.GitHub(merged.Findings()), "\x1b")
			}
		}
	})
}
