package hash

import "github.com/hotupdate/providerconfig/hotupdate/fault"

// Guard returns an error if one name would stand for two digests. Five characters are 20 bits, so that happens by chance: once in about
// a million changes of a pool, and then nothing replaces the machines.
//
// The extension keeps [Name].Digest of each MachineClass beside it, as an annotation: 64 digits are one too many for a label. Before it
// deploys a class it hands what it finds at the class of that name, and what it is about to write there:
//
//	name, err := hash.WorkerPool(pool.NodeAgentSecretName, data...)
//	…
//	err = hash.Guard(recorded, name.Digest)
//
// Comparing with the class of that name, and not with the class that the pool uses now, also finds a class of an earlier configuration
// that is about to be deleted.
//
// A zero digest is one that nobody recorded: a new class, or one from before adoption, or the record got lost. Then nothing can be said,
// and there is no error. The guard needs the record for nothing else: no name depends on it.
//
// The error is a [*fault.Error] with the code name-collision.
func Guard(recorded, wanted Digest) error {
	name := wanted.first(poolDigits)
	if recorded == (Digest{}) || recorded == wanted || recorded.first(poolDigits) != name {
		return nil
	}
	return &fault.Error{
		Kind: fault.Conflict, Code: "name-collision", Where: "worker pool hash " + name,
		What: "stands for two digests, " + recorded.String() + " and " + wanted.String() +
			", so the MachineClass would keep its name, no machine would be replaced, and the change would silently not apply",
		Hint: "change one more immutable field of the pool in the same update, or make the change in a pool with another name",
	}
}
