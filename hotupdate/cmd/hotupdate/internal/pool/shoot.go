package pool

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// shoots has both sides of a Shoot, whose fields above the pools are judged.
type shoots struct {
	old, updated *Manifest
	profile      *CloudProfile
}

// shootJudgements are the rules of Gardener about a Shoot. Like those about a pool they do not know
// one another.
var shootJudgements = []func(*shoots) []Judged{
	(*shoots).transitions, (*shoots).limits, (*shoots).versions, (*shoots).operations, (*shoots).workers,
	(*shoots).deletion, (*shoots).controlPlaneZones, (*shoots).dns, (*shoots).hibernation, (*shoots).systemWorkers,
	(*shoots).controlPlaneWorkers, (*shoots).nodeNetwork, (*shoots).encryption, (*shoots).cloudProfile,
}

// refuse is a refusal at a path. A difference of the path keeps its values.
func (s *shoots) refuse(path, function, text string) []Judged {
	return s.judged(path, Forbidden, refused(function, text))
}

// judged is a finding at a path that a judgement of the Shoot decides.
func (s *shoots) judged(path string, v Verdict, rule Rule) []Judged {
	old, updated := s.both(stepsOf(path)...)
	return []Judged{difference{pathOf(stepsOf(path)), old, updated}.change(v, rule)}
}

// transitions judges by the rows of [transitions] in fields.txt. The first row of a field that
// matches counts.
func (s *shoots) transitions() (all []Judged) {
	decided := map[string]bool{}
	for _, row := range sections()["transitions"] {
		path := row[0]
		old, updated := s.both(stepsOf(path)...)
		if decided[path] || textOf(old) == textOf(updated) || !matches(row[1], old) || !matches(row[2], updated) ||
			!s.meets(row[3]) {
			continue
		}
		decided[path] = true
		switch row[4] {
		case string(effectNone):
			all = append(all, s.judged(path, None, RuleOf("NotHashed"))...)
		case string(effectUnknown):
			all = append(all, s.judged(path, Indeterminate, RuleOf("BeyondManifests"))...)
		default:
			all = append(all, s.refuse(path, row[5], row[6])...)
		}
	}
	return all
}

// meets reports whether all conditions hold: the new value of a field matches a pattern or, without
// one, has changed.
func (s *shoots) meets(conditions string) bool {
	for condition := range strings.FieldsSeq(strings.TrimPrefix(conditions, "-")) {
		path, pattern, isValue := strings.Cut(condition, "=")
		old, updated := s.both(stepsOf(path)...)
		if isValue && !matches(pattern, updated) || !isValue && textOf(old) == textOf(updated) {
			return false
		}
	}
	return true
}

// limits refuses what ValidateShootSpec and the functions that it calls refuse in the new Shoot,
// and would not have refused in the old one.
func (s *shoots) limits() (all []Judged) {
	before, after := s.old.broken(), s.updated.broken()
	for key, l := range after {
		if _, is := before[key]; !is {
			all = append(all, s.refuse(key[0], l.function, l.text)...)
		}
	}
	return all
}

// broken returns the limits that a Shoot does not meet, by the path of the field and the text.
func (m *Manifest) broken() map[[2]string]limit {
	all := map[[2]string]limit{}
	of := subject{minor: minorOf(m.version), workers: len(m.workers), isDefaulted: true}
	check := func(value any, above string, rows []limit) {
		for _, l := range rows {
			for _, v := range valuesAt(value, l.steps, found{}) {
				if of.breaks(v, l.condition) {
					all[[2]string{above + v.path, l.text}] = l
				}
			}
		}
	}
	check(any(m.root), "", limits()["Shoot limits"])
	if !slices.ContainsFunc(m.Pools, func(p Pool) bool { return !p.ownKubelet }) { // else that pool is told
		kubelet := map[string]any{"kubernetes": map[string]any{"kubelet": atSpec(m, "kubernetes", "kubelet")}}
		check(kubelet, "spec.", limits()["limits"])
	}
	return all
}

