package judge

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// judgements are the rules of Gardener and of the extensions about a pool. Each returns findings
// about fields or about the whole pool. Their order does not matter: the gravest finding counts.
var judgements = []func(*pair) []Finding{
	(*pair).patchVersion, (*pair).secretName, (*pair).reservations, (*pair).strategies, (*pair).nodeLocalDNS,
	(*pair).image, (*pair).zones, (*pair).surge, (*pair).infrastructure, (*pair).state, (*pair).scaling,
	(*pair).hibernation, (*pair).operations, (*pair).pending, (*pair).deletion, (*pair).waiting,
}

// refused reports why the API server refuses a custom resource.
func (p *pair) refused() (findings []Finding) {
	for _, rule := range p.Refused {
		findings = append(findings, ofPool(verdict.Forbidden, rule)...)
	}
	return findings
}

// remarks returns explanations and assumptions, which do not change the verdict.
func (p *pair) remarks() (rules []verdict.Rule) {
	add := func(applies bool, rule verdict.Rule) {
		if applies {
			rules = append(rules, rule)
		}
	}
	isBare := p.updated.IsBare()
	hasConfigs := !p.configs.isAbsent
	add(isBare && p.Strategy == nil, verdict.StrategyIsRollingUpdate)
	rules = append(rules, p.releaseOfExtension()...)
	add(hasConfigs && !p.configs.isKnown, verdict.ConfigAsWhole)
	add((p.configs.isKnown || !hasConfigs) && p.isCanonical(), verdict.JudgedCanonically)
	for _, rule := range p.schemaUnused() {
		add(hasConfigs, rule)
	}
	before := p.old.Worker
	after := p.updated.Worker
	sameMinor := facts.MinorOf(before.KubernetesVersion) == facts.MinorOf(after.KubernetesVersion)
	add(p.names.oldEra != "" && p.names.oldEra != p.names.updatedEra && !sameMinor, verdict.EraCrossed)
	areAdded := addsReservations(before.Kubelet) || addsReservations(after.Kubelet)
	add(areAdded && !p.sumsUp(), verdict.ReservationsBySum)
	isDNS := slices.ContainsFunc(p.triggers, func(change hotupdate.Change) bool {
		return change.Path == fields.NodeLocalDNS
	})
	add(isDNS && before.NodeLocalDNS == after.NodeLocalDNS, verdict.ProxyModeChanged)
	return rules
}

var systemReserved = []string{"spec", "kubernetes", "kubelet", "systemReserved"}

// sumsUp reports whether the release of Gardener is known to have both reservations, which it then adds up.
func (p *pair) sumsUp() bool {
	release, isKnown := p.Landscape.Gardener.Value()
	return isKnown && kinds.Shoot.Has(systemReserved, release)
}

func addsReservations(k *hash.Kubelet) bool {
	return k != nil && k.SystemReserved != nil && k.SumReservations
}

// secretName judges a node-agent secret name that is only in one of the Workers: WorkerPoolHash.
func (p *pair) secretName() []Finding {
	before := p.old.NodeAgentSecretName
	after := p.updated.NodeAgentSecretName
	fallsBack := p.Extension == Released && p.provider.FallsBack && !p.strategy.InPlace()
	v := verdict.Indeterminate
	rule := verdict.SecretNameGained
	switch {
	case (before == nil) == (after == nil):
		return nil
	case fallsBack:
		v = verdict.Roll
		rule = verdict.SecretNameFallback
	case after == nil:
		v = verdict.Forbidden
		rule = verdict.SecretNameLost
	}
	return aboutField(p.old, p.updated, fields.SecretName, v, rule)
}

// strategies reports a change between the in-place strategies: ValidateProviderUpdate.
func (p *pair) strategies() []Finding {
	if p.isRefined() {
		return aboutField(p.old, p.updated, fields.Strategy, verdict.None, verdict.StrategyRefined)
	}
	return nil
}

