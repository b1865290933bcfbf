package pool

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Cluster holds the facts of a Shoot that concern the machines of all its pools. It is zero for the pools of a Worker.
type Cluster struct {
	// Hibernated says that the cluster has no machines until it wakes up.
	Hibernated bool
	// Operations are the operations in the annotations of the Shoot, for now or for the next maintenance window.
	Operations []string
	// Pending are the pools that have not finished an in-place update.
	Pending inplace.PendingUpdates

	known                   bool // there is a Shoot
	kubelet, infrastructure any  // configurations in the Shoot, see [Manifest.decode]
}

// poolRules apply the rules of Gardener and of the extensions to a pool. They run in this order, and a later one sees the verdicts of earlier ones.
var poolRules = []func(c *Comparison, old, updated *Pool, o Options){
	(*Comparison).judgeVersion,
	(*Comparison).judgeSecretName,
	(*Comparison).judgeKubelet,
	(*Comparison).judgeVolumes,
	(*Comparison).judgeInPlace,
	(*Comparison).judgeNodeLocalDNS,
	(*Comparison).judgeImage,
	(*Comparison).judgeRollout,
	(*Comparison).judgeInfrastructure,
	(*Comparison).judgeHibernation,
	(*Comparison).judgeOperations,
	(*Comparison).judgePending,
}

// add adds a change that is not a change of a trigger.
func (c *Comparison) add(path string, before, after any, v Verdict, rule Rule) {
	var at fieldpath.Path
	for name := range strings.SplitSeq(path, ".") {
		at = append(at, fieldpath.Step{Name: name})
	}
	c.Changes = append(c.Changes, difference{at, before, after}.change(v, rule))
}

// decideBy applies a rule that belongs to no single change.
func (c *Comparison) decideBy(rule Rule, v Verdict) {
	c.Rules = append(c.Rules, rule)
	c.Verdict = max(c.Verdict, v)
}

// judgeVersion judges the pool's own Kubernetes version. The triggers have only its minor.
func (c *Comparison) judgeVersion(old, updated *Pool, _ Options) {
	before, after := old.Worker.KubernetesVersion, updated.Worker.KubernetesVersion
	if before == after || before == "" || after == "" {
		return
	}
	if minorOf(before) == minorOf(after) {
		c.add(versionPath, before, after, None, PatchVersion)
	}
	if rule := refusal(inplace.ValidateVersion(before, after, c.Strategy, nil), validation); rule != NoRule {
		c.set(versionPath, Forbidden, rule)
	}
}

func minorOf(text string) hash.Minor {
	minor, _ := hash.ParseMinor(text) // zero if there is none
	return minor
}

// judgeSecretName judges a node-agent secret name that is only in one of the Workers.
func (c *Comparison) judgeSecretName(old, updated *Pool, o Options) {
	before, after := old.NodeAgentSecretName, updated.NodeAgentSecretName
	fallsBack := o.Extension == Released && slices.Contains([]string{"azure", "alicloud"}, updated.Provider) && !inPlace(c.Strategy)
	switch {
	case (before == nil) == (after == nil):
	case fallsBack:
		c.add(secretNamePath, before, after, Roll, SecretNameFallback)
	case after == nil:
		c.add(secretNamePath, before, nil, Forbidden, SecretNameLost)
	default:
		c.add(secretNamePath, nil, after, Indeterminate, SecretNameGained)
	}
}

// judgeKubelet judges a kubelet configuration of the pool's own that is added or removed: it replaces the Shoot's as a whole, with the values that
// admission has set there.
func (c *Comparison) judgeKubelet(old, updated *Pool, _ Options) {
	if old.ownKubelet != updated.ownKubelet && old.isDefaulted(reservedPath) && updated.isDefaulted(reservedPath) {
		c.decideBy(PoolKubelet, Indeterminate)
	}
}

// judgeVolumes judges the fields of volumes that only extensions hash: all but the size and type of the root volume.
func (c *Comparison) judgeVolumes(old, updated *Pool, o Options) {
	naming := Options{Extension: o.Extension}.naming(updated) // without o.Naming, which is about configs
	for _, path := range []string{"volume.encrypted", "dataVolumes"} {
		switch {
		case !c.touches(path):
		case naming == nil:
			c.set(path, Indeterminate, EraUnknown)
		case !inPlace(c.Strategy):
			if v := naming.renamesVolumes(path, old, updated); v != Roll {
				c.set(path, v, map[Verdict]Rule{None: NameStays, Indeterminate: EraUnknown}[v])
			}
		case path == "dataVolumes" && updated.Provider != "alicloud":
			c.set(path, Forbidden, DataVolumesInPlace)
		}
	}
}

