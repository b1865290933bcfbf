package karpenter_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/hotupdate/providerconfig/examples/karpenter"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")

func TestMain(m *testing.M) { fixedseed.Run(m) }

// fleet has all objects that nodes are launched with.
type fleet struct {
	class    *awsv1.EC2NodeClass
	spec     *awsv1.EC2NodeClassSpec // of class
	bundle   *string
	pool     *karpv1.NodePool
	template *karpv1.NodeClaimTemplate // of pool
}

func newFleet() *fleet {
	f := &fleet{class: &awsv1.EC2NodeClass{}, bundle: new("authority 1"), pool: &karpv1.NodePool{}}
	f.spec = &f.class.Spec
	f.template = &f.pool.Spec.Template
	*f.spec = awsv1.EC2NodeClassSpec{
		AMISelectorTerms:         []awsv1.AMISelectorTerm{{Alias: "al2023@latest"}},
		AssociatePublicIPAddress: new(false),
		Role:                     "worker",
		UserData:                 new("echo 1"),
		Tags:                     map[string]string{"team": "blue", "stage": "test"},
		Kubelet:                  &awsv1.KubeletConfiguration{ClusterDNS: []string{"10.0.0.10", "10.0.0.11"}},
		BlockDeviceMappings: []*awsv1.BlockDeviceMapping{
			{
				DeviceName: new("/dev/xvda"),
				EBS:        &awsv1.BlockDevice{Encrypted: new(false), IOPS: new(int64(3000)), VolumeSize: quantity("1Ti")},
			},
			{DeviceName: new("/dev/xvdb"), EBS: &awsv1.BlockDevice{VolumeSize: quantity("20Gi")}},
		},
		NetworkInterfaces: []*awsv1.NetworkInterface{
			{InterfaceType: awsv1.InterfaceTypeInterface}, {NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: awsv1.InterfaceTypeEFAOnly},
		},
		DetailedMonitoring: new(false),
		MetadataOptions: &awsv1.MetadataOptions{
			HTTPEndpoint: new("disabled"), HTTPPutResponseHopLimit: new(int64(1)), HTTPTokens: new("optional"),
		},
	}
	f.template.Labels = map[string]string{"zone": "a"}
	f.template.Annotations = map[string]string{"owner": "me"}
	f.template.Spec = karpv1.NodeClaimTemplateSpec{
		Taints: []corev1.Taint{
			{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}, {Key: "spot", Effect: corev1.TaintEffectNoExecute},
		},
		StartupTaints: []corev1.Taint{{Key: "cni", Effect: corev1.TaintEffectNoExecute}, {Key: "csi", Effect: corev1.TaintEffectNoExecute}},
		NodeClassRef:  &karpv1.NodeClassReference{Group: "karpenter.k8s.aws", Kind: "EC2NodeClass", Name: "default"},
		ExpireAfter:   karpv1.MustParseNillableDuration("720h"),
	}
	return f
}

func quantity(text string) *resource.Quantity { q := resource.MustParse(text); return &q }

func (f *fleet) launches(t require.TestingT) []karpenter.Launch {
	class, err := karpenter.FromNodeClass(f.class, f.bundle)
	require.NoError(t, err)
	pool, err := karpenter.FromNodePool(f.pool)
	require.NoError(t, err)
	return []karpenter.Launch{class, pool}
}

// drift compares the fleet with an earlier one. The causes of the NodeClass come first.
func (f *fleet) drift(t require.TestingT, before *fleet) (drifted bool, paths []string) {
	for i, launch := range f.launches(t) {
		recorded, err := before.launches(t)[i].Record()
		require.NoError(t, err)
		replaced, causes, err := launch.Drift(recorded)
		require.NoError(t, err)
		drifted = drifted || replaced
		for _, cause := range causes {
			paths = append(paths, cause.Path)
		}
	}
	return drifted, paths
}

// sums are Karpenter's own hashes.
func (f *fleet) sums() [2]string { return [2]string{f.class.Hash(f.bundle), f.pool.Hash()} }

