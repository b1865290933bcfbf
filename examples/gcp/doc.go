// Package gcp shows how an extension for GCP adopts hot updates: the WorkerConfig with its struct
// tags, the eras of its hash, and the provider spec that its driver reads.
//
// The types have the JSON names of the API gcp.provider.extensions.gardener.cloud/v1alpha1,
// extended by the infrastructure tags of the hot-update proposal. On GCP there are two kinds of
// infrastructure tags: labels with values, and network tags without. One field needs the VM to be
// stopped: the service account.
package gcp
