package hotupdatetest

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzGolden: whatever stands in the file, the test passes or says why it does not.
func FuzzGolden(f *testing.F) {
	s := subjectOf[many](f, nil)
	good, err := s.content(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"formatVersion":1,"schema":{},"vectors":[{"name":"a","config":null,"document":1,"sum":"v1:"}]}`))
	f.Add([]byte(`{"formatVersion":1,"vectors":null}`))
	file := filepath.Join(f.TempDir(), "golden.json")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.golden(file); err != nil && err.Error() == "" {
			t.Fatal("an error without a text")
		}
	})
}
