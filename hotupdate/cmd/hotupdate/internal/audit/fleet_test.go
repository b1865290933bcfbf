package audit_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

// oldConfig is the provider config of the release that the fleet runs.
type oldConfig struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int32 `json:"iops,omitempty"`
		Type string `json:"type,omitempty"`
	} `json:"volume,omitempty"`
	Disks []struct {
		Name string `json:"name"`
		IOPS int32  `json:"iops,omitempty"`
	} `json:"disks,omitempty" hotupdatable:"false,key=name"`
	Zones []string          `json:"zones,omitempty"`
	Token string            `json:"token,omitempty" hotupdatable:"false,sensitive"`
	Tags  map[string]string `json:"tags,omitempty"  hotupdatable:"true"`
}

// newConfig is that of the release to come: volume.iops became hot, and token is gone.
type newConfig struct {
	metav1.TypeMeta `json:",inline"`

	Volume *struct {
		IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
		Type string `json:"type,omitempty"`
	} `json:"volume,omitempty"`
	Disks []struct {
		Name string `json:"name"`
		IOPS int32  `json:"iops,omitempty"`
	} `json:"disks,omitempty" hotupdatable:"false,key=name"`
	Zones []string          `json:"zones,omitempty"`
	Tags  map[string]string `json:"tags,omitempty"  hotupdatable:"true"`
}

// releases writes the eras of both releases and reads them. The old one hashes bytes below 1.34, the new one bytes
// without hot members. From 1.34 on both hash the canonical document.
func releases(tb testing.TB) *audit.Releases {
	tb.Helper()
	return releasesOf(tb, side[oldConfig](tb, "raw"), side[newConfig](tb, "cut"))
}

func releasesOf(tb testing.TB, old, updated *release.Release) *audit.Releases {
	tb.Helper()
	both, err := audit.NewReleases(old, updated, nil)
	require.NoError(tb, err)
	return both
}

func side[C any](tb testing.TB, below string) *release.Release {
	tb.Helper()
	schema, err := hotupdate.SchemaOf[C]()
	require.NoError(tb, err)
	written, err := schema.MarshalJSON()
	require.NoError(tb, err)
	file := filepath.Join(tb.TempDir(), below+".json")
	text := fmt.Sprintf(`{"formatVersion": 1, "apiVersion": "fleet.example/v1", "kind": "WorkerConfig", "schema": %s, "eras": [
		{"name": "bytes", "hash": %q}, {"name": "canonical", "from": "1.34", "hash": "schema"}, {"name": "next", "from": "1.36", "hash": "schema"}]}`, written, below)
	require.NoError(tb, os.WriteFile(file, []byte(text), 0o600))
	read, err := release.Read(file)
	require.NoError(tb, err)
	return read
}

// fleet is a fleet that is generated, the same in every run, with what is to be found in it.
type fleet struct {
	random *rand.Rand
	shoots int

	// findings are the verdicts of pools to which something happens, by their titles.
	findings map[string]string
	// pools counts all pools that are judged, skipped the objects that are not.
	pools   int
	skipped map[report.Skip]int
}

func newFleet(shoots int) *fleet {
	return &fleet{random: rand.New(rand.NewPCG(18, 25_000)), shoots: shoots, findings: map[string]string{}, skipped: map[report.Skip]int{}}
}

// shoot returns a Shoot as a cluster does, in JSON, with one to four pools.
func (f *fleet) shoot(i int) []byte {
	project := fmt.Sprintf("p%03d", i%311)
	name := fmt.Sprintf("s%05d", i)
	minor := 30 + f.random.IntN(6)
	provider := "fleet"
	if f.random.IntN(50) == 0 {
		provider = "other"
		f.skipped[report.OtherProvider]++
	}
	var pools bytes.Buffer
	for n := range 1 + f.random.IntN(4) {
		if n > 0 {
			pools.WriteString(",")
		}
		pool := fmt.Sprintf("pool-%d", n)
		strategy, config, verdict := f.plant(minor)
		fmt.Fprintf(&pools, `{"cri":{"name":"containerd"},"machine":{"architecture":"amd64","image":{"name":"gardenlinux","version":"1592.9.0"},"type":"m5.large"},`+
			`"maxSurge":1,"maxUnavailable":0,"maximum":%d,"minimum":%d,"name":%q,%s"systemComponents":{"allow":true},"volume":{"size":"50Gi","type":"gp3"},"zones":["eu-west-1a","eu-west-1b","eu-west-1c"]%s}`,
			n+3, n+1, pool, strategy, config)
		if provider == "fleet" {
			f.pools++
			if verdict != "none" {
				f.findings[fmt.Sprintf("pool %s of Shoot garden-%s/%s", pool, project, name)] = verdict
			}
		}
	}
	return fmt.Appendf(nil, shootText, name, project, i, minor, provider, pools.Bytes())
}

