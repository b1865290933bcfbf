package side_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/ratio"
)

// BenchmarkCompare sets the comparison of two folders beside reading the files of both and parsing each text once. As
// in a pull request over a fleet, a twentieth of the Shoots changes: its machine type. Garbage is collected as often as
// in the command.
func BenchmarkCompare(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	shoot, err := os.ReadFile("../pool/testdata/pairs/aws.yaml")
	require.NoError(b, err)
	for _, pairs := range []int{100, 1000} {
		b.Run(fmt.Sprintf("pairs=%d", pairs), func(b *testing.B) {
			old := b.TempDir()
			updated := b.TempDir()
			for i := range pairs {
				text := strings.ReplaceAll(string(shoot), "name: orders\n", fmt.Sprintf("name: orders-%d\n", i))
				changed := text
				if i%20 == 0 {
					changed = strings.ReplaceAll(text, "m5.large", "m5.xlarge")
				}
				write(b, old, i, text)
				write(b, updated, i, changed)
			}
			ratio.Report(b, 2.5, func() { compare(b, old, updated, pairs) }, func() { parse(b, old, updated) })
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

func parse(b *testing.B, folders ...string) {
	b.Helper()
	for _, folder := range folders {
		files, err := os.ReadDir(folder)
		require.NoError(b, err)
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			require.NoError(b, err)
			var node yaml.Node
			require.NoError(b, yaml.Unmarshal(text, &node))
		}
	}
}

func write(b *testing.B, folder string, i int, text string) {
	b.Helper()
	require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), []byte(text), 0o600))
}
