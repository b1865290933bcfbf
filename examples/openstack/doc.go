// Package openstack shows how an extension for OpenStack adopts hot updates: the WorkerConfig with
// its struct tags, the eras of its hash, and the provider spec that its driver reads.
//
// The types have the JSON names of the API openstack.provider.extensions.gardener.cloud/v1alpha1,
// extended by the infrastructure tags of the hot-update proposal. On OpenStack the owner of a shoot
// says for each machine label whether a change replaces machines.
package openstack