// plant chooses strategy and provider config of a pool, and says what the release does to it.
func (f *fleet) plant(minor int) (strategy, providerConfig string, verdict string) {
	disks := fmt.Sprintf(`"disks":[{"iops":%d,"name":"data-b"},{"name":"data-a"}],`, 100+f.random.IntN(10))
	config := func(members string) string { // in the order in which a cluster returns them
		return `,"providerConfig":{"apiVersion":"fleet.example/v1",` + disks + `"kind":"WorkerConfig",` + members + `"zones":["b","a"]}`
	}
	strategy = `"updateStrategy":"AutoRollingUpdate",`
	verdict = "none"
	hashed := "roll"
	if f.random.IntN(5) == 0 {
		strategy = `"updateStrategy":"AutoInPlaceUpdate",`
		hashed = "class-renamed"
	}
	switch f.random.IntN(200) {
	case 0:
		return strategy, config(`"token":"s3cr3t",`), "forbidden"
	case 1: // it is hot now: neither the canonical document nor the bytes that are left hold it any more
		return strategy, config(`"volume":{"iops":3000,"type":"gp3"},`), hashed
	case 2: // a hot member that the bytes held
		if minor < 34 {
			verdict = hashed
		}
		return strategy, config(`"tags":{"cost-center":"a"},`), verdict
	case 3:
		return strategy, "", "none"
	case 4:
		return strategy, config(`"nonsense":1,`), "invalid"
	case 5:
		return strategy, config(`"volume":{"type":"gp3"},`), "none"
	default:
		return strategy, config(""), "none"
	}
}

