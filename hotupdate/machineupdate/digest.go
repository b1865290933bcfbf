package machineupdate

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Digest identifies a leaf of a hot part: a path with its value, such as an infrastructure tag of one kind. It is the first half of a SHA-256.
type Digest [16]byte

const digestLength = 22 // of its text: base64 without padding

func (d Digest) text() string { return base64.RawURLEncoding.EncodeToString(d[:]) }

func (d Digest) compare(other Digest) int { return bytes.Compare(d[:], other[:]) }

func parseDigest(text string) (d Digest, ok bool) {
	if len(text) != digestLength {
		return d, false
	}
	n, err := base64.RawURLEncoding.Strict().Decode(d[:], []byte(text))
	return d, err == nil && n == len(d)
}

// digestOf returns the digest of the leaf at an RFC 6901 pointer with its canonical JSON.
func digestOf(pointer, value string) Digest {
	sum := sha256.Sum256([]byte(pointer + "\x00" + value))
	return Digest(sum[:len(Digest{})])
}

// DigestOf returns the digest of a text at the path, such as that of the value of an infrastructure tag at "tags", "vm", "owner".
func DigestOf(value string, path ...string) Digest {
	text, problem := canonjson.AppendString(nil, value)
	if problem != nil { // the text is not UTF-8, and so in no hot part
		return Digest{}
	}
	var pointer strings.Builder
	for _, name := range path {
		pointer.WriteString(token(name))
	}
	return digestOf(pointer.String(), string(text))
}

// token returns the part of an RFC 6901 pointer that names a member.
func token(name string) string { return fieldpath.Path{{Kind: fieldpath.Member, Name: name}}.Pointer() }

// tree is a hot part, or several merged ones. Lists are leaves.
type tree struct {
	leaf    string // canonical JSON; empty for an object
	members map[string]*tree
}

// treeOf reads canonical JSON.
func treeOf(raw json.RawMessage) *tree {
	var object map[string]json.RawMessage
	if len(raw) == 0 || raw[0] != '{' || string(raw) == string(Nothing) || json.Unmarshal(raw, &object) != nil {
		return &tree{leaf: string(raw)}
	}
	t := &tree{members: make(map[string]*tree, len(object))}
	for name, value := range object {
		t.members[name] = treeOf(value)
	}
	return t
}

// leaves yields every leaf with its pointer, sorted by name, until yield returns false.
func (t *tree) leaves(pointer string, yield func(pointer, value string) bool) bool {
	if t.members == nil {
		return yield(pointer, t.leaf)
	}
	for _, name := range slices.Sorted(maps.Keys(t.members)) {
		if !t.members[name].leaves(pointer+token(name), yield) {
			return false
		}
	}
	return true
}

// count returns the number of leaves.
func (t *tree) count() int {
	n := 0
	t.leaves("", func(string, string) bool { n++; return true })
	return n
}

// add moves the leaves of from to t. It returns those for which t has another value; nil if there are none.
func (t *tree) add(from *tree) (rest *tree) {
	if t.members == nil || from.members == nil {
		if t.members == nil && from.members == nil && t.leaf == from.leaf {
			return nil
		}
		return from
	}
	for name, value := range from.members {
		present, ok := t.members[name]
		if !ok {
			t.members[name] = value
			continue
		}
		if below := present.add(value); below != nil {
			if rest == nil {
				rest = &tree{members: map[string]*tree{}}
			}
			rest.members[name] = below
		}
	}
	return rest
}

// appendTo appends the tree as canonical JSON.
func (t *tree) appendTo(dst []byte) []byte {
	if t.members == nil {
		return append(dst, t.leaf...)
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(t.members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = canonjson.AppendString(dst, name) // it was read from JSON
		dst = append(dst, ':')
		dst = t.members[name].appendTo(dst)
	}
	return append(dst, '}')
}
