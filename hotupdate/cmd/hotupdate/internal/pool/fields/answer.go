package fields

import (
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Answer says in words what a change of a field does to pools that roll and to pools that are
// updated in place: the verdict of plan or, if the field alone does not decide, the facts that
// decide.
type Answer struct {
	// Path has the names of the field.
	Path             []string
	Rolling, InPlace string
	Source           string
}

// Answer returns the answer for a field of the table. The path may be one that explain shows.
func (t Table) Answer(shown string) (Answer, bool) {
	var names []string
	for _, step := range fieldpath.ParseShown(shown) {
		names = append(names, step.Name)
	}
	row, isKnown := t.Row(InShoot(strings.Join(names, ".")))
	if !isKnown && isOfDataVolume(names) {
		row, isKnown = t.Row(DataVolumes)
	}
	if !isKnown {
		return Answer{}, false
	}
	source := row.Source
	if row.Rolling == Pools {
		if ofPools, isOfPools := Pool().Row(strings.TrimPrefix(row.Path, "spec.")); isOfPools {
			row = ofPools
		}
	}
	rolling := row.Rolling.word()
	inPlace := row.InPlace.word()
	text, depends := dependsOn()[row.Path]
	if depends {
		rolling = text.rolling
		inPlace = text.inPlace
	}
	if depends && rolling == inPlace {
		inPlace = "the same"
	}
	return Answer{names, rolling, inPlace, source}, true
}

// IsLabel reports whether the field is a label of an object.
func (a Answer) IsLabel() bool {
	return strings.HasPrefix(strings.Join(a.Path, "."), "metadata.labels.")
}

// IsIgnored reports whether the field is the annotation by which gardenlet ignores a Shoot.
func (a Answer) IsIgnored() bool { return strings.Join(a.Path, ".") == ignored }

// isOfDataVolume reports whether a path leads to a member of a data volume.
func isOfDataVolume(names []string) bool {
	const member = 2 // behind dataVolumes and the element
	isElement := len(names) >= member && names[0] == DataVolumes
	if !isElement || len(names) == member {
		return isElement
	}
	return len(names) == member+1 && slices.Contains([]string{"name", "size", "type", "encrypted"}, names[member])
}

// word returns the verdict of an effect, in the words of plan; empty if it depends.
func (e Effect) word() string {
	switch e {
	case None:
		return "none"
	case Roll:
		return "roll"
	case Drain:
		return "in-place-update"
	case Fixed, Kept:
		return "forbidden"
	case Unknown:
		return "indeterminate"
	case Removal:
		return "removed"
	case Meta:
		return "not compared: identity and state"
	case Scale, Pools, Judged:
	}
	return ""
}

// texts are the answers for a field whose verdict depends on more than the field.
type texts struct{ rolling, inPlace string }

// ignored is the annotation by which gardenlet ignores a Shoot.
const ignored = annotations + "shoot.gardener.cloud/ignore"

// dependsOn has the answers for the fields whose verdict depends on their values, or on other fields.
var dependsOn = sync.OnceValue(func() map[string]texts {
	alike := func(text string) texts { return texts{text, text} }
	operations := texts{
		"forbidden while an update in place is pending; roll if it starts a rotation of credentials or rolls out " +
			"workers; indeterminate if it starts the maintenance, or what runs is not known; else none",
		"in-place-update if it starts a rotation of credentials; forbidden if it rolls out workers, or while an " +
			"update is pending; indeterminate if it starts the maintenance, or what runs is not known; else none",
	}
	infrastructure := alike("forbidden if admission does not let the field change; indeterminate if the extension is " +
		"not known, or hashes what follows from the field; else none")
	status := alike("roll if the extension hashes the field; indeterminate if the extension is not known; else none")
	proxy := texts{
		"roll if it decides whether node-local DNS counts, from Kubernetes 1.34 on; indeterminate if node-local DNS " +
			"is not stated; else none",
		"forbidden if it decides whether node-local DNS counts; indeterminate if node-local DNS is not stated; " +
			"else none",
	}
	state := texts{
		"roll if a rotation of credentials has begun since; else none",
		"in-place-update if a rotation of credentials has begun since; else none",
	}
	labels := alike("indeterminate if the selector of useGKEFormula may read the label of a Shoot; else none")
	return map[string]texts{
		ignored: alike("indeterminate if it is removed or false: an earlier " +
			"change may wait; else none"),
		"spec.maintenance.confineSpecUpdateRollout": alike("indeterminate if it becomes false: an earlier change may " +
			"wait; else none"),
		"status":            state,
		"status.*":          state,
		"metadata.labels.*": labels,
		Minimum:             alike("forbidden if it is above the maximum; machines-added if it grows; else none"),
		Maximum: alike("forbidden if it is below the minimum; machines-added if it grows; machines-deleted if it " +
			"falls below the old minimum; all-machines-may-be-deleted if it becomes 0; else machines-may-be-deleted"),
		Zones: alike("machines-may-be-deleted if zones are appended; indeterminate if the extension is not known; " +
			"else forbidden"),
		Strategy: alike("forbidden between AutoRollingUpdate and a strategy in place; else none"),
		Hibernated: alike("machines-deleted if it becomes true, or all-machines-may-be-deleted if no pool has a " +
			"minimum; machines-added if it becomes false; else none"),
		Schedules: alike("all-machines-may-be-deleted if a schedule has a new start; machines-added if it has a new " +
			"end; else none"),
		Kubelet: {
			"roll if a member changes that rolls; else none",
			"in-place-update if a member changes that drains; else none",
		},
		"spec.kubernetes.kubeProxy.enabled":                  proxy,
		"spec.kubernetes.kubeProxy.mode":                     proxy,
		annotations + "gardener.cloud/operation":             operations,
		annotations + "maintenance.gardener.cloud/operation": operations,
		"spec.provider.infrastructureConfig":                 infrastructure,
		"spec.provider.infrastructureConfig.*":               infrastructure,
		"spec.infrastructureProviderStatus":                  status,
		"spec.infrastructureProviderStatus.*":                status,
		"name":                                               alike("removed: pools are paired by their names"),
		"metadata.name":                                      alike("removed: objects are paired by their names"),
		"metadata.namespace":                                 alike("removed: objects are paired by their namespaces"),
	}
})