// zones judges the zones: the admission of the extensions that are known admits only appended zones in the
// pool of a Shoot, see [pair.scaling]. It pairs pools by name.
func (p *pair) zones() []Finding {
	isSame := slices.Equal(p.old.Zones, p.updated.Zones)
	isAdmitted := p.updated.OfShoot() && p.old.Worker.Name == p.updated.Worker.Name
	switch {
	case p.isOpen(fields.Zones), isSame, p.appendsZones(): // see judgeRest
		return nil
	case isAdmitted:
		return aboutField(p.old, p.updated, fields.Zones, verdict.Forbidden, verdict.ZonesRefused)
	default:
		return aboutField(p.old, p.updated, fields.Zones, verdict.Indeterminate, verdict.ZonesChanged)
	}
}

// surge reports that maxSurge replaces machines of an in-place update.
func (p *pair) surge() []Finding {
	drains := func(c hotupdate.Change) bool { return p.ofClass(c) == verdict.InPlaceUpdate }
	isAuto := p.strategy == hotupdate.AutoInPlaceUpdate && isPositive(p.updated.MaxSurge)
	if isAuto && !p.hasNone() && slices.ContainsFunc(p.triggers, drains) {
		return ofPool(verdict.None, verdict.SurgeReplaces)
	}
	return nil
}

// isPositive reports whether a number or percentage is set and above 0.
func isPositive(value *intstr.IntOrString) bool {
	if value == nil {
		return false
	}
	return value.IntVal > 0 || strings.Trim(value.StrVal, "0%") != ""
}

// infrastructure judges the infrastructure's config, of which an extension may hash a state that
// follows from it.
func (p *pair) infrastructure() (findings []Finding) {
	for _, d := range tree.Differences(p.old.Cluster.Infrastructure, p.updated.Cluster.Infrastructure) {
		pointer := pathOf(d.Path).Pointer()
		isHashed := func(path string) bool { return isBelow(pointer, facts.PointerTo(path)) }
		if slices.ContainsFunc(p.provider.HashedInfrastructure, isHashed) && !p.strategy.InPlace() {
			d.Path = append([]string{"spec", "provider", "infrastructureConfig"}, d.Path...)
			findings = append(findings, about(d, verdict.Indeterminate, verdict.InfrastructureMayRoll))
		}
	}
	return findings
}

// deletion judges the deletion of the Shoot or Worker, which deletes all its machines. A user's manifest
// does not have it.
func (p *pair) deletion() []Finding {
	if p.old.Deletion == p.updated.Deletion {
		return nil
	}
	return ofPool(verdict.Removed, verdict.ShootDeleted)
}

// waiting judges earlier changes that may wait, if this change makes gardenlet roll out the Shoot:
// mustIncreaseGeneration. Any change may be waiting, even of the pools themselves, so the verdict
// is not bounded.
func (p *pair) waiting() []Finding {
	question := verdict.Question{
		Rule: verdict.EarlierMayWait, Fact: "respectSyncPeriodOverwrite",
		Owner:  "controllers.shoot of the configuration of gardenlet",
		Answer: "state landscape.respectSyncPeriodOverwrite in " + ConfigFile,
	}
	switch p.updated.Cluster.RollsOut {
	case facts.NoRollOut:
		return nil
	case facts.IfHeeded:
		question.Values = []verdict.Value{
			verdict.Gives("false", verdict.None), {Text: "true", Gives: verdict.Any()},
		}
	case facts.UnlessHeeded:
		question.Values = []verdict.Value{
			{Text: "false", Gives: verdict.Any()}, verdict.Gives("true", verdict.None),
		}
	case facts.MayRollOut:
		question = verdict.Question{
			Rule: verdict.EarlierMayWait, Fact: "whether earlier changes of the Shoot wait",
			Owner:  "the Worker of the cluster",
			Answer: "compare the Worker of the cluster with the spec of the Shoot",
			Values: []verdict.Value{
				verdict.Gives("none", verdict.None), {Text: "any", Gives: verdict.Any()},
			},
		}
	}
	return undecided(question)
}

// pending refuses every change of a pool that has not finished an in-place update:
// ValidateInPlaceUpdates. The old object lists these pools.
func (p *pair) pending() []Finding {
	old := p.old
	updated := p.updated
	isSame := facts.SameStored(old, updated) && old.Worker.KubernetesVersion == updated.Worker.KubernetesVersion
	isPending := slices.Contains(old.Cluster.Pending, updated.Worker.Name)
	switch {
	case isSame, !updated.Declared.InPlace(), !isPending:
		return nil
	case slices.Contains(namesOf(updated.Cluster.Operations), verdict.ForceInPlaceUpdate):
		return ofPool(verdict.None, verdict.PendingForced)
	}
	return ofPool(verdict.Forbidden, verdict.PendingUpdate)
}

