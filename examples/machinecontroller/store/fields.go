package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var errStale = errors.New("the object has been modified; read it again")

// fields are the members of an object. Numbers are kept as they are written.
type fields map[string]any

func toFields(object any) (fields, error) {
	encoded, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return parse(encoded)
}

func parse(encoded []byte) (fields, error) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var all fields
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return all, nil
}

func (f fields) encode() (document, error) {
	encoded, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return encoded, nil
}

// mergePatch is RFC 7386: members of the patch replace those of the target, objects member by member; null removes.
func mergePatch(target, patch map[string]any) fields {
	merged := maps.Clone(target)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, change := range patch {
		switch c := change.(type) {
		case nil:
			delete(merged, name)
		case map[string]any:
			inner, _ := merged[name].(map[string]any)
			merged[name] = map[string]any(mergePatch(inner, c))
		default:
			merged[name] = c
		}
	}
	return merged
}

func metadataOf(d document) (metav1.ObjectMeta, error) {
	var object metav1.PartialObjectMetadata
	if d == nil {
		return object.ObjectMeta, nil
	}
	if err := json.Unmarshal(d, &object); err != nil {
		return object.ObjectMeta, fmt.Errorf("store: %w", err)
	}
	return object.ObjectMeta, nil
}

// restamp sets members of the metadata.
func restamp(d document, stamps map[string]any) (document, error) {
	all, err := parse(d)
	if err != nil {
		return nil, err
	}
	return mergePatch(all, fields{"metadata": stamps}).encode()
}

// differs reports whether a write needs a new generation: anything but metadata and status has changed, or the object is now marked as
// deleted.
func differs(old, changed document) bool {
	if old == nil {
		return true
	}
	before, errBefore := parse(old)
	after, errAfter := parse(changed)
	if errBefore != nil || errAfter != nil {
		return true
	}
	if deletedAt(before) != deletedAt(after) {
		return true
	}
	for _, all := range []fields{before, after} {
		delete(all, "metadata")
		delete(all, "status")
	}
	a, errA := before.encode()
	b, errB := after.encode()
	return errA != nil || errB != nil || !bytes.Equal(a, b)
}

// deletedAt returns the time at which an object was marked as deleted, or nil.
func deletedAt(all fields) any {
	metadata, _ := all["metadata"].(map[string]any)
	return metadata["deletionTimestamp"]
}
