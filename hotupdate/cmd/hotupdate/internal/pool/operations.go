package pool

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The annotations with operations. Operations are separated by semicolons.
const (
	operationKey            = "gardener.cloud/operation"
	maintenanceOperationKey = "maintenance.gardener.cloud/operation"
)

// The operations with a list of pools.
const (
	rotateRollout = "rotate-rollout-workers="
	rollout       = "rollout-workers="
)

// The rotations in the status of a Shoot.
const (
	authorities = "certificateAuthorities"
	accountKey  = "serviceAccountKey"
	etcdKey     = "etcdEncryptionKey"
)

// withoutWorkers is the suffix of operations that begin a rotation without the pools.
const withoutWorkers = "-without-workers-rollout"

// knownOperation returns what fields.txt says of an operation: words, and lists by their names.
func knownOperation(name string) (o map[string][]string, known bool) {
	if strings.HasPrefix(name, rotateRollout) || strings.HasPrefix(name, rollout) {
		return map[string][]string{"awake": nil}, true
	}
	for _, row := range sections()["operations"] {
		if row[0] == name {
			o, known = map[string][]string{}, true
			for word := range strings.FieldsSeq(row[1]) {
				key, list, _ := strings.Cut(word, "=")
				o[key] = strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
			}
		}
	}
	return o, known
}

// has reports whether a word stands beside an operation.
func has(o map[string][]string, word string) bool {
	_, is := o[word]
	return is
}

// operationsOf returns the operations in an annotation of a Shoot.
func operationsOf(annotation string) []string {
	return slices.DeleteFunc(strings.Split(annotation, ";"), func(name string) bool { return name == "" })
}

// operations refuses operations in the annotations of the new Shoot: validateShootOperation. An
// annotation that stood there before is validated again.
func (s *shoots) operations() (all []Judged) {
	now, later := operationsOf(s.updated.operations[0]), operationsOf(s.updated.operations[1])
	for _, name := range now {
		if slices.Contains(later, name) {
			all = append(all, s.refuse("metadata.annotations."+operationKey, "validateShootOperation",
				"an operation stands in both annotations")...)
		}
		clash := slices.ContainsFunc(later,
			func(other string) bool { return includes(name, other) || includes(other, name) })
		if clash {
			all = append(all, s.refuse("metadata.annotations."+operationKey, "validateShootOperation",
				"an operation includes one in the other annotation")...)
		}
	}
	for key, names := range map[string][]string{operationKey: now, maintenanceOperationKey: later} {
		for _, name := range names {
			if text := s.refusalOf(name, names); text != "" {
				all = append(all, s.refuse("metadata.annotations."+key, "validateShootOperation", text)...)
			}
		}
	}
	return all
}

// includes reports whether an operation on all credentials includes one on some of them.
func includes(all, some string) bool {
	o, _ := knownOperation(some)
	switch strings.TrimSuffix(all, withoutWorkers) {
	case "rotate-credentials-start":
		return len(o["starts"]) == 1
	case "rotate-credentials-complete":
		return len(o["completes"]) == 1
	}
	return false
}

// refusalOf says why an operation among others is refused, or nothing.
func (s *shoots) refusalOf(name string, beside []string) string {
	o, known := knownOperation(name)
	notBelow134 := minorOf(s.updated.version).Compare(minorOf("1.34")) >= 0
	switch {
	case !known:
		return "the operation is unknown"
	case has(o, "alone") && len(beside) > 1:
		return "the operation must stand alone"
	case slices.ContainsFunc(o["not"], func(other string) bool { return slices.Contains(beside, other) }):
		return "the operation must not stand beside one of the others"
	case has(o, "awake") && s.isHibernated():
		return "the operation is refused while the cluster is hibernated or wakes up"
	case has(o, "below1.34") && notBelow134:
		return "from Kubernetes 1.34 on, the operation is rotate-etcd-encryption-key"
	case len(o["starts"]) > 0 && !s.isReady():
		return "no rotation can begin before the cluster was created or while it is deleted"
	case slices.ContainsFunc(o["starts"],
		func(of string) bool { return !slices.Contains([]string{"", "Completed"}, s.phase(of)) }):
		return "the last rotation is not completed"
	case slices.ContainsFunc(o["completes"],
		func(of string) bool { return s.phase(of) != "Prepared" && s.hasStatus() }):
		return "the rotation is not prepared"
	}
	return s.refusalOfList(name)
}

// refusalOfList says why an operation on a list of pools is refused, or nothing.
func (s *shoots) refusalOfList(name string) string {
	list, isRollout := strings.CutPrefix(name, rollout)
	if !isRollout {
		rest, isRotation := strings.CutPrefix(name, rotateRollout)
		if !isRotation {
			return ""
		}
		list = rest
		const waits = "WaitingForWorkersRollout"
		if s.hasStatus() && s.phase(authorities) != waits && s.phase(accountKey) != waits {
			return "no rotation waits for pools"
		}
	}
	names := strings.Split(list, ",")
	unknown := func(name string) bool { return !s.updated.has(name) && (!isRollout || name != "*") }
	switch {
	case isRollout && len(names) > 1 && slices.Contains(names, "*"):
		return "* stands for all pools, and alone"
	case slices.ContainsFunc(names, unknown):
		return "the operation names a pool that does not exist"
	case len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names):
		return "the operation names a pool twice"
	}
	return ""
}

// operations judges what the operations of the new Shoot do to the pool. Gardener removes an
// annotation when it begins the operation, so an annotation on both sides requests the operation
// again.
func (j *judgement) operations() (all []Judged) {
	again := verdictOf(hotupdate.InPlace, j.strategy)
	cluster := &j.updated.Cluster
	for _, operation := range cluster.Operations {
		pools, rotates := strings.CutPrefix(operation, rotateRollout)
		rolled, rolls := strings.CutPrefix(operation, rollout)
		switch {
		case operation == "maintain":
			all = append(all, ofPool(Indeterminate, RuleOf("MaintenanceStarted"))...)
		case isRotation(operation) && j.old.Cluster.Pending.ValidateRotation(nil) != nil:
			all = append(all, ofPool(Forbidden, RotationBlocked)...)
		case isRotation(operation) && strings.HasSuffix(operation, withoutWorkers):
			all = append(all, ofPool(None, RuleOf("RotationWithoutWorkers"))...)
		case isRotation(operation), rotates && names(pools, j.updated) &&
			(cluster.rotates == nil || cluster.rotates[j.updated.Worker.Name]):
			all = append(all, ofPool(again, RuleOf("RotationStarted"))...)
		case rotates && names(pools, j.updated):
			all = append(all, ofPool(None, RuleOf("RotationFollowed"))...)
		case rolls && names(rolled, j.updated) && inPlace(j.strategy):
			all = append(all, ofPool(Forbidden, RuleOf("RolloutInPlace"))...)
		case rolls && names(rolled, j.updated):
			all = append(all, ofPool(Roll, RuleOf("RolloutWorkers"))...)
		}
	}
	return all
}

func isRotation(operation string) bool {
	return slices.Contains([]string{"rotate-credentials-start", "rotate-ca-start", "rotate-serviceaccount-key-start"},
		strings.TrimSuffix(operation, withoutWorkers))
}

// names reports whether a list of pools contains the pool.
func names(list string, p *Pool) bool {
	return list == "*" || slices.Contains(strings.Split(list, ","), p.Worker.Name)
}
