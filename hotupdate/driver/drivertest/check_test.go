package drivertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/tags"
)

// states are three provider specs with their resources. The volume pv-1 is that of a CSI driver, and carries what the
// machine's own one does.
func states(cloud tags.Cloud) []drivertest.State {
	network := `,"network":{"a":"1"}`
	switch cloud {
	case tags.GCP:
		network = `,"network":{"a":""}` // a key without a value
	case tags.OpenStack:
		network = "" // its network interfaces carry nothing
	case tags.AWS, tags.Azure, tags.AliCloud:
	}
	type m = map[string]string
	return []drivertest.State{
		state(cloud, `"tags":{"vm":{"a":"1"},"disk":{"a":"1"}`+network+`},"machineType":"small","groups":["nodes","old"],"roles":["web"]`,
			m{"cluster": "c", "a": "1"}, m{"cluster": "c", "a": "1"}, m{"cluster": "c", "a": "1"}, "3000", "125", "true", "small"),
		state(cloud, `"tags":{"vm":{"a":"2","b":"1"}},"iops":4000,"throughput":250,"sourceCheck":"false","machineType":"large","groups":["new","nodes"],"roles":["db"]`,
			m{"cluster": "c", "a": "2", "b": "1"}, m{"cluster": "c"}, m{"cluster": "c"}, "4000", "250", "false", "large"),
		state(cloud, `"machineType":"small"`, m{"cluster": "c"}, m{"cluster": "c"}, m{"cluster": "c"}, "3000", "125", "true", "small"),
	}
}

func state(
	cloud tags.Cloud, spec string, vm, disk, network map[string]string, iops, throughput, sourceCheck, machineType string,
) drivertest.State {
	type readings = map[string]driver.Reading
	var sets struct{ Groups, Roles []string }
	_ = json.Unmarshal([]byte("{"+spec+"}"), &sets) // also of a spec that cannot be prepared
	s := drivertest.State{Spec: `{"cluster":"c",` + spec + `}`, Resources: []driver.Resource{
		{
			Kind: tags.VM, ID: "i-1", Tags: vm,
			Attributes: readings{"sourceCheck": driver.Settled(sourceCheck), "machineType": driver.Settled(machineType)},
			Sets:       map[string][]string{"groups": sets.Groups, "roles": sets.Roles},
		},
		{
			Kind: tags.Disk, ID: "vol-1", Name: "/dev/sda", Tags: disk,
			Attributes: readings{"iops": driver.Settled(iops), "throughput": driver.Settled(throughput)},
		},
		{Kind: tags.Disk, ID: "pv-1", Name: "/dev/xvda", Tags: map[string]string{"cluster": "c", "a": "1"}},
	}}
	if cloud == tags.GCP {
		network = maps.Clone(network)
		for key := range network {
			network[key] = ""
		}
	}
	if cloud != tags.OpenStack {
		s.Resources = append(s.Resources, driver.Resource{Kind: tags.Network, ID: "eni-1", Tags: network})
	}
	return s
}

// taken returns the first two states unless tests try all. A check takes each pair of states, so that a third one makes
// three times the work.
func taken(all []drivertest.State) []drivertest.State {
	if effort.All() {
		return all
	}
	return all[:2]
}

// recorder is a test that notes what it is told.
type recorder struct {
	testing.TB

	failures, logs []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

func setupOf(t *testing.T, cloud tags.Cloud) drivertest.Setup {
	t.Helper()
	setup := drivertest.Setup{Rules: cloud.Rules, Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "test:///i-1"}}
	if cloud == tags.OpenStack {
		setup.Unchanged = []string{"/tags/network"}
	}
	return setup
}

// check returns what a driver breaks.
func check(t *testing.T, cloud tags.Cloud, broken string, states ...drivertest.State) []string {
	t.Helper()
	return recorded(t, setupOf(t, cloud), cloud, broken, states...).failures
}

