package side

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// Landscape has the objects that Gardener reads in addition to the manifests of Shoots.
type Landscape struct {
	CloudProfiles facts.CloudProfiles
	// Objects are all objects, the CloudProfiles among them, in JSON.
	Objects []json.RawMessage
}

// ReadLandscape reads a file with CloudProfiles, at least one, and other objects.
func ReadLandscape(file string, stdin io.Reader) (*Landscape, error) {
	return readLandscape(Name(file), manifests.Objects([]string{file}, stdin))
}

// ReadLandscapeFrom is [ReadLandscape] for the text of a file.
func ReadLandscapeFrom(file string, text io.Reader) (*Landscape, error) {
	return readLandscape(file, manifests.ObjectsFrom(file, text))
}

func readLandscape(file string, objects iter.Seq[*manifests.Object]) (*Landscape, error) {
	found := &Landscape{}
	var problems []error
	for o := range objects {
		if o.Err != nil {
			problems = append(problems, manifests.InFile(o.String(), o.Err))
			continue
		}
		if facts.IsCloudProfile(facts.TypeMetaOf(o.Tree)) {
			profile, err := facts.ReadCloudProfile(o.Tree, time.Now())
			problems = append(problems, located(o, err))
			found.CloudProfiles = append(found.CloudProfiles, profile)
		}
		found.Objects = append(found.Objects, o.Tree.JSON())
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if len(found.CloudProfiles) == 0 {
		return nil, fmt.Errorf("%s: has no CloudProfile; get it with kubectl get cloudprofile NAME -o yaml", file)
	}
	return found, nil
}

// isOfLandscape reports whether the admission of Shoots reads objects of a kind.
func isOfLandscape(kind facts.TypeMeta) bool {
	return facts.IsCloudProfile(kind) || slices.Contains(landscapeKinds, kind)
}

var landscapeKinds = []facts.TypeMeta{
	{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Seed"},
	{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Project"},
	{APIVersion: "core.gardener.cloud/v1beta1", Kind: "SecretBinding"},
	{APIVersion: "security.gardener.cloud/v1alpha1", Kind: "CredentialsBinding"},
	{APIVersion: "v1", Kind: "Secret"},
	{APIVersion: "v1", Kind: "ConfigMap"},
}