// both returns the values at a path on both sides.
func (s *shoots) both(path ...string) (old, updated any) {
	return at(s.old.root, path...), at(s.updated.root, path...)
}

func (s *shoots) changed(path ...string) bool {
	old, updated := s.both(path...)
	return textOf(old) != textOf(updated)
}

func (s *shoots) hasStatus() bool { return at(s.updated.root, "status") != nil }

func (s *shoots) status(path ...string) any { return at(at(s.updated.root, "status"), path...) }

// phase returns the phase of a rotation, and nothing if it is not known.
func (s *shoots) phase(rotation string) string {
	return text(s.status("credentials", "rotation", rotation, "phase"))
}

// isHibernated is IsShootInHibernation.
func (s *shoots) isHibernated() bool {
	return isTrue(at(s.updated.root, "spec", "hibernation", "enabled")) || isTrue(s.status("hibernated"))
}

// isReady is isShootReadyForRotationStart. It is true if the last operation is not known.
func (s *shoots) isReady() bool {
	kind, state := text(s.status("lastOperation", "type")), text(s.status("lastOperation", "state"))
	return kind == "" || kind == "Reconcile" || state == "Succeeded" && (kind == "Create" || kind == "Restore")
}

// versions is ValidateKubernetesVersionUpdate.
func (s *shoots) versions() []Judged {
	if rule := refusal(inplace.ValidateVersion(s.old.version, s.updated.version, hotupdate.AutoInPlaceUpdate, nil),
		validation); rule != NoRule {
		return s.judged("spec."+versionPath, Forbidden, rule)
	}
	return nil
}

// workers is validateWorkerUpdate.
func (s *shoots) workers() []Judged {
	if (len(s.old.Pools) == 0) != (len(s.updated.Pools) == 0) {
		return ofPool(Forbidden, RuleOf("WorkersComeOrGo"))
	}
	return nil
}

// deletion is ValidateShootSpecUpdate for a Shoot that is being deleted.
func (s *shoots) deletion() []Judged {
	if at(s.updated.root, "metadata", "deletionTimestamp") != nil &&
		(s.changed("spec") || textOf(s.old.workers) != textOf(s.updated.workers)) {
		return ofPool(Forbidden, refused("ValidateShootSpecUpdate",
			"the spec of a Shoot that is being deleted cannot be changed"))
	}
	return nil
}

// isScheduled reports whether the Shoot has a seed.
func (m *Manifest) isScheduled() bool {
	return at(m.root, "spec", "seedName") != nil || at(m.root, "status", "seedName") != nil
}

// controlPlaneZones is validateControlPlaneZonesUpdate.
func (s *shoots) controlPlaneZones() []Judged {
	const path = "spec.controlPlane.zones"
	old, updated := s.both("spec", "controlPlane", "zones")
	before, after := listOf(old), listOf(updated)
	oldType, newType := s.both("spec", "controlPlane", "highAvailability", "failureTolerance", "type")
	missing := slices.ContainsFunc(before, func(zone any) bool { return !slices.Contains(after, zone) })
	switch {
	case !s.changed("spec", "controlPlane", "zones"):
		return nil
	case len(after) == 0:
		return s.judged(path, None, RuleOf("NotHashed"))
	case oldType != "zone" && newType == "zone" && len(before) > 0 && !missing:
		return s.judged(path, None, RuleOf("NotHashed"))
	}
	return s.refuse(path, "validateControlPlaneZonesUpdate", "the zones of a control plane cannot be changed")
}

// encryption is ValidateEncryptionConfigUpdate for a change that etcd does not have yet.
func (s *shoots) encryption() []Judged {
	const path = "spec.kubernetes.kubeAPIServer.encryptionConfig"
	old, updated := s.both(stepsOf(path)...)
	live := s.status("credentials", "encryptionAtRest")
	sorted := func(of any) []string {
		var all []string
		for _, one := range listOf(at(of, "resources")) {
			all = append(all, strings.TrimSuffix(text(one), "."))
		}
		return slices.Sorted(slices.Values(all))
	}
	isRolledOut := slices.Equal(sorted(old), sorted(live)) &&
		text(at(old, "provider", "type")) == text(at(live, "provider", "type"))
	if textOf(old) == textOf(updated) || live == nil || isRolledOut {
		return nil
	}
	return s.refuse(path, "ValidateEncryptionConfigUpdate", "the last change of the encryption is not rolled out yet")
}

