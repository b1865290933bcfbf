// Package karpenter decides whether a node of Karpenter has drifted, by a Schema of Karpenter's own
// types:
//
//	launch, err := karpenter.FromNodeClass(nodeClass, caBundle)
//	recorded, err := launch.Record() // once, into an annotation of the NodeClaim
//
//	drifted, causes, err := launch.Drift(recorded) // at every reconciliation
//	switch {
//	case err != nil:
//		return err
//	case drifted: // the node is replaced; causes has every reason, such as userData, or the input CA bundle
//	default: // the node stays; causes has the tags to set or remove on its instance, by key: tags[team]
//	}
//
// This takes the place of Karpenter's hashes, its static drift. Karpenter also compares the running
// node with what selectors and requirements select now, and replaces nodes that no longer match. A
// [Launch] does not cover selectors and requirements: they have the class ignore here, and are
// indeterminate in a plan of a NodePool or an EC2NodeClass. The module drifted beside this package
// edits each field and runs both of Karpenter's checks.
//
// Karpenter itself records a sum of hashstructure. This sum cannot name a field, misses the order
// of name servers, and replaces nodes for a changed tag or an explicit default. The test lists the
// changes of Karpenter's tests, with both verdicts side by side.
//
// The types are Karpenter's, unedited: overrides by path replace struct tags. Inputs beside the
// spec are hashed as additional data, as in a provider extension. An adopter who owns the types
// declares the spec and the inputs as fields of one struct, and needs no second comparison.
package karpenter

import (
	"encoding/json"
	"strconv"

	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Launch has the configuration that a node is launched with.
type Launch struct {
	// Spec is the hashed part of the object, described by Schema.
	Spec   json.RawMessage   `json:"spec"`
	Schema *hotupdate.Schema `json:"-"`
	// Inputs are hashed beside the spec.
	Inputs []hash.Input `json:"inputs,omitempty"`
}

// FromNodeClass returns the part of a launch from an EC2NodeClass and the cluster. CaBundle is the
// cluster's certificate authority, which is part of the user data; nil if there is none.
func FromNodeClass(class *awsv1.EC2NodeClass, caBundle *string) (Launch, error) {
	schema, err := NodeClassSchema()
	if err != nil {
		return Launch{}, err
	}
	spec, err := json.Marshal(class.Spec)
	bundle := hash.Input{Name: "CA bundle"}
	if caBundle != nil {
		bundle.Value = *caBundle
	}
	// The effective family: a family that is set and the same family that follows from an alias
	// mean the same.
	return Launch{spec, schema, []hash.Input{{Name: "AMI family", Value: class.AMIFamily()}, bundle}}, err
}

// FromNodePool returns the part of a launch from a NodePool. The hot labels are those of
// [NodePoolSchema].
func FromNodePool(pool *karpv1.NodePool, hotLabels ...string) (Launch, error) {
	schema, err := NodePoolSchema(hotLabels...)
	if err != nil {
		return Launch{}, err
	}
	template := pool.Spec.Template
	template.Spec.ExpireAfter.Raw = nil // the text as it was written: 60m and 1h mean the same
	spec, err := json.Marshal(template)
	return Launch{Spec: spec, Schema: schema}, err
}

// NodeClassSchema gives the fields of EC2NodeClassSpec their classes and options. A field without a
// line here is immutable.
func NodeClassSchema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[awsv1.EC2NodeClassSpec](
		hotupdate.WithTag("tags", "true"),
		hotupdate.WithTag("userData", "false,sensitive"),

		// Karpenter hashes none of these fields. It compares what the selectors select with the
		// running instance, and reads ipPrefixCount only for new instances.
		hotupdate.WithTag("subnetSelectorTerms", "ignore"),
		hotupdate.WithTag("securityGroupSelectorTerms", "ignore"),
		hotupdate.WithTag("capacityReservationSelectorTerms", "ignore"),
		hotupdate.WithTag("amiSelectorTerms", "ignore"),
		hotupdate.WithTag("ipPrefixCount", "ignore"),
		hotupdate.WithTag("amiFamily", "ignore"), // see FromNodeClass

		// The order has no meaning. Volumes are paired by name, so that the cause is a field of a
		// volume.
		hotupdate.WithTag("blockDeviceMappings", "false,key=deviceName"),
		hotupdate.WithTag("networkInterfaces", "false,set"),

		// The defaults of the CRD: an object without a default means the same as an object with it.
		hotupdate.WithTag("metadataOptions.httpEndpoint", "false,default=enabled"),
		hotupdate.WithTag("metadataOptions.httpProtocolIPv6", "false,default=disabled"),
		hotupdate.WithTag("metadataOptions.httpPutResponseHopLimit", "false,default=1"),
		hotupdate.WithTag("metadataOptions.httpTokens", "false,default=required"),
	)
}

