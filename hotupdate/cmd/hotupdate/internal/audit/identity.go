package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// identity identifies an object. The probability that any two of n objects have the same identity
// is below n²/2¹²⁹.
type identity [16]byte

// identityOf hashes the UID of an object, or else the whole object.
func identityOf(uid string, object *tree.Node) identity {
	text := []byte(uid)
	if uid == "" {
		text = object.JSON()
	}
	sum := sha256.Sum256(text)
	return identity(sum[:len(identity{})])
}

// identities is a set in a temporary file, so that its memory does not grow. The file has hash
// tables, each with eight times the slots of the one before. The last one fills up to the half.
type identities struct {
	file        *os.File
	slots, used uint64 // slots of the first table, used slots of all tables
}

func newIdentities(slots uint64) (*identities, error) {
	file, err := os.CreateTemp("", "hotupdate-audit-")
	if err == nil {
		_ = os.Remove(file.Name()) // most systems remove an open file when the process ends, even by a crash
	}
	return &identities{file: file, slots: slots}, err
}

// add adds an identity, and reports whether it is new.
func (s *identities) add(one identity) (isNew bool, err error) {
	begin := uint64(0) // the first slot of a table
	slots := s.slots   // of the table
	room := slots / 2  // of the tables up to this one
	for {
		at, isKnown, err := s.find(one, begin, slots)
		switch {
		case err != nil || isKnown:
			return false, err
		case s.used < room:
			s.used++
			_, err = s.file.WriteAt(one[:], at)
			return true, err
		}
		begin += slots
		slots *= 8
		room += slots / 2
	}
}

// find returns the offset of an identity in a table, by linear probing, or the offset of the free
// slot for it.
func (s *identities) find(one identity, begin, slots uint64) (at int64, isKnown bool, err error) {
	for slot := binary.NativeEndian.Uint64(one[:]); ; slot++ {
		var there identity
		at = int64((begin + slot%slots) * uint64(len(there)))
		if _, err := s.file.ReadAt(there[:], at); err != nil && !errors.Is(err, io.EOF) {
			return 0, false, err
		}
		if there == one || there == (identity{}) {
			return at, there == one, nil
		}
	}
}

func (s *identities) close() {
	_ = s.file.Close() // it is not read again
	_ = os.Remove(s.file.Name())
}
