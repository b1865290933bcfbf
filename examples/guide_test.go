// Package examples_test holds the code that the adoption guide shows.
package examples_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
	"github.com/hotupdate/providerconfig/tags"
)

// pages are those of the guide: the first leads to the others, one for each reader.
var pages = []string{"README.md", "EXTENSION.md", "DRIVER.md", "MCM.md", "MIGRATION.md"}

// TestGuideShowsTestedCode finds every block of Go code of the guide, and the output beside it, in this file.
func TestGuideShowsTestedCode(t *testing.T) {
	var guide []byte
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		guide = append(guide, text...)
	}
	source, err := os.ReadFile("guide_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(\\w*)\n(.*?)```").FindAllSubmatch(guide, -1)
	require.Len(t, blocks, 24)
	for _, block := range blocks {
		text := string(block[2])
		switch string(block[1]) {
		case "go":
			if strings.Contains(text, "updater.Start") || strings.Contains(text, "hot.Creating") {
				continue // the module hotupdate/updater compiles these two
			}
		case "mermaid", "sh": // see internal/repository and hotupdate/cmd/hotupdatelint
			continue
		case "text": // the output of an Example
			text = regexp.MustCompile("(?m)^(.)").ReplaceAllString(text, "\t// $1")
		default:
			t.Errorf("a block of %q is not tested", block[1])
		}
		assert.Contains(t, string(source), text)
	}
}

// TestGuideHasEveryCloud: the guide's table has a line for each cloud that package tags knows, and no other line. The tests of the drivers
// compare each line with the code, see package cloudtable.
func TestGuideHasEveryCloud(t *testing.T) {
	guide, err := os.ReadFile("DRIVER.md")
	require.NoError(t, err)
	var rows []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|[^|]+\|[^|]+\| read \d+ · \d+, write \d+ · \d+ \|[^|]+\|$`).FindAllSubmatch(guide, -1) {
		rows = append(rows, string(row[1]))
	}
	source, err := os.ReadFile("../tags/tags.go")
	require.NoError(t, err)
	var clouds []string
	for _, declared := range regexp.MustCompile(`(?m)^\t\w+ +Cloud = "(.+)"$`).FindAllSubmatch(source, -1) {
		clouds = append(clouds, string(declared[1]))
	}
	require.NotEmpty(t, clouds)
	assert.ElementsMatch(t, clouds, rows)
}

// --- an extension ---

type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	NodeTemplate *NodeTemplate `json:"nodeTemplate,omitempty"`                               // the type is Gardener's: see WithTag
	Volume       *Volume       `json:"volume,omitempty"`                                     // no struct tag: immutable
	DataVolumes  []DataVolume  `json:"dataVolumes,omitempty"  hotupdatable:"false,key=name"` // in any order
	Tags         *tags.Tags    `json:"tags,omitempty"         hotupdatable:"true"`           // hot
}

func schema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[WorkerConfig](hotupdate.WithTag("nodeTemplate.virtualCapacity", "true"))
}

type NodeTemplate struct {
	Capacity        map[string]string `json:"capacity"`
	VirtualCapacity map[string]string `json:"virtualCapacity,omitempty"`
}

type Placement struct {
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"false,keyclass=true:team,keyclass=true:'billing.example.com/*'"`
}

func templateSchema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[NodeTemplate](
		hotupdate.WithTag("capacity", "false"),
		hotupdate.WithTag(`capacity["example.com/licences"]`, "true"),
		hotupdate.WithTag(`capacity["billing.example.com/*"]`, "true"),
	)
}

// TestSingleKeys: what the guide says of single keys of a map is so.
func TestSingleKeys(t *testing.T) {
	placement, err := hotupdate.SchemaOf[Placement]()
	require.NoError(t, err)
	template, err := templateSchema()
	require.NoError(t, err)
	hashOf := func(s *hotupdate.Schema, raw string) hotupdate.Sum {
		sum, err := s.HashRaw([]byte(raw))
		require.NoError(t, err)
		return sum
	}
	assert.Equal(t, hashOf(placement, `{}`), hashOf(placement, `{"labels":{"team":"a","billing.example.com/centre":"7"}}`))
	assert.NotEqual(t, hashOf(placement, `{}`), hashOf(placement, `{"labels":{"zone":"a"}}`))
	assert.Equal(t, hashOf(template, `{"capacity":{"cpu":"8"}}`), hashOf(template, `{"capacity":{"cpu":"8","example.com/licences":"3"}}`))
	assert.NotEqual(t, hashOf(template, `{"capacity":{"cpu":"8"}}`), hashOf(template, `{"capacity":{"cpu":"9"}}`))
}

