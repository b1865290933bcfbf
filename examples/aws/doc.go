// Package aws shows how an extension for AWS adopts hot updates: the WorkerConfig with its struct
// tags, the eras of its hash, and the provider spec that its driver reads.
//
// The types have the JSON names of the API aws.provider.extensions.gardener.cloud/v1alpha1,
// extended by the infrastructure tags of the hot-update proposal. AWS has pools of all eras: named
// by raw bytes, by a hand-written list, and by the canonical hash.
package aws
