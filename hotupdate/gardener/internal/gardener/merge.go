package gardener

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
)

// head has the members that identify the writer of a manifest, and what Gardener draws for it.
type head struct {
	metav1.PartialObjectMetadata
	Spec struct {
		Maintenance struct {
			TimeWindow *json.RawMessage `json:"timeWindow"`
		} `json:"maintenance"`
	} `json:"spec"`
}

func headOf(manifest json.RawMessage) (h head, err error) {
	if err := json.Unmarshal(manifest, &h); err != nil {
		return h, err
	}
	return h, nil
}

// hasWindow reports whether the manifest has a maintenance window.
func (h head) hasWindow() bool { return h.Spec.Maintenance.TimeWindow != nil }

// isLive reports whether the manifest was read from a cluster.
func (h head) isLive() bool { return h.UID != "" || h.ResourceVersion != "" }

// lastApplied returns what kubectl apply sent last. Two Shoots read from a cluster are compared as they
// are: it is all of the old one. A Shoot that was only read has it in an annotation, if at all.
func (b *before) lastApplied(updated head) json.RawMessage {
	if b.head.isLive() && !updated.isLive() {
		return json.RawMessage(b.head.Annotations[corev1.LastAppliedConfigAnnotation])
	}
	return b.manifest
}

// apply returns what a manifest makes of a live object, as kubectl does for types that it does not
// know, such as Gardener's: by a JSON merge patch of three sides.
func apply(lastApplied, manifest, live json.RawMessage) (json.RawMessage, error) {
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(lastApplied, manifest, live)
	if err != nil {
		return nil, fmt.Errorf("kubectl apply: %w", err)
	}
	applied, err := jsonpatch.MergePatch(live, patch)
	if err != nil {
		return nil, fmt.Errorf("kubectl apply: %w", err)
	}
	return applied, nil
}