// NodePoolSchema gives the fields of NodeClaimTemplate their classes and options. The operator may
// name labels that are hot, each as a key, such as example.com/tenant, or as a prefix of keys and
// "*", such as billing.example.com/*. All other labels are immutable, since a scheduler may read
// them.
func NodePoolSchema(hotLabels ...string) (*hotupdate.Schema, error) {
	options := []hotupdate.Option{
		hotupdate.WithTag("spec.requirements", "ignore"), // not hashed: Karpenter compares them with the node's labels
		hotupdate.WithTag("spec.taints", "false,set"),
		hotupdate.WithTag("spec.startupTaints", "false,set"),
	}
	for _, label := range hotLabels {
		options = append(options, hotupdate.WithTag("metadata.labels["+strconv.Quote(label)+"]", "true"))
	}
	return hotupdate.SchemaOf[karpv1.NodeClaimTemplate](options...)
}

// Record returns a launch as text for an annotation of the NodeClaim. It contains the user data,
// like the EC2NodeClass. Record the launch again after the tags of an instance were updated.
func (l Launch) Record() (string, error) {
	text, err := json.Marshal(l)
	return string(text), err
}

// Hash returns the digest of a launch. It changes exactly if [Launch.Drift] finds that nodes have
// drifted.
func (l Launch) Hash() (hash.Digest, error) {
	data, err := hash.CanonicalData(l.Schema, inputs)(l.Spec, l)
	if err != nil {
		return hash.Digest{}, err
	}
	return hash.Compose(data...), nil
}

// inputs returns the additional data of a launch.
func inputs(l Launch) (values []string) {
	for _, input := range l.Inputs {
		values = append(values, input.Value)
	}
	return values
}

// Drift reports whether a node must be replaced because its recorded launch differs from this one.
// Recorded is the result of [Launch.Record]. If the node must be replaced, the causes are the
// inputs that differ, by name, and then the fields that replace the node. Otherwise they are the
// tags that differ.
//
//   - A node without a record has not drifted: it is older than the records.
//   - A field that a release of Karpenter has removed is a cause only for nodes that were launched
//     with it.
//   - An unreadable record or launch is an error.
func (l Launch) Drift(recorded string) (drifted bool, causes hotupdate.Changes, err error) {
	if recorded == "" {
		return false, nil, nil
	}
	var old Launch
	if err := json.Unmarshal([]byte(recorded), &old); err != nil {
		return false, nil, err
	}
	schema, err := l.Schema.AdmitUnknown() // the record of an older release
	if err != nil {
		return false, nil, err
	}
	var changes hotupdate.Changes
	for _, name := range (hash.Name{Inputs: l.Inputs}).Changed(hash.Name{Inputs: old.Inputs}) {
		changes = append(changes, hotupdate.Change{Path: name, Class: hotupdate.Immutable, Sensitive: true})
	}
	fields, err := schema.DiffRaw(old.Spec, l.Spec)
	changes = append(changes, fields...)
	const strategy = hotupdate.AutoRollingUpdate
	return changes.Outcome(strategy) == hotupdate.OutcomeRoll, changes.Causes(strategy), err
}
