// Package azure shows how an extension for Azure adopts hot updates: the WorkerConfig with its struct tags, the eras in which its pools
// are hashed, and the provider spec that its driver reads.
//
// The types have the JSON names of the API azure.provider.extensions.gardener.cloud/v1alpha1, extended by the infrastructure tags of the
// hot-update proposal. Azure is where a pool has a hash of its own in each zone, since subnets differ, and where infrastructure tags ignore
// case.
package azure
