package pool

import (
	"cmp"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/bits"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // time zones are known on every machine

	"github.com/robfig/cron"
	labels "k8s.io/apimachinery/pkg/util/validation"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// refused returns a refusal by a function of Gardener.
func refused(function, text string) Rule { return Rule{Refuses, text, release + ", " + function} }

// at returns the value at a path of a tree; nil if there is none.
func at(value any, path ...string) any {
	for _, name := range path {
		value = membersOf(value)[name]
	}
	return value
}

func membersOf(value any) map[string]any {
	all, _ := value.(map[string]any)
	return all
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// text returns a string of a tree, or nothing.
func text(value any) string {
	s, _ := value.(string)
	return s
}

// number returns a whole number or a fraction of a tree.
func number(value any) (float64, bool) {
	n, isNumber := value.(json.Number)
	f, err := n.Float64()
	return f, isNumber && err == nil
}

func isTrue(value any) bool { return value == true }

func member(name string) fieldpath.Step { return fieldpath.Step{Name: name} }

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

// judged is a finding at a path that a judgement of this file decides.
func (s *shoots) judged(path string, v Verdict, rule Rule) []Judged {
	old, updated := s.both(stepsOf(path)...)
	return []Judged{difference{pathOf(stepsOf(path)), old, updated}.change(v, rule)}
}

// pathOf returns the path of a member.
func pathOf(names []string) (path fieldpath.Path) {
	for _, name := range names {
		path = append(path, member(name))
	}
	return path
}

// stepsOf returns the names in a path. The key of an annotation has dots.
func stepsOf(path string) []string {
	if key, ok := strings.CutPrefix(path, "metadata.annotations."); ok {
		return []string{"metadata", "annotations", key}
	}
	return strings.Split(path, ".")
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

// matches reports whether a value is one of a pattern: values in JSON, - if absent, * for all. A
// pattern that begins with ! has the others.
func matches(pattern string, value any) bool {
	values, isNot := strings.CutPrefix(pattern, "!")
	is := slices.Contains(strings.Split(values, "|"), cmp.Or(textOf(value), "-"))
	return pattern == "*" || is != isNot
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
	of := subject{minor: minorOf(m.version), workers: len(m.workers)}
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
	of := subject{minor: minorOf(p.Worker.KubernetesVersion), workers: 1, rolls: !inPlace(p.declared)}
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

// limit is a row of [limits] or [Shoot limits].
type limit struct {
	steps, condition []string
	function, text   string
}

var limits = sync.OnceValue(func() map[string][]limit {
	all := map[string][]limit{}
	for _, section := range []string{"limits", "Shoot limits"} {
		for _, row := range sections()[section] {
			all[section] = append(all[section],
				limit{strings.Split(row[0], "."), strings.Fields(row[1]), row[2], row[3]})
		}
	}
	return all
})

// effective returns the members of the pool, with the kubelet's configuration that counts.
func (p *Pool) effective() any {
	if p.ownKubelet || p.Cluster.kubelet == nil {
		return p.all
	}
	return with(p.all, fieldpath.Path{member("kubernetes"), member("kubelet")}, p.Cluster.kubelet)
}

// found is a value of a tree, with the path of the field or list that has it, and the object beside
// whose members it stands.
type found struct {
	path      string
	value, in any
}

// valuesAt returns the values at a path of [limits]. An absent value is none, or nil as the member
// of an element of a list.
func valuesAt(value any, steps []string, of found) (all []found) {
	if len(steps) == 0 {
		return []found{{strings.TrimPrefix(of.path, "."), value, of.in}}
	}
	name, isList := strings.CutSuffix(steps[0], "[]")
	path := strings.TrimPrefix(of.path+"."+name, ".")
	switch {
	case isList:
		for _, element := range listOf(at(value, name)) {
			in := element
			if len(steps) == 1 {
				in = value
			}
			all = append(all, found{path, at(element, steps[1:]...), in})
		}
	case name == "*":
		for name, member := range membersOf(value) {
			all = append(all, found{strings.TrimPrefix(of.path+"."+name, "."), member, value})
		}
	case at(value, name) != nil:
		all = valuesAt(at(value, name), steps[1:], found{path: path, in: value})
	}
	return all
}

// subject is a Shoot or a pool whose values have limits.
type subject struct {
	minor   hash.Minor
	workers int
	rolls   bool
	in      any // the object that has the value as a member
}

// breaks reports whether a value does not meet a condition of [limits].
func (s subject) breaks(v found, condition []string) bool {
	s.in = v.in
	return conditions[condition[0]](s, v.value, append(slices.Clip(condition[1:]), "", ""))
}

// meets reports whether values beside the one with the limit match patterns: PATH=PATTERN.
func (s subject) meets(patterns []string) bool {
	return !slices.ContainsFunc(patterns, func(one string) bool {
		path, pattern, isPattern := strings.Cut(one, "=")
		return isPattern && !matches(pattern, at(s.in, strings.Split(path, ".")...))
	})
}

// fits reports whether a text matches a regular expression of [limits].
func fits(text, pattern string) bool {
	compiled, isKnown := expressions.Load(pattern)
	if !isKnown {
		compiled, _ = expressions.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return compiled.(*regexp.Regexp).MatchString(text) //nolint:forcetypeassert // it holds nothing else
}

var expressions sync.Map

// conditions are the conditions of [limits]. Each reports whether a value does not meet it.
var conditions = map[string]func(s subject, value any, args []string) bool{
	"least": func(_ subject, value any, args []string) bool {
		n, is := number(value)
		return is && n < float(args[0])
	},
	"most": func(_ subject, value any, args []string) bool {
		n, is := number(value)
		return is && n > float(args[0])
	},
	"above": func(_ subject, value any, args []string) bool {
		n, is := number(value)
		return is && n <= float(args[0])
	},
	"below": func(_ subject, value any, args []string) bool {
		n, is := number(value)
		return is && n >= float(args[0])
	},
	"share": func(_ subject, value any, _ []string) bool {
		n, isNumber := number(value)
		return isNumber && n < 0 || !isNumber && len(labels.IsValidPercent(text(value))) > 0
	},
	"percent":  func(_ subject, value any, _ []string) bool { return percentOf(value) > 100 },
	"duration": func(_ subject, value any, limits []string) bool { return isOutside(value, limits[0], limits[1]) },
	"period": func(_ subject, value any, limits []string) bool { // 0 turns it off
		return isOutside(value, "0s", "0s") && isOutside(value, limits[0], limits[1])
	},
	"quantity": func(_ subject, value any, args []string) bool {
		q, err := leaf.ParseQuantity(strings.Trim(textOf(value), `"`))
		least, _ := leaf.ParseQuantity(cmp.Or(args[0], "0"))
		return err == nil && q.Cmp(least) < 0
	},
	"threshold": func(_ subject, value any, _ []string) bool {
		q, err := leaf.ParseQuantity(text(value))
		return (err != nil || q.Sign() < 0) && (len(labels.IsValidPercent(text(value))) > 0 || percentOf(value) > 100)
	},
	"match":   func(_ subject, value any, args []string) bool { return !fits(text(value), args[0]) },
	"without": func(_ subject, value any, args []string) bool { return fits(text(value), args[0]) },
	"names": func(_ subject, value any, args []string) bool {
		isOther := func(name string) bool { return !fits(name, args[0]) }
		return slices.ContainsFunc(slices.Collect(maps.Keys(membersOf(value))), isOther)
	},
	"never":  func(s subject, _ any, args []string) bool { return s.meets(args) },
	"differ": func(s subject, value any, args []string) bool { return value == at(s.in, args[0]) },
	"length": func(s subject, value any, args []string) bool {
		n := len(listOf(value))
		return s.meets(args[1:]) && n > 0 && strconv.Itoa(n) != args[0]
	},
	"one-of": func(_ subject, value any, args []string) bool { return !slices.Contains(args, text(value)) },
	"list-of": func(_ subject, value any, args []string) bool {
		isOther := func(one string) bool { return !slices.Contains(args, one) }
		return slices.ContainsFunc(strings.Split(text(value), ","), isOther)
	},
	"unique": func(_ subject, value any, members []string) bool { // elements, by members that identify them
		seen := map[string]bool{}
		for _, one := range listOf(value) {
			key := textOf(one)
			if members[0] != "" {
				key = textOf(at(one, members[0])) + " " + textOf(at(one, members[1]))
			}
			seen[key] = true
		}
		return len(seen) < len(listOf(value))
	},
	"distinct": func(_ subject, value any, members []string) bool { // texts of all elements
		seen := map[string]int{}
		for _, one := range listOf(value) {
			for _, name := range members {
				seen[text(at(one, name))]++
			}
		}
		delete(seen, "")
		return len(seen) > 0 && slices.Max(slices.Collect(maps.Values(seen))) > 1
	},
	"cron": func(_ subject, value any, _ []string) bool {
		_, err := cron.ParseStandard(text(value))
		return value != nil && err != nil
	},
	"time-zone": func(_ subject, value any, _ []string) bool {
		_, err := time.LoadLocation(text(value))
		return err != nil
	},
	"label": func(_ subject, value any, _ []string) bool {
		return len(labels.IsDNS1123Label(text(value))) > 0 || len(text(value)) > 15
	},
	"label-value": func(_ subject, value any, _ []string) bool {
		return len(labels.IsValidLabelValue(text(value))) > 0
	},
	"key": func(_ subject, value any, _ []string) bool {
		const reserved = "node.gardener.cloud/critical-components-not-ready"
		return len(labels.IsQualifiedName(text(value))) > 0 || text(value) == reserved
	},
	"keys": func(_ subject, value any, _ []string) bool {
		isWrong := func(key string) bool { return len(labels.IsQualifiedName(strings.ToLower(key))) > 0 }
		return slices.ContainsFunc(slices.Collect(maps.Keys(membersOf(value))), isWrong)
	},
	"subdomain": func(_ subject, value any, _ []string) bool { return len(labels.IsDNS1123Subdomain(text(value))) > 0 },
	"network":   func(_ subject, value any, _ []string) bool { return !isNetwork(value) },
	"networks": func(s subject, value any, args []string) bool {
		return s.meets(args) && !slices.ContainsFunc(listOf(value), isNetwork)
	},
	"family": func(s subject, value any, _ []string) bool {
		families, network := listOf(at(s.in, "ipFamilies")), networkOf(value)
		return network.IsValid() && len(families) < 2 && network.Addr().Is6() != slices.Contains(families, any("IPv6"))
	},
	"apart": func(s subject, value any, others []string) bool {
		isOverlap := func(other string) bool { return networkOf(value).Overlaps(networkOf(at(s.in, other))) }
		return s.meets([]string{`ipFamilies=!["IPv6"]`}) && slices.ContainsFunc(others, isOverlap)
	},
	"window": func(s subject, _ any, limits []string) bool {
		begin, errBegin := time.Parse("150405-0700", text(at(s.in, "begin")))
		end, errEnd := time.Parse("150405-0700", text(at(s.in, "end")))
		length := (end.Sub(begin)%day + day) % day
		return errBegin != nil || errEnd != nil || isOutside(length.String(), limits[0], limits[1])
	},
	"certificate": func(_ subject, value any, _ []string) bool {
		block, _ := pem.Decode([]byte(text(value)))
		if block == nil || block.Type != "CERTIFICATE" {
			return true
		}
		_, err := x509.ParseCertificate(block.Bytes)
		return err != nil
	},
	"https": func(_ subject, value any, _ []string) bool {
		u, err := url.Parse(text(value))
		return err != nil || u.Scheme != "https" || u.Host == "" || u.Fragment != "" || u.User != nil ||
			u.RawQuery != ""
	},
	"feature-gates":    func(s subject, value any, _ []string) bool { return s.featureGates(value) },
	"admission-plugin": func(s subject, value any, _ []string) bool { return s.admissionPlugin(value) },
	"apis":             func(s subject, value any, _ []string) bool { return s.apis(value) },
	"in-place":         func(s subject, value any, _ []string) bool { return s.rolls && value != false },
	"until": func(s subject, value any, args []string) bool {
		return value != nil && s.minor.Compare(minorOf(args[0])) >= 0
	},
	"from": func(s subject, _ any, args []string) bool {
		return s.minor != hash.Minor{} && s.minor.Compare(minorOf(args[0])) < 0
	},
	"with-workers": func(s subject, _ any, _ []string) bool { return s.workers == 0 },
}

const day = 24 * time.Hour

func isNetwork(value any) bool {
	network, err := netip.ParsePrefix(text(value))
	return err == nil && network == network.Masked()
}

// networkOf returns a network; the zero value is none.
func networkOf(value any) netip.Prefix {
	network, _ := netip.ParsePrefix(text(value))
	return network
}

func float(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

// isOutside reports whether a duration is below a limit or above the other one. A limit may be
// missing.
func isOutside(value any, least, most string) bool {
	d, err := time.ParseDuration(text(value))
	low, _ := time.ParseDuration(least)
	high, noLimit := time.ParseDuration(most)
	return err == nil && (d < low || noLimit == nil && d > high)
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
	kubelet := of("kubernetes", "kubelet")
	high, isHigh := number(at(kubelet, "imageGCHighThresholdPercent"))
	low, isLow := number(at(kubelet, "imageGCLowThresholdPercent"))
	if !p.ownKubelet { // SetDefaults_Shoot
		high, low = cmp.Or(high, 50), cmp.Or(low, 40)
		isHigh, isLow = true, true
	}
	refuse(isHigh && isLow && low >= high, kubeletPath+".imageGCLowThresholdPercent", "ValidateKubeletConfig",
		"the low threshold is not below the high one")
}

// percentOf returns a percentage, or 0 for other values.
func percentOf(value any) int {
	percent, ok := strings.CutSuffix(text(value), "%")
	n, err := strconv.Atoi(percent)
	if !ok || err != nil {
		return 0
	}
	return n
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
