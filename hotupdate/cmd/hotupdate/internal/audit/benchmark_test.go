package audit_test

import (
	"bytes"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/internal/ratio"
)

// BenchmarkRun sets an audit of 500 Shoots beside plain decoding of the same text.
func BenchmarkRun(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as in the command
	both := releases(b)
	for _, form := range []struct {
		name   string
		form   string
		limit  float64
		decode func(text []byte)
	}{
		{"JSON", asLines, 3, decodeJSON},
		{"YAML", asDocuments, 1.5, decodeYAML},
	} {
		var text bytes.Buffer
		_, err := newFleet(500).write(&text, form.form)
		require.NoError(b, err)
		b.Run(form.name, func(b *testing.B) {
			ratio.Report(b, form.limit, func() {
				_, err := both.Run(b.Context(), manifest.Documents([]string{manifest.Stdin}, bytes.NewReader(text.Bytes())), audit.Options{
					Each: func(*audit.JudgedPool) error { return nil },
				})
				require.NoError(b, err)
			}, func() { form.decode(text.Bytes()) })
		})
	}
}

func decodeJSON(text []byte) {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		var value any
		_ = json.UnmarshalCaseSensitivePreserveInts(line, &value) // some lines are broken
	}
}

func decodeYAML(text []byte) {
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var value any
		_ = yaml.Unmarshal(document, &value) // some documents are broken
	}
}
