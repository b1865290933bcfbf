package drifted_test

import (
	"context"
	"encoding/json"
	"maps"
	"testing"
	"time"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	awscloud "github.com/aws/karpenter-provider-aws/pkg/cloudprovider"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instance"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype"
	"github.com/aws/karpenter-provider-aws/pkg/providers/placementgroup"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeclaim/disruption"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

const machine = "m5.large"

// cloud has the IDs that an EC2NodeClass selects, or with which an instance was launched.
type cloud struct{ image, subnet, securityGroup, reservation string }

// launched has the IDs of the instance.
var launched = cloud{"ami-1", "subnet-1", "sg-1", "cr-1"}

type instanceTypes struct{ instancetype.Provider }

func (instanceTypes) List(context.Context, instancetype.NodeClass) ([]*cloudprovider.InstanceType, error) {
	return []*cloudprovider.InstanceType{{Name: machine, Requirements: scheduling.NewRequirements()}}, nil
}

type instances struct{ instance.Provider }

func (instances) Get(context.Context, string, ...instance.Options) (*instance.Instance, error) {
	return &instance.Instance{
		ID: "i-1", ImageID: launched.image, Type: ec2types.InstanceType(machine), SubnetID: launched.subnet,
		SecurityGroupIDs:           []string{launched.securityGroup},
		CapacityReservationDetails: &instance.CapacityReservationDetails{ID: launched.reservation},
	}, nil
}

// placementGroups finds the group of the instance for any selector.
type placementGroups struct{}

func (placementGroups) Get(context.Context, placementgroup.NodeClass) (*placementgroup.PlacementGroup, error) {
	return nil, nil //nolint:nilnil // as for a class without a selector
}

// specs are the specs of a NodePool and of its EC2NodeClass, in JSON.
type specs struct{ pool, class map[string]any }

func (s specs) objects(t *testing.T) (*karpv1.NodePool, *awsv1.EC2NodeClass) {
	t.Helper()
	pool := &karpv1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "pool"}}
	class := &awsv1.EC2NodeClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}}
	into := func(spec map[string]any, out any) {
		text, err := json.Marshal(spec)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, out))
	}
	into(s.pool, &pool.Spec)
	into(s.class, &class.Spec)
	// Karpenter's hash controllers write these annotations.
	pool.Annotations = map[string]string{
		karpv1.NodePoolHashAnnotationKey: pool.Hash(), karpv1.NodePoolHashVersionAnnotationKey: karpv1.NodePoolHashVersion,
	}
	class.Annotations = map[string]string{
		awsv1.AnnotationEC2NodeClassHash: class.Hash(nil), awsv1.AnnotationEC2NodeClassHashVersion: awsv1.EC2NodeClassHashVersion,
	}
	return pool, class
}

// sums returns Karpenter's own hashes.
func (s specs) sums(t *testing.T) [2]string {
	t.Helper()
	pool, class := s.objects(t)
	return [2]string{pool.Hash(), class.Hash(nil)}
}

// isDrifted runs Karpenter's controller for a node that was launched by old specs, under new ones.
func isDrifted(t *testing.T, old, updated specs, selects cloud, labels map[string]string) bool {
	t.Helper()
	before, classBefore := old.objects(t)
	pool, class := updated.objects(t)
	class.Status.AMIs = []awsv1.AMI{{ID: selects.image}}
	class.Status.Subnets = []awsv1.Subnet{{ID: selects.subnet}}
	class.Status.SecurityGroups = []awsv1.SecurityGroup{{ID: selects.securityGroup}}
	class.Status.CapacityReservations = []awsv1.CapacityReservation{{ID: selects.reservation}}
	claim := &karpv1.NodeClaim{ObjectMeta: metav1.ObjectMeta{
		Name: "claim", UID: "1", CreationTimestamp: metav1.Now(), Labels: map[string]string{
			karpv1.NodePoolLabelKey: pool.Name, corev1.LabelInstanceTypeStable: machine,
		},
		Annotations: map[string]string{},
	}}
	maps.Copy(claim.Labels, labels)
	for _, object := range []client.Object{before, classBefore} {
		maps.Copy(claim.Annotations, object.GetAnnotations())
	}
	claim.Spec.NodeClassRef = &karpv1.NodeClassReference{Group: "karpenter.k8s.aws", Kind: "EC2NodeClass", Name: class.Name}
	claim.Status.ProviderID = "aws:///us-west-2a/i-01234567890123456"
	claim.Status.ImageID = launched.image
	claim.StatusConditions().SetTrue(karpv1.ConditionTypeLaunched)

	pool.Spec.Template.Spec.NodeClassRef.Name = class.Name // another EC2NodeClass has this spec too
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithStatusSubresource(claim).WithObjects(pool, class, claim).Build()
	provider := awscloud.New(instanceTypes{}, instances{}, nil, kube, nil, nil, nil, placementGroups{}, nil, nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	_, err := disruption.NewController(clock.RealClock{}, kube, provider).Reconcile(ctx, claim)
	require.NoError(t, err)
	return claim.StatusConditions().Get(karpv1.ConditionTypeDrifted).IsTrue()
}
