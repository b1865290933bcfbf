package machineupdate_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestFlowPageHasTheRecords makes the change of the specification's first section, and finds every record that is
// written on the page, in their order.
func TestFlowPageHasTheRecords(t *testing.T) {
	schema, err := hotupdate.SchemaOf[spec]()
	require.NoError(t, err)
	fingerprint, err := schema.Fingerprint()
	require.NoError(t, err)
	var written []string
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	machine := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "machine-1", ResourceVersion: "1"}}
	executor := machineupdate.Executor[*metav1.PartialObjectMetadata]{
		Patch: func(
			_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
		) (*metav1.PartialObjectMetadata, error) {
			patch, err := readPatch(name, data)
			machine = machine.DeepCopy()
			machine.ResourceVersion += "0"
			machine.Annotations = patch.Apply(machine.Annotations)
			written = append(written, strings.ReplaceAll(machine.Annotations[machineupdate.AnnotationRecord], fingerprint, "S"))
			return machine, err
		},
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil },
		Event:         func(runtime.Object, string, string, string) {},
		Now:           func() time.Time { return now },
	}
	var classes machineupdate.Classes
	pass := func(version, providerSpec string) {
		class := machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "pool-a", ResourceVersion: version}, ProviderSpec: []byte(providerSpec),
		}
		prepared, err := classes.Prepare(class, machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}})
		require.NoError(t, err)
		for range 2 { // the update, and its confirmation
			result := executor.Reconcile(t.Context(), machine, machineupdate.Observation{
				ProviderID: "aws:///eu-west-1/i-1", Phase: "Running", Class: prepared,
			})
			require.NoError(t, result.Err)
			now = now.Add(15 * time.Minute)
		}
	}
	pass("1", `{"tags":{"team":"a"}}`)
	pass("2", `{"tags":{"owner":"b"}}`)

	page, err := os.ReadFile("FLOW.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "## One change")
	section, _, _ = strings.Cut(section, "\n## ")
	var shown []string
	for i, block := range strings.Split(section, "```json") {
		record, _, _ := strings.Cut(block, "```")
		if i > 0 {
			shown = append(shown, regexp.MustCompile(`\n +`).ReplaceAllString(strings.TrimSpace(record), ""))
		}
	}
	assert.Equal(t, written, shown)
}