func recorded(t *testing.T, setup drivertest.Setup, cloud tags.Cloud, broken string, states ...drivertest.State) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	schema, err := hotupdate.SchemaOf[spec]()
	require.NoError(t, err)
	drivertest.Check(r, setup, func(fake *drivertest.FakeCloud) (*wrapped, error) {
		return (&client{FakeCloud: fake, broken: broken}).newDriver(schema, cloud)
	}, states...)
	return r
}

// TestSpellings: where the cloud ignores case, a key that another state spells otherwise is no key that is to be
// removed, so nobody else sets it.
func TestSpellings(t *testing.T) {
	for _, cloud := range []tags.Cloud{tags.Azure, tags.OpenStack} {
		all := states(cloud)
		all[1] = state(cloud, `"tags":{"vm":{"A":"2"}},"iops":4000,"throughput":250,"sourceCheck":"false","machineType":"large","groups":["new"],"roles":["db"]`,
			map[string]string{"cluster": "c", "A": "2"}, map[string]string{"cluster": "c"}, map[string]string{"cluster": "c"},
			"4000", "250", "false", "large")
		assert.Empty(t, check(t, cloud, "", taken(all)...), cloud)
	}
}

// TestNotChecked: promises that the states do not check are logged, with what they need.
func TestNotChecked(t *testing.T) {
	assert.Equal(t, []string{"not checked: []"}, recorded(t, setupOf(t, tags.AWS), tags.AWS, "", taken(states(tags.AWS))...).logs)
	few := states(tags.AWS)[:2]
	for i := range few {
		few[i].Spec = fmt.Sprintf(`{"cluster":"c","tags":{"vm":{"a":"%d"}}}`, i)
		few[i].Resources = []driver.Resource{{Kind: tags.VM, ID: "i-1", Tags: map[string]string{"a": strconv.Itoa(i)}}}
	}
	setup := setupOf(t, tags.AWS)
	setup.Unchanged = []string{"/groups", "/iops", "/machineType", "/roles", "/sourceCheck", "/tags/disk", "/tags/network", "/throughput"}
	r := recorded(t, setup, tags.AWS, "no mandatory key", few...)
	assert.Empty(t, r.failures)
	require.Len(t, r.logs, 1)
	for _, want := range []string{
		"foreign members and added twice, which", "foreign resources, which", "mandatory keys, which",
		"end of context and partial failure, which", "limits, which", "acceptance, failed change and refusal, which",
		`needs a changed disk in the lane \"\"`, `needs a changed network in the lane \"\"`, `needs a changed disk in the lane \"volume\"`,
	} {
		assert.Contains(t, r.logs[0], want)
	}
	assert.NotContains(t, r.logs[0], "changed vm in the lane \\\"\\\"")
}

// TestClouds: a driver on the kit keeps all promises under the rules of each cloud.
func TestClouds(t *testing.T) {
	for _, cloud := range []tags.Cloud{tags.AWS, tags.Azure, tags.GCP, tags.OpenStack, tags.AliCloud} {
		t.Run(string(cloud), func(t *testing.T) { assert.Empty(t, check(t, cloud, "", taken(states(cloud))...)) })
	}
}

// TestLostAnswer: a driver may report a write without an answer as done if a read after it shows the change. The kit does so where all
// infrastructure tags are written at once, and a driver may do so itself.
func TestLostAnswer(t *testing.T) {
	assert.Empty(t, check(t, tags.GCP, "reads after a lost answer", taken(states(tags.GCP))...))
}

// TestSharing: a driver whose machines share calls keeps all promises as well, with its reads, writes and attributes paced.
func TestSharing(t *testing.T) {
	for _, cloud := range []tags.Cloud{tags.AWS, tags.GCP} {
		t.Run(string(cloud), func(t *testing.T) { assert.Empty(t, check(t, cloud, "calls shared", taken(states(cloud))...)) })
	}
}

