package hotupdate_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/ratio"
)

// BenchmarkRawOfLength hashes and compares a config of 1 KB to 1 MB, beside the least that a hash of JSON costs: it is
// validated, and its bytes are hashed. The ratio must not rise with the length.
func BenchmarkRawOfLength(b *testing.B) {
	schema := schemaFor[workerConfig](b)
	for _, labels := range []int{30, 500, 1_000, 4_000, 30_000} {
		raw := configOfLabels(labels)
		respelled := append([]byte(" "), raw...)
		least := func() {
			require.True(b, json.Valid(raw))
			_ = sha256.Sum256(raw)
		}
		often := 1 + 1<<20/len(raw) // a turn takes milliseconds
		b.Run(fmt.Sprintf("HashRaw/%d", len(raw)), func(b *testing.B) {
			ratio.Report(b, 3, times(often, func() {
				_, err := schema.HashRaw(raw)
				require.NoError(b, err)
			}), times(often, least))
		})
		b.Run(fmt.Sprintf("DiffRaw/%d", len(raw)), func(b *testing.B) {
			ratio.Report(b, 3, times(often, func() {
				_, err := schema.DiffRaw(raw, respelled)
				require.NoError(b, err)
			}), times(often, least))
		})
	}
}

func times(n int, do func()) func() {
	return func() {
		for range n {
			do()
		}
	}
}

// configOfLabels is a config with some labels, of about 27 bytes each.
func configOfLabels(count int) []byte {
	members := make([]string, 0, count)
	for i := range count {
		members = append(members, fmt.Sprintf(`"key-%06d":"value \"%d\""`, i*7919%count, i))
	}
	return []byte(`{"apiVersion":"a/v1","kind":"WorkerConfig","volume":{"labels":{` + strings.Join(members, ",") + `}}}`)
}
