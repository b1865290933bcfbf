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
		`{"formatVersion":2,"old":"a","new":"b","objects":{"read":1,"judged":1,"skipped":{}},"verdicts":{"rolled":{"pools":1,"minimum":1,"maximum":2}},"pools":[
			{"file":"f","line":1,"document":1,"item":0,"kind":"Shoot","name":"s","pool":"p","strategy":"x","verdict":"rolled","reasons":[{"path":"a[b].c","text":"a[b].c: x"}]}]}`,
		`{"kind":"Worker","name":"s","pool":"p","verdict":"unchanged"}` + "\n" + `{"unreadable":{"file":"f","text":"x"}}` + "\n" + `{"report":{"formatVersion":2,"partial":true}}`,
		`{"formatVersion":2,"causes":[null]}`,
		`{"formatVersion":2,"assumptions":[{"name":"rest-of-name","text":"a\u001b[2J","answer":"b","pools":3},{"name":"?"},null]}`,
		`{"formatVersion":2,"eras":[null]}`,
		`{"formatVersion":2,"pools":[null]}`,
		`{"formatVersion":2,"verdicts":{"rolled":null},"known":{"rolled":null}}`,
		`{"formatVersion":2,"groups":{"zone":{"a":{"rolled":{"pools":1}}},"minor":{"1.35":{"rolled":null},"x":null}}}`,
		`{"formatVersion":2,"causes":[{"verdict":"rolled","samples":[{},{},{},{},{}]}]}`,
		`{"formatVersion":2,"causes":[{"verdict":"?","minor":"x"}],"eras":[{"minor":"y","newEra":"z","pools":-1}]}`,
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
