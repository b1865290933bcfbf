package mirror

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// file is the file that is kept, which has one writer.
type file struct {
	name    string
	written [sha256.Size]byte // the digest of what stands in the file
}

// openFile returns a file, which need not be there.
func openFile(name string) *file {
	f := &file{name: name}
	opened, err := os.Open(name)
	if err != nil {
		return f
	}
	defer func() { _ = opened.Close() }() // it was read only
	digest := sha256.New()
	if _, err := io.Copy(digest, opened); err == nil {
		f.written = [sha256.Size]byte(digest.Sum(nil))
	}
	return f
}

// replace makes the objects the content of the file, and reports whether the content is another one than before.
// The document is never in memory as a whole.
func (f *file) replace(objects []*unstructured.Unstructured) (isChanged bool, err error) {
	next := f.name + ".new"
	written, err := writeFile(next, objects)
	if err != nil {
		return false, errors.Join(err, ignoreMissing(os.Remove(next)))
	}
	if written == f.written {
		return false, os.Remove(next)
	}
	if err := os.Rename(next, f.name); err != nil {
		return false, errors.Join(err, ignoreMissing(os.Remove(next)))
	}
	f.written = written
	return true, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// writeFile writes a file with the objects, and returns the digest of the text.
func writeFile(name string, objects []*unstructured.Unstructured) (written [sha256.Size]byte, err error) {
	opened, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return written, err
	}
	digest := sha256.New()
	buffer := bufio.NewWriter(io.MultiWriter(opened, digest))
	err = errors.Join(writeDocument(buffer, objects), buffer.Flush(), opened.Close())
	return [sha256.Size]byte(digest.Sum(nil)), err
}