// dns is validateDNSUpdate for the primary provider.
func (s *shoots) dns() []Judged {
	if !s.changed("spec", "dns", "providers") {
		return nil
	}
	primary := func(m *Manifest) (found any) {
		for _, one := range listOf(at(m.root, "spec", "dns", "providers")) {
			if isTrue(at(one, "primary")) {
				found = one
			}
		}
		return found
	}
	before, after := primary(s.old), primary(s.updated)
	if s.updated.isScheduled() && before != nil &&
		(after == nil || at(before, "type") != nil && at(before, "type") != at(after, "type")) {
		return s.refuse("spec.dns.providers", "validateDNSUpdate",
			"the primary DNS provider and its type cannot be changed")
	}
	return s.judged("spec.dns.providers", None, RuleOf("NotHashed"))
}

func atSpec(m *Manifest, path ...string) any { return at(at(m.root, "spec"), path...) }

// hibernation is ValidateHibernation and validateShootHibernation.
func (s *shoots) hibernation() (all []Judged) {
	const path = "spec.hibernation.enabled"
	if !isTrue(atSpec(s.updated, "hibernation", "enabled")) || isTrue(atSpec(s.old, "hibernation", "enabled")) {
		return nil
	}
	for _, name := range operationsOf(s.updated.operations[1]) {
		if o, known := knownOperation(name); known && has(o, "awake") && !strings.Contains(name, "=") {
			all = append(all, s.refuse(path, "ValidateHibernation",
				"a cluster cannot be hibernated while an operation waits for maintenance")...)
		}
	}
	if slices.ContainsFunc(s.updated.workers, hasControlPlane) {
		all = append(all, s.refuse(path, "ValidateHibernation", "a self-hosted cluster cannot be hibernated")...)
	}
	for _, constraint := range listOf(s.status("constraints")) {
		if at(constraint, "type") == "HibernationPossible" && at(constraint, "status") != "True" {
			all = append(all, s.refuse(path, "validateShootHibernation",
				"the status says that the cluster could not be woken up: see its constraint HibernationPossible")...)
		}
	}
	return all
}

// newly reports whether something holds for the new Shoot and not for the old one.
func (s *shoots) newly(holds func(*Manifest) bool) bool { return holds(s.updated) && !holds(s.old) }

// systemWorkers is ValidateSystemComponentWorkers.
func (s *shoots) systemWorkers() (all []Judged) {
	const function = "ValidateSystemComponentWorkers"
	if s.newly(func(m *Manifest) bool { return len(m.workers) > 0 && !slices.ContainsFunc(m.workers, isSystem) }) {
		all = ofPool(Forbidden, refused(function, "at least one pool with machines has to allow system components"))
	}
	if s.newly(lacksMachinesForZones) {
		all = append(all, ofPool(Forbidden, refused(function,
			"a pool for system components needs a maximum of one machine for each zone"))...)
	}
	return all
}

// isSystem reports whether system components may run in a pool. An absent maximum is 0.
func isSystem(worker any) bool {
	maximum, _ := number(at(worker, "maximum"))
	allow := at(worker, "systemComponents")
	return (allow == nil || isTrue(at(allow, "allow"))) && maximum > 0
}

// lacksMachinesForZones reports whether there are zones of which no pool for system components has
// a machine in each.
func lacksMachinesForZones(m *Manifest) bool {
	enough := map[string]bool{}
	for _, worker := range m.workers {
		var zones []string
		for _, zone := range listOf(at(worker, "zones")) {
			zones = append(zones, text(zone))
		}
		key := strings.Join(slices.Compact(slices.Sorted(slices.Values(zones))), "--")
		if maximum, _ := number(at(worker, "maximum")); isSystem(worker) {
			enough[key] = enough[key] || int(maximum) >= len(zones)
		}
	}
	for _, is := range enough {
		if !is {
			return true
		}
	}
	return false
}

