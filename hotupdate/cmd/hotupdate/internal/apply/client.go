package apply

import (
	"encoding/json"
	"errors"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// byClient applies like kubectl apply.
func byClient(cluster, manifest *tree.Node) Applied {
	way := Way{By: Client}
	last := []byte(cluster.At("metadata", "annotations", lastApplied).Text())
	if len(last) > 0 && !json.Valid(last) {
		return Applied{Way: way, Problem: errors.New("client: the annotation last-applied-configuration is not JSON")}
	}
	result, err := threeWay(last, desired(manifest).JSON(), desired(cluster).JSON())
	return merged(way, result, err, cluster, manifest)
}

// threeWay merges by the schemas of OpenAPI, so that pools are merged by name. In a provider config
// there are no schemas: if an object or list in it differs, kubectl takes a JSON merge patch, which
// replaces all lists as a whole.
func threeWay(last, manifest, cluster []byte) ([]byte, error) {
	if patch, err := strategic(last, manifest, cluster); err == nil {
		return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(cluster, patch, patchSchema())
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(last, manifest, cluster)
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(cluster, patch)
}

// strategic returns the patch that merges lists by their keys. It fails where kubectl takes a JSON merge patch.
func strategic(last, manifest, cluster []byte) ([]byte, error) {
	return strategicpatch.CreateThreeWayMergePatch(last, manifest, cluster, patchSchema(), true)
}

// ReplacesLists reports whether kubectl apply replaces all lists of a Shoot as a whole when a
// manifest follows the one that was applied last: an object or list in a provider config differs.
// Fields that Gardener has filled into pools are lost.
func ReplacesLists(last, manifest *tree.Node) bool {
	before := desired(last).JSON()
	_, err := strategic(before, desired(manifest).JSON(), before)
	return err != nil
}
