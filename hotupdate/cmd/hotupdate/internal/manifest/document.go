package manifest

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// Document is a piece of a stream: an object, an item of a List, or unreadable text.
type Document struct {
	Place

	text []byte // begins in the line of the place
	err  error
}

// Digest identifies the text of a document.
type Digest [sha256.Size]byte

// Digest returns the digest of the text.
func (d *Document) Digest() Digest { return sha256.Sum256(d.text) }

// Text returns the text; nothing if it could not be read. It must not be changed.
func (d *Document) Text() []byte { return d.text }

// At returns a document of the same text at another place.
func (d *Document) At(place Place) *Document { return &Document{place, d.text, d.err} }

// Object is one object of a stream, or an error.
type Object struct {
	Place

	// Tree is the object. Its lines count from the line of the place.
	Tree *tree.Node
	// Err says why the object cannot be read. Tree is nil then.
	Err error
}

// IsEmptyList reports whether the document is a List without items: the program that wrote it found
// nothing, and did not fail.
func (d *Document) IsEmptyList() bool {
	return bytes.Contains(d.text, []byte("items")) && d.Object() == nil
}

var errNotSplit = errors.New("is a List in flow style or within a List; write its items in block style or as JSON")

// Object returns the object of the document. It is nil if the document holds none: null, or a List
// without items.
func (d *Document) Object() *Object {
	o := &Object{Place: d.Place, Err: d.err}
	if d.err != nil {
		return o
	}
	if o.Tree, o.Err = tree.ParseJSON(d.text); o.Err != nil {
		o.Tree, o.Err = tree.ParseYAML(d.text, d.Line)
	}
	items := o.Tree.At("items")
	isList := items.Kind() == tree.List && isList(o.Tree.At("kind").Text())
	switch {
	case isList && items.Len() > 0:
		return &Object{Place: d.Place, Err: errNotSplit}
	case isList, o.Err == nil && d.Item < 0 && o.Tree.Kind() == tree.Null:
		return nil
	}
	return o
}
