// Package hash keeps a fleet still while provider extensions learn to hash by meaning.
//
// [hotupdate.Schema.HashRaw] computes the digest of a provider config. [Eras] let the way of hashing change only where machines change
// anyway. [WorkerPool] and [NodeAgentSecretName] compose Gardener's names from it, byte by byte. [Guard] finds two configurations behind
// one short name.
//
// A pool's name may change only where its machines are replaced anyway. So each way of hashing has its Kubernetes minors, and a new one begins
// with a minor that nobody runs yet:
//
//	Kubernetes  … 1.33     | 1.34 … 1.36       | 1.37 …
//	era         raw bytes  | hand-written list | canonical
//	                                           ↑ no pool runs 1.37, and the update to it replaces the machines: the switch is free here
package hash
