package facts

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// CheckVersion returns the problem of the apiVersion of an object; nil if it has none. VersionsOf
// returns the known apiVersions of a kind; none for kinds that are not read.
//
//   - No object may have more than a group and a version, or an empty one of them.
//   - An object of a kind that is read must have both, in the form of Kubernetes' names. Without
//     this check, it would be skipped as an object of a foreign kind.
func CheckVersion(object *tree.Node, versionsOf func(kind string) []string) error {
	at := object.At("apiVersion")
	group, version, hasGroup := strings.Cut(at.Text(), "/")
	versions := versionsOf(object.At("kind").Text())
	hasEmpty := group == "" || version == ""
	isCut := hasGroup && (hasEmpty || strings.Contains(version, "/"))
	switch {
	case len(versions) == 0 && isCut:
		return malformedVersion("is malformed", "write GROUP/VERSION, or only a VERSION")
	case len(versions) == 0:
		return nil
	case at.Kind() == tree.Null:
		return malformedVersion("is missing", writeOne(versions))
	case at.Kind() != tree.Text:
		return malformedVersion("must be a text", writeOne(versions))
	case !hasGroup || isCut || !areNames(group, version):
		return malformedVersion("is malformed", writeOne(versions))
	}
	return nil
}

// areNames reports whether a group and a version have the form of Kubernetes' names.
func areNames(group, version string) bool {
	return len(validation.IsDNS1123Subdomain(group)) == 0 && len(validation.IsDNS1123Label(version)) == 0
}

func malformedVersion(what, hint string) error {
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.MalformedVersion, Path: "apiVersion", What: what, Hint: hint,
	}
}

// writeOne is the hint to write one of some texts.
func writeOne(texts []string) string {
	if len(texts) == 1 {
		return "write " + texts[0]
	}
	return "write one of " + strings.Join(texts, ", ")
}

// Kinds are the kinds of Gardener's manifests; some occur several times.
func Kinds() (names []string) {
	for meta := range kindsByType {
		names = append(names, meta.Kind)
	}
	return names
}

// VersionsOf returns the apiVersions of a kind of manifests.
func VersionsOf(kind string) (versions []string) {
	for meta := range kindsByType {
		if meta.Kind == kind {
			versions = append(versions, meta.APIVersion)
		}
	}
	return versions
}
