package pool

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// Cluster holds the facts of a Shoot that concern the machines of all its pools. It is zero for the
// pools of a Worker.
type Cluster struct {
	// Hibernated says that the cluster has no machines until it wakes up.
	Hibernated bool
	// Operations are the operations in the annotations of the Shoot, for now or for the next
	// maintenance window.
	Operations []string
	// Pending are the pools that have not finished an in-place update.
	Pending inplace.PendingUpdates

	known                   bool   // there is a Shoot
	version, region         string // of the control plane
	rotates                 map[string]bool
	kubelet, infrastructure any // configurations in the Shoot, see [Manifest.decode]
}

// judgement has the facts about a pool that judgements share: both sides and what follows from
// them, and no verdict.
type judgement struct {
	Options

	old, updated *Pool
	strategy     hotupdate.Strategy
	hashed       hotupdate.Changes // of hashed fields
	keepsName    bool              // all changes together leave the name of a rolling pool as it is
}

// judgements are the rules of Gardener and of the extensions about a pool. Each says what it finds,
// about a field or about the pool. They run in any order: none knows what another one finds, and
// the gravest finding counts.
var judgements = []func(*judgement) []Judged{
	(*judgement).version, (*judgement).secretName, (*judgement).ownKubelet, (*judgement).strategies,
	(*judgement).nodeLocalDNS, (*judgement).image,
	(*judgement).zones, (*judgement).surge, (*judgement).infrastructure, (*judgement).hibernation,
	(*judgement).operations, (*judgement).pending,
	(*judgement).refusals,
}

// ofClass returns the verdict on a change by its class. It is indeterminate if an unknown default
// may remove the change.
func ofClass(change hotupdate.Change, strategy hotupdate.Strategy) Verdict {
	v := verdictOf(change.Class, strategy)
	if change.Omitted && v != None {
		return Indeterminate
	}
	return v
}

// about is a finding about a field.
func about(path string, before, after any, v Verdict, rule Rule) []Judged {
	return []Judged{difference{pathOf(strings.Split(path, ".")), before, after}.change(v, rule)}
}

// ofPool is a finding about the pool.
func ofPool(v Verdict, rule Rule) []Judged { return []Judged{{Verdict: v, Rule: rule}} }

// judgeHashed judges the changes of hashed fields by their rows, and by what else decides about the
// field.
func (j *judgement) judgeHashed() (all []Judged) {
	for _, change := range j.hashed {
		judged := Judged{Change: change, Verdict: ofClass(change, j.strategy)}
		if v, rule, decided := j.decide(change.Path); decided {
			judged.Verdict, judged.Rule = v, rule
		}
		if j.keepsName && judged.Verdict == Roll {
			judged.Verdict, judged.Rule = None, RuleOf("NameStays")
		}
		all = append(all, judged)
	}
	return all
}

// decide says what else than its row decides about a hashed field.
func (j *judgement) decide(path string) (Verdict, Rule, bool) {
	secret := j.old.NodeAgentSecretName
	sameSecret := secret != nil && j.updated.NodeAgentSecretName != nil && *secret == *j.updated.NodeAgentSecretName
	switch {
	case path == strategyPath:
		return Forbidden, StrategySwitched, true
	case path == nodeLocalDNSPath && inPlace(j.strategy):
		return None, RuleOf("NotHashed"), true // see nodeLocalDNS
	case sameSecret && !inPlace(j.strategy) && strings.HasPrefix(path, kubeletPath):
		return None, RuleOf("NameStays"), true
	case path == encryptedPath || strings.HasPrefix(path, dataVolumesField):
		return j.ofExtension(path)
	case j.isRefined() && slices.ContainsFunc([]string{"machine.type", imageNamePath, "cri", "volume"},
		func(above string) bool {
			return isBelow(pointerTo(path), pointerTo(above))
		}):
		return None, RuleOf("NameStays"), true
	}
	return None, NoRule, false
}

// ofExtension judges the fields of volumes that only extensions hash: all but the size and type of
// the root volume.
func (j *judgement) ofExtension(path string) (Verdict, Rule, bool) {
	// without Naming, which is about configs
	naming := Options{Extension: j.Extension, Providers: j.Providers}.naming(j.updated)
	isData := strings.HasPrefix(path, dataVolumesField)
	switch {
	case naming == nil:
		return Indeterminate, RuleOf("EraUnknown"), true
	case inPlace(j.strategy) && isData && !j.provider(j.updated).InPlaceVolumes:
		return Forbidden, RuleOf("DataVolumesInPlace"), true
	case inPlace(j.strategy):
		return None, RuleOf("NameStays"), !isData && j.isRefined()
	}
	v := naming.renamesVolumes(isData, j.old, j.updated)
	return v, map[Verdict]Rule{None: RuleOf("NameStays"), Indeterminate: RuleOf("EraUnknown")}[v], v != Roll
}

