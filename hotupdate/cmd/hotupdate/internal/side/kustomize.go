package side

import (
	"errors"
	"path/filepath"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// isKustomized reports whether an object is a kustomization, which may lack a kind.
func isKustomized(file string, kind facts.TypeMeta) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yaml"), ".yml")
	isGroup := facts.GroupOf(kind.APIVersion) == "kustomize.config.k8s.io"
	isKind := kind.Kind == "Kustomization" || kind.Kind == "Component"
	if kind.Kind == "" && name == "kustomization" {
		return true
	}
	return isGroup && isKind
}

// covered returns the files and folders that a kustomization may change: its own folder, and its
// references outside of the folder.
func covered(o *manifests.Object) []string {
	folder := filepath.Dir(o.File)
	all := []string{folder}
	add := func(reference string) {
		if reference != "" && !strings.ContainsAny(reference, "\n:") { // a patch in place, or a URL
			all = append(all, filepath.Join(folder, filepath.FromSlash(reference)))
		}
	}
	for _, list := range []string{"resources", "bases", "components", "patchesStrategicMerge"} {
		for _, reference := range o.Tree.At(list).Elements() {
			add(reference.Text())
		}
	}
	for _, list := range []string{"patches", "patchesJson6902", "replacements"} {
		for _, patch := range o.Tree.At(list).Elements() {
			add(patch.At("path").Text())
		}
	}
	return all
}

var errKustomization = errors.New("is a kustomization; render it first, with kustomize build")

// coverKustomized marks the objects that kustomizations change, see [objects.cover]. A
// kustomization that is the only file of a side covers files outside of the side.
func (all *objects) coverKustomized() {
	var roots []string
	for _, o := range all.list {
		if o.role == isRecipe {
			roots = append(roots, o.covers...)
			o.problem = manifests.InFile(o.From, errKustomization)
		}
	}
	all.cover(roots, errKustomization)
}

// cover marks the objects in files and folders as not read, because the resulting objects are in no
// file. The recipe reports them.
func (all *objects) cover(roots []string, why error) {
	for _, o := range all.list {
		if o.role == isManifest && isBelow(o.Place.File, roots) {
			o.role = isUnread
			o.isCovered = true
			o.problem = why
			o.isTold = true
		}
	}
}

func isBelow(file string, roots []string) bool {
	for _, root := range roots {
		if root == "." || file == root || strings.HasPrefix(file, root+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