func (f *fleet) digests(t require.TestingT) (digests [2]hash.Digest) {
	for i, launch := range f.launches(t) {
		var err error
		digests[i], err = launch.Hash()
		require.NoError(t, err)
	}
	return digests
}

// volume returns the volume of a device.
func (f *fleet) volume(device string) *awsv1.BlockDeviceMapping {
	volumes := f.spec.BlockDeviceMappings
	return volumes[slices.IndexFunc(volumes, func(m *awsv1.BlockDeviceMapping) bool { return *m.DeviceName == device })]
}

func (f *fleet) root() *awsv1.BlockDeviceMapping { return f.volume("/dev/xvda") }

// The verdicts of Karpenter's sums and of the Schema.
const (
	drifts = true
	stays  = false
)

// row is a change of a fleet.
type row struct {
	name              string
	change            func(f *fleet)
	karpenter, schema bool
	causes            string // the paths that change, and the names of inputs
	reason            string // why Karpenter and the Schema differ
}

// agreed are changes for which Karpenter and the Schema have the same verdict. They come from
// Karpenter's own tests of hashes and drift, and cover further fields.
func agreed() []row {
	rows := []row{
		{"AMI family by alias and spelled out", func(f *fleet) { f.spec.AMIFamily = new("AL2023") }, stays, stays, "", ""},
		{"version of an alias", func(f *fleet) { f.spec.AMISelectorTerms[0].Alias = "al2023@v20260101" }, stays, stays, "", ""},
		{"AMI selector", func(f *fleet) {
			f.spec.AMIFamily = new("AL2023")
			f.spec.AMISelectorTerms = []awsv1.AMISelectorTerm{{ID: "ami-1"}}
		}, stays, stays, "", ""},
		{
			"subnet selector", func(f *fleet) { f.spec.SubnetSelectorTerms = []awsv1.SubnetSelectorTerm{{ID: "subnet-1"}} }, stays, stays,
			"", "",
		},
		{
			"security group selector",
			func(f *fleet) { f.spec.SecurityGroupSelectorTerms = []awsv1.SecurityGroupSelectorTerm{{ID: "sg-1"}} }, stays, stays, "", "",
		},
		{"capacity reservation selector", func(f *fleet) {
			f.spec.CapacityReservationSelectorTerms = []awsv1.CapacityReservationSelectorTerm{{ID: "cr-1"}}
		}, stays, stays, "", ""},
		{"prefixes", func(f *fleet) { f.spec.IPPrefixCount = new(int32(2)) }, stays, stays, "", ""},
		{"order of volumes", func(f *fleet) { slices.Reverse(f.spec.BlockDeviceMappings) }, stays, stays, "", ""},
		{"order of network interfaces", func(f *fleet) { slices.Reverse(f.spec.NetworkInterfaces) }, stays, stays, "", ""},
		{"order of tags", func(f *fleet) { f.spec.Tags = maps.Clone(f.spec.Tags) }, stays, stays, "", ""},
		{"spelling of a size", func(f *fleet) { f.root().EBS.VolumeSize = quantity("1024Gi") }, stays, stays, "", ""},
		{"requirements", func(f *fleet) {
			f.template.Spec.Requirements = []karpv1.NodeSelectorRequirementWithMinValues{
				{Key: "zone", Operator: corev1.NodeSelectorOpExists},
			}
		}, stays, stays, "", ""},
		{"limits, weight and disruption of the pool", func(f *fleet) {
			f.pool.Spec.Limits = karpv1.Limits{"cpu": *quantity("16")}
			f.pool.Spec.Weight = new(int32(80))
			f.pool.Spec.Disruption.ConsolidationPolicy = karpv1.ConsolidationPolicyWhenEmpty
		}, stays, stays, "", ""},
		{"order of taints", func(f *fleet) { slices.Reverse(f.template.Spec.Taints) }, stays, stays, "", ""},
		{"order of startup taints", func(f *fleet) { slices.Reverse(f.template.Spec.StartupTaints) }, stays, stays, "", ""},
		{
			"spelling of a duration", func(f *fleet) { f.template.Spec.ExpireAfter = karpv1.MustParseNillableDuration("43200m") }, stays,
			stays, "", "",
		},
	}
	volume := "blockDeviceMappings[deviceName=/dev/%s].ebs.volumeSize"
	rows = append(
		rows,
		row{
			"name of a volume", func(f *fleet) { f.volume("/dev/xvdb").DeviceName = new("/dev/xvdd") }, drifts, drifts,
			fmt.Sprintf(volume+" "+volume, "xvdb", "xvdd"), "",
		},
	)
	drift := func(path string, change func(f *fleet)) {
		rows = append(rows, row{path, change, drifts, drifts, path, ""})
	}
	drift("AMI family", func(f *fleet) { f.spec.AMIFamily = new("Custom") })
	drift("CA bundle", func(f *fleet) { f.bundle = new("authority 2") })
	drift("userData", func(f *fleet) { f.spec.UserData = new("echo 2") })
	drift("context", func(f *fleet) { f.spec.Context = new("context") })
	drift("instanceProfile", func(f *fleet) { f.spec.InstanceProfile = new("profile") })
	drift("role", func(f *fleet) { f.spec.Role = "other" })
	drift("instanceStorePolicy", func(f *fleet) { f.spec.InstanceStorePolicy = new(awsv1.InstanceStorePolicyRAID0) })
	drift("detailedMonitoring", func(f *fleet) { f.spec.DetailedMonitoring = new(true) })
	drift("associatePublicIPAddress", func(f *fleet) { f.spec.AssociatePublicIPAddress = new(true) })
	drift("placementGroupSelector.id", func(f *fleet) { f.spec.PlacementGroupSelector = &awsv1.PlacementGroupSelector{ID: new("pg-1")} })
	drift(
		"placementGroupSelector.name", func(f *fleet) { f.spec.PlacementGroupSelector = &awsv1.PlacementGroupSelector{Name: new("near")} },
	)
	drift("metadataOptions.httpEndpoint", func(f *fleet) { f.spec.MetadataOptions.HTTPEndpoint = new("enabled") })
	drift("metadataOptions.httpProtocolIPv6", func(f *fleet) { f.spec.MetadataOptions.HTTPProtocolIPv6 = new("enabled") })
	drift("metadataOptions.httpPutResponseHopLimit", func(f *fleet) { f.spec.MetadataOptions.HTTPPutResponseHopLimit = new(int64(10)) })
	drift("metadataOptions.httpTokens", func(f *fleet) { f.spec.MetadataOptions.HTTPTokens = new("required") })
	drift("cpuOptions.nestedVirtualization", func(f *fleet) { f.spec.CPUOptions = &awsv1.CPUOptions{NestedVirtualization: new("enabled")} })
	tracking := "connectionTracking."
	drift(tracking+"tcpEstablishedTimeout", func(f *fleet) {
		f.spec.ConnectionTracking = &awsv1.ConnectionTracking{TCPEstablishedTimeout: new(int32(300))}
	})
	drift(tracking+"udpStreamTimeout", func(f *fleet) {
		f.spec.ConnectionTracking = &awsv1.ConnectionTracking{UDPStreamTimeout: new(int32(120))}
	})
	drift(tracking+"udpTimeout", func(f *fleet) { f.spec.ConnectionTracking = &awsv1.ConnectionTracking{UDPTimeout: new(int32(45))} })
	drift("blockDeviceMappings[deviceName=/dev/xvdc]", func(f *fleet) {
		f.spec.BlockDeviceMappings = append(f.spec.BlockDeviceMappings, &awsv1.BlockDeviceMapping{DeviceName: new("/dev/xvdc")})
	})
	drift("blockDeviceMappings[deviceName=/dev/xvda].rootVolume", func(f *fleet) { f.root().RootVolume = true })
	ebs := "blockDeviceMappings[deviceName=/dev/xvda].ebs."
	drift(ebs+"deleteOnTermination", func(f *fleet) { f.root().EBS.DeleteOnTermination = new(true) })
	drift(ebs+"encrypted", func(f *fleet) { f.root().EBS.Encrypted = new(true) })
	drift(ebs+"iops", func(f *fleet) { f.root().EBS.IOPS = new(int64(4000)) })
	drift(ebs+"kmsKeyID", func(f *fleet) { f.root().EBS.KMSKeyID = new("key") })
	drift(ebs+"snapshotID", func(f *fleet) { f.root().EBS.SnapshotID = new("snap-1") })
	drift(ebs+"throughput", func(f *fleet) { f.root().EBS.Throughput = new(int64(125)) })
	drift(ebs+"volumeInitializationRate", func(f *fleet) { f.root().EBS.VolumeInitializationRate = new(int32(100)) })
	drift(ebs+"volumeSize", func(f *fleet) { f.root().EBS.VolumeSize = quantity("2Ti") })
	drift(ebs+"volumeType", func(f *fleet) { f.root().EBS.VolumeType = new("gp3") })
	kubelet := "kubelet."
	drift(kubelet+"clusterDNS[1]", func(f *fleet) { f.spec.Kubelet.ClusterDNS[1] = "10.0.0.12" })
	drift(kubelet+"maxPods", func(f *fleet) { f.spec.Kubelet.MaxPods = new(int32(110)) })
	drift(kubelet+"podsPerCore", func(f *fleet) { f.spec.Kubelet.PodsPerCore = new(int32(10)) })
	drift(kubelet+"systemReserved[cpu]", func(f *fleet) { f.spec.Kubelet.SystemReserved = map[string]string{"cpu": "1"} })
	drift(kubelet+"kubeReserved[cpu]", func(f *fleet) { f.spec.Kubelet.KubeReserved = map[string]string{"cpu": "1"} })
	drift(kubelet+"evictionHard[pid.available]", func(f *fleet) { f.spec.Kubelet.EvictionHard = map[string]string{"pid.available": "1%"} })
	drift(kubelet+"evictionSoft[pid.available]", func(f *fleet) { f.spec.Kubelet.EvictionSoft = map[string]string{"pid.available": "2%"} })
	drift(kubelet+"evictionSoftGracePeriod[pid.available]", func(f *fleet) {
		f.spec.Kubelet.EvictionSoftGracePeriod = map[string]metav1.Duration{"pid.available": {Duration: time.Minute}}
	})
	drift(kubelet+"evictionMaxPodGracePeriod", func(f *fleet) { f.spec.Kubelet.EvictionMaxPodGracePeriod = new(int32(60)) })
	drift(kubelet+"imageGCHighThresholdPercent", func(f *fleet) { f.spec.Kubelet.ImageGCHighThresholdPercent = new(int32(80)) })
	drift(kubelet+"imageGCLowThresholdPercent", func(f *fleet) { f.spec.Kubelet.ImageGCLowThresholdPercent = new(int32(60)) })
	drift(kubelet+"cpuCFSQuota", func(f *fleet) { f.spec.Kubelet.CPUCFSQuota = new(true) })
	drift("metadata.labels[zone]", func(f *fleet) { f.template.Labels["zone"] = "b" })
	drift("metadata.annotations[owner]", func(f *fleet) { f.template.Annotations["owner"] = "you" })
	drift("spec.taints[2]", func(f *fleet) {
		f.template.Spec.Taints = append(f.template.Spec.Taints, corev1.Taint{Key: "arm", Effect: corev1.TaintEffectNoSchedule})
	})
	drift("spec.startupTaints[2]", func(f *fleet) {
		f.template.Spec.StartupTaints = append(
			f.template.Spec.StartupTaints, corev1.Taint{Key: "dns", Effect: corev1.TaintEffectNoSchedule},
		)
	})
	drift("networkInterfaces[1] networkInterfaces[1]", func(f *fleet) { f.spec.NetworkInterfaces[1].NetworkCardIndex = 2 })
	drift("networkInterfaces[1] networkInterfaces[1]", func(f *fleet) { f.spec.NetworkInterfaces[1].DeviceIndex = 2 })
	drift(
		"networkInterfaces[1] networkInterfaces[1]",
		func(f *fleet) { f.spec.NetworkInterfaces[1].InterfaceType = awsv1.InterfaceTypeInterface },
	)
	drift("spec.nodeClassRef.group", func(f *fleet) { f.template.Spec.NodeClassRef.Group = "other" })
	drift("spec.nodeClassRef.kind", func(f *fleet) { f.template.Spec.NodeClassRef.Kind = "Other" })
	drift("spec.nodeClassRef.name", func(f *fleet) { f.template.Spec.NodeClassRef.Name = "other" })
	drift("spec.expireAfter", func(f *fleet) { f.template.Spec.ExpireAfter = karpv1.MustParseNillableDuration("Never") })
	drift("spec.terminationGracePeriod", func(f *fleet) { f.template.Spec.TerminationGracePeriod = &metav1.Duration{Duration: time.Hour} })
	return rows
}