// isRefined reports whether the pool changes between the two in-place strategies. Then Gardener
// does not look at the machine: new ones get it.
func (j *judgement) isRefined() bool {
	return inPlace(j.old.declared) && inPlace(j.updated.declared) && j.old.declared != j.updated.declared
}

// version judges the pool's Kubernetes version: ValidateKubernetesVersionUpdate. Names depend on
// its minor.
func (j *judgement) version() (all []Judged) {
	before, after := j.old.Worker.KubernetesVersion, j.updated.Worker.KubernetesVersion
	if before == after || before == "" || after == "" {
		return nil
	}
	if minorOf(before) == minorOf(after) {
		all = about(versionPath, before, after, None, RuleOf("PatchVersion"))
	}
	if rule := refusal(inplace.ValidateVersion(before, after, j.strategy, nil), validation); rule != NoRule {
		all = append(all, about(versionPath, before, after, Forbidden, rule)...)
	}
	return all
}

func minorOf(text string) hash.Minor {
	minor, _ := hash.ParseMinor(text) // zero if there is none
	return minor
}

// secretName judges a node-agent secret name that is only in one of the Workers: WorkerPoolHash.
func (j *judgement) secretName() []Judged {
	before, after := j.old.NodeAgentSecretName, j.updated.NodeAgentSecretName
	fallsBack := j.Extension == Released && j.provider(j.updated).FallsBack && !inPlace(j.strategy)
	switch {
	case (before == nil) == (after == nil):
		return nil
	case fallsBack:
		return about(secretNamePath, before, after, Roll, RuleOf("SecretNameFallback"))
	case after == nil:
		return about(secretNamePath, before, nil, Forbidden, RuleOf("SecretNameLost"))
	}
	return about(secretNamePath, nil, after, Indeterminate, RuleOf("SecretNameGained"))
}

// ownKubelet judges a kubelet configuration of the pool's own that is added or removed: it replaces
// the Shoot's as a whole, with the values that admission has set there (ShootResourceReservation).
func (j *judgement) ownKubelet() []Judged {
	if j.old.ownKubelet != j.updated.ownKubelet && j.old.isDefaulted(reservedPath) &&
		j.updated.isDefaulted(reservedPath) {
		return ofPool(Indeterminate, RuleOf("PoolKubelet"))
	}
	return nil
}

// strategies tells a change between the in-place strategies: ValidateProviderUpdate.
func (j *judgement) strategies() []Judged {
	if j.isRefined() {
		before, after := j.old.declared.String(), j.updated.declared.String()
		return about(strategyPath, before, after, None, RuleOf("StrategyRefined"))
	}
	return nil
}

// nodeLocalDNS judges by the version and the proxy mode before the change:
// validateNodeLocalDNSUpdate. The name of a rolling pool depends on those after the change.
func (j *judgement) nodeLocalDNS() []Judged {
	w, after := j.old.Worker, j.updated.Worker.NodeLocalDNS
	if !inPlace(j.strategy) || !j.updated.Cluster.known || w.NodeLocalDNS == after {
		return nil
	}
	counts := w.KubeProxyMode == "IPVS" || w.KubernetesVersion == "" ||
		minorOf(w.KubernetesVersion).Compare(minorOf("1.34")) < 0
	v, rule := Forbidden, RuleOf("NodeLocalDNSInPlace")
	switch {
	case !counts: // the proxy mode decides only about rolling pools
		v, rule = None, RuleOf("NotHashed")
	case j.old.isDefaulted(nodeLocalDNSPath) != j.updated.isDefaulted(nodeLocalDNSPath):
		v, rule = Indeterminate, RuleOf("FilledIn")
	}
	return about(nodeLocalDNSPath, w.NodeLocalDNS, after, v, rule)
}

// image judges image and architecture: new machines of a rolling pool take any version, an in-place
// update needs the CloudProfile (validateMachineImagesConstraints).
func (j *judgement) image() (all []Judged) {
	before, after := imageOf(j.old.Worker), imageOf(j.updated.Worker)
	oldArchitecture, architecture := j.old.Architecture, j.updated.Architecture
	newArchitecture := !reflect.DeepEqual(oldArchitecture, architecture)
	known := before.Version != "" && after.Version != ""
	isFilledIn := newArchitecture && (oldArchitecture == nil || architecture == nil)
	v, rule := None, RuleOf("NameStays")
	switch {
	case !inPlace(j.strategy):
	case isFilledIn:
		v, rule = Indeterminate, RuleOf("FilledIn")
	case known && (before != after || newArchitecture):
		if v, rule = j.CloudProfile.inPlace(before, after); v == None {
			rule = RuleOf("NameStays")
		}
		for _, change := range j.hashed {
			if v != None && (change.Path == imageVersionPath || change.Path == imageNamePath) {
				all = append(all, Judged{Change: change, Verdict: v, Rule: rule})
			}
		}
	}
	if j.CloudProfile.expired(before, after) {
		all = append(all, about(imageVersionPath, before.Version, after.Version, Forbidden,
			refused(imageFunction, imageExpired))...)
	}
	if newArchitecture {
		all = append(all, about(architecturePath, oldArchitecture, architecture, v, rule)...)
	}
	return all
}

