package audit_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
)

// FuzzLoad: whatever a former result holds, it is an error or can be merged with itself and shown in every format.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		`{"formatVersion":4,"compared":{"old":"a","new":"b"},"objects":{"read":1,"judged":1,"skipped":{}},"sum":[{"verdict":"roll","pools":1,"minimum":1,"machines":2}],"pools":[
			{"file":"f","line":1,"document":1,"item":0,"kind":"Shoot","name":"s","pool":"p","strategy":"x","verdict":"roll","reasons":[{"path":"a[b].c","text":"a[b].c: x"}]}]}`,
		`{"kind":"Worker","name":"s","pool":"p","verdict":"none"}` + "\n" + `{"notJudged":{"file":"f","text":"x"}}` + "\n" + `{"report":{"formatVersion":4,"partial":true}}`,
		`{"formatVersion":4,"causes":[null]}`,
		`{"formatVersion":4,"assumptions":[{"name":"rest-of-name","text":"a\u001b[2J","answer":"b","pools":3},{"name":"?"},null]}`,
		`{"formatVersion":4,"eras":[null]}`,
		`{"formatVersion":4,"pools":[null]}`,
		`{"formatVersion":4,"sum":[null,{"verdict":"?","pools":-1}]}`,
		`{"formatVersion":4,"groups":{"zone":{"a":{"roll":{"pools":1}}},"minor":{"1.35":{"roll":null},"x":null}}}`,
		`{"formatVersion":4,"causes":[{"verdict":"roll","samples":[{},{},{},{},{}]}]}`,
		`{"formatVersion":4,"causes":[{"verdict":"?","minor":"x"}],"eras":[{"minor":"y","newEra":"z","pools":-1}]}`,
		`{"formatVersion":4}`, `{"report":null}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "result.json")
	f.Fuzz(func(t *testing.T, result []byte) {
		require.NoError(t, os.WriteFile(file, result, 0o600))
		merged, err := audit.Merge([]string{file, file}, &audit.Known{}, func(*audit.JudgedPool) error { return nil })
		if err != nil {
			return
		}
		for _, by := range append(audit.Dimensions(), audit.ByCause) {
			v := audit.View{By: by}
			require.NoError(t, merged.Text(io.Discard, v))
			require.NoError(t, merged.Markdown(io.Discard, v))
			require.NoError(t, merged.HTML(io.Discard, v))
		}
	})
}
