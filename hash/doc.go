// Package hash keeps a fleet still while provider extensions learn to hash by meaning.
//
// [hotupdate.Schema.HashRaw] computes the digest of a provider config. [Eras] let the way of hashing change only where machines change
// anyway. [WorkerPool] and [NodeAgentSecretName] compose Gardener's names from it, byte by byte. [Guard] finds two configurations behind
// one short name.
package hash
