package exampletest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// machineClass has the members of a MachineClass that the checks read.
type machineClass struct {
	metav1.ObjectMeta `json:"metadata"`

	ProviderSpec runtime.RawExtension `json:"providerSpec"`
}

// testMachineClasses checks the MachineClasses in testdata/machineclasses against the Schema of
// the driver. They have the shapes that the provider's extension writes and its driver accepts,
// from the least to the fullest. The Schema must know all their members. The change of each hot
// member must be a hot update of every class, whether it has the member or not.
func (p *Provider[C, I, S]) testMachineClasses(t *testing.T) {
	if len(p.HotMembers) == 0 {
		t.Fatal("the row has no HotMembers")
	}
	schema := p.specSchema(t)
	files, err := filepath.Glob(filepath.Join("testdata", "machineclasses", "*.yaml"))
	fatal(t, err)
	if len(files) < 2 {
		t.Errorf("there are %d MachineClasses: write the least and the fullest", len(files))
	}
	for _, file := range files {
		for pointer, value := range p.HotMembers {
			t.Run(filepath.Base(file)+pointer, func(t *testing.T) {
				checkMachineClass[S](t, schema, file, pointer, value)
			})
		}
	}
}

func checkMachineClass[S any](t *testing.T, schema *hotupdate.Schema, file, pointer string, value any) {
	t.Helper()
	manifest, err := os.ReadFile(file) //nolint:gosec // test data
	fatal(t, err)
	var class machineClass
	fatal(t, yaml.Unmarshal(manifest, &class))
	before := class.ProviderSpec.Raw
	after := replaced(t, before, pointer, value)
	old := asDriver[S](t, before)
	updated := asDriver[S](t, after)
	sum, err := schema.Hash(old)
	fatal(t, err)
	updatedSum, err := schema.Hash(updated)
	fatal(t, err)
	changes, err := schema.Diff(old, updated)
	fatal(t, err)
	for _, strategy := range []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate} {
		if outcome := changes.Outcome(strategy); outcome != hotupdate.OutcomeHotUpdate || sum != updatedSum {
			t.Errorf("a change of %s is %s, not a hot update: %v", pointer, outcome, changes)
		}
	}
	classes := machineupdate.Classes{
		OnNonHotChange: func(metav1.Object) { t.Errorf("a change of %s is outside of the hot part", pointer) },
	}
	prepare := func(version string, spec []byte) *machineupdate.PreparedClass {
		meta := class.DeepCopy()
		meta.UID = "uid"
		meta.ResourceVersion = version
		observed := machineupdate.MachineClass{Object: meta, ProviderSpec: spec}
		prepared, err := classes.Prepare(observed, machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}})
		fatal(t, err)
		return prepared
	}
	if prepare("1", before) == prepare("2", after) {
		t.Error("the class is not prepared again")
	}
}

// asDriver decodes a provider spec as a driver does: names may have any case, and members that the
// type does not have are refused.
func asDriver[S any](t *testing.T, raw []byte) *S {
	t.Helper()
	spec := new(S)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	fatal(t, decoder.Decode(spec))
	return spec
}

// replaced returns JSON with another value at a pointer, and creates missing objects above it.
func replaced(t *testing.T, raw []byte, pointer string, value any) []byte {
	t.Helper()
	var root any
	fatal(t, json.Unmarshal(raw, &root))
	names := strings.Split(pointer, "/")[1:]
	at := root
	last := len(names) - 1
	for i, name := range names {
		if list, isList := at.([]any); isList {
			n, err := strconv.Atoi(name)
			fatal(t, err)
			at = list[n]
			continue
		}
		object, isObject := at.(map[string]any)
		switch {
		case !isObject:
			t.Fatalf("%s leads through a value that is not an object", pointer)
		case i == last:
			object[name] = value
		case object[name] == nil:
			object[name] = map[string]any{}
		}
		at = object[name]
	}
	after, err := json.Marshal(root)
	fatal(t, err)
	return after
}
