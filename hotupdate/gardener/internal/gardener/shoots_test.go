package gardener_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// object is an object as encoding/json reads it.
type object = map[string]any

// readYAML reads a file below testdata.
func readYAML(tb testing.TB, name string) (value any) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(tb, err)
	require.NoError(tb, yaml.Unmarshal(text, &value), name)
	return value
}

func toJSON(tb testing.TB, value any) json.RawMessage {
	tb.Helper()
	text, err := json.Marshal(value)
	require.NoError(tb, err)
	return text
}

func toObject(tb testing.TB, text json.RawMessage) (value object) {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(tb, decoder.Decode(&value))
	return value
}

// profiles returns the CloudProfiles of the test's Shoots by their names. The clouds offer the same.
func profiles(tb testing.TB) map[string]object {
	tb.Helper()
	all := map[string]object{}
	for _, provider := range []string{"aws", "azure", "gcp", "openstack", "alicloud"} {
		spec, _ := readYAML(tb, "cloudprofile.yaml").(object)
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
func setup(tb testing.TB) gardenerplugin.Setup {
	tb.Helper()
	s := gardenerplugin.Setup{FormatVersion: gardenerplugin.FormatVersion}
	for _, profile := range profiles(tb) {
		s.Objects = append(s.Objects, toJSON(tb, profile))
	}
	objects, _ := readYAML(tb, "objects.yaml").([]any)
	for _, one := range objects {
		s.Objects = append(s.Objects, toJSON(tb, one))
	}
	return s
}

func newJudge(tb testing.TB) *gardener.Judge {
	tb.Helper()
	judge, ignored, err := gardener.New(setup(tb))
	require.NoError(tb, err)
	require.Empty(tb, ignored)
	return judge
}

// base is a Shoot that edits change.
type base struct {
	name    string
	profile string // the name of its CloudProfile; empty if there is none
	shoot   object
	cluster object // that the edited Shoot is applied to, read from the server; without it, the Shoot itself
}

// old is the Shoot before an edit.
func (b *base) old() object {
	if b.cluster != nil {
		return b.cluster
	}
	return b.shoot
}

// bases returns the Shoots: those that users wrote, as they are in testdata, and some read back from
// the server.
func bases(tb testing.TB, judge *gardener.Judge) (shoots []base) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "shoots", "*.yaml"))
	require.NoError(tb, err)
	written := map[string]object{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		shoot := toObject(tb, toJSON(tb, readYAML(tb, filepath.Join("shoots", name+".yaml"))))
		written[name] = shoot
		shoots = append(shoots, base{name: name, profile: profileOf(shoot), shoot: shoot})
	}
	readBack := func(name string) object {
		stored, refusals, err := judge.Stored(toJSON(tb, written[name]))
		require.NoError(tb, err)
		require.Empty(tb, refusals)
		return sameEachTime(tb, toObject(tb, stored))
	}
	azure := readBack("azure")
	pending := readBack("gcp-inplace")
	status, _ := pending["status"].(object)
	status["inPlaceUpdates"] = object{"pendingWorkerUpdates": object{"manualInPlaceUpdate": []any{"manual"}}}
	return append(shoots,
		base{name: "azure-live", profile: "azure", shoot: azure},
		base{name: "gcp-inplace-live", profile: "gcp", shoot: pending},
		base{name: "azure-applied", profile: "azure", shoot: written["azure"], cluster: azure},
		base{name: "gcp-applied", profile: "gcp", shoot: written["gcp"], cluster: applied(tb, readBack("gcp"), written["gcp"])},
	)
}

// sameEachTime gives a Shoot of the server the UID and times of anonymous, in place of those of its creation.
func sameEachTime(tb testing.TB, stored object) object {
	tb.Helper()
	metadata, _ := stored["metadata"].(object)
	status, _ := stored["status"].(object)
	operation, _ := status["lastOperation"].(object)
	require.NotEmpty(tb, metadata["uid"])
	require.Equal(tb, metadata["uid"], status["uid"])
	require.NotEmpty(tb, metadata["creationTimestamp"])
	require.NotEmpty(tb, operation["lastUpdateTime"])
	metadata["uid"] = anyUID
	status["uid"] = anyUID
	metadata["creationTimestamp"] = anyTime
	operation["lastUpdateTime"] = anyTime
	return stored
}

// applied returns a Shoot of the server that kubectl apply has written, with its annotation.
func applied(tb testing.TB, stored, manifest object) object {
	tb.Helper()
	metadata, _ := stored["metadata"].(object)
	annotations, _ := metadata["annotations"].(object)
	with := object{"kubectl.kubernetes.io/last-applied-configuration": string(toJSON(tb, manifest))}
	maps.Copy(with, annotations)
	metadata["annotations"] = with
	return stored
}

// basesWithoutProfile returns Shoots whose CloudProfile and other objects neither side gets.
func basesWithoutProfile(tb testing.TB) (shoots []base) {
	tb.Helper()
	for _, name := range []string{"azure", "gcp", "openstack"} {
		shoot := toObject(tb, toJSON(tb, readYAML(tb, filepath.Join("shoots", name+".yaml"))))
		shoots = append(shoots, base{name: name + "-without-profile", shoot: shoot})
	}
	return shoots
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
		question := gardenerplugin.Question{ID: b.name, Old: toJSON(t, b.old()), New: toJSON(t, b.shoot), Apply: "client"}
		answer := judge.Judge(question)
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