// judgeInPlace judges changes that Gardener refuses only if the strategy stays: with another in-place strategy, new machines get them.
func (c *Comparison) judgeInPlace(old, updated *Pool, _ Options) {
	if !inPlace(old.declared) || !inPlace(updated.declared) || old.declared == updated.declared {
		return
	}
	c.add(strategyPath, old.declared.String(), updated.declared.String(), None, StrategyRefined)
	for _, path := range []string{"machine.type", imageNamePath, "cri", "volume"} {
		c.set(path, None, NameStays)
	}
}

// judgeNodeLocalDNS judges by the version and the proxy mode before the change, like validation. The name of a rolling pool depends on those after
// the change.
func (c *Comparison) judgeNodeLocalDNS(old, updated *Pool, _ Options) {
	if !inPlace(c.Strategy) || !updated.Cluster.known {
		return
	}
	w, after := old.Worker, updated.Worker.NodeLocalDNS
	counts := w.KubeProxyMode == "IPVS" || w.KubernetesVersion == "" || minorOf(w.KubernetesVersion).Compare(minorOf("1.34")) < 0
	if w.NodeLocalDNS != after && !c.touches(nodeLocalDNSPath) {
		c.add(nodeLocalDNSPath, w.NodeLocalDNS, after, None, NotHashed)
	}
	switch {
	case w.NodeLocalDNS == after, !counts: // the proxy mode decides only about rolling pools
		c.set(nodeLocalDNSPath, None, NotHashed)
	case old.isDefaulted(nodeLocalDNSPath) != updated.isDefaulted(nodeLocalDNSPath):
		c.set(nodeLocalDNSPath, Indeterminate, FilledIn)
	default:
		c.set(nodeLocalDNSPath, Forbidden, NodeLocalDNSInPlace)
	}
}

// judgeImage judges image and architecture: new machines of a rolling pool take any version, an in-place update needs the CloudProfile.
func (c *Comparison) judgeImage(old, updated *Pool, o Options) {
	before, after := imageOf(old.Worker), imageOf(updated.Worker)
	newArchitecture := !reflect.DeepEqual(old.Architecture, updated.Architecture)
	if newArchitecture {
		c.add(architecturePath, old.Architecture, updated.Architecture, None, NameStays)
	}
	if newArchitecture && inPlace(c.Strategy) && (old.Architecture == nil || updated.Architecture == nil) {
		c.set(architecturePath, Indeterminate, FilledIn)
		return
	}
	known := before.Version != "" && after.Version != ""
	if !inPlace(c.Strategy) || !known || before == after && !newArchitecture {
		return
	}
	v, rule := o.CloudProfile.inPlace(before, after)
	for _, path := range []string{imageVersionPath, imageNamePath, architecturePath} {
		for i, change := range c.Changes {
			if change.Path == path && v > change.Verdict {
				c.Changes[i].Verdict, c.Changes[i].Rule = v, rule
			}
		}
	}
}

// keepImage fills in an omitted image with that of the old pool, like admission.
func (p *Pool) keepImage(old *Pool) {
	before, after := imageOf(old.Worker), imageOf(p.Worker)
	if !p.Cluster.known || before.Version == "" || after.Version != "" || after.Name != "" && after.Name != before.Name {
		return
	}
	p.Worker.Image = old.Worker.Image
	isImage := func(path string) bool { return path == imageNamePath || path == imageVersionPath }
	p.Defaulted = slices.DeleteFunc(slices.Clone(p.Defaulted), isImage)
	p.Defaulted = append(p.Defaulted, slices.DeleteFunc(slices.Clone(old.Defaulted), func(path string) bool { return !isImage(path) })...)
}

// judgeRollout judges maxSurge and maxUnavailable.
func (c *Comparison) judgeRollout(_, updated *Pool, o Options) {
	if o.Strategy == nil {
		c.judgeSurge(updated)
	}
	surge := isPositive(updated.MaxSurge)
	c.ruleIf(SurgeReplaces, surge && c.Strategy == hotupdate.AutoInPlaceUpdate && gravest(c.Changes) == InPlaceUpdate)
}

