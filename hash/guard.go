package hash

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// CheckCollision returns an error if one name would stand for two digests. Five characters are 20 bits, so
// about one in a million changes of a pool keeps the name by chance, and then no machine is
// replaced.
//
// The extension records [Name].Digest in an annotation of the MachineClass; a label has no room for
// 64 digits. Before it deploys a class, it compares the digest recorded on the class of that name
// with the new one:
//
//	name, err := hash.WorkerPool(pool.NodeAgentSecretName, data...)
//	…
//	err = hash.CheckCollision(class.Annotations[digestAnnotation], name.Digest)
//
// The class of that name may belong to an earlier configuration and be about to be deleted, so do
// not compare with the class that the pool uses now.
//
// The record is the text of a Digest. An empty text means that nothing was recorded: the class is
// new or older than the adoption, or the record was lost. CheckCollision then returns nil. No name depends
// on the record.
//
// The code of the error is name-collision, or malformed-digest if the record is not the text of a
// Digest. Capitals and white space make it malformed.
func CheckCollision(recorded string, wanted Digest) error {
	name := wanted.first(poolDigits)
	isHexadecimal := strings.Trim(recorded, "0123456789abcdef") == ""
	isDigest := isHexadecimal && len(recorded) == 2*len(wanted)
	switch {
	case recorded == "" || recorded == wanted.String():
		return nil
	case !isDigest:
		return &fault.Error{
			Kind: fault.Invalid, Code: "malformed-digest", Where: "recorded digest",
			What: "is " + plaintext.Quoted(recorded),
			Hint: "write the 64 lower-case hexadecimal digits of Digest.String",
		}
	case recorded[:poolDigits] != name:
		return nil
	}
	return &fault.Error{
		Kind: fault.Conflict, Code: fault.NameCollision, Where: "worker pool hash " + name,
		What: "stands for two digests, " + recorded + " and " + wanted.String() +
			", so the MachineClass would keep its name, no machine would be replaced, and the change " +
			"would silently not apply",
		Hint: "change one more immutable field of the pool in the same update, or make the change in a " +
			"pool with another name",
	}
}
