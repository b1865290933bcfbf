package side

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// The problems of texts that other programs have put in the place of a file.
var (
	errGitCrypt = errors.New("is encrypted by git-crypt; run git-crypt unlock first")
	errLFS      = errors.New("is a pointer of Git LFS, and not the file; run git lfs pull first")
	errSOPS     = errors.New("is encrypted by SOPS; decrypt it first, with sops decrypt")
	errConflict = errors.New("has conflict markers of git; resolve the conflict first")
	errPGP      = errors.New("is encrypted by PGP; decrypt it first, with gpg --decrypt")
	errAge      = errors.New("is encrypted by age; decrypt it first, with age --decrypt")
	errVault    = errors.New("is encrypted by Ansible; decrypt it first, with ansible-vault decrypt")
	errNoObject = errors.New("is not an object but text; decrypt it first if it is encrypted")
)

// concealed says why the text of a document does not show which objects it holds; nil if it does.
// Such a text may hold any object. In binary text, names cannot be recognized.
func concealed(text []byte, o *manifests.Object) error {
	switch {
	case bytes.HasPrefix(text, []byte("\x00GITCRYPT\x00")):
		return errGitCrypt
	case bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")):
		return errLFS
	case o.Err != nil && tree.IsBinary(text):
		return o.Err
	case o.Err != nil && hasConflict(text):
		return errConflict
	case o.Err == nil && isEncrypted(o.Tree) && hidesKind(o.Tree):
		return errSOPS
	case bytes.HasPrefix(text, []byte("-----BEGIN PGP MESSAGE-----")):
		return errPGP
	case bytes.HasPrefix(text, []byte("-----BEGIN AGE ENCRYPTED FILE-----")):
		return errAge
	case bytes.HasPrefix(text, []byte("$ANSIBLE_VAULT;")):
		return errVault
	case o.Err == nil && o.Tree.Kind() == tree.Text:
		return errNoObject
	}
	return nil
}

// hasConflict reports whether a text has the markers between which git writes both sides of a conflict.
func hasConflict(text []byte) bool {
	starts := func(marker string) bool {
		return bytes.HasPrefix(text, []byte(marker)) || bytes.Contains(text, []byte("\n"+marker))
	}
	return starts("<<<<<<< ") && starts(">>>>>>> ")
}

// isEncrypted reports whether SOPS has encrypted values of an object: it adds the member sops.
//
// Source: the documentation of SOPS, "Encryption Protocol".
func isEncrypted(object *tree.Node) bool {
	sops := object.At("sops")
	return sops.At("mac") != nil || sops.At("lastmodified") != nil || sops.At("version") != nil
}

// hidesKind reports whether the kind of an encrypted object is not legible: its value is encrypted, or the
// object is the encrypted text of a whole file.
func hidesKind(object *tree.Node) bool {
	wholeFile := object.Len() == 2 && isHidden(object.At("data"))
	return wholeFile || slices.ContainsFunc([]*tree.Node{object.At("apiVersion"), object.At("kind")}, isHidden)
}

// isHidden reports whether SOPS has encrypted a value.
func isHidden(n *tree.Node) bool { return strings.HasPrefix(n.Text(), "ENC[") }
