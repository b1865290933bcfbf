// Package hash lets provider extensions change how they hash a worker pool without replacing the
// machines of a fleet.
//
// [hotupdate.Schema.HashRaw] computes the digest of a provider config. [Eras] switch the way of
// hashing only where machines are replaced anyway. [WorkerPool] and [NodeAgentSecretName] compose
// Gardener's names, byte by byte. [CheckCollision] detects two configurations with the same short name.
//
// A pool's name may change only when its machines are replaced anyway. So each way of hashing
// belongs to a range of Kubernetes minors, and a new one begins with a minor that no pool has yet:
//
//	Kubernetes  … 1.33     | 1.34 … 1.36       | 1.37 …
//	era         raw bytes  | hand-written list | canonical
//	                                           ↑ no pool runs 1.37, and the update to it
//	                                             replaces the machines: the switch is free
package hash
