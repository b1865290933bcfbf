package side_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/ratio"
)

// BenchmarkCompare sets the comparison of two folders beside one parse of every text in both. As in a pull request over a fleet, a twentieth of the
// Shoots changes: its machine type.
func BenchmarkCompare(b *testing.B) {
	shoot, err := os.ReadFile("../pool/testdata/pairs/aws.yaml")
	require.NoError(b, err)
	for _, pairs := range []int{100, 1000} {
		b.Run(fmt.Sprintf("pairs=%d", pairs), func(b *testing.B) {
			old := b.TempDir()
			updated := b.TempDir()
			texts := make([][]byte, 0, 2*pairs)
			for i := range pairs {
				text := strings.ReplaceAll(string(shoot), "name: orders\n", fmt.Sprintf("name: orders-%d\n", i))
				changed := text
				if i%20 == 0 {
					changed = strings.ReplaceAll(text, "m5.large", "m5.xlarge")
				}
				write(b, old, i, text)
				write(b, updated, i, changed)
				texts = append(texts, []byte(text), []byte(changed))
			}
			ratio.Report(b, 2.5, func() { compare(b, old, updated, pairs) }, func() { parse(b, texts) })
		})
	}
}

func compare(b *testing.B, old, updated string, pairs int) {
	b.Helper()
	schemas, err := side.NewCatalog("", extensions.All())
	require.NoError(b, err)
	options := judge.Options{Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both}
	plans, err := (&side.Reader{Schemas: schemas, Options: options}).Compare(b.Context(), old, updated)
	require.NoError(b, err)
	require.Len(b, plans, pairs)
}

func parse(b *testing.B, texts [][]byte) {
	b.Helper()
	for _, text := range texts {
		var node yaml.Node
		require.NoError(b, yaml.Unmarshal(text, &node))
	}
}

func write(b *testing.B, folder string, i int, text string) {
	b.Helper()
	require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), []byte(text), 0o600))
}