func hasControlPlane(worker any) bool { return at(worker, "controlPlane") != nil }

// controlPlaneWorkers is ValidateProviderUpdate, ValidateWorkers and
// validateSelfHostedShootControlPlane for self-hosted clusters.
func (s *shoots) controlPlaneWorkers() (all []Judged) {
	of := func(m *Manifest) (found []any) {
		for _, worker := range m.workers {
			if hasControlPlane(worker) {
				found = append(found, worker)
			}
		}
		return found
	}
	old, updated := of(s.old), of(s.updated)
	switch {
	case (len(old) > 0) != (len(updated) > 0):
		all = ofPool(Forbidden, refused("ValidateProviderUpdate",
			"a cluster cannot become self-hosted, nor cease to be"))
	case len(updated) > 1:
		all = ofPool(Forbidden, refused("ValidateWorkers", "only one pool can have the control plane"))
	case len(updated) == 1 && at(old[0], "name") != at(updated[0], "name"):
		all = ofPool(Forbidden, refused("ValidateProviderUpdate", "another pool cannot get the control plane"))
	case len(updated) == 1 && s.newly(func(m *Manifest) bool {
		worker := of(m)[0]
		return textOf(at(worker, "minimum")) != "1" || textOf(at(worker, "maximum")) != "1"
	}):
		all = ofPool(Forbidden, refused("validateSelfHostedShootControlPlane",
			"the pool with the control plane has one machine"))
	}
	return all
}

// nodeNetwork is validateKubeControllerManagerUpdate and ValidateNodeCIDRMaskWithMaxPod: the size of
// a node's network cannot be changed, and has an address for each pod of the node. A cluster without
// a size got one from SetDefaults_Shoot when it was created, and keeps it.
func (s *shoots) nodeNetwork() (all []Judged) {
	const path = "spec.kubernetes.kubeControllerManager.nodeCIDRMaskSize"
	old, updated := s.both(stepsOf(path)...)
	before, after := s.old.maskSize(old), s.old.maskSize(updated)
	switch {
	case textOf(old) == textOf(updated):
	case before == after:
		all = s.judged(path, None, RuleOf("NotHashed"))
	default:
		all = s.refuse(path, "validateKubeControllerManagerUpdate", "the field cannot be changed")
	}
	if s.newly(func(m *Manifest) bool { return m.lacksAddresses(after) }) {
		all = append(all, ofPool(Forbidden, refused("ValidateNodeCIDRMaskWithMaxPod",
			"a node has fewer addresses than pods: nodeCIDRMaskSize is too large for maxPods"))...)
	}
	return all
}

// maskSize returns the size of a node's network: the one that is set, or the default for twice as
// many addresses as pods.
func (m *Manifest) maskSize(set any) int {
	size, isSet := number(set)
	switch {
	case isSet:
		return int(size)
	case m.addressBits() == 128:
		return 64
	}
	return 32 - bits.Len(uint(max(2*m.maxPods(), 1)-1))
}

func (m *Manifest) addressBits() int {
	if textOf(atSpec(m, "networking", "ipFamilies")) == `["IPv6"]` {
		return 128
	}
	return 32
}

// maxPods returns the greatest number of pods on a node.
func (m *Manifest) maxPods() int {
	most, isSet := number(atSpec(m, "kubernetes", "kubelet", "maxPods"))
	if !isSet {
		most = 110
	}
	for _, worker := range m.workers {
		n, _ := number(at(worker, "kubernetes", "kubelet", "maxPods"))
		most = max(most, n)
	}
	return int(most)
}

// lacksAddresses reports whether a node with a network of a size has fewer addresses than pods.
func (m *Manifest) lacksAddresses(maskSize int) bool {
	addresses := min(m.addressBits()-maskSize, 40)
	return addresses >= 0 && 1<<addresses-2 < m.maxPods()
}
