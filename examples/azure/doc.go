// Package azure shows how an extension for Azure adopts hot updates: the WorkerConfig with its
// struct tags, the eras of its hash, and the provider spec that its driver reads.
//
// The types have the JSON names of the API azure.provider.extensions.gardener.cloud/v1alpha1,
// extended by the infrastructure tags of the hot-update proposal. On Azure a pool has a hash of its
// own in each zone, because subnets differ, and infrastructure tags ignore case.
package azure