// shootText is the rest of a Shoot, as large as real ones are.
const shootText = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"annotations":{"gardener.cloud/created-by":"somebody@example.com"},` +
	`"creationTimestamp":"2026-01-31T12:00:00Z","finalizers":["gardener"],"generation":12,"labels":{"shoot.gardener.cloud/status":"healthy"},"name":%q,"namespace":"garden-%s",` +
	`"resourceVersion":"123456789","uid":"%036d"},"spec":{"addons":{"kubernetesDashboard":{"enabled":false}},"cloudProfile":{"kind":"CloudProfile","name":"fleet"},` +
	`"dns":{"domain":"a.b.example.com"},"hibernation":{"enabled":false,"schedules":[{"end":"0 7 * * 1,2,3,4,5","location":"Europe/Berlin","start":"0 18 * * 1,2,3,4,5"}]},` +
	`"kubernetes":{"clusterAutoscaler":{"expander":"least-waste","scaleDownDelayAfterAdd":"1h0m0s"},"kubeAPIServer":{"requests":{"maxMutatingInflight":200,"maxNonMutatingInflight":400}},` +
	`"kubeControllerManager":{"nodeCIDRMaskSize":24},"kubeProxy":{"enabled":true,"mode":"IPTables"},"kubelet":{"failSwapOn":true,"kubeReserved":{"cpu":"80m","memory":"1Gi","pid":"20k"},"maxPods":110},"version":"1.%d.4"},` +
	`"maintenance":{"autoUpdate":{"kubernetesVersion":true,"machineImageVersion":true},"timeWindow":{"begin":"220000+0000","end":"230000+0000"}},` +
	`"networking":{"nodes":"10.250.0.0/16","pods":"100.96.0.0/11","services":"100.64.0.0/13","type":"calico"},` +
	`"provider":{"controlPlaneConfig":{"apiVersion":"fleet.example/v1","kind":"ControlPlaneConfig"},"infrastructureConfig":{"apiVersion":"fleet.example/v1","kind":"InfrastructureConfig",` +
	`"networks":{"vpc":{"cidr":"10.250.0.0/16"},"zones":[{"internal":"10.250.112.0/22","name":"eu-west-1a","public":"10.250.96.0/22","workers":"10.250.0.0/19"}]}},"type":%q,"workers":[%s]},` +
	`"purpose":"production","region":"eu-west-1","seedName":"seed-1","systemComponents":{"coreDNS":{"autoscaling":{"mode":"horizontal"}},"nodeLocalDNS":{"enabled":true}},"tolerations":[{"key":"a"}]},` +
	`"status":{"conditions":[{"lastTransitionTime":"2026-10-01T00:00:00Z","lastUpdateTime":"2026-11-22T06:00:00Z","message":"API server /healthz endpoint responded with success status code.","reason":"HealthzRequestSucceeded","status":"True","type":"APIServerAvailable"},` +
	`{"lastTransitionTime":"2026-10-01T00:00:00Z","lastUpdateTime":"2026-11-22T06:00:00Z","message":"All control plane components are healthy.","reason":"ControlPlaneRunning","status":"True","type":"ControlPlaneHealthy"},` +
	`{"lastTransitionTime":"2026-10-01T00:00:00Z","lastUpdateTime":"2026-11-22T06:00:00Z","message":"All nodes are ready.","reason":"EveryNodeReady","status":"True","type":"EveryNodeReady"}],` +
	`"credentials":{"rotation":{"certificateAuthorities":{"lastInitiationTime":"2026-02-01T00:00:00Z","phase":"Completed"}}},"gardener":{"id":"a","name":"gardenlet","version":"v1.150.0"},"lastOperation":{"progress":100,"state":"Succeeded","type":"Reconcile"},"technicalID":"shoot--a--b"}}`

// The forms of a stream of Shoots.
const (
	asList      = "list"
	asLines     = "lines"
	asDocuments = "documents"
)

// brokenTexts are Shoots that cannot be read: one with a comma that is missing, one that is cut off, one with a bracket that is not closed.
var brokenTexts = map[string]string{
	asList:      `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":"a" "namespace":"b"}}`,
	asLines:     `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":`,
	asDocuments: "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: [\n",
}

// write writes the fleet with broken documents, other kinds and Shoots that come twice among its Shoots. It returns the
// lines of the broken ones.
func (f *fleet) write(out io.Writer, form string) (broken []int, err error) {
	w := &lineWriter{out: out, line: 1}
	separator := map[string]string{asList: ",\n", asLines: "\n", asDocuments: "\n---\n"}[form]
	if form == asList {
		w.text("{\"apiVersion\":\"v1\",\"items\":[\n")
	}
	var last []byte
	for i := range f.shoots {
		if i > 0 {
			w.text(separator)
		}
		text := f.shoot(i)
		switch f.random.IntN(100) {
		case 0:
			f.skipped[report.NotReadable]++
			broken = append(broken, w.line)
			w.text(brokenTexts[form] + separator)
		case 1:
			f.skipped[report.OtherKind]++
			w.text(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"items":[{"kind":"Shoot"}]}` + separator)
		case 2:
			if len(last) > 0 && !bytes.Contains(last, []byte(`"type":"other"`)) {
				f.skipped[report.Duplicate]++
				w.text(string(last) + separator)
			}
		}
		last = text
		if form == asDocuments {
			if text, err = yaml.JSONToYAML(text); err != nil {
				return nil, err
			}
		}
		w.text(string(text))
	}
	if form == asList {
		w.text("],\"kind\":\"List\"}\n")
	}
	return broken, w.err
}

// lineWriter counts lines.
type lineWriter struct {
	out  io.Writer
	line int
	err  error
}

func (w *lineWriter) text(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, s)
	}
	w.line += bytes.Count([]byte(s), []byte("\n"))
}