// TestAttributeOfNoState: what a driver changes beside the states is told, on a resource without infrastructure tags
// and attributes as well.
func TestAttributeOfNoState(t *testing.T) {
	all := states(tags.AWS)[:2]
	for i := range all {
		delete(all[i].Resources[0].Attributes, "sourceCheck")
		all[i].Resources[1].Attributes = nil
	}
	assert.Contains(
		t, strings.Join(check(t, tags.AWS, "attributes unknown taken for empty", all...), "\n"),
		"desired state: in the end vm i-1 has the sourceCheck false",
	)
}

// TestMarkedByTheFlow: a driver that does not read first keeps all promises as well. It cannot have a lane that is InPlace.
func TestMarkedByTheFlow(t *testing.T) {
	all := states(tags.AWS)
	all[1].Spec = strings.ReplaceAll(all[1].Spec, "large", "small")
	for i := range all {
		delete(all[i].Resources[0].Attributes, "machineType")
		delete(all[i].Resources[0].Sets, "roles")
		all[i].Spec = regexp.MustCompile(`,"roles":\[[^]]*\]`).ReplaceAllString(all[i].Spec, "")
	}
	setup := setupOf(t, tags.AWS)
	setup.Unchanged = []string{"/machineType", "/roles"}
	assert.Empty(t, recorded(t, setup, tags.AWS, "marked by the flow", taken(all)...).failures)
}

// TestUnchangedFields: a field that is Hot or InPlace and that no state changes may be one that the driver does not
// read. It is told, unless the setup names it, and so is a name that stands for no such field any more.
func TestUnchangedFields(t *testing.T) {
	type volume struct {
		Name string            `json:"name"`
		IOPS int               `json:"iops,omitempty" hotupdatable:"true"`
		Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	}
	type account struct {
		Email  string   `json:"email"`
		Scopes []string `json:"scopes,omitempty" hotupdatable:"inplace,set"`
	}
	schema, err := hotupdate.SchemaOf[struct {
		spec

		Labels   map[string]string   `json:"labels,omitempty"   hotupdatable:"true"`
		A        string              `json:"a/b,omitempty"      hotupdatable:"inplace"`
		Zones    []string            `json:"zones,omitempty"    hotupdatable:"true"`
		Volumes  []volume            `json:"volumes,omitempty"  hotupdatable:"false,key=name"`
		Pools    map[string][]volume `json:"pools,omitempty"`
		Accounts []account           `json:"accounts,omitempty" hotupdatable:"inplace,key=email"`
		Ignored  string              `json:"ignored,omitempty"  hotupdatable:"ignore"`
		Image    string              `json:"image,omitempty"`
	}]()
	require.NoError(t, err)
	newer := []string{
		"/a~1b", "/accounts/*/scopes", "/labels", "/pools/*/*/iops", "/pools/*/*/tags", "/volumes/*/iops", "/volumes/*/tags", "/zones",
	}
	told := func(unchanged []string, change func(all []drivertest.State)) (pointers []string) {
		setup := setupOf(t, tags.AWS)
		setup.Unchanged = unchanged
		all := states(tags.AWS)
		change(all)
		r := &recorder{TB: t}
		drivertest.Check(r, setup, func(*drivertest.FakeCloud) (idle, error) { return idle{schema}, nil }, all...)
		for _, failure := range r.failures {
			for _, word := range strings.FieldsFunc(failure, func(r rune) bool { return r == ' ' || r == ',' }) {
				if strings.HasPrefix(word, "/") {
					pointers = append(pointers, word)
				}
			}
		}
		return pointers
	}
	nothing := func([]drivertest.State) {}
	assert.Equal(t, newer, told(nil, nothing))
	assert.Empty(t, told(newer, nothing))
	assert.Equal(t, []string{"/image", "/none"}, told(append([]string{"/image", "/none"}, newer...), nothing), "no leaves")
	assert.Equal(t, []string{"/a~1b", "/accounts/*/scopes", "/labels", "/pools/*/*/tags", "/volumes/*/tags"},
		told(nil, func(all []drivertest.State) {
			more := `,"zones":["a1"],"volumes":[{"name":"v","iops":1}],"pools":{"p":[{"name":"v","iops":1}]},`
			for i := range all {
				all[i].Spec = strings.Replace(all[i].Spec, ",", strings.ReplaceAll(more, "1", strconv.Itoa(i+1)), 1)
			}
		}))
	assert.Equal(t, []string{"/accounts/*/scopes", "/pools/*/*/iops", "/pools/*/*/tags", "/volumes/*/iops", "/volumes/*/tags", "/zones"},
		told(nil, func(all []drivertest.State) {
			all[0].Spec = strings.Replace(all[0].Spec, ",", `,"labels":{"x":"1"},"a/b":"1",`, 1)
		}))
}