// disputed are changes for which Karpenter's hashes and the Schema have different verdicts.
func disputed() []row {
	return []row{
		{
			"a tag changes", func(f *fleet) { f.spec.Tags["team"] = "red" }, drifts, stays, "tags[team]",
			"EC2 sets tags on running instances",
		},
		{"a tag is added, another one removed", func(f *fleet) {
			f.spec.Tags = map[string]string{"team": "blue", "cost": "7"}
		}, drifts, stays, "tags[cost] tags[stage]", "as above; each key is a change of its own"},
		{"both name servers change", func(f *fleet) {
			f.spec.Kubelet.ClusterDNS = []string{"10.1.0.10", "10.1.0.11"}
		}, stays, drifts, "kubelet.clusterDNS[0] kubelet.clusterDNS[1]", "hashstructure's sets: what two elements begin with cancels out"},
		{"order of name servers", func(f *fleet) {
			slices.Reverse(f.spec.Kubelet.ClusterDNS)
		}, stays, drifts, "kubelet.clusterDNS[0] kubelet.clusterDNS[1]", "pods ask the first one first; under SlicesAsSets no list has an order"},
		{"a default is spelled out", func(f *fleet) {
			f.spec.MetadataOptions.HTTPProtocolIPv6 = new("disabled")
		}, drifts, stays, "", "hashstructure knows no defaults: one that the CRD gains drifts every node (karpenter#957)"},
		{
			"an empty object", func(f *fleet) { f.spec.ConnectionTracking = &awsv1.ConnectionTracking{} }, drifts, stays, "",
			"nothing is set in it",
		},
		{"an empty map", func(f *fleet) { f.spec.Kubelet.KubeReserved = map[string]string{} }, drifts, stays, "", "nothing is set in it"},
	}
}