// keepImage fills in an omitted image with that of the old pool, like admission.
func (p *Pool) keepImage(old *Pool) {
	before, after := imageOf(old.Worker), imageOf(p.Worker)
	if !p.Cluster.known || before.Version == "" || after.Version != "" ||
		after.Name != "" && after.Name != before.Name {
		return
	}
	p.Worker.Image = old.Worker.Image
	isImage := func(path string) bool { return path == imageNamePath || path == imageVersionPath }
	p.Defaulted = slices.DeleteFunc(slices.Clone(p.Defaulted), isImage)
	p.Defaulted = append(p.Defaulted, slices.DeleteFunc(slices.Clone(old.Defaulted),
		func(path string) bool { return !isImage(path) })...)
}

// zones judges the zones: the admission of the extensions lets them only be appended.
func (j *judgement) zones() []Judged {
	before, after := j.old.Zones, j.updated.Zones
	switch isAppended := len(before) < len(after) && slices.Equal(before, after[:len(before)]); {
	case isAppended:
		return about("zones", before, after, ComeOrGo, RuleOf("ZoneAppended"))
	case !slices.Equal(before, after):
		return about("zones", before, after, Forbidden, RuleOf("ZonesChanged"))
	}
	return nil
}

// surge tells that maxSurge replaces machines of an in-place update.
func (j *judgement) surge() []Judged {
	drains := func(c hotupdate.Change) bool { return ofClass(c, j.strategy) == InPlaceUpdate }
	if isPositive(j.updated.MaxSurge) && j.strategy == hotupdate.AutoInPlaceUpdate &&
		slices.ContainsFunc(j.hashed, drains) {
		return ofPool(None, RuleOf("SurgeReplaces"))
	}
	return nil
}

// isPositive reports whether a number or percentage is set and above 0.
func isPositive(value *intstr.IntOrString) bool {
	return value != nil && (value.IntVal > 0 || strings.Trim(value.StrVal, "0%") != "")
}

// infrastructure judges the infrastructure's config. An extension may hash state that follows from
// it.
func (j *judgement) infrastructure() (all []Judged) {
	for _, d := range differences(j.old.Cluster.infrastructure, j.updated.Cluster.infrastructure) {
		hashed := func(path string) bool { return isBelow(d.at.Pointer(), pointerTo(path)) }
		if slices.ContainsFunc(j.provider(j.updated).HashedInfrastructure, hashed) && !inPlace(j.strategy) {
			all = append(all, ofPool(Indeterminate, RuleOf("InfrastructureMayRoll"))...)
		}
	}
	return all
}

func (j *judgement) hibernation() []Judged {
	switch before, after := j.old.Cluster.Hibernated, j.updated.Cluster.Hibernated; {
	case !before && after:
		return ofPool(ComeOrGo, RuleOf("Hibernated"))
	case before && !after:
		return ofPool(ComeOrGo, RuleOf("WokenUp"))
	case before:
		return ofPool(None, RuleOf("StaysHibernated"))
	}
	return nil
}

// machines returns the number of machines of the pool: none while its cluster is hibernated.
func (p *Pool) machines() Machines {
	if p.Cluster.Hibernated {
		return Machines{Known: true}
	}
	return p.Machines
}

// pending refuses every change of a pool that has not finished an in-place update:
// ValidateInPlaceUpdates. The old object lists these pools.
func (j *judgement) pending() []Judged {
	old, updated := j.old, j.updated
	same := reflect.DeepEqual(old.all, updated.all) &&
		old.Worker.KubernetesVersion == updated.Worker.KubernetesVersion &&
		(updated.ownKubelet || reflect.DeepEqual(old.Cluster.kubelet, updated.Cluster.kubelet))
	pending, name := old.Cluster.Pending, updated.Worker.Name
	switch {
	case same, !inPlace(updated.declared), pending.ValidateChange(name, nil, nil) == nil:
		return nil
	case pending.ValidateChange(name, updated.Cluster.Operations, nil) == nil:
		return ofPool(None, RuleOf("PendingForced"))
	}
	return ofPool(Forbidden, PendingUpdate)
}

// compareRest compares the fields that no name depends on. It also lists fields that are spelled in
// another way and mean the same.
func (c *Comparison) compareRest(j *judgement) {
	strategy := c.Strategy
	if j.isRefined() { // Gardener does not look at the machine
		strategy = hotupdate.AutoRollingUpdate
	}
	changes, unknown, others := tables()["pool"].rest(strategy, j.old.all, j.updated.all)
	for _, d := range others {
		switch path := d.at.String(); {
		// which is constant in place
		case d.at[0].Name == configField, c.touches(triggerOf(path)), path == secretNamePath:
		default:
			c.Changes = append(c.Changes, d.change(None, RuleOf("SameMeaning")))
		}
	}
	for _, change := range changes {
		c.merge(change)
	}
	c.Unjudged = append(c.Unjudged, unknown...)
}
