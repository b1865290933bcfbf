package pool

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Options say how pools are compared. The zero value compares provider configs as a whole.
type Options struct {
	// Schema finds the Schema of a provider config by its apiVersion and kind. If it is nil or returns nil, the config is compared as a
	// whole: key order and spelling do not count, but any change is Immutable.
	Schema func(apiVersion, kind string) *hotupdate.Schema
	// Strategy takes the place of the strategies that the pools have; nil takes theirs.
	Strategy *hotupdate.Strategy
	// Defaulted says that one of the provider configs may have been through a defaulter, see [hotupdate.Changes.OutcomeIfDefaulted].
	Defaulted bool
}

// Comparison is what a change does to the machines of one pool.
type Comparison struct {
	// Outcome is what happens. It is indeterminate where a default decides it that is not known.
	Outcome hotupdate.Outcome
	// Strategy is the one that decides: the new pool's, or that of the two which updates in place, if only one does.
	Strategy hotupdate.Strategy
	// Changes are the differences, in the order of their paths. Those of the provider config stand below providerConfig; their pointers
	// begin with /providerConfig. Omitted is set where a default that is not known may make the difference.
	Changes hotupdate.Changes
	// Assumed is what the comparison takes for granted.
	Assumed []Assumption
	// Notes are the rules that decide beside the classes.
	Notes []Note
}

// Note is a rule that decides a comparison beside the classes of the changes. The zero value is none.
type Note uint8

// The notes.
const (
	NoNote            Note = iota
	StrategySwitched       // a change between rolling and in-place updates
	StrategyRefined        // a change between the two strategies that update in place
	MinorSkipped           // an in-place update that is not to the next Kubernetes minor
	ConfigAsWhole          // a provider config without a Schema, compared as a whole
	ConfigKindChanged      // provider configs of different kinds, compared as a whole
	QuantityRespelled      // a size that is the same, in another spelling
	ImageInPlace           // an in-place update of the machine image
	ProxyModeChanged       // node-local DNS that begins or ceases to count with the mode of kube-proxy
)

var noteTexts = [...]string{
	NoNote:            "nothing",
	StrategySwitched:  "a pool cannot change between rolling and in-place updates (GEP-31)",
	StrategyRefined:   "changing who starts in-place updates touches no machine",
	MinorSkipped:      "an in-place update has to take the next Kubernetes minor, without skipping one or going back (GEP-31)",
	ConfigAsWhole:     "no Schema of the provider config is known: it is compared as a whole, and any change of it replaces machines",
	ConfigKindChanged: "the provider configs have different kinds or versions: they are compared as a whole",
	QuantityRespelled: "the same quantity in another spelling is a change here, because Gardener hashes the text of volume sizes and eviction thresholds",
	ImageInPlace:      "the CloudProfile has to let the machine image be updated in place to its new version (GEP-31)",
	ProxyModeChanged:  "kube-proxy's mode has changed, and decides whether node-local DNS replaces machines",
}

// String returns the rule as a sentence.
func (n Note) String() string {
	if int(n) < len(noteTexts) {
		return noteTexts[n]
	}
	return "unknown"
}

// Forbids reports whether an update to which the rule applies is refused, whatever the classes of its changes are.
func (n Note) Forbids() bool { return n == StrategySwitched || n == MinorSkipped }

// Compare says what happens to the machines of a pool that changes from old to updated. Their names are not compared.
//
//   - What one of the pools does not know is assumed to be the same.
//   - A Kubernetes version or machine image, or a reservation of Kubernetes, that only one side sets is indeterminate if a defaulter
//     that is not known here may have set it.
//   - If only a node-agent secret name changed, then something that it covers and that the pools do not show: that replaces machines.
//   - With [hash.SumOfReservations] only the sum of the reservations counts.
//   - Another spelling of a volume's size or of an eviction threshold is a change: Gardener hashes the text. A note says so.
//
// All problems come back joined, each a [*fault.Error].
func Compare(old, updated Pool, o Options) (Comparison, error) {
	if old.Provider != updated.Provider {
		return Comparison{}, &fault.Error{
			Kind: fault.Conflict, Code: "other-provider", Where: whereOf(updated.Worker.Name),
			What: "is of another provider than before", Hint: "compare pools of one provider",
		}
	}
	c := &comparer{old: old, updated: updated, options: o}
	c.align()
	return c.compare()
}

