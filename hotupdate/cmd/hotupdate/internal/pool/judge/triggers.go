package judge

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/imageversion"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// compareTriggers compares the hashed fields that are known on both sides. The node-agent secret name
// is a change only if no other change of a hashed field explains it.
func (p *pair) compareTriggers() (hotupdate.Changes, error) {
	changed, err := facts.ChangedFields(p.old, p.updated, func(path string) bool {
		return slices.ContainsFunc(p.unknown, func(u facts.Unknown) bool { return facts.Covers(u, path) })
	})
	isExplained := len(changed.Named) > 0
	return slices.DeleteFunc(changed.All(), func(change hotupdate.Change) bool {
		return change.Path == fields.SecretName && (isExplained || !p.secretNamesCount())
	}), err
}

func isOfDataVolumes(path string) bool { return strings.HasPrefix(path, fields.DataVolumes) }

// judgeTriggers judges the changes of hashed fields by their rows, and by the exceptions of decide.
func (p *pair) judgeTriggers() (findings []Finding) {
	for _, change := range p.triggers {
		found := Finding{Change: change, Verdict: p.ofClass(change), hasClass: true, isNamed: true}
		if v, rule, isDecided := p.decide(change); isDecided {
			found.Verdict = v
			found.Rule = rule
		}
		findings = append(findings, found)
	}
	return findings
}

// decide returns the verdict on a hashed field whose row does not decide alone.
func (p *pair) decide(change hotupdate.Change) (verdict.Verdict, verdict.Rule, bool) {
	path := change.Path
	// a pool that is updated in place cannot change it while it has machines
	isOfMachine := change.Class == hotupdate.Immutable && path != fields.NodeLocalDNS
	secret := p.old.NodeAgentSecretName
	newSecret := p.updated.NodeAgentSecretName
	keepsSecret := secret != nil && newSecret != nil && *secret == *newSecret
	switch {
	case path == fields.Strategy:
		return verdict.Forbidden, verdict.StrategySwitched, true
	case p.imageIsOpen() && (path == fields.ImageName || path == fields.ImageVersion):
		return verdict.Indeterminate, p.openImage(), true
	case path == fields.NodeLocalDNS && p.strategy.InPlace():
		return verdict.None, verdict.NotHashed, true // see nodeLocalDNS
	case keepsSecret && !p.strategy.InPlace() && strings.HasPrefix(path, fields.Kubelet):
		return verdict.None, verdict.NameStays, true
	case path == fields.Encrypted || isOfDataVolumes(path):
		return p.ofExtension(path)
	case p.isRefined() && isOfMachine:
		return verdict.None, verdict.NameStays, true
	}
	return verdict.None, verdict.NoRule, false
}

// ofExtension judges the fields of volumes that only extensions hash: all except the size and type
// of the root volume.
func (p *pair) ofExtension(path string) (verdict.Verdict, verdict.Rule, bool) {
	isData := isOfDataVolumes(path)
	switch {
	case p.own == nil: // a given naming is about configs
		return verdict.Indeterminate, verdict.EraUnknown, true
	case p.strategy.InPlace() && p.Extension == Released && p.provider.LacksInPlace:
		return verdict.Indeterminate, verdict.InPlaceNotInRelease, true
	case p.strategy.InPlace() && isData:
		return verdict.Forbidden, verdict.DataVolumesInPlace, true
	case p.strategy.InPlace():
		return verdict.None, verdict.NameStays, p.isRefined()
	}
	v := p.names.byVolumes()[path]
	if v == verdict.None {
		return v, verdict.NameStays, true
	}
	return v, verdict.EraUnknown, v == verdict.Indeterminate // otherwise the row decides
}

// isRefined reports whether the pool changes between the two in-place strategies. Gardener then
// ignores changes of the machine's fields, which only new machines get.
func (p *pair) isRefined() bool {
	return p.old.Declared.InPlace() && p.updated.Declared.InPlace() && p.old.Declared != p.updated.Declared
}

// patchVersion reports a change of only the patch of the Kubernetes version. Names depend on its
// minor.
func (p *pair) patchVersion() []Finding {
	before := p.old.Worker.KubernetesVersion
	after := p.updated.Worker.KubernetesVersion
	areKnown := before != "" && after != ""
	if !areKnown || before == after {
		return nil
	}
	if facts.MinorOf(before) != facts.MinorOf(after) {
		return nil
	}
	d := tree.Difference{Path: fields.Split(fields.Version), Old: tree.TextOf(before), New: tree.TextOf(after)}
	return []Finding{about(d, verdict.None, verdict.PatchVersion)}
}

