package hash

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
// The error is a [*CollisionError].
func Guard(recorded, wanted Digest) error {
	if recorded == (Digest{}) || recorded == wanted || recorded.First(poolDigits) != wanted.First(poolDigits) {
		return nil
	}
	return &CollisionError{Hash: wanted.First(poolDigits), Recorded: recorded, Wanted: wanted}
}

// CollisionError says that two configurations of a pool have the same worker pool hash.
type CollisionError struct {
	// Hash is the worker pool hash.
	Hash string
	// Recorded and Wanted are the digests that it stands for.
	Recorded, Wanted Digest
}

// Error says what would happen and how to mend it.
func (e *CollisionError) Error() string {
	return "hash: worker pool hash " + e.Hash + ": stands for two digests, " + e.Recorded.String() + " and " + e.Wanted.String() +
		", so the MachineClass would keep its name, no machine would be replaced, and the change would silently not apply" +
		"; change one more immutable field of the pool in the same update, or make the change in a pool with another name"
}