// comparer compares two pools.
type comparer struct {
	old, updated Pool
	options      Options
	result       Comparison
	problems     reader
}

func (c *comparer) compare() (Comparison, error) {
	pool := c.poolChanges()
	config := c.configChanges()
	if err := c.problems.err(); err != nil {
		return Comparison{}, err
	}
	c.result.Changes = join(pool, config)
	if slices.ContainsFunc(pool, isRespelled) {
		c.note(QuantityRespelled)
	}
	if c.old.Worker.NodeLocalDNS == c.updated.Worker.NodeLocalDNS && slices.ContainsFunc(pool, isNodeLocalDNS) {
		c.note(ProxyModeChanged)
	}
	c.result.Outcome = c.result.Changes.OutcomeIfDefaulted(c.result.Strategy)
	if inPlace(c.result.Strategy) && c.skipsMinor() {
		c.note(MinorSkipped)
		c.result.Outcome = hotupdate.UpdateForbidden
	}
	if c.result.Outcome == hotupdate.InPlaceUpdate && slices.ContainsFunc(pool, isImageVersion) {
		c.note(ImageInPlace)
	}
	return c.result, nil
}

// Consequence says what the outcome means for the machines, in a part of a sentence for people: the rules that forbid the update, then,
// unless they say it all, what [hotupdate.Outcome.Consequence] says.
func (c Comparison) Consequence() string {
	plain := c.Outcome.Consequence(c.Strategy)
	if c.Outcome != hotupdate.UpdateForbidden {
		return plain
	}
	var reasons []string
	for _, n := range c.Notes {
		if n.Forbids() {
			reasons = append(reasons, n.String())
		}
	}
	if len(reasons) == 0 || slices.ContainsFunc(c.Causes(), c.needsMachines) {
		reasons = append(reasons, plain)
	}
	return strings.Join(reasons, "; ")
}

// needsMachines reports whether a cause of a forbidden update is forbidden because it replaces machines, and not by a rule.
func (c Comparison) needsMachines(cause hotupdate.Change) bool {
	return cause.Path != versionPath && cause.Path != strategyPath
}

func isNodeLocalDNS(c hotupdate.Change) bool {
	return c.Path == "systemComponents.nodeLocalDNS.enabled"
}

func isImageVersion(c hotupdate.Change) bool { return c.Path == "machine.image.version" }

// Causes returns the changes that decide the outcome: each of them alone leads to it. It is empty where nothing happens to machines. A
// skipped minor is one where the update is forbidden; what a default may have left as it was is one only if the outcome is indeterminate.
func (c Comparison) Causes() hotupdate.Changes {
	outcome := c.Changes.Outcome(c.Strategy)
	if outcome == hotupdate.NoUpdate {
		return nil
	}
	skipped := slices.Contains(c.Notes, MinorSkipped)
	if skipped {
		outcome = hotupdate.UpdateForbidden
	}
	var causes hotupdate.Changes
	for _, change := range c.Changes {
		decides := hotupdate.Changes{change}.Outcome(c.Strategy) == outcome || skipped && change.Path == versionPath
		if decides && (!change.Omitted || c.Outcome == hotupdate.Indeterminate) {
			causes = append(causes, change)
		}
	}
	return causes
}

func (c *comparer) note(n Note) { c.result.Notes = append(c.result.Notes, n) }

func inPlace(s hotupdate.Strategy) bool {
	return s == hotupdate.AutoInPlaceUpdate || s == hotupdate.ManualInPlaceUpdate
}