type Volume struct {
	IOPS       *int32 `json:"iops,omitempty"`
	Throughput *int32 `json:"throughput,omitempty"`
}

type DataVolume struct {
	Name string `json:"name"`
	IOPS *int32 `json:"iops,omitempty"`
}

// WorkerPool stands in for Gardener's.
type WorkerPool struct {
	KubernetesVersion   *string
	NodeAgentSecretName *string
	UpdateStrategy      *MachineUpdateStrategy
	ProviderConfig      *runtime.RawExtension
	Encrypted           bool
	Config              WorkerConfig
}

// MachineUpdateStrategy stands in for Gardener's types of this name.
type MachineUpdateStrategy string

// Cluster stands in for Gardener's.
type Cluster struct{}

// workerPoolHash stands in for Gardener's, of v1.148 and newer.
func workerPoolHash(pool WorkerPool, _ *Cluster, additionalData, _ []string) (string, error) {
	name, err := hash.WorkerPool(pool.NodeAgentSecretName, additionalData...)
	return name.Text, err
}

// guarded returns the name of a pool that rolls, unless the class of that name stands for another digest. It returns the digest to record.
func guarded(pool WorkerPool, cluster *Cluster, data hash.AdditionalData, recorded map[string]string) (text, digest string, err error) {
	text, err = workerPoolHash(pool, cluster, data.Rolling, data.InPlace) // Gardener's five characters
	if err != nil {
		return "", "", err
	}
	name, err := hash.WorkerPool(pool.NodeAgentSecretName, data.Rolling...) // the same, with the digest
	if err != nil {
		return "", "", err
	}
	return text, name.Digest.String(), hash.CheckCollision(recorded[text], name.Digest) // recorded: the annotation of the class of that name
}

// ownFields are the pool's own fields that an extension hashes beside the config.
func ownFields(pool WorkerPool) []string { return []string{strconv.FormatBool(pool.Encrypted)} }

func generateWorkerPoolHash(pool WorkerPool, cluster *Cluster) (string, error) {
	schema, err := schema()
	if err != nil {
		return "", err
	}
	added, err := hotupdate.SchemaOf[WorkerConfig](hotupdate.WithTag("nodeTemplate.virtualCapacity", "false")) // hot are only the new members
	if err != nil {
		return "", err
	}
	eras, err := hash.NewEras([]hash.Era[WorkerPool]{ // pools that roll
		{Name: "raw bytes", Data: rawBytes(added)},
		{Name: "hand-written list", From: "1.34", Data: handWrittenList},
		{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, ownFields)},
	}, hash.InPlaceEras[WorkerPool](nil, "1.37", schema)) // pools that are updated in place: today their list is nil
	if err != nil {
		return "", err
	}
	data, err := eras.AdditionalData(hotupdate.StrategyOf(pool.UpdateStrategy), pool.KubernetesVersion,
		hotupdate.RawConfig(pool.ProviderConfig), pool)
	if err != nil {
		return "", err
	}
	return workerPoolHash(pool, cluster, data.Rolling, data.InPlace) // Gardener's; v1.145 and older take another list first
}

// generateWorkerPoolHashV145 is for Gardener v1.145 and older.
func generateWorkerPoolHashV145(pool WorkerPool, cluster *Cluster, added *hotupdate.Schema, eras *hash.Eras[WorkerPool]) (string, error) {
	raw := hotupdate.RawConfig(pool.ProviderConfig)
	cut, err := added.StripRaw(raw)
	if err != nil {
		return "", err
	}
	pool.ProviderConfig = &runtime.RawExtension{Raw: cut} // version 1 hashes it; cut is the StripRaw of it by added
	data, err := eras.AdditionalData(hotupdate.StrategyOf(pool.UpdateStrategy), pool.KubernetesVersion, raw, pool)
	if err != nil {
		return "", err
	}
	return workerPoolHashV145(pool, cluster, ownFields(pool), data.Rolling, data.InPlace) // ownFields: today's first list
}

