package webhook_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the reviews that the command's own tests read")

// reviews is the folder with the reviews that the tests of the command read.
const reviews = "../../../hotupdate/cmd/hotupdate/testdata/reviews"

// TestRecord: each of these changes by kubectl makes the API server send one review. With -update
// the reviews are written for the tests of the command.
func TestRecord(t *testing.T) {
	w := newWorld(t)
	_, stderr, code := w.kubectl(t, shootNamed(t, "recorded"), "apply", "-f", "-")
	require.Zero(t, code, stderr)
	asked := make(chan []byte, 9)
	address, ca := answering(t, func(review []byte) { asked <- review })
	w.use(t, "base", address, ca)
	larger := shootNamed(t, "recorded", "m5.large", "m5.xlarge")
	smaller := shootNamed(t, "recorded")
	for _, change := range []struct {
		name, stdin string
		args        []string
	}{
		{"apply", larger, []string{"apply", "-f", "-"}},
		{"dry-run", smaller, []string{"apply", "-f", "-", "--dry-run=server"}},
		{"server-side", smaller, []string{"apply", "-f", "-", "--server-side", "--force-conflicts"}},
		{
			"annotate", "",
			[]string{"annotate", "shoots.core.gardener.cloud", "recorded", "-n", "garden-dev", "gardener.cloud/operation=reconcile"},
		},
		{"replace", larger, []string{"replace", "-f", "-"}},
	} {
		_, stderr, code = w.kubectl(t, change.stdin, change.args...)
		require.Zero(t, code, "%s: %s", change.name, stderr)
		if !assert.Len(t, asked, 1, change.name) {
			continue
		}
		var indented bytes.Buffer
		require.NoError(t, json.Indent(&indented, <-asked, "", "  "))
		if *update {
			indented.WriteByte('\n')
			require.NoError(t, os.WriteFile(filepath.Join(reviews, change.name+".json"), indented.Bytes(), 0o600))
		}
	}
}