// align makes equal what is assumed to be equal.
func (c *comparer) align() {
	c.alignStrategies()
	unknown := assumed(c.old, c.updated)
	c.result.Assumed = unknown
	c.alignSecretNames()
	for _, a := range unknown {
		for _, p := range []*Pool{&c.old, &c.updated} {
			forget(p, a)
		}
	}
	// With another minor, node-local DNS may cease to count although nobody touched it. That is no change of its own.
	if c.old.Worker.NodeLocalDNS == c.updated.Worker.NodeLocalDNS && c.old.Worker.KubeProxyMode == c.updated.Worker.KubeProxyMode {
		forget(&c.old, SameNodeLocalDNS)
		forget(&c.updated, SameNodeLocalDNS)
	}
}

func (c *comparer) alignStrategies() {
	old, updated := &c.old.Worker.UpdateStrategy, &c.updated.Worker.UpdateStrategy
	if c.options.Strategy != nil {
		*old, *updated = *c.options.Strategy, *c.options.Strategy
	}
	c.result.Strategy = *updated
	switch {
	case inPlace(*old) != inPlace(*updated):
		c.note(StrategySwitched)
		if inPlace(*old) {
			c.result.Strategy = *old
		}
	case *old != *updated:
		c.note(StrategyRefined)
		*old = *updated
	}
}

// alignSecretNames drops the node-agent secret names unless both are known and have to agree with what they cover. Then nothing that
// they cover is merely assumed.
func (c *comparer) alignSecretNames() {
	if c.result.Strategy != hotupdate.AutoRollingUpdate || c.old.NodeAgentSecretName == nil || c.updated.NodeAgentSecretName == nil {
		c.old.NodeAgentSecretName, c.updated.NodeAgentSecretName = nil, nil
		return
	}
	c.result.Assumed = slices.DeleteFunc(slices.Clone(c.result.Assumed), func(a Assumption) bool {
		return a == SameCRI || a == SameNodeLocalDNS || a == SameCredentials
	})
}

// forget drops what is assumed to be the same in both pools.
func forget(p *Pool, a Assumption) {
	switch a {
	case SameKubernetesVersion:
		p.Worker.KubernetesVersion = ""
	case SameMachineImageVersion:
		p.Worker.Image = imageWithoutVersion(p.Worker.Image)
	case SameCRI:
		p.Worker.CRI = nil
	case SameNodeLocalDNS:
		p.Worker.NodeLocalDNS = false
	case SameCredentials:
		p.Worker.CARotation, p.Worker.ServiceAccountKeyRotation = hash.Rotation{}, hash.Rotation{}
	case SameRestOfPool, SameProviderState, NothingAssumed, ReservationsBySum, StrategyIsRollingUpdate:
	}
}

func imageWithoutVersion(image *hash.Image) *hash.Image {
	if image == nil {
		return nil
	}
	return &hash.Image{Name: image.Name}
}

// poolChanges compares all but the provider configs. A node-agent secret name is told only if nothing that it covers has changed for
// certain.
func (c *comparer) poolChanges() hotupdate.Changes {
	oldName, newName := c.old.NodeAgentSecretName, c.updated.NodeAgentSecretName
	changes := c.triggerChanges(nil, nil)
	explains := func(change hotupdate.Change) bool { return isInSecretName(change) && !change.Omitted }
	if oldName != nil && *oldName != *newName && !slices.ContainsFunc(changes, explains) {
		return c.triggerChanges(oldName, newName)
	}
	return changes
}

// triggerChanges compares the triggers with these node-agent secret names.
func (c *comparer) triggerChanges(oldName, newName *string) hotupdate.Changes {
	c.old.NodeAgentSecretName, c.updated.NodeAgentSecretName = oldName, newName
	v := variantOf(c.updated.Provider)
	schema, err := v.schema()
	before, oldErr := c.old.triggers(v)
	after, newErr := c.updated.triggers(v)
	if err := errors.Join(err, oldErr, newErr); err != nil {
		c.problems.problems = append(c.problems.problems, err)
		return nil
	}
	changes, err := schema.Diff(before, after)
	c.problems.found(c.updated.Worker.Name, "", err)
	for i := range changes {
		changes[i].Omitted = c.mayBeDefault(changes[i])
	}
	return changes
}

