package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// identity identifies an object. The probability that any two of n objects have the same identity
// is below n²/2¹²⁹.
type identity [16]byte

// identityOf hashes the UID of an object, or else the whole object.
func identityOf(m *pool.Manifest) identity {
	text := []byte(m.UID)
	if m.UID == "" {
		text = m.Raw
	}
	sum := sha256.Sum256(text)
	return identity(sum[:len(identity{})])
}

// identities is a set in a hash table in a temporary file, so that its memory does not grow.
type identities struct {
	file        *os.File
	slots, used uint64
}

func newIdentities(slots uint64) (*identities, error) {
	file, err := os.CreateTemp("", "hotupdate-audit-")
	if err == nil {
		_ = os.Remove(file.Name()) // most systems remove an open file when the process ends, in whatever way
	}
	return &identities{file: file, slots: slots}, err
}

// add adds an identity, by linear probing, and reports whether it is new.
func (s *identities) add(one identity) (isNew bool, err error) {
	if 2*s.used >= s.slots {
		if err := s.grow(); err != nil {
			return false, err
		}
	}
	for slot := binary.NativeEndian.Uint64(one[:]); ; slot++ {
		var there identity
		at := int64(slot % s.slots * uint64(len(there)))
		if _, err := s.file.ReadAt(there[:], at); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		switch there {
		case one:
			return false, nil
		case identity{}:
			s.used++
			_, err := s.file.WriteAt(one[:], at)
			return true, err
		}
	}
}

// grow moves all identities into a table of four times the size.
func (s *identities) grow() error {
	grown, err := newIdentities(4 * s.slots)
	if err != nil {
		return err
	}
	in := bufio.NewReader(io.NewSectionReader(s.file, 0, int64(s.slots)*int64(len(identity{}))))
	for err == nil {
		var one identity
		if _, err = io.ReadFull(in, one[:]); err == nil && one != (identity{}) {
			_, err = grown.add(one)
		}
	}
	s.close()
	*s = *grown
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (s *identities) close() {
	_ = s.file.Close() // nobody reads it again
	_ = os.Remove(s.file.Name())
}