// TestVerdicts checks the verdicts of Karpenter and of the Schema. If the two differ, the row says
// why.
func TestVerdicts(t *testing.T) {
	for _, r := range slices.Concat(agreed(), disputed()) {
		before := newFleet()
		after := newFleet()
		r.change(after)
		assert.Equal(t, r.karpenter, before.sums() != after.sums(), "%s: Karpenter", r.name)
		drifted, causes := after.drift(t, before)
		assert.Equal(t, r.schema, drifted, "%s: Schema", r.name)
		assert.Equal(t, r.schema, before.digests(t) != after.digests(t), "%s: digest", r.name)
		assert.Equal(t, r.causes, strings.Join(causes, " "), r.name)
		assert.Equal(t, r.karpenter != r.schema, r.reason != "", r.name)
	}
}

// TestVerdictsOfManyChanges compares fleets with several changes. Nodes have drifted exactly if the
// digest differs, and exactly if Diff lists an immutable change. With agreed changes alone,
// Karpenter has the same verdict.
func TestVerdictsOfManyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := agreed()
		disputes := rapid.Bool().Draw(t, "with disputed changes")
		if disputes {
			rows = append(rows, disputed()...)
		}
		draw := func(label string) *fleet {
			f := newFleet()
			for _, i := range rapid.SliceOfDistinct(rapid.IntRange(0, len(rows)-1), rapid.ID).Draw(t, label) {
				rows[i].change(f)
			}
			return f
		}
		before := draw("before")
		after := draw("after")
		drifted, _ := after.drift(t, before)
		immutable := false
		for i, launch := range after.launches(t) {
			former := before.launches(t)[i]
			changes, err := launch.Schema.DiffRaw(former.Spec, launch.Spec)
			require.NoError(t, err)
			immutable = immutable || len(changes.Of(hotupdate.Immutable)) > 0 || !slices.Equal(former.Inputs, launch.Inputs)
		}
		require.Equal(t, immutable, before.digests(t) != after.digests(t), "digest")
		require.Equal(t, immutable, drifted, "drift")
		if !disputes {
			require.Equal(t, before.sums() != after.sums(), drifted, "Karpenter")
		}
	})
}