// workerPoolHashV145 stands in for Gardener's, of v1.145 and older.
func workerPoolHashV145(pool WorkerPool, cluster *Cluster, additionalDataV1, additionalDataV2, inPlace []string) (string, error) {
	if pool.NodeAgentSecretName != nil {
		return workerPoolHash(pool, cluster, additionalDataV2, inPlace)
	}
	versionOne := new("version 1")
	name, err := hash.WorkerPool(versionOne, append([]string{string(hotupdate.RawConfig(pool.ProviderConfig))}, additionalDataV1...)...)
	return name.Text, err
}

// TestListsThatStay: a pool of version 1 keeps the name that today's release gives it, and a tag does not rename it.
func TestListsThatStay(t *testing.T) {
	added, err := hotupdate.SchemaOf[WorkerConfig](hotupdate.WithTag("nodeTemplate.virtualCapacity", "false"))
	require.NoError(t, err)
	eras, err := hash.NewEras([]hash.Era[WorkerPool]{{Name: "raw bytes", Data: rawBytes(added)}}, hash.InPlaceEras[WorkerPool](nil, "1.37", added))
	require.NoError(t, err)
	of := pool("1.33.0", `{"volume":{"iops":1}}`)
	of.NodeAgentSecretName = nil
	want, err := workerPoolHashV145(of, nil, ownFields(of), nil, nil)
	require.NoError(t, err)
	got, err := generateWorkerPoolHashV145(of, nil, added, eras)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	of.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"volume":{"iops":1},"tags":{"vm":{"team":"red"}}}`)}
	got, err = generateWorkerPoolHashV145(of, nil, added, eras)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// releasedHashData is the function of today's release for a pool with its decoded config.
func releasedHashData(pool WorkerPool) ([]string, error) { return handWrittenList(nil, pool) }

// poolWith returns a pool with a config, as the API server stores it.
func poolWith(version string, config *WorkerConfig) WorkerPool {
	raw, _ := json.Marshal(config) // no field of the type fails
	of := pool(version, string(raw))
	of.Config = *config
	return of
}

// TestAdoptionKeepsNames: the eras before the canonical one give the strings of the released function. A list that forgets a string does not.
func TestAdoptionKeepsNames(t *testing.T) {
	schema, err := schema()
	require.NoError(t, err)
	erasWith := func(list func(raw []byte, pool WorkerPool) ([]string, error)) *hash.Eras[WorkerPool] {
		eras, err := hash.NewEras([]hash.Era[WorkerPool]{
			{Name: "raw bytes", Data: rawBytes(schema)}, {Name: "hand-written list", From: "1.34", Data: list},
		}, hash.InPlaceEras[WorkerPool](nil, "1.37", schema))
		require.NoError(t, err)
		return eras
	}
	keepsNames(t, erasWith(handWrittenList))
	forgetful := &recorder{TB: t}
	keepsNames(forgetful, erasWith(func(_ []byte, pool WorkerPool) ([]string, error) { return ownFields(pool), nil }))
	assert.True(t, forgetful.failed)
}

func keepsNames(tb testing.TB, eras *hash.Eras[WorkerPool]) {
	tb.Helper()
	t := tb // as the guide calls it
	hotupdatetest.Keeps(t, func(config *WorkerConfig) ([]string, error) {
		return releasedHashData(poolWith("1.35.1", config)) // the function of the release, with its decoder
	}, func(config *WorkerConfig) ([]string, error) {
		pool := poolWith("1.35.1", config)
		raw := hotupdate.RawConfig(pool.ProviderConfig)
		data, err := eras.AdditionalData(hotupdate.AutoRollingUpdate, pool.KubernetesVersion, raw, pool)
		return data.Rolling, err
	})
}

// recorder records a failure in place of the test.
type recorder struct {
	testing.TB

	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }
func (r *recorder) Error(...any)          { r.failed = true }
func (r *recorder) Fatal(...any)          { r.failed = true }

func rawBytes(added *hotupdate.Schema) func(raw []byte, pool WorkerPool) ([]string, error) {
	return func(raw []byte, pool WorkerPool) ([]string, error) {
		cut, err := added.StripRaw(raw)
		if err != nil {
			return nil, err
		}
		return today(cut, pool) // cuts virtualCapacity, as it always did
	}
}

// today is the function of today's release.
func today(raw []byte, pool WorkerPool) ([]string, error) {
	data := ownFields(pool)
	if len(raw) == 0 { // no config, no string
		return data, nil
	}
	return append(data, string(raw)), nil
}

func handWrittenList(_ []byte, pool WorkerPool) ([]string, error) {
	data := ownFields(pool)
	if v := pool.Config.Volume; v != nil && v.IOPS != nil {
		data = append(data, strconv.Itoa(int(*v.IOPS))) // and the rest of the old list
	}
	return data, nil
}

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) {
	os.Exit(fixedseed.Run(m))
}

func TestWorkerConfig(t *testing.T) {
	schema, err := schema()
	require.NoError(t, err)
	hotupdatetest.Check[WorkerConfig](t, hotupdatetest.WithSchema(schema))
	hotupdatetest.Golden[WorkerConfig](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(schema), update)
}

func validateUpdate(s *hotupdate.Schema, old, updated *WorkerPool, config *WorkerConfig, mandatory *tags.Tags) field.ErrorList {
	path := field.NewPath("providerConfig")
	problems := s.ValidateUpdateRaw(hotupdate.RawConfig(old.ProviderConfig), hotupdate.RawConfig(updated.ProviderConfig),
		hotupdate.StrategyOf(updated.UpdateStrategy), path)
	return append(problems, tags.AWS.Validate(config.Tags, mandatory, path.Child("tags"))...)
}

// --- a driver ---

type ProviderSpec struct {
	AMI          string            `json:"ami"`
	Tags         map[string]string `json:"tags,omitempty"         hotupdatable:"true"` // one flat map for all resources, as today
	ResourceTags *tags.Tags        `json:"resourceTags,omitempty" hotupdatable:"true"` // the tags of the WorkerConfig
}

// session is the driver's view of the cloud for one update: a client with the credentials of the request.
type session struct {
	resources   []driver.Resource
	set, remove []string
	cloud       *fleet.Fleet // makes the calls, unless it is nil
}

func connect(context.Context, *machineupdate.UpdateMachineRequest, *ProviderSpec) (*session, error) {
	return testSession, nil
}

func own(ctx context.Context, s *session) ([]driver.Resource, error) {
	if s.cloud != nil {
		return s.cloud.Resources(ctx)
	}
	return s.resources, nil
}

func createTags(ctx context.Context, s *session, resources []string, set []tags.Tag) error {
	if s.cloud != nil {
		return s.cloud.Change(ctx, resources, set, nil)
	}
	for _, tag := range set {
		s.set = append(s.set, fmt.Sprint(resources, tag.Key, "=", tag.Value))
	}
	return nil
}

func deleteTags(ctx context.Context, s *session, resources []string, remove []tags.Tag) error {
	if s.cloud != nil {
		return s.cloud.Change(ctx, resources, nil, remove)
	}
	for _, tag := range remove {
		s.remove = append(s.remove, fmt.Sprint(resources, tag.Key, "=", tag.Value))
	}
	return nil
}

func newKit(schema *hotupdate.Schema, rules tags.Rules) (*driver.Kit[ProviderSpec, *session], error) {
	flat := func(spec *ProviderSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.ResourceTags }
	tagging := driver.FlatTagging[ProviderSpec, *session](rules, tags.Kinds(), flat) // the usual Project and Mandatory
	tagging.Set = createTags
	tagging.Remove = deleteTags
	return driver.New(driver.Definition[ProviderSpec, *session]{
		Schema: schema, Connect: connect, Resources: own, Tags: []driver.Tagging[ProviderSpec, *session]{tagging},
	})
}

// launched returns the infrastructure tags that CreateMachine sets on a kind of resource.
func launched(rules *tags.Rules, spec *ProviderSpec, kind tags.Kind) map[string]string {
	return rules.Effective(spec.Tags, spec.ResourceTags.Of(kind), rules.MandatoryIn(spec.Tags)) // as FlatTagging's Project does
}

// --- MCM ---

// Machine stands in for MCM's *v1alpha1.Machine.
type Machine = metav1.PartialObjectMetadata

// controller stands in for MCM's.
type controller struct {
	classes   machineupdate.Classes
	executor  machineupdate.Executor[*Machine]
	described []byte // by the driver: MCM has no provider's types
}

func (c *controller) reconcile(ctx context.Context, machine *Machine, providerID, phase string, class machineupdate.MachineClass, secret map[string][]byte) (*Machine, time.Duration) {
	prepared, err := c.classes.PrepareDescribed(class, c.described)
	result := c.executor.Reconcile(ctx, machine, machineupdate.Observation{
		ProviderID: providerID, Phase: phase, Class: prepared, ClassError: err, Secret: secret,
	})
	return result.Machine, result.RequeueAfter // the rest of the reconcile goes on with this machine; log result.Err
}

func (c *controller) create(
	ctx context.Context, machine *Machine, o machineupdate.Observation, class machineupdate.MachineClass,
	createAndInitialize func(context.Context) (string, error),
) (machineupdate.Result[*Machine], error) {
	creation, result := c.executor.BeginCreation(ctx, machine, o, class) // the class of the driver's request
	if creation == nil {
		return result, nil // look again after result.RequeueAfter
	}
	providerID, err := createAndInitialize(creation.Context(ctx)) // nothing is sent after its deadline
	if err != nil {
		return result, err
	}
	return c.executor.FinishCreation(ctx, creation, result.Machine, providerID), nil // only if the VM did not exist before
}

// --- the day a field becomes hot ---

// HotterConfig is WorkerConfig after a field became hot.
type HotterConfig struct {
	metav1.TypeMeta `json:",inline"`

	NodeTemplate *NodeTemplate `json:"nodeTemplate,omitempty"`
	Volume       *struct {
		IOPS       *int32 `json:"iops,omitempty"       hotupdatable:"true"`
		Throughput *int32 `json:"throughput,omitempty"`
	} `json:"volume,omitempty"`
	DataVolumes []DataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
	Tags        *tags.Tags   `json:"tags,omitempty"        hotupdatable:"true"`
}

func hotterEras(schemaOf137 []byte) (*hash.Eras[WorkerPool], error) {
	schema, err := hotupdate.SchemaOf[HotterConfig]()
	if err != nil {
		return nil, err
	}
	lived, err := hotupdate.LoadSchema(schemaOf137) // exported by the release before, embedded
	if err != nil {
		return nil, err
	}
	eras := []hash.Era[WorkerPool]{
		{Name: "canonical", Data: hash.CanonicalData(lived, ownFields)}, // behind the eras before it
		{Name: "iops is hot", From: "1.39", Data: hash.CanonicalData(schema, ownFields)},
	}
	return hash.NewEras(eras, eras) // pools that roll, and pools that are updated in place
}

func Example_compatibility() {
	lived, err := hotupdate.SchemaOf[WorkerConfig]()
	if err != nil {
		fmt.Println(err)
	}
	schema, err := hotupdate.SchemaOf[HotterConfig]()
	if err != nil {
		fmt.Println(err)
	}
	findings, err := hotupdate.Compatibility(lived, schema)
	if err != nil {
		fmt.Println(err)
	}
	for _, finding := range findings {
		fmt.Println(finding)
	}
	// Output:
	// volume.iops: became hot, was immutable: every pool that sets it rolls unless an era of the old Schema stays; from now on a change of it is applied to running machines, it replaced machines
}

// --- the code above does what the guide says ---

func pool(version, raw string) WorkerPool {
	return WorkerPool{KubernetesVersion: &version, NodeAgentSecretName: new("gardener-node-agent-pool-b1b1b1b1b1b1b1b1"), ProviderConfig: &runtime.RawExtension{Raw: []byte(raw)}}
}

func TestTagsReplaceNothing(t *testing.T) {
	for _, version := range []string{"1.33.0", "1.36.0", "1.37.0"} {
		before, err := generateWorkerPoolHash(pool(version, `{"volume":{"iops":1}}`), nil)
		require.NoError(t, err)
		after, err := generateWorkerPoolHash(pool(version, `{"volume":{"iops":1},"tags":{"vm":{"team":"red"}}}`), nil)
		require.NoError(t, err)
		assert.Equal(t, before, after, version)
	}
}

func TestAdmission(t *testing.T) {
	schema, err := schema()
	require.NoError(t, err)
	old := pool("1.37.0", `{"volume":{"iops":1}}`)
	updated := pool("1.37.0", `{"volume":{"iops":2},"tags":{"vm":{"aws:x":"1"}}}`)
	updated.UpdateStrategy = new(MachineUpdateStrategy("AutoInPlaceUpdate"))
	config := &WorkerConfig{}
	require.NoError(t, json.Unmarshal(updated.ProviderConfig.Raw, config))
	var fields []string
	for _, problem := range validateUpdate(schema, &old, &updated, config, nil) {
		fields = append(fields, problem.Field)
	}
	assert.Equal(t, []string{"providerConfig.volume.iops", "providerConfig.tags.vm[aws:x]"}, fields)
}

// TestGuarded: a digest is recorded for the name that Gardener's function returns, and another one under this name is an error.
func TestGuarded(t *testing.T) {
	data := hash.AdditionalData{Rolling: []string{"a"}}
	classes := map[string]string{}
	text, digest, err := guarded(pool("1.37.0", ""), nil, data, classes)
	require.NoError(t, err, "no class has the name")
	assert.Equal(t, text, digest[:5])
	classes[text] = digest
	_, _, err = guarded(pool("1.37.0", ""), nil, data, classes)
	require.NoError(t, err, "the class has this digest")
	classes[text] = text + strings.Repeat("0", 59)
	_, _, err = guarded(pool("1.37.0", ""), nil, data, classes)
	require.Error(t, err, "the class stands for another configuration")
}

var testSession *session

func TestDriver(t *testing.T) {
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	schema, err := hotupdate.SchemaOf[ProviderSpec]()
	require.NoError(t, err)
	kit, err := newKit(schema, rules)
	require.NoError(t, err)
	const cluster = `"tags":{"kubernetes.io/cluster/c":"1"}`
	testSession = &session{resources: []driver.Resource{{
		Kind: tags.VM, ID: "i-1", Tags: map[string]string{"kubernetes.io/cluster/c": "1", "owner": "alice", "team": "red", "foreign": "1"},
	}}}
	err = kit.UpdateMachine(t.Context(), &machineupdate.UpdateMachineRequest{
		Class: machineupdate.MachineClass{ProviderSpec: []byte(`{` + cluster + `}`)}, BeforeWrite: func(context.Context) error { return nil },
		Parts: []machineupdate.Part{{
			Kind: "vm", Applied: `{` + cluster + `,"resourceTags":{"vm":{"owner":"alice","team":"red"}}}`,
			Attempted: []machineupdate.HotSpec{`{` + cluster + `,"resourceTags":{"vm":{"team":"blue"}}}`, "{}"},
			Desired:   `{` + cluster + `,"resourceTags":{"vm":{"team":"blue"}}}`,
		}},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"[i-1]team=blue"}, testSession.set)
	assert.Equal(t, []string{"[i-1]owner=alice"}, testSession.remove, "what was applied or attempted goes, what is foreign stays")
}

// TestLaunchedTags: a creation sets what the kit expects of it afterwards.
func TestLaunchedTags(t *testing.T) {
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	both := func(spec *ProviderSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.ResourceTags }
	tagging := driver.FlatTagging[ProviderSpec, *session](rules, tags.Kinds(), both)
	spec := &ProviderSpec{
		Tags:         map[string]string{"kubernetes.io/cluster/c": "1", "team": "red"},
		ResourceTags: &tags.Tags{VM: map[string]string{"team": "blue"}, Disk: map[string]string{"kubernetes.io/cluster/c": "2"}},
	}
	assert.Equal(t, map[string]string{"kubernetes.io/cluster/c": "1", "team": "blue"}, launched(&rules, spec, tags.VM))
	for _, kind := range tags.Kinds() {
		assert.Equal(t, tagging.Project(spec, kind), launched(&rules, spec, kind))
	}
}

func TestController(t *testing.T) {
	schema, err := hotupdate.SchemaOf[ProviderSpec]()
	require.NoError(t, err)
	driver := machineupdate.Driver{Schema: schema, Kinds: []string{"vm", "network", "disk"}, Revision: "tags"}
	described, err := driver.Describe()
	require.NoError(t, err)
	var called []string
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &controller{described: described, executor: machineupdate.Executor[*Machine]{
		Now: func() time.Time { return now },
		Patch: func(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*Machine, error) {
			written := &Machine{}
			err := json.Unmarshal(data, written)
			written.Name = name
			return written, err
		},
		UpdateMachine: func(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
			called = append(called, string(request.Parts[0].Desired))
			return nil
		},
	}}
	class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class", UID: "uid", ResourceVersion: "1"}, ProviderSpec: []byte(`{"ami":"a","tags":{"k":"1"}}`)}
	machine := &Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", ResourceVersion: "7"}}
	machine, delay := c.reconcile(t.Context(), machine, "aws:///i-1", "Running", class, nil)
	assert.Equal(t, []string{`{"tags":{"k":"1"}}`}, called, "first adoption")
	assert.Equal(t, 15*time.Minute, delay, "when to confirm")
	now = now.Add(delay)
	machine, _ = c.reconcile(t.Context(), machine, "aws:///i-1", "Running", class, nil)
	_, delay = c.reconcile(t.Context(), machine, "aws:///i-1", "Running", class, nil)
	assert.Zero(t, delay)
	assert.Len(t, called, 2, "updated and confirmed, then nothing")

	prepared, err := c.classes.PrepareDescribed(class, c.described)
	require.NoError(t, err)
	created := &Machine{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "1"}}
	result, err := c.create(t.Context(), created, machineupdate.Observation{Class: prepared}, class, func(context.Context) (string, error) { return "aws:///i-2", nil })
	require.NoError(t, err)
	record := result.Machine.Annotations[machineupdate.AnnotationRecord]
	assert.Contains(t, record, `"providerID":"aws:///i-2"`)
	assert.Contains(t, record, `"applied":{"tags":{"k":"1"}}`)
}

func TestTheDayAfter(t *testing.T) {
	lived, err := schema()
	require.NoError(t, err)
	exported, err := json.Marshal(lived)
	require.NoError(t, err)
	eras, err := hotterEras(exported)
	require.NoError(t, err)
	for version, rolls := range map[string]bool{"1.38.0": true, "1.39.0": false} {
		before, err := eras.AdditionalData(hotupdate.AutoRollingUpdate, &version, []byte(`{"volume":{"iops":1}}`), WorkerPool{})
		require.NoError(t, err)
		after, err := eras.AdditionalData(hotupdate.AutoRollingUpdate, &version, []byte(`{"volume":{"iops":2}}`), WorkerPool{})
		require.NoError(t, err)
		assert.Equal(t, rolls, before.Rolling[0] != after.Rolling[0], version)
	}
	want, err := generateWorkerPoolHash(pool("1.38.0", `{"volume":{"iops":1}}`), nil)
	require.NoError(t, err)
	data, err := eras.AdditionalData(hotupdate.AutoRollingUpdate, new("1.38.0"), []byte(`{"volume":{"iops":1}}`), WorkerPool{})
	require.NoError(t, err)
	got, err := workerPoolHash(pool("1.38.0", ""), nil, data.Rolling, nil)
	require.NoError(t, err)
	assert.Equal(t, want, got, "pools keep their names on the day of the release")
}