// judgeSurge refuses maxSurge and maxUnavailable like validation, after the defaults: 1 and 0 for a rolling pool, 0 and 1 for one that is updated
// in place.
func (c *Comparison) judgeSurge(p *Pool) {
	surges, unavailable, rolling := isPositive(p.MaxSurge), isPositive(p.MaxUnavailable), p.declared == hotupdate.AutoRollingUpdate
	switch {
	case !p.Cluster.known: // gardenlet writes only admitted values
	case p.declared == hotupdate.ManualInPlaceUpdate:
		if p.MaxSurge != nil || p.MaxUnavailable != nil {
			c.decideBy(SurgeOfManualPool, Forbidden)
		}
	case !surges && !unavailable && (p.MaxSurge != nil || !rolling) && (p.MaxUnavailable != nil || rolling):
		c.decideBy(SurgeAndUnavailableZero, Forbidden)
	}
}

// isPositive reports whether a number or percentage is set and above 0.
func isPositive(value *intstr.IntOrString) bool {
	return value != nil && (value.IntVal > 0 || strings.Trim(value.StrVal, "0%") != "")
}

// judgeInfrastructure judges the infrastructure's config. Azure hashes state that follows from it.
func (c *Comparison) judgeInfrastructure(old, updated *Pool, _ Options) {
	if updated.Provider != "azure" || inPlace(c.Strategy) {
		return
	}
	for _, d := range differences(old.Cluster.infrastructure, updated.Cluster.infrastructure) {
		if pointer := d.at.Pointer(); isBelow(pointer, "/identity") || isBelow(pointer, "/networks/zones") {
			c.decideBy(InfrastructureMayRoll, Indeterminate)
		}
	}
}

func (c *Comparison) judgeHibernation(old, updated *Pool, _ Options) {
	switch before, after := old.Cluster.Hibernated, updated.Cluster.Hibernated; {
	case !before && after:
		c.decideBy(Hibernated, ComeOrGo)
	case before && !after:
		c.decideBy(WokenUp, ComeOrGo)
	case before:
		c.Rules = append(c.Rules, StaysHibernated)
	}
}

// machines returns the number of machines of the pool: none while its cluster is hibernated.
func (p *Pool) machines() Machines {
	if p.Cluster.Hibernated {
		return Machines{Known: true}
	}
	return p.Machines
}

// judgeOperations judges the operations in the annotations of the new Shoot. Gardener removes an annotation when it begins the operation, so an
// annotation on both sides requests the operation again.
func (c *Comparison) judgeOperations(old, updated *Pool, _ Options) {
	again := verdictOf(hotupdate.InPlace, c.Strategy)
	for _, operation := range updated.Cluster.Operations {
		pools, rotates := strings.CutPrefix(operation, "rotate-rollout-workers=")
		rolled, rolls := strings.CutPrefix(operation, "rollout-workers=")
		switch {
		case isRotation(operation) && old.Cluster.Pending.ValidateRotation(nil) != nil:
			c.decideBy(RotationBlocked, Forbidden)
		case isRotation(operation) && strings.HasSuffix(operation, withoutWorkers):
			c.Rules = append(c.Rules, RotationWithoutWorkers)
		case isRotation(operation), rotates && names(pools, updated):
			c.decideBy(RotationStarted, again)
		case rolls && names(rolled, updated) && inPlace(c.Strategy):
			c.decideBy(RolloutInPlace, Forbidden)
		case rolls && names(rolled, updated):
			c.decideBy(RolloutWorkers, Roll)
		}
	}
}

// withoutWorkers is the suffix of operations that begin a rotation without the pools.
const withoutWorkers = "-without-workers-rollout"

func isRotation(operation string) bool {
	return slices.Contains([]string{"rotate-credentials-start", "rotate-ca-start", "rotate-serviceaccount-key-start"}, strings.TrimSuffix(operation, withoutWorkers))
}

// names reports whether a list of pools contains the pool.
func names(list string, p *Pool) bool {
	return list == "*" || slices.Contains(strings.Split(list, ","), p.Worker.Name)
}

// judgePending refuses every change of a pool that has not finished an in-place update. The old object lists these pools.
func (c *Comparison) judgePending(old, updated *Pool, _ Options) {
	same := reflect.DeepEqual(old.all, updated.all) && old.Worker.KubernetesVersion == updated.Worker.KubernetesVersion &&
		(updated.ownKubelet || reflect.DeepEqual(old.Cluster.kubelet, updated.Cluster.kubelet))
	pending, name := old.Cluster.Pending, updated.Worker.Name
	switch {
	case same, !inPlace(updated.declared), pending.ValidateChange(name, nil, nil) == nil:
	case pending.ValidateChange(name, updated.Cluster.Operations, nil) == nil:
		c.Rules = append(c.Rules, PendingForced)
	default:
		c.decideBy(PendingUpdate, Forbidden)
	}
}