// idle is a driver that covers no kind.
type idle struct{ schema *hotupdate.Schema }

func (i idle) Driver() machineupdate.Driver { return machineupdate.Driver{Schema: i.schema} }

func (idle) UpdateMachine(context.Context, *machineupdate.UpdateMachineRequest) error {
	return machineupdate.ErrUnimplemented
}

// brokenDrivers are drivers with the promise that each breaks.
var brokenDrivers = []struct {
	cloud           tags.Cloud
	broken, promise string
}{
	{tags.AWS, "disks forgotten", "desired state"},
	{tags.AWS, "one kind for all", "desired state"},
	{tags.AWS, "group taken apart", "desired state"},
	{tags.AWS, "target not read", "desired state"},
	{tags.AWS, "cannot be made", "desired state"},
	{tags.AWS, "infrastructure tags of disks not read", "idle"},
	{tags.GCP, "only its own keys read", "foreign keys"},
	{tags.GCP, "only its own network tags read", "foreign keys"},
	{tags.GCP, "version read anew", "foreign keys"},
	{tags.AWS, "condition dropped", "foreign keys"},
	{tags.AWS, "everything attached is its own", "foreign resources"},
	{tags.AWS, "another name", "mandatory keys"},
	{tags.AWS, "removed and set again", "mandatory keys"},
	{tags.AWS, "written before the marker", "marker first"},
	{tags.AWS, "failure of the marker ignored", "marker first"},
	{tags.AliCloud, "context replaced", "end of context"},
	{tags.AWS, "cloud quoted", "secrets"},
	{tags.AWS, "failures lost", "partial failure"},
	{tags.AWS, "failures lost", "lost answer"},
	{tags.AWS, "no answer taken for a success", "lost answer"},
	{tags.GCP, "no answer taken for a success", "lost answer"},
	{tags.GCP, "any read after a lost answer taken for a success", "lost answer"},
	{tags.GCP, "the first merge written again", "foreign keys"},
	{tags.AWS, "what failed is done", "partial failure"},
	{tags.AWS, "successes remembered", "late landing"},
	{tags.AWS, "successes of infrastructure tags remembered", "lagging reads"},
	{tags.AWS, "reads cached", "reversal"},
	{tags.AWS, "throttling not told", "throttling"},
	{tags.AWS, "own retries", "throttling"},
	{tags.AWS, "own retries", "one attempt"},
	{tags.AWS, "reads retried", "one attempt"},
	{tags.AWS, "failed read taken for an empty one", "not found"},
	{tags.AWS, "no VM is a failure", "not found"},
	{tags.Azure, "limit not known", "limits"},
	{tags.Azure, "case counts", "case folding"},
	{tags.AWS, "acceptance taken for success", "acceptance"},
	{tags.AWS, "target taken for the value", "acceptance"},
	{tags.AWS, "failed state unknown", "failed change"},
	{tags.AWS, "refusal not told", "refusal"},
	{tags.AWS, "refusals hold infrastructure tags", "refusal"},
	{tags.AWS, "sets forgotten", "desired state"},
	{tags.AWS, "members not removed", "desired state"},
	{tags.AWS, "members of sets not read", "idle"},
	{tags.AWS, "set written as a whole", "foreign members"},
	{tags.AWS, "set emptied first", "mandatory keys"},
	{tags.AWS, "refused for a member that is there", "added twice"},
	{tags.AWS, "refused for a member that is gone", "added twice"},
	{tags.AWS, "failures of sets lost", "partial failure"},
	{tags.AWS, "failed sets are done", "partial failure"},
	{tags.AWS, "failures of sets lost", "lost answer"},
	{tags.AWS, "throttled members not told", "throttling"},
	{tags.AWS, "members tried twice", "one attempt"},
}

