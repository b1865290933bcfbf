// Package karpenter tells whether a node of Karpenter has drifted, by a Schema over Karpenter's own types:
//
//	launch := karpenter.NodeClassLaunch(nodeClass, caBundle)
//	recorded, err := karpenter.Record(launch) // once, into an annotation of the NodeClaim
//
//	drifted, causes, err := karpenter.Drift(launch, recorded) // at every reconciliation
//	switch {
//	case err != nil:
//		return err
//	case drifted: // the node is replaced, and causes are all fields to blame: nodeClass.userData
//	default: // the node stays, and causes are the tags that its instance has to get or to lose, key by key: nodeClass.tags[team]
//	}
//
// Karpenter itself records a sum of hashstructure. It cannot name a field, misses the order of name servers, and replaces nodes for a tag or a default
// that is spelled out. The test lists the changes that Karpenter tries, with both verdicts side by side.
//
// The types are Karpenter's, unedited: overrides say by path what struct tags would say.
package karpenter

import (
	"encoding/json"

	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Launch is what a node is launched from: a [NodeClass] or a [NodePool].
type Launch interface {
	// Schema returns the classes of the fields.
	Schema() (*hotupdate.Schema, error)
}

// NodeClass is what an EC2NodeClass and the cluster contribute to a launch. Inputs beside the spec are fields like all others: they are recorded,
// hashed, compared, and named as causes.
type NodeClass struct {
	Spec awsv1.EC2NodeClassSpec `json:"nodeClass"`
	// AMIFamily is the one in force: a family that is spelled out means the same as one that follows from an alias.
	AMIFamily string `json:"amiFamily,omitempty"`
	// CABundle is the cluster's certificate authority, which is part of the user data.
	CABundle string `json:"caBundle,omitempty"`
}

// NodeClassLaunch returns the launch from an EC2NodeClass. The bundle is nil if the cluster has none.
func NodeClassLaunch(class *awsv1.EC2NodeClass, caBundle *string) *NodeClass {
	launch := &NodeClass{Spec: class.Spec, AMIFamily: class.AMIFamily()}
	if caBundle != nil {
		launch.CABundle = *caBundle
	}
	return launch
}

// Schema gives the fields of EC2NodeClassSpec their classes and options. A field without a line here is immutable.
func (*NodeClass) Schema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[NodeClass](
		hotupdate.WithTag("nodeClass.tags", "true"),
		hotupdate.WithTag("nodeClass.userData", "false,sensitive"),

		// Karpenter compares what these select with the running instance, or applies them to new ones only.
		hotupdate.WithTag("nodeClass.subnetSelectorTerms", "ignore"),
		hotupdate.WithTag("nodeClass.securityGroupSelectorTerms", "ignore"),
		hotupdate.WithTag("nodeClass.capacityReservationSelectorTerms", "ignore"),
		hotupdate.WithTag("nodeClass.amiSelectorTerms", "ignore"),
		hotupdate.WithTag("nodeClass.ipPrefixCount", "ignore"),
		hotupdate.WithTag("nodeClass.amiFamily", "ignore"), // see AMIFamily

		// The order means nothing. Volumes are paired by name, so that the cause is a field of a volume.
		hotupdate.WithTag("nodeClass.blockDeviceMappings", "false,key=deviceName"),
		hotupdate.WithTag("nodeClass.networkInterfaces", "false,set"),

		// The defaults of the CRD: an object that is older than a default means the same as one that has it.
		hotupdate.WithTag("nodeClass.metadataOptions.httpEndpoint", "false,default=enabled"),
		hotupdate.WithTag("nodeClass.metadataOptions.httpProtocolIPv6", "false,default=disabled"),
		hotupdate.WithTag("nodeClass.metadataOptions.httpPutResponseHopLimit", "false,default=1"),
		hotupdate.WithTag("nodeClass.metadataOptions.httpTokens", "false,default=required"),
	)
}

// NodePool is what a NodePool contributes to a launch.
type NodePool struct {
	Template karpv1.NodeClaimTemplate `json:"nodePool"`
}

// NodePoolLaunch returns the launch from a NodePool.
func NodePoolLaunch(pool *karpv1.NodePool) *NodePool {
	launch := &NodePool{Template: pool.Spec.Template}
	launch.Template.Spec.ExpireAfter.Raw = nil // its spelling: 60m is 1h
	return launch
}

// Schema gives the fields of NodeClaimTemplate their classes and options.
func (*NodePool) Schema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[NodePool](
		hotupdate.WithTag("nodePool.spec.requirements", "ignore"), // Karpenter compares them with the node's labels
		hotupdate.WithTag("nodePool.spec.taints", "false,set"),
		hotupdate.WithTag("nodePool.spec.startupTaints", "false,set"),
	)
}

// Record returns what to keep of a launch, as text for an annotation of the NodeClaim. It holds the user data, as the EC2NodeClass does. Once the
// tags of an instance were updated, record the launch again.
func Record(launch Launch) (string, error) {
	text, err := json.Marshal(launch)
	return string(text), err
}

// Hash returns the digest of a launch. It changes exactly if [Drift] finds that nodes have drifted.
func Hash(launch Launch) (hotupdate.Sum, error) {
	schema, err := launch.Schema()
	if err != nil {
		return hotupdate.Sum{}, err
	}
	return schema.Hash(launch)
}

// Drift reports whether a node has to be replaced because what it was launched from, as [Record] returned it, differs from launch. The causes are
// the fields to blame. If the node stays, they are the tags that differ.
//
//   - A node without a record has not drifted: it is older than the records.
//   - A field that a release of Karpenter has removed is a cause for nodes that were launched with it, and for no others.
//   - A record or a launch that cannot be read is an error, such as a volume without a device name.
func Drift(launch Launch, recorded string) (drifted bool, causes hotupdate.Changes, err error) {
	if recorded == "" {
		return false, nil, nil
	}
	schema, err := launch.Schema()
	if err != nil {
		return false, nil, err
	}
	if schema, err = schema.AdmitUnknown(); err != nil { // the record of an older release
		return false, nil, err
	}
	desired, err := Record(launch)
	if err != nil {
		return false, nil, err
	}
	changes, err := schema.DiffRaw([]byte(recorded), []byte(desired))
	const strategy = hotupdate.AutoRollingUpdate
	return changes.Outcome(strategy) == hotupdate.Roll, changes.Causes(strategy), err
}
