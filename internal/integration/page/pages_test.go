package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

const root = "../../.."

// The configs of two releases of an extension. The newer release renames pools with a volume type.
type (
	before struct {
		metav1.TypeMeta `json:",inline"`

		Volume *volumeBefore `json:"volume,omitempty"`
	}
	volumeBefore struct {
		IOPS *int32 `json:"iops,omitempty"`
	}
	after struct {
		metav1.TypeMeta `json:",inline"`

		Volume *volumeAfter `json:"volume,omitempty"`
	}
	volumeAfter struct {
		IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
	}
)

// pages writes the pages of the tests into a folder, and returns their paths by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "hotupdate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./hotupdate/cmd/hotupdate")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for i := range shoots {
		name := fmt.Sprintf("%d.yaml", i)
		write("old/"+name, shoot(i, -1))
		write("new/"+name, shoot(i, i%10))
	}
	for i := range 8 {
		name := fmt.Sprintf("%d.yaml", i)
		write("few/old/"+name, shoot(i, -1))
		write("few/new/"+name, shoot(i, i))
	}
	write("old.json", schemaOf[before](t))
	write("new.json", schemaOf[after](t))
	all := map[string]string{}
	for name, args := range map[string][]string{
		"plan": {"plan", "old", "new"}, "few": {"plan", "few/old", "few/new"},
		"audit": {"audit", "--old", "old.json", "--new", "new.json", "new"},
	} {
		command := exec.CommandContext(t.Context(), program, append(args, "--output", "html")...)
		command.Dir = folder
		command.Stderr = os.Stderr
		text, err := command.Output()
		require.NoError(t, err, name)
		write(name+".html", string(text))
		all[name] = filepath.Join(folder, name+".html")
	}
	return all
}

func schemaOf[C any](t *testing.T) string {
	t.Helper()
	schema, err := hotupdate.SchemaOf[C]()
	require.NoError(t, err)
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	return string(text)
}

// shoots is the number of Shoots, with three pools each.
const shoots = 211

// shoot is the manifest of a Shoot before a change, and after one of a kind.
func shoot(number, kind int) string {
	changed := func(one int, then, otherwise string) string {
		if kind == one {
			return then
		}
		return otherwise
	}
	pools := []string{
		pool("cpu-worker-with-a-long-name", changed(1, fmt.Sprintf("m5.%dxlarge", number), "m5.large"),
			changed(2, "10", "3"), changed(3, strconv.Itoa(4000+number), "3000"), "[eu-central-1a]"),
		pool("gpu", "p3.large", "2", "3000", "[eu-central-1a]"),
		pool(
			"c", "m5.large", "1", changed(7, strings.Repeat("1", 9), "3000"),
			changed(5, "[eu-central-1a, eu-central-1b]", "[eu-central-1a]"),
		),
	}
	switch kind {
	case 4:
		pools = pools[:2]
	case 6:
		pools = append(pools, pool("added", "m5.large", "4", "3000", "[eu-central-1a]"))
	}
	return fmt.Sprintf(`apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: cluster-%d, namespace: garden-a-project-with-a-long-name}
spec:
  region: eu-central-1
  kubernetes: {version: 1.33.2}
  provider:
    type: aws
    workers:
%s`, number, strings.Join(pools, ""))
}

func pool(name, machineType, maximum, iops, zones string) string {
	return fmt.Sprintf(`    - name: %s
      minimum: 1
      maximum: %s
      zones: %s
      machine: {type: %s, image: {name: gardenlinux, version: 1877.0.0}}
      providerConfig: {apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1, kind: WorkerConfig, volume: {iops: %s}}
`, name, maximum, zones, machineType, iops)
}
