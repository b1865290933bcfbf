package extension

import (
	"slices"

	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// MachineSpec is the spec of an AWSMachine, with the cluster's part of its infrastructure tags.
type MachineSpec struct {
	infrav1.AWSMachineSpec `json:",inline"`

	// ClusterTags are the tags of the AWSCluster. The provider sets them on each machine that has
	// no other value for the key.
	ClusterTags map[string]string `json:"clusterTags,omitempty"`
}

// MachineSchema returns the classes of the fields of an AWSMachine. Fields without a class here are
// Immutable.
//
// Before Cluster API calls UpdateMachine, it writes the desired spec into the AWSMachine. So the
// extension can cover only changes that the provider's webhook admits there, although EC2 could
// also change volumes or metadata options. The webhook admits changes of additionalTags, of
// additionalSecurityGroups, of the Ignored fields below, and of two members of privateDnsName,
// which the provider does not apply (cluster-api-provider-aws v2.11.0,
// webhooks/awsmachine_webhook.go, ValidateUpdate).
//
// More gives classes to further fields, such as the fields whose changes another version of the
// webhook admits.
func MachineSchema(more ...hotupdate.Option) (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[MachineSpec](slices.Concat(more,
		// UpdateMachine sets and removes these tags, key by key.
		tagged("true", "additionalTags"),
		// The provider itself writes these: the IDs, and the place of the bootstrap data until the
		// node has joined.
		tagged("ignore", "providerID", "instanceID", "cloudInit.secretPrefix", "cloudInit.secretCount",
			"cloudInit.secureSecretsBackend"),
		// The order has no meaning. The provider changes security groups on running machines, but
		// does not report when it is done, so they stay Immutable
		// (controllers/awsmachine_security_groups.go).
		tagged("false,set", "additionalSecurityGroups"),
		// The CRD's defaults (api/v1beta2, markers kubebuilder:default). A template older than a
		// default lacks it.
		tagged("false,default=default", "hostAffinity"),
		tagged("false,default=ClusterObjectStore", "ignition.storageType"),
		tagged("false,default=enabled", "instanceMetadataOptions.httpEndpoint"),
		tagged("false,default=disabled", "instanceMetadataOptions.httpProtocolIpv6",
			"instanceMetadataOptions.instanceMetadataTags"),
		tagged("false,default=1", "instanceMetadataOptions.httpPutResponseHopLimit"),
		tagged("false,default=optional", "instanceMetadataOptions.httpTokens"),
		// For the webhook and the provider, an empty object differs from an absent one: an empty
		// spotMarketOptions requests a spot instance.
		tagged("false,presence", "dynamicHostAllocation", "elasticIpPool", "ignition", "ignition.proxy",
			"ignition.tls", "instanceMetadataOptions",
			"privateDnsName", "rootVolume", "spotMarketOptions", "subnet"),
	)...)
}

// BootstrapSchema returns the classes of the fields of a KubeadmConfig, for machines that have
// joined. Cloud-init or Ignition reads its data once, and this extension has no agent on the nodes,
// so no field is InPlace or Hot. Fields with no effect on a joined machine are Ignored. The others
// are Immutable. An extension with an agent on the node can make files, users, ntp or kubelet
// arguments InPlace.
func BootstrapSchema() (*hotupdate.Schema, error) {
	options := slices.Concat(
		// The control plane's controller ignores the endpoint, and applies DNS to the running
		// cluster (cluster-api v1.12.8, controlplane/kubeadm/internal/filters.go,
		// PrepareKubeadmConfigsForDiff).
		tagged("ignore", "clusterConfiguration.controlPlaneEndpoint", "clusterConfiguration.dns"),
		// The discovery tells how the machine finds the cluster to join;
		// PrepareKubeadmConfigsForDiff removes it. The bootstrap tokens are for other machines;
		// kubeadm init makes them.
		tagged("ignore", "joinConfiguration.discovery", "initConfiguration.bootstrapTokens"),
		// How kubeadm logs (api/bootstrap/kubeadm/v1beta2/kubeadmconfig_types.go).
		tagged("ignore", "verbosity"),
		// Names in a certificate, in any order.
		tagged("false,set", "clusterConfiguration.apiServer.certSANs",
			"clusterConfiguration.etcd.local.serverCertSANs", "clusterConfiguration.etcd.local.peerCertSANs"),
	)
	for _, command := range []string{"initConfiguration.", "joinConfiguration."} {
		options = slices.Concat(options,
			// The timeouts of kubeadm, the checks that it skips, and its pulling of images before
			// it starts the kubelet (api/bootstrap/kubeadm/v1beta2/kubeadm_types.go).
			tagged("ignore", command+"timeouts", command+"nodeRegistration.ignorePreflightErrors"),
			tagged("ignore", command+"nodeRegistration.imagePullPolicy", command+"nodeRegistration.imagePullSerial"),
			// An empty list means no taint. Without a list, kubeadm taints control planes
			// (PrepareKubeadmConfigsForDiff in filters.go).
			tagged("false,set,presence", command+"nodeRegistration.taints"),
		)
	}
	return hotupdate.SchemaOf[bootstrapv1.KubeadmConfigSpec](options...)
}

// tagged returns options that give the fields a struct tag.
func tagged(tag string, paths ...string) (options []hotupdate.Option) {
	for _, path := range paths {
		options = append(options, hotupdate.WithTag(path, tag))
	}
	return options
}
