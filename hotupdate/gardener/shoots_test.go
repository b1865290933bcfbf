package gardener_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/gardenerplugin"
)

// object is an object as encoding/json reads it.
type object = map[string]any

// readYAML reads a file below testdata.
func readYAML(t testing.TB, name string) (value any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &value), name)
	return value
}

func toJSON(t testing.TB, value any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

func toObject(t testing.TB, text json.RawMessage) (value object) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	return value
}

// profiles returns the CloudProfiles of the test's Shoots by their names. The clouds offer the same.
func profiles(t testing.TB) map[string]object {
	t.Helper()
	all := map[string]object{}
	for _, provider := range []string{"aws", "azure", "gcp", "openstack", "alicloud"} {
		spec, _ := readYAML(t, "cloudprofile.yaml").(object)
		spec["type"] = provider
		all[provider] = object{
			"apiVersion": "core.gardener.cloud/v1beta1", "kind": "CloudProfile", "metadata": object{"name": provider},
			"spec": spec,
		}
	}
	all["ali"] = object{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "NamespacedCloudProfile",
		"metadata": object{"namespace": "garden-dev", "name": "ali"},
		"spec":     object{"parent": object{"kind": "CloudProfile", "name": "alicloud"}},
		"status":   object{"cloudProfileSpec": all["alicloud"]["spec"]},
	}
	return all
}

// setup has the objects of a landscape in which all Shoots of the test stand.
func setup(t testing.TB) gardenerplugin.Setup {
	t.Helper()
	s := gardenerplugin.Setup{FormatVersion: gardenerplugin.FormatVersion}
	for _, profile := range profiles(t) {
		s.Objects = append(s.Objects, toJSON(t, profile))
	}
	objects, _ := readYAML(t, "objects.yaml").([]any)
	for _, one := range objects {
		s.Objects = append(s.Objects, toJSON(t, one))
	}
	return s
}

func newJudge(t testing.TB) *gardener.Judge {
	t.Helper()
	judge, ignored, err := gardener.New(setup(t))
	require.NoError(t, err)
	require.Empty(t, ignored)
	return judge
}

// base is a Shoot that edits change.
type base struct {
	name    string
	profile string // the name of its CloudProfile; empty if there is none
	shoot   object
}

// bases returns the Shoots: those that users wrote, as they are in testdata, and some read back from
// the server.
func bases(t testing.TB, judge *gardener.Judge) (all []base) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "shoots", "*.yaml"))
	require.NoError(t, err)
	written := map[string]object{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		shoot := toObject(t, toJSON(t, readYAML(t, filepath.Join("shoots", name+".yaml"))))
		written[name] = shoot
		all = append(all, base{name, profileOf(shoot), shoot})
	}
	readBack := func(name string) object {
		stored, refusals, err := judge.Stored(toJSON(t, written[name]))
		require.NoError(t, err)
		require.Empty(t, refusals)
		return toObject(t, stored)
	}
	azure, pending := readBack("azure"), readBack("gcp-inplace")
	status, _ := pending["status"].(object)
	status["inPlaceUpdates"] = object{"pendingWorkerUpdates": object{"manualInPlaceUpdate": []any{"manual"}}}
	return append(all, base{"azure-live", "azure", azure}, base{"gcp-inplace-live", "gcp", pending})
}

// basesWithoutProfile returns Shoots whose CloudProfile and other objects neither side gets.
func basesWithoutProfile(t testing.TB) (all []base) {
	t.Helper()
	for _, name := range []string{"azure", "gcp", "openstack"} {
		shoot := toObject(t, toJSON(t, readYAML(t, filepath.Join("shoots", name+".yaml"))))
		all = append(all, base{name: name + "-without-profile", shoot: shoot})
	}
	return all
}

func profileOf(shoot object) string {
	spec, _ := shoot["spec"].(object)
	if reference, is := spec["cloudProfile"].(object); is {
		name, _ := reference["name"].(string)
		return name
	}
	name, _ := spec["cloudProfileName"].(string)
	return name
}

// TestBasesAreAdmitted: Gardener creates the Shoots that are edited, and admits that nothing changes.
func TestBasesAreAdmitted(t *testing.T) {
	judge := newJudge(t)
	all := bases(t, judge)
	require.GreaterOrEqual(t, len(all), 10)
	for _, b := range all {
		shoot := toJSON(t, b.shoot)
		answer := judge.Judge(gardenerplugin.Question{ID: b.name, Old: shoot, New: shoot})
		require.Empty(t, answer.Error, b.name)
		require.Empty(t, answer.OldRefusals, b.name)
		require.Empty(t, answer.Missing, b.name)
		require.Len(t, answer.Outcomes, 1, b.name)
		require.Empty(t, answer.Outcomes[0].Refusals, b.name)
		for _, pool := range answer.Outcomes[0].Pools {
			require.Equal(t, gardenerplugin.NoChange, pool.Change, b.name)
		}
	}
}
