package extension

import (
	"slices"

	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// MachineSpec is the spec of an AWSMachine, and what else decides about its infrastructure tags.
type MachineSpec struct {
	infrav1.AWSMachineSpec `json:",inline"`

	// ClusterTags are those of the AWSCluster. The provider sets them on each machine that has no other value for the key.
	ClusterTags map[string]string `json:"clusterTags,omitempty"`
}

// MachineSchema says what a change of an AWSMachine means. What is not named here is Immutable.
//
// Before Cluster API calls UpdateMachine it writes the desired spec into the AWSMachine. So nothing can be covered that the provider's webhook does
// not let anyone change there, whatever EC2 could do to volumes or metadata options. It lets change additionalTags, additionalSecurityGroups, what is
// Ignored below, and two members of privateDnsName, which nobody applies (cluster-api-provider-aws v2.11.0, webhooks/awsmachine_webhook.go,
// ValidateUpdate).
func MachineSchema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[MachineSpec](slices.Concat(
		// UpdateMachine sets and removes them, key by key.
		tagged("true", "additionalTags"),
		// Written by the provider itself: the IDs, and where the bootstrap data is kept until the node has joined.
		tagged("ignore", "providerID", "instanceID", "cloudInit.secretPrefix", "cloudInit.secretCount", "cloudInit.secureSecretsBackend"),
		// Attached in no order. The provider attaches others to running machines, but does not tell when it has: they stay Immutable
		// (controllers/awsmachine_security_groups.go).
		tagged("false,set", "additionalSecurityGroups"),
		// The CRD's defaults (api/v1beta2, markers kubebuilder:default). A template that is older than a default lacks it.
		tagged("false,default=default", "hostAffinity"),
		tagged("false,default=ClusterObjectStore", "ignition.storageType"),
		tagged("false,default=enabled", "instanceMetadataOptions.httpEndpoint"),
		tagged("false,default=disabled", "instanceMetadataOptions.httpProtocolIpv6", "instanceMetadataOptions.instanceMetadataTags"),
		tagged("false,default=1", "instanceMetadataOptions.httpPutResponseHopLimit"),
		tagged("false,default=optional", "instanceMetadataOptions.httpTokens"),
		// Empty, these are not absent to the webhook, nor to the provider: an empty spotMarketOptions asks for a spot instance.
		tagged("false,presence", "dynamicHostAllocation", "elasticIpPool", "ignition", "ignition.proxy", "ignition.tls", "instanceMetadataOptions",
			"privateDnsName", "rootVolume", "spotMarketOptions", "subnet"),
	)...)
}

// BootstrapSchema says what a change of a KubeadmConfig means for a machine that has joined. Its data was read once, by cloud-init or Ignition, and
// nothing here reaches into a node. So no field is InPlace or Hot. Those are Ignored of which a joined machine keeps nothing, and the rest is
// Immutable: an extension with an agent on the node can make files, users, ntp or kubelet arguments InPlace.
func BootstrapSchema() (*hotupdate.Schema, error) {
	options := slices.Concat(
		// The control plane's controller ignores the endpoint, and applies DNS to the running cluster
		// (cluster-api v1.12.8, controlplane/kubeadm/internal/filters.go, PrepareKubeadmConfigsForDiff).
		tagged("ignore", "clusterConfiguration.controlPlaneEndpoint", "clusterConfiguration.dns"),
		// How the machine finds the cluster to join, which the same function drops, and the tokens that kubeadm init makes for others.
		tagged("ignore", "joinConfiguration.discovery", "initConfiguration.bootstrapTokens"),
		// How kubeadm logs (api/bootstrap/kubeadm/v1beta2/kubeadmconfig_types.go).
		tagged("ignore", "verbosity"),
		// Names in a certificate, in any order.
		tagged("false,set", "clusterConfiguration.apiServer.certSANs", "clusterConfiguration.etcd.local.serverCertSANs", "clusterConfiguration.etcd.local.peerCertSANs"),
	)
	for _, command := range []string{"initConfiguration.", "joinConfiguration."} {
		options = slices.Concat(options,
			// How long kubeadm waits, which checks it leaves out, and how it pulls images before it starts the kubelet
			// (api/bootstrap/kubeadm/v1beta2/kubeadm_types.go).
			tagged("ignore", command+"timeouts", command+"nodeRegistration.ignorePreflightErrors"),
			tagged("ignore", command+"nodeRegistration.imagePullPolicy", command+"nodeRegistration.imagePullSerial"),
			// An empty list is no taint; without one kubeadm taints control planes (the same function in filters.go).
			tagged("false,set,presence", command+"nodeRegistration.taints"),
		)
	}
	return hotupdate.SchemaOf[bootstrapv1.KubeadmConfigSpec](options...)
}

// tagged gives fields a struct tag that their types do not have.
func tagged(tag string, paths ...string) (options []hotupdate.Option) {
	for _, path := range paths {
		options = append(options, hotupdate.WithTag(path, tag))
	}
	return options
}
