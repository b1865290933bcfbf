package side_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// BenchmarkCompare reads two folders with a Shoot in each file, and compares each Shoot with the
// one of its name. One of two has another machine type.
func BenchmarkCompare(b *testing.B) {
	shoot, err := os.ReadFile("../pool/testdata/pairs/aws.yaml")
	require.NoError(b, err)
	for _, pairs := range []int{1, 2000} {
		b.Run(fmt.Sprintf("pairs=%d", pairs), func(b *testing.B) {
			old := b.TempDir()
			updated := b.TempDir()
			for i := range pairs {
				text := strings.ReplaceAll(string(shoot), "name: orders\n", fmt.Sprintf("name: orders-%d\n", i))
				write(b, old, i, text)
				write(b, updated, i, strings.ReplaceAll(text, "m5.large", []string{"m5.xlarge", "m5.large"}[i%2]))
			}
			for b.Loop() {
				schemas, err := side.NewCatalog("", extensions.All())
				require.NoError(b, err)
				options := judge.Options{Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both}
				plans, err := (&side.Reader{Schemas: schemas, Options: options}).Compare(b.Context(), old, updated)
				require.NoError(b, err)
				require.Len(b, plans, pairs)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pairs), "ns/pair")
		})
	}
}

func write(b *testing.B, folder string, i int, text string) {
	b.Helper()
	require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), []byte(text), 0o600))
}