// TestEveryFieldHasARow fails for a new field in a release of Karpenter until the field has a row.
func TestEveryFieldHasARow(t *testing.T) {
	tried := map[string]bool{}
	before := newFleet().launches(t)
	for _, r := range slices.Concat(agreed(), disputed()) {
		after := newFleet()
		r.change(after)
		for i, launch := range after.launches(t) {
			changes, err := launch.Schema.DiffRaw(before[i].Spec, launch.Spec)
			require.NoError(t, err)
			for _, c := range changes {
				path := regexp.MustCompile(`\[(\w+)=[^]]*\]$`).ReplaceAllString(c.Path, ".$1") // an added element has its key
				tried[regexp.MustCompile(`\[.*?\]`).ReplaceAllString(path, "")] = true
			}
		}
	}
	for _, path := range slices.Concat(
		leaves(reflect.TypeFor[awsv1.EC2NodeClassSpec](), ""), leaves(reflect.TypeFor[karpv1.NodeClaimTemplate](), ""),
	) {
		assert.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(tried)), func(p string) bool {
			return p == path || strings.HasPrefix(p, path+".")
		}), path)
	}
}

// leaves returns the paths of the fields that Karpenter compares as a whole or does not hash.
func leaves(of reflect.Type, path string) []string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	set := path == "networkInterfaces"
	if set || of.Kind() != reflect.Struct || reflect.PointerTo(of).Implements(reflect.TypeFor[fmt.Stringer]()) {
		return []string{path}
	}
	var all []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		below := strings.TrimPrefix(path+"."+name, ".")
		if field.Tag.Get("hash") == "ignore" {
			all = append(all, below)
		} else {
			all = append(all, leaves(field.Type, below)...)
		}
	}
	return all
}

