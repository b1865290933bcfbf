// Package gcp shows how an extension for GCP adopts hot updates: the WorkerConfig with its struct tags, the eras in which its pools are
// hashed, and the provider spec that its driver reads.
//
// The types have the JSON names of the API gcp.provider.extensions.gardener.cloud/v1alpha1, extended by the infrastructure tags of the
// hot-update proposal. GCP is where infrastructure tags come in two kinds, labels with values and network tags without, and where one field
// needs the VM to be stopped: the service account.
package gcp
