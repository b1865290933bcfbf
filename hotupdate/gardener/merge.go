package gardener

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/gardenerplugin"
)

// metadata is what tells who wrote a manifest.
type metadata struct {
	metav1.PartialObjectMetadata
}

func metadataOf(manifest json.RawMessage) (m metadata, err error) {
	if err := json.Unmarshal(manifest, &m); err != nil {
		return m, fmt.Errorf("metadata: %w", err)
	}
	return m, nil
}

// isLive reports whether the manifest was read from a cluster.
func (m metadata) isLive() bool { return m.UID != "" || m.ResourceVersion != "" }

// lastApplied returns what kubectl apply sent last, by the old manifest: the manifest itself if a user
// wrote it, and else its annotation, if it has one.
func (b *before) lastApplied() json.RawMessage {
	if !b.meta.isLive() {
		return b.manifest
	}
	return json.RawMessage(b.meta.Annotations[corev1.LastAppliedConfigAnnotation])
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

// merge returns the object that the API server gets for a new manifest.
func (b *before) merge(manifest, live json.RawMessage) (json.RawMessage, gardenerplugin.Merge, error) {
	after, err := metadataOf(manifest)
	if err != nil {
		return nil, "", err
	}
	if b.meta.isLive() && after.isLive() {
		return manifest, gardenerplugin.Replace, nil
	}
	applied, err := apply(b.lastApplied(), manifest, live)
	return applied, gardenerplugin.Apply, err
}