// TestCheck: each broken driver breaks the promise that it should.
func TestCheck(t *testing.T) {
	for i, tc := range brokenDrivers {
		if !effort.Takes(i) {
			continue
		}
		t.Run(tc.broken+" breaks "+tc.promise, func(t *testing.T) {
			failures := check(t, tc.cloud, tc.broken, states(tc.cloud)[:2]...)
			assert.Contains(t, "\n"+strings.Join(failures, "\n"), "\n"+tc.promise+": ")
			t.Log(strings.Join(failures, "\n"))
		})
	}
}

// TestLineOfFailure: a failure names the line of the adopter's test that calls Check, also one of the states. The test
// runs itself, as only a real failure shows a line.
func TestLineOfFailure(t *testing.T) {
	const variable = "DRIVERTEST_FAIL"
	setup := setupOf(t, tags.AWS)
	if broken := os.Getenv(variable); broken != "" {
		schema, err := hotupdate.SchemaOf[spec]()
		require.NoError(t, err)
		create := func(fake *drivertest.FakeCloud) (*wrapped, error) {
			return (&client{FakeCloud: fake, broken: broken}).newDriver(schema, tags.AWS)
		}
		drivertest.Check(t, setup, create, states(tags.AWS)[:2]...)
		return
	}
	for broken, promise := range map[string]string{
		"disks forgotten": "desired state", "cannot be made": "desired state", "own retries": "throttling",
		"written before the marker": "marker first",
	} {
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		process.Env = append(os.Environ(), variable+"="+broken)
		output, err := process.CombinedOutput()
		require.Error(t, err)
		lines := regexp.MustCompile(`(?m)^ +(\w+\.go):\d+: `+promise+`: `).FindAllStringSubmatch(string(output), -1)
		require.NotEmpty(t, lines, "%s:\n%s", broken, output)
		for _, line := range lines {
			assert.Equal(t, "check_test.go", line[1], broken)
		}
	}
}

// TestEveryPromiseIsBroken: the table and the package documentation name the same promises.
func TestEveryPromiseIsBroken(t *testing.T) {
	documentation, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var documented, broken []string
	for line := range strings.Lines(string(documentation)) {
		if name, isPromise := strings.CutPrefix(line, "//\t"); isPromise {
			name, _, _ = strings.Cut(name, "  ") // its meaning follows
			documented = append(documented, name)
		}
	}
	for _, tc := range brokenDrivers {
		broken = append(broken, tc.promise)
	}
	slices.Sort(broken)
	assert.ElementsMatch(t, documented, slices.Compact(broken))
}

// TestUnusableStates: a check that could not fail does.
func TestUnusableStates(t *testing.T) {
	first := states(tags.AWS)[0]
	unusual := map[string]string{"cluster": "c", "a": "\a"}
	for want, states := range map[string][]drivertest.State{
		"needs Rules and two states": {first},
		"have all resources alike":   {first, first},
		"cannot be prepared":         {{Spec: "[]", Resources: first.Resources}, states(tags.AWS)[1]},
		"refuses infrastructure tags": {
			state(tags.AWS, `"machineType":"small"`, unusual, unusual, unusual, "3000", "125", "true", "small"), first,
		},
		"carry no infrastructure tags": {states(tags.GCP)[0], states(tags.GCP)[1]},
	} {
		cloud := tags.AWS
		if want == "carry no infrastructure tags" {
			cloud = tags.OpenStack
		}
		assert.Contains(t, strings.Join(check(t, cloud, "", states...), "\n"), want)
	}
}
