package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The most bytes that a package may allocate before the command begins, as each run of the command does.
const (
	mostOfOwnInit     = 8 << 10
	mostOfForeignInit = 16 << 10
)

// dearInits are the foreign packages that allocate more, with what needs them.
var dearInits = map[string]string{
	"encoding/xml":                                  "JUnit",
	"html/template":                                 "reports for browsers",
	"go.yaml.in/yaml/v2":                            "apimachinery",
	"go.yaml.in/yaml/v3":                            "manifests",
	"github.com/json-iterator/go":                   "apimachinery",
	"k8s.io/apimachinery/pkg/apis/meta/v1":          "the Go types of configurations",
	"k8s.io/apimachinery/pkg/util/validation":       "apimachinery",
	"k8s.io/apimachinery/pkg/util/version":          "versions of Kubernetes and of machine images",
	"k8s.io/apimachinery/pkg/api/meta":              "package apply",
	"sigs.k8s.io/structured-merge-diff/v6/typed":    "package apply",
	"github.com/google/gnostic-models/openapiv2":    "package apply",
	"github.com/google/gnostic-models/openapiv3":    "package apply",
	"google.golang.org/protobuf/types/descriptorpb": "package apply",
	"github.com/davecgh/go-spew/spew":               "package apply",
	"gopkg.in/yaml%2ev3":                            "package apply",
}

// ofTests is the package of the command itself, of which the tests are a part.
const ofTests = "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate"

// initOf is a line of GODEBUG=inittrace=1, with the package and the bytes that it allocates.
var initOf = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)

// started runs the command in a process of its own, and returns its standard error and the bytes that it has allocated.
func started(t *testing.T, args ...string) (stderr string, allocated int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "hotupdate", args...)
	file := filepath.Join(t.TempDir(), "allocated")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1", allocatedFile+"="+file)
	var told bytes.Buffer
	command.Stderr = &told
	require.NoError(t, command.Run(), told.String())
	return told.String(), readAllocated(t, file)
}

// TestInits: each run pays for what the packages of the command do before it begins, whatever it needs of them. What an
// own package needs is made when it is first used, and no further foreign package that allocates much is linked. The
// binary of the tests also has the packages of tests, which allocate little.
func TestInits(t *testing.T) {
	trace, _ := started(t, "version")
	var own int
	for _, line := range initOf.FindAllStringSubmatch(trace, -1) {
		allocated, err := strconv.Atoi(line[2])
		require.NoError(t, err)
		if line[1] == ofTests {
			continue
		}
		if strings.HasPrefix(line[1], "github.com/hotupdate/") {
			own++
			assert.LessOrEqual(t, allocated, mostOfOwnInit, line[1])
			continue
		}
		if _, isKnown := dearInits[line[1]]; !isKnown {
			assert.LessOrEqual(t, allocated, mostOfForeignInit, line[1])
		}
	}
	assert.Greater(t, own, 5)
}
