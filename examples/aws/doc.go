// Package aws shows how an extension for AWS adopts hot updates: the WorkerConfig with its struct tags, its Schema, and the function
// that hashes a worker pool.
//
// The types have the JSON names of the API aws.provider.extensions.gardener.cloud/v1alpha1, extended by the tags of the hot-update
// proposal.
package aws
