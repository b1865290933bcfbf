package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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

// identities is a set. A temporary file takes what is more than the memory that it begins with, so that its memory does
// not grow. It has hash tables, each with eight times the slots of the one before: the first in memory, the others one
// after the other in the file. The last one fills up to the half.
type identities struct {
	first []identity
	file  *os.File // nil as long as the first table is enough
	used  uint64   // slots of all tables
}

// newIdentities returns an empty set, whose first table has a number of slots.
func newIdentities(slots int) *identities { return &identities{first: make([]identity, slots)} }

// add adds an identity, and reports whether it is new.
func (s *identities) add(one identity) (isNew bool, err error) {
	slots := uint64(len(s.first)) // of the table
	room := slots / 2             // of the tables up to this one
	if there := s.slot(one); *there == one {
		return false, nil
	} else if s.used < room {
		s.used++
		*there = one
		return true, nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "hotupdate-audit-"); err != nil {
			return false, fmt.Errorf("more than %d objects need a temporary file, and none can be made; set TMPDIR, "+
				"or TMP on Windows, to a folder that can be written: %w", room, err)
		}
		_ = os.Remove(s.file.Name()) // most systems remove an open file when the process ends, even by a crash
	}
	for begin := uint64(0); ; begin += slots { // the first slot of the table in the file
		slots *= 8
		room += slots / 2
		at, isKnown, err := s.find(one, begin, slots)
		switch {
		case err != nil || isKnown:
			return false, err
		case s.used < room:
			s.used++
			_, err = s.file.WriteAt(one[:], at)
			return true, err
		}
	}
}

// slot returns the slot of an identity in the first table, by linear probing, or the free slot for it.
func (s *identities) slot(one identity) *identity {
	for slot := binary.NativeEndian.Uint64(one[:]); ; slot++ {
		there := &s.first[slot%uint64(len(s.first))]
		if *there == one || *there == (identity{}) {
			return there
		}
	}
}

// find returns the offset of an identity in a table of the file, by linear probing, or the offset of the free slot for
// it.
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
	if s.file != nil {
		_ = s.file.Close() // it is not read again
		_ = os.Remove(s.file.Name())
	}
}
