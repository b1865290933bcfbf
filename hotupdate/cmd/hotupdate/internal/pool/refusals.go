package pool

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// refused returns a refusal by a function of Gardener.
func refused(function, text string) Rule { return Rule{Refuses, text, release + ", " + function} }

// refusals refuses what ValidateWorker refuses in the new pool, and did not refuse in the old one
// with the same value. Types of machines and volumes that stay are not looked up again.
func (j *judgement) refusals() []Judged {
	before := j.old.invalid(j.CloudProfile)
	return slices.DeleteFunc(j.updated.invalid(j.CloudProfile), func(found Judged) bool {
		isType := found.Path == "machine.type" || found.Path == "volume.type"
		return isType && found.New == textOf(at(j.old.all, strings.Split(found.Path, ".")...)) ||
			slices.ContainsFunc(before, func(old Judged) bool {
				return old.Path == found.Path && old.Rule == found.Rule && old.New == found.New
			})
	})
}

// invalid lists what Gardener refuses in a pool of a Shoot: ValidateWorker and the functions that
// it calls. A Worker has only admitted values.
func (p *Pool) invalid(profile *CloudProfile) (all []Judged) {
	if !p.Cluster.known {
		return nil
	}
	refuse := func(is bool, path, function, text string) {
		if is {
			value := at(p.all, strings.Split(path, ".")...)
			all = append(all, about(path, nil, value, Forbidden, refused(function, text))...)
		}
	}
	effective := p.effective()
	of := subject{
		minor: minorOf(p.Worker.KubernetesVersion), workers: 1, rolls: !inPlace(p.declared),
		isDefaulted: !p.ownKubelet,
	}
	for _, l := range limits()["limits"] {
		for _, v := range valuesAt(effective, l.steps, found{}) {
			refuse(of.breaks(v, l.condition), v.path, l.function, l.text)
		}
	}
	p.checkTogether(effective, refuse)
	if profile != nil {
		profile.check(p, refuse)
	}
	return append(append(all, p.invalidVersion()...), p.invalidSurge()...)
}

// effective returns the members of the pool, with the kubelet's configuration that counts.
func (p *Pool) effective() any {
	if p.ownKubelet || p.Cluster.kubelet == nil {
		return p.all
	}
	return with(p.all, pathOf(strings.Split(kubeletPath, ".")), p.Cluster.kubelet)
}

// checkTogether checks fields that limit one another.
func (p *Pool) checkTogether(effective any, refuse func(is bool, path, function, text string)) {
	of := func(path ...string) any { return at(effective, path...) }
	minimum, _ := number(of("minimum"))
	maximum, _ := number(of("maximum"))
	refuse(maximum < minimum, "maximum", "ValidateWorker", "the maximum is less than the minimum")
	const preserve = "autoPreserveFailedMachineMax"
	preserved, _ := number(of("machineControllerManager", preserve))
	if isSystem(p.all) && maximum > 0 {
		maximum--
	}
	refuse(preserved > maximum, "machineControllerManager."+preserve,
		"ValidateMachineControllerManagerSettingsOptions", "not so many failed machines can be preserved")
	volume := of("kubeletDataVolumeName")
	isVolume := func(v any) bool { return at(v, "name") == volume }
	refuse(volume != nil && !slices.ContainsFunc(listOf(of(dataVolumesField)), isVolume), "kubeletDataVolumeName",
		"ValidateWorker", "the kubelet's volume is none of the data volumes")
}

// invalidVersion is validateWorkerGroupAndControlPlaneKubernetesVersion.
func (p *Pool) invalidVersion() []Judged {
	const function = "validateWorkerGroupAndControlPlaneKubernetesVersion"
	own, above := text(at(p.all, "kubernetes", "version")), p.Cluster.version
	if own == "" || above == "" {
		return nil
	}
	// to go from the pool's to the control plane's would lower it
	if refusal(inplace.ValidateVersion(own, above, hotupdate.AutoRollingUpdate, nil), "") != NoRule {
		return about(versionPath, nil, own, Forbidden,
			refused(function, "a pool cannot have a higher Kubernetes version than the control plane"))
	}
	if minorNumber(above) > minorNumber(own)+3 {
		return about(versionPath, nil, own, Forbidden,
			refused(function, "a pool can be at most three Kubernetes minors behind the control plane"))
	}
	return nil
}

// minorNumber returns the number of the minor: 34 of 1.34.2.
func minorNumber(version string) int {
	_, minor, _ := strings.Cut(minorOf(version).String(), ".")
	n, _ := strconv.Atoi(minor)
	return n
}

// invalidSurge is ValidateWorker after the defaults: 1 and 0 for a rolling pool, 0 and 1 for one
// that is updated in place.
func (p *Pool) invalidSurge() []Judged {
	surges, unavailable, rolling := isPositive(p.MaxSurge), isPositive(p.MaxUnavailable), !inPlace(p.declared)
	switch {
	case p.declared == hotupdate.ManualInPlaceUpdate:
		if p.MaxSurge != nil || p.MaxUnavailable != nil {
			return ofPool(Forbidden, RuleOf("SurgeOfManualPool"))
		}
	case !surges && !unavailable && (p.MaxSurge != nil || !rolling) && (p.MaxUnavailable != nil || rolling):
		return ofPool(Forbidden, RuleOf("SurgeAndUnavailableZero"))
	}
	return nil
}
