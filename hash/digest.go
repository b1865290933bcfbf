package hash

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest is the SHA-256 of all parts of a name of Gardener, which contains its first digits. The
// SHA-256 of one configuration is a [hotupdate.Sum]: two types, so that one is never taken for the
// other. Digests are comparable; the zero value means that there is none.
type Digest [sha256.Size]byte

// Compose digests parts as Gardener does: it concatenates the SHA-256 of each part, in lower-case
// hexadecimal digits, and returns the SHA-256 of that text. Order counts. Parts have no names, so
// an absent part shifts the others.
func Compose(parts ...string) Digest {
	text := make([]byte, 0, 2*sha256.Size*len(parts))
	for _, part := range parts {
		sum := sha256.Sum256([]byte(part))
		text = hex.AppendEncode(text, sum[:])
	}
	return sha256.Sum256(text)
}

// String returns 64 lower-case hexadecimal digits, the text that [CheckCollision] takes.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

func (d Digest) first(n int) string { return d.String()[:n] }