// isRespelled reports whether both sides of a change are texts of one quantity.
func isRespelled(c hotupdate.Change) bool {
	before, isQuantity := quantityOf(c.Old)
	after, isQuantityToo := quantityOf(c.New)
	return isQuantity && isQuantityToo && before.Cmp(after) == 0
}

func quantityOf(text string) (resource.Quantity, bool) {
	var spelled string
	if json.Unmarshal([]byte(text), &spelled) != nil {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(spelled)
	return q, err == nil
}

// triggers returns the pool's triggers for its provider.
func (p Pool) triggers(v variant) (any, error) {
	t, err := p.common()
	if err != nil {
		return nil, err
	}
	return v.build(t, p), nil
}

// isInSecretName reports whether the node-agent secret name covers a change of the triggers.
func isInSecretName(c hotupdate.Change) bool {
	return c.Path != strategyPath && c.Path != "volume.encrypted" && !strings.HasPrefix(c.Path, "dataVolumes")
}

// mayBeDefault reports whether the change may come from a defaulter that is not known.
func (c *comparer) mayBeDefault(change hotupdate.Change) bool {
	switch path := change.Path; {
	case path == versionPath:
		return c.oneLeaves(DefaultKubernetes, func(w hash.Worker) bool { return w.KubernetesVersion == "" })
	case path == "machine.image.name":
		return c.oneLeaves(DefaultMachineImage, func(w hash.Worker) bool { return imageOf(w).Name == "" })
	case path == "machine.image.version":
		return c.oneLeaves(DefaultMachineImage, func(w hash.Worker) bool { return imageOf(w).Version == "" })
	case strings.HasPrefix(path, reservedPath):
		field := strings.TrimPrefix(path[len(reservedPath):], ".")
		return c.oneLeaves(DefaultKubeReserved, func(w hash.Worker) bool { return !sets(w.Kubelet, field) })
	}
	return false
}

// The paths of triggers with rules of their own.
const (
	strategyPath = "updateStrategy"
	versionPath  = "kubernetes.version"
	reservedPath = "kubernetes.kubelet.reserved"
)

// oneLeaves reports whether one pool, but not the other, leaves a part to a default that is not known.
func (c *comparer) oneLeaves(d Default, leaves func(hash.Worker) bool) bool {
	old, updated := leaves(c.old.Worker), leaves(c.updated.Worker)
	if old == updated {
		return false
	}
	if old {
		return slices.Contains(c.old.Defaulted, d)
	}
	return slices.Contains(c.updated.Defaulted, d)
}

func imageOf(w hash.Worker) hash.Image {
	if w.Image == nil {
		return hash.Image{}
	}
	return *w.Image
}

// sets reports whether a kubelet's configuration sets a field of kubeReserved, or kubeReserved itself.
func sets(k *hash.Kubelet, field string) bool {
	if k == nil || k.KubeReserved == nil {
		return false
	}
	r := k.KubeReserved
	switch field {
	case "cpu":
		return r.CPU != nil
	case "memory":
		return r.Memory != nil
	case "ephemeralStorage":
		return r.EphemeralStorage != nil
	case "pid":
		return r.PID != nil
	}
	return true
}

// skipsMinor reports whether both minors are known, and the new one is neither the old one nor the next.
func (c *comparer) skipsMinor() bool {
	old, oldErr := hash.ParseMinor(c.old.Worker.KubernetesVersion)
	updated, newErr := hash.ParseMinor(c.updated.Worker.KubernetesVersion)
	return oldErr == nil && newErr == nil && updated != old && updated != old.Next()
}
