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
		`{"formatVersion":3,"old":"a","new":"b","objects":{"read":1,"judged":1,"skipped":{}},"verdicts":{"roll":{"pools":1,"minimum":1,"maximum":2}},"pools":[
			{"file":"f","line":1,"document":1,"item":0,"kind":"Shoot","name":"s","pool":"p","strategy":"x","verdict":"roll","reasons":[{"path":"a[b].c","text":"a[b].c: x"}]}]}`,
		`{"kind":"Worker","name":"s","pool":"p","verdict":"none"}` + "\n" + `{"unreadable":{"file":"f","text":"x"}}` + "\n" + `{"report":{"formatVersion":3,"partial":true}}`,
		`{"formatVersion":3,"causes":[null]}`,
		`{"formatVersion":3,"assumptions":[{"name":"rest-of-name","text":"a\u001b[2J","answer":"b","pools":3},{"name":"?"},null]}`,
		`{"formatVersion":3,"eras":[null]}`,
		`{"formatVersion":3,"pools":[null]}`,
		`{"formatVersion":3,"verdicts":{"roll":null},"known":{"roll":null}}`,
		`{"formatVersion":3,"groups":{"zone":{"a":{"roll":{"pools":1}}},"minor":{"1.35":{"roll":null},"x":null}}}`,
		`{"formatVersion":3,"causes":[{"verdict":"roll","samples":[{},{},{},{},{}]}]}`,
		`{"formatVersion":3,"causes":[{"verdict":"?","minor":"x"}],"eras":[{"minor":"y","newEra":"z","pools":-1}]}`,
		`{"formatVersion":3}`, `{"report":null}`, `[]`, `{`,
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