// The operations with a list of pools.
const (
	rotateRollout = "rotate-rollout-workers="
	rollout       = "rollout-workers="
)

// withoutWorkers is the suffix of operations that begin a rotation without the pools.
const withoutWorkers = "-without-workers-rollout"

// operations judges what the operations of the new Shoot do to the pool. Gardener removes an
// annotation when it begins the operation, so an annotation on both sides requests the operation
// again.
func (p *pair) operations() (findings []Finding) {
	for _, operation := range p.updated.Cluster.Operations {
		for _, found := range p.operation(operation.Name) {
			findings = append(findings, p.requestedBy(operation.Annotation, found))
		}
	}
	return findings
}

// requestedBy names the annotation that requests an operation in the finding about it, if the annotation changes.
func (p *pair) requestedBy(annotation string, found Finding) Finding {
	before := p.old.Cluster.Annotations.At(annotation)
	after := p.updated.Cluster.Annotations.At(annotation)
	if tree.Equal(before, after) {
		return found
	}
	d := tree.Difference{Path: []string{"metadata", "annotations", annotation}, Old: before, New: after}
	return about(d, found.Verdict, found.Rule)
}

func namesOf(operations []facts.Operation) (names []string) {
	for _, o := range operations {
		names = append(names, o.Name)
	}
	return names
}

func (p *pair) operation(name string) []Finding {
	pools, rotates := strings.CutPrefix(name, rotateRollout)
	rolled, rolls := strings.CutPrefix(name, rollout)
	again := verdict.OfClass(hotupdate.InPlace, p.strategy)
	waits := p.updated.Cluster.Rotates == nil || p.updated.Cluster.Rotates[p.updated.Worker.Name]
	switch {
	case name == facts.RotateSSHKeys && !p.updated.Cluster.HasSSHAccess:
		return ofPool(verdict.None, verdict.SSHAccessOff)
	case name == "maintain":
		return ofPool(verdict.Indeterminate, verdict.MaintenanceStarted)
	case isRotation(name) && len(p.old.Cluster.Pending) > 0:
		return ofPool(verdict.Forbidden, verdict.RotationBlocked)
	case isRotation(name) && strings.HasSuffix(name, withoutWorkers):
		return ofPool(verdict.None, verdict.RotationWithoutWorkers)
	case isRotation(name):
		return ofPool(again, verdict.RotationStarted)
	case rotates && p.isListed(pools) && waits:
		return ofPool(again, verdict.RotationStarted)
	case rotates && p.isListed(pools):
		return ofPool(verdict.None, verdict.RotationFollowed)
	case rolls && p.isRolledBy(rolled) && p.strategy.InPlace():
		return ofPool(verdict.Forbidden, verdict.RolloutInPlace)
	case rolls && p.isRolledBy(rolled):
		return ofPool(verdict.Roll, verdict.RolloutWorkers)
	}
	return nil
}

// rotations are the operations that start a rotation of credentials that pools follow.
var rotations = []string{"rotate-credentials-start", "rotate-ca-start", "rotate-serviceaccount-key-start"}

// isRotation reports whether an operation starts a rotation of credentials that pools follow.
func isRotation(operation string) bool {
	return slices.Contains(rotations, strings.TrimSuffix(operation, withoutWorkers))
}

// RollingOperations are the operations that replace machines or update nodes; one that ends with = has a list of pools
// behind it.
func RollingOperations() []string { return append(slices.Clone(rotations), rotateRollout, rollout) }

// isRolledBy reports whether the list behind [rollout] has the pool: by name, or since it stands for all pools. Behind
// [rotateRollout], Gardener takes names only.
func (p *pair) isRolledBy(list string) bool { return list == "*" || p.isListed(list) }

// isListed reports whether a list of pools has the name of the pool.
func (p *pair) isListed(list string) bool {
	return slices.Contains(strings.Split(list, ","), p.updated.Worker.Name)
}
