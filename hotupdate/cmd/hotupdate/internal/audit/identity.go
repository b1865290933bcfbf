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

// identity tells objects apart. The probability that any two of n objects share one by chance is below n²/2¹²⁹.
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

// identities is a set that needs half a megabyte of memory, whatever its size: if it is large, it is a hash table in a temporary file. Where no
// file can be written, it stays in memory.
type identities struct {
	few   map[identity]struct{}
	limit int // of few

	file        *os.File // nil if all are few
	slots, used uint64
}

const maxFew = 1 << 13

func newIdentities() *identities { return &identities{few: map[identity]struct{}{}, limit: maxFew} }

// add adds an identity and reports whether it is new.
func (s *identities) add(one identity) (isNew bool, err error) {
	if s.file == nil {
		_, found := s.few[one]
		s.few[one] = struct{}{}
		if len(s.few) > s.limit {
			err = s.grow()
		}
		return !found, err
	}
	isNew, err = s.put(one)
	if 2*s.used > s.slots && err == nil {
		err = s.grow()
	}
	return isNew, err
}

// put adds an identity to the table: to the first free slot from the one on that it hashes to.
func (s *identities) put(one identity) (isNew bool, err error) {
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
	file, err := os.CreateTemp("", "hotupdate-audit-")
	if err != nil && s.file == nil {
		s.limit *= 2
		return nil
	}
	if err != nil {
		return err
	}
	_ = os.Remove(file.Name()) // most systems allow it: then the file goes with the process, however that ends
	grown := identities{file: file, slots: 4 * max(s.slots, maxFew)}
	for one := range s.few {
		_, failed := grown.put(one)
		err = errors.Join(err, failed)
	}
	in := bufio.NewReader(io.NewSectionReader(s.file, 0, int64(s.slots)*int64(len(identity{}))))
	for s.file != nil && err == nil {
		var one identity
		if _, err = io.ReadFull(in, one[:]); err == nil && one != (identity{}) {
			_, err = grown.put(one)
		}
	}
	s.close()
	*s = grown
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (s *identities) close() {
	if s.file != nil {
		_ = s.file.Close() // nobody reads it again
		_ = os.Remove(s.file.Name())
	}
}