// TestRecords checks records of other releases, and NodeClaims without a record.
func TestRecords(t *testing.T) {
	f := newFleet()
	launch := f.launches(t)[0]
	recorded, err := launch.Record()
	require.NoError(t, err)
	for _, tc := range []struct{ name, record, cause, reason string }{
		{"none", "", "", "the node is older than the records"},
		{"this release", recorded, "", ""},
		{
			"a field that is gone was set", strings.Replace(recorded, `"role"`, `"launchTemplate":"mine","role"`, 1), "launchTemplate",
			"the node has what new ones cannot have",
		},
		{
			"a field that is gone was not set", strings.Replace(recorded, `"role"`, `"launchTemplate":null,"role"`, 1), "",
			"karpenter#1015: no node drifts for it",
		},
		{
			"a default that was not there yet",
			strings.Replace(recorded, `"httpTokens":"optional"`, `"httpTokens":"optional","httpProtocolIPv6":"disabled"`, 1), "",
			"karpenter#957: no node drifts for it",
		},
	} {
		drifted, causes, err := launch.Drift(tc.record)
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.cause != "", drifted, "%s: %s", tc.name, tc.reason)
		if drifted {
			require.Len(t, causes, 1)
			assert.Equal(t, tc.cause, causes[0].Path, tc.name)
		}
	}
	_, _, err = launch.Drift(`{"spec":`)
	require.Error(t, err, "a record that somebody cut is no drift")
}