// reservations judges the values that Gardener fills into kubelet configurations, if they change
// names and no field of a manifest does: a configuration of the pool replaces the whole
// configuration of the Shoot, and reservations of the Shoot replace the reservations of each pool.
func (p *pair) reservations() []Finding {
	isTold := slices.ContainsFunc(p.triggers, func(change hotupdate.Change) bool {
		return strings.HasPrefix(change.Path, fields.Kubelet)
	})
	if isTold || facts.SameKubelet(p.old, p.updated) {
		return nil
	}
	v := verdict.OfClass(hotupdate.InPlace, p.strategy)
	sameOwn := tree.Equal(p.old.Node.At("kubernetes", "kubelet"), p.updated.Node.At("kubernetes", "kubelet"))
	if sameOwn && tree.Equal(p.old.Cluster.Kubelet, p.updated.Cluster.Kubelet) {
		return p.labels(v)
	}
	d := tree.Difference{
		Path: fields.Split(fields.KubeReserved), Old: p.old.Cluster.Kubelet.At("kubeReserved"),
		New: p.updated.Cluster.Kubelet.At("kubeReserved"),
	}
	found := about(d, v, verdict.ReservationsFilledIn)
	if p.old.HasOwnKubelet != p.updated.HasOwnKubelet {
		found = about(difference(p.old, p.updated, fields.Kubelet), v, verdict.PoolKubelet)
	}
	found.isNamed = true
	return []Finding{found}
}

// labels judges the labels of the Shoot if they alone decide what Gardener reserves.
func (p *pair) labels(v verdict.Verdict) (findings []Finding) {
	for _, d := range tree.Differences(p.old.Cluster.Labels, p.updated.Cluster.Labels) {
		d.Path = append([]string{"metadata", "labels"}, d.Path...)
		found := about(d, v, verdict.FormulaByLabel)
		found.isNamed = true
		findings = append(findings, found)
	}
	return findings
}

// nodeLocalDNS judges pools that are updated in place by the version and the proxy mode before the
// change: validateNodeLocalDNSUpdate. The name of a rolling pool depends on the version and mode
// after the change.
func (p *pair) nodeLocalDNS() []Finding {
	w := p.old.Worker
	after := p.updated.Worker.NodeLocalDNS
	if !p.strategy.InPlace() || !p.updated.OfShoot() || w.NodeLocalDNS == after {
		return nil
	}
	isBelow134 := facts.MinorOf(w.KubernetesVersion).Compare(facts.MinorOf("1.34")) < 0
	// the proxy mode decides only about rolling pools
	v := verdict.None
	rule := verdict.NotHashed
	switch {
	case w.KubeProxyMode == "IPVS", w.KubernetesVersion != "" && isBelow134:
		v = verdict.Forbidden
		rule = verdict.NodeLocalDNSInPlace
	case w.KubernetesVersion == "":
		v = verdict.Indeterminate
		rule = verdict.NodeLocalDNSByVersion
	}
	d := tree.Difference{
		Path: fields.Split(fields.NodeLocalDNS), Old: tree.BoolOf(w.NodeLocalDNS), New: tree.BoolOf(after),
	}
	return []Finding{about(d, v, rule)}
}

// image judges the machine image of a pool that is updated in place: the CloudProfile says which
// versions it can be updated to (validateMachineImagesConstraints). New machines of a rolling pool take
// any version.
func (p *pair) image() (findings []Finding) {
	before := facts.ImageOf(p.old.Worker)
	after := facts.ImageOf(p.updated.Worker)
	if !p.strategy.InPlace() || before == after || p.imageIsOpen() {
		return nil
	}
	v, rule := p.imageInPlace(before, after)
	if v == verdict.None {
		return nil
	}
	for _, change := range p.triggers {
		if change.Path == fields.ImageVersion || change.Path == fields.ImageName {
			findings = append(findings, Finding{Change: change, Verdict: v, Rule: rule, hasClass: true})
		}
	}
	return findings
}

// imageIsOpen reports whether a pool that is updated in place gets another image, and one of the
// images is unknown. It is then also unknown whether the new image is admitted.
func (p *pair) imageIsOpen() bool {
	return p.strategy.InPlace() && (p.old.ImageIsOpen || p.updated.ImageIsOpen)
}

// openImage is the rule by which Gardener fills in the image that is not known.
func (p *pair) openImage() verdict.Rule {
	if p.updated.ImageIsOpen {
		return verdict.DefaultImage
	}
	return verdict.StoredImage
}

// imageInPlace judges an in-place update from one image to another, or the image of a new pool
// without an old one. The verdict is None if the CloudProfile admits it.
func (o Options) imageInPlace(old, updated hash.Image) (verdict.Verdict, verdict.Rule) {
	isNew := old == hash.Image{}
	switch {
	case old.Name == updated.Name && imageversion.IsLower(updated.Version, old.Version):
		return verdict.Forbidden, verdict.ImageLowered
	case !isNew && !imageversion.IsReadable(old.Version):
		refused := verdict.ImageNotInPlace
		refused.Source = verdict.Validation // under every CloudProfile
		return verdict.Forbidden, refused
	case o.CloudProfile == nil:
		return verdict.Indeterminate, verdict.NoCloudProfile
	case !o.CloudProfile.Has(updated):
		return verdict.Forbidden, verdict.ImageUnknown
	}
	minVersionForUpdate, isSupported := o.CloudProfile.InPlaceImages()[updated]
	switch {
	case isNew && !isSupported:
		return verdict.Forbidden, verdict.NewImageNotInPlace
	case !isNew && !imageversion.Reaches(old.Version, minVersionForUpdate):
		return verdict.Forbidden, verdict.ImageNotInPlace
	}
	return verdict.None, verdict.NoRule
}
