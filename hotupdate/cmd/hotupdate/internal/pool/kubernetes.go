package pool

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hash"
)

// kubernetesTable has the feature gates, admission plugins and APIs of each minor of Kubernetes.
//
//go:embed kubernetes.txt
var kubernetesTable string

// known says of a feature gate, an admission plugin or an API which minors have it: since=MINOR and
// until=MINOR. Its other attributes are explained in the file.
type known map[string]string

// kubernetes is what Gardener v1.150 knows, by section and name. The newest minor is the last one of
// which it knows anything.
type kubernetes struct {
	sections map[string]map[string]known
	newest   hash.Minor
}

var kubernetesFacts = sync.OnceValue(func() kubernetes {
	all := kubernetes{sections: map[string]map[string]known{}}
	for section, rows := range sectionsOf(kubernetesTable) {
		all.sections[section] = map[string]known{}
		for _, row := range rows {
			one := known{}
			for attribute := range strings.FieldsSeq(strings.Join(row[1:], " ")) {
				name, value, _ := strings.Cut(attribute, "=")
				one[name] = value
				if minor := minorOf(value); minor.Compare(all.newest) > 0 {
					all.newest = minor
				}
			}
			all.sections[section][row[0]] = one
		}
	}
	return all
})

// lacks reports whether the Kubernetes version does not have a name. Names that Gardener v1.150 does
// not know may be those of a version that is newer than it.
func (s subject) lacks(section, name string) (about known, is bool) {
	facts := kubernetesFacts()
	about, isKnown := facts.sections[section][name]
	switch {
	case s.minor == hash.Minor{}:
		return about, false
	case !isKnown:
		return nil, s.minor.Compare(facts.newest) <= 0
	}
	return about, about.begins("since", s.minor) > 0 || about["until"] != "" && about.begins("until", s.minor) <= 0
}

// begins compares the minor of an attribute with another one.
func (k known) begins(attribute string, minor hash.Minor) int {
	return minorOf(k[attribute]).Compare(minor)
}

func (k known) is(attribute string) bool {
	_, is := k[attribute]
	return is
}

// featureGates is ValidateFeatureGates.
func (s subject) featureGates(value any) bool {
	for name, is := range membersOf(value) {
		about, lacks := s.lacks("feature gates", name)
		isLocked := about.is("locked") && about.begins("locked-in", s.minor) <= 0
		if lacks || isLocked && textOf(is) != about["locked"] {
			return true
		}
	}
	return false
}

// admissionPlugin is ValidateAdmissionPlugins for one plugin.
func (s subject) admissionPlugin(plugin any) bool {
	about, lacks := s.lacks("admission plugins", text(at(plugin, "name")))
	isKnown := about != nil
	return lacks || about.is("forbidden") || isTrue(at(plugin, "disabled")) && about.is("required") ||
		isKnown && at(plugin, "config") != nil && !about.is("config") ||
		isKnown && at(plugin, "kubeconfigSecretName") != nil && !about.is("kubeconfig")
}

// apis is ValidateAPIGroupVersions. A group version cannot be switched off if one of its resources
// cannot.
func (s subject) apis(value any) bool {
	required := "required"
	if s.workers == 0 {
		required = "workerless"
	}
	for name, is := range membersOf(value) {
		if _, lacks := s.lacks("APIs", name); lacks {
			return true
		}
		for other, about := range kubernetesFacts().sections["APIs"] {
			isPart := strings.HasPrefix(name+"/", other+"/") || strings.HasPrefix(other+"/", name+"/")
			if is == false && isPart && about.is(required) {
				return true
			}
		}
	}
	return false
}