// TestDeviceWithoutName: EC2 and Karpenter find volumes by their device names, so a volume that
// loses its name counts as another volume.
func TestDeviceWithoutName(t *testing.T) {
	f := newFleet()
	recorded, err := f.launches(t)[0].Record()
	require.NoError(t, err)
	f.spec.BlockDeviceMappings[1].DeviceName = nil
	drifted, causes, err := f.launches(t)[0].Drift(recorded)
	require.NoError(t, err)
	assert.True(t, drifted)
	assert.Contains(t, causes[0].Path, `blockDeviceMappings[deviceName=""]`)
}

// TestUserDataIsNotShown: causes end up in events and logs, and user data may hold secrets.
func TestUserDataIsNotShown(t *testing.T) {
	f := newFleet()
	recorded, err := f.launches(t)[0].Record()
	require.NoError(t, err)
	f.spec.UserData = new("echo 2")
	_, causes, err := f.launches(t)[0].Drift(recorded)
	require.NoError(t, err)
	require.Len(t, causes, 1)
	assert.NotContains(t, fmt.Sprint(causes), "echo")
}

// TestGuarantees checks the library's guarantees on generated launches.
func TestGuarantees(t *testing.T) {
	class, pool := schemas(t)
	hotupdatetest.Check[awsv1.EC2NodeClassSpec](t, hotupdatetest.WithSchema(class), hotupdatetest.WithDefaulter(setDefaults))
	hotupdatetest.Check[karpv1.NodeClaimTemplate](t, hotupdatetest.WithSchema(pool))
}

// setDefaults sets the defaults of the CRD, like an API server.
func setDefaults(spec *awsv1.EC2NodeClassSpec) {
	if spec.MetadataOptions == nil {
		spec.MetadataOptions = &awsv1.MetadataOptions{}
	}
	o := spec.MetadataOptions
	o.HTTPEndpoint = cmp.Or(o.HTTPEndpoint, new("enabled"))
	o.HTTPProtocolIPv6 = cmp.Or(o.HTTPProtocolIPv6, new("disabled"))
	o.HTTPPutResponseHopLimit = cmp.Or(o.HTTPPutResponseHopLimit, new(int64(1)))
	o.HTTPTokens = cmp.Or(o.HTTPTokens, new("required"))
}

// TestGolden fails if a new release of Karpenter's types changes the hashes of unchanged nodes, and
// names the fields. Karpenter itself has a version of its hash; with a new version it forgets
// earlier drift.
func TestGolden(t *testing.T) {
	class, pool := schemas(t)
	hotupdatetest.Golden[awsv1.EC2NodeClassSpec](t, "testdata/nodeclass.golden.json", hotupdatetest.WithSchema(class), update)
	hotupdatetest.Golden[karpv1.NodeClaimTemplate](t, "testdata/nodepool.golden.json", hotupdatetest.WithSchema(pool), update)
}

func schemas(t *testing.T) (class, pool *hotupdate.Schema) {
	t.Helper()
	class, err := karpenter.NodeClassSchema()
	require.NoError(t, err)
	pool, err = karpenter.NodePoolSchema()
	require.NoError(t, err)
	return class, pool
}

func Example() {
	nodeClass := newFleet().class
	bundle := "authority 1"
	launch, err := karpenter.FromNodeClass(nodeClass, &bundle)
	if err != nil {
		panic(err)
	}
	recorded, err := launch.Record() // when the node is launched
	if err != nil {
		panic(err)
	}
	drift := func() {
		launch, err := karpenter.FromNodeClass(nodeClass, &bundle)
		if err != nil {
			panic(err)
		}
		drifted, causes, err := launch.Drift(recorded)
		fmt.Println(drifted, causes[0].Path, causes[0].New, err)
	}
	nodeClass.Spec.Tags["team"] = "red"
	drift()
	nodeClass.Spec.BlockDeviceMappings[0].EBS.IOPS = new(int64(4000))
	drift()
	bundle = "authority 2"
	drift()
	// Output:
	// false tags[team] "red" <nil>
	// true blockDeviceMappings[deviceName=/dev/xvda].ebs.iops 4000 <nil>
	// true CA bundle  <nil>
}
