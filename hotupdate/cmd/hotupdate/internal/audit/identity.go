package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// identity tells objects apart. The probability that any two of n objects share one by chance is below n²/2¹²⁹.
type identity [16]byte

// identityOf hashes the UID of an object, or else its kind, name and spec.
func identityOf(m *pool.Manifest) identity {
	parts := []string{m.UID}
	if m.UID == "" {
		parts = []string{"", string(m.Kind), m.Namespace, m.Name, string(m.Spec)}
	}
	h := sha256.New()
	for _, part := range parts {
		_, _ = io.WriteString(h, part+"\x00") // a hash takes everything
	}
	return identity(h.Sum(nil)[:len(identity{})])
}

func compareIdentities(a, b identity) int { return bytes.Compare(a[:], b[:]) }

// identities is a set that needs about a megabyte of memory, whatever its size: most of it is in a temporary file.
type identities struct {
	recent map[identity]struct{} // not in the file
	limit  int                   // of recent
	file   identityFile
}

const maxRecent = 1 << 13

func newIdentities() *identities {
	return &identities{recent: map[identity]struct{}{}, limit: maxRecent}
}

// add adds an identity and reports whether it is new.
func (s *identities) add(one identity) (isNew bool, err error) {
	_, found := s.recent[one]
	if !found {
		found, err = s.file.has(one)
	}
	if found || err != nil {
		return false, err
	}
	s.recent[one] = struct{}{}
	if len(s.recent) >= s.limit {
		s.spill()
	}
	return true, nil
}

// spill moves the recent identities to the file. Where no file can be written, they stay in memory.
func (s *identities) spill() {
	merged, err := s.file.merge(slices.SortedFunc(maps.Keys(s.recent), compareIdentities))
	if err != nil {
		s.limit *= 2
		return
	}
	s.file.close()
	s.file, s.limit = merged, maxRecent
	clear(s.recent)
}

// identityFile is a temporary file of sorted identities. The zero value is empty.
type identityFile struct {
	file   *os.File
	size   int64
	blocks []identity      // the first identity of each block
	block  [blockSize]byte // that was read last
}

const blockSize = 256 * int64(len(identity{}))

// has searches the block that may hold the identity.
func (f *identityFile) has(one identity) (bool, error) {
	after, found := slices.BinarySearchFunc(f.blocks, one, compareIdentities)
	if found || after == 0 {
		return found, nil
	}
	n, err := f.file.ReadAt(f.block[:], int64(after-1)*blockSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	for at := range slices.Chunk(f.block[:n], len(one)) {
		if bytes.Equal(at, one[:]) {
			return true, nil
		}
	}
	return false, nil
}

// merge writes a file of these identities and some more, which are sorted.
func (f *identityFile) merge(more []identity) (merged identityFile, err error) {
	if merged.file, err = os.CreateTemp("", "hotupdate-audit-"); err != nil {
		return merged, err
	}
	_ = os.Remove(merged.file.Name()) // most systems allow it: then the file goes with the process, however that ends
	in, out := bufio.NewReader(io.NewSectionReader(f.file, 0, f.size)), bufio.NewWriter(merged.file)
	head, err := in.Peek(len(identity{}))
	for len(more) > 0 || err == nil {
		var next identity
		if err != nil || len(more) > 0 && bytes.Compare(more[0][:], head) < 0 {
			next, more = more[0], more[1:]
		} else {
			next = identity(head)
			_, _ = in.Discard(len(next))
			head, err = in.Peek(len(next))
		}
		if merged.size%blockSize == 0 {
			merged.blocks = append(merged.blocks, next)
		}
		merged.size += int64(len(next))
		_, _ = out.Write(next[:]) // an error comes back from Flush
	}
	if errors.Is(err, io.EOF) {
		err = out.Flush()
	}
	if err != nil {
		merged.close()
	}
	return merged, err
}

func (f *identityFile) close() {
	if f.file != nil {
		_ = f.file.Close() // nobody reads it again
		_ = os.Remove(f.file.Name())
	}
}
