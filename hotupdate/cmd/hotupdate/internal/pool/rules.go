package pool

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// Rule is a rule of Gardener, of an extension or of this command that a verdict depends on, beside
// the classes of the changes. Rules are compared with ==.
type Rule struct {
	Kind RuleKind
	Text string
	// Source is the source of the rule; empty for a rule of this command.
	Source string
}

// RuleKind is the effect of a rule on a verdict.
type RuleKind uint8

// The kinds of rules, in the order in which a comparison lists them.
const (
	Refuses RuleKind = iota // refuses the change, regardless of classes
	Decides                 // decides the verdict on a change
	Assumes                 // is assumed, because no manifest says it
	Notes                   // explains the verdict, and does not change it
)

// String returns the kind in a word.
func (k RuleKind) String() string { return [...]string{"refusal", "reason", "assumption", "note"}[k] }

// sorted returns the rules without duplicates, by kind and text.
func sorted(rules []Rule) []Rule {
	slices.SortFunc(rules,
		func(a, b Rule) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text)) })
	return slices.Compact(rules)
}

// Sources of the rules. All have been read in Gardener v1.150 and in the provider extensions of its
// time.
const (
	release     = "Gardener v1.150"
	validation  = "Gardener v1.150, validation of Shoots; GEP-31"
	admission   = "Gardener v1.150, admission of Shoots; GEP-31"
	operations  = "Gardener v1.150, operations by annotation"
	hashing     = "Gardener v1.150, hash of worker pools; GEP-31"
	workers     = "Gardener v1.150, reconciliation of Workers"
	extensions  = "hash functions of the provider extensions"
	validators  = "admission of the provider extensions"
	thisCommand = ""
)

// NoRule means that only the class of a field decides.
var NoRule = Rule{}

// refusal returns a rule with the text of the first Forbidden error, or [NoRule] if there is none.
func refusal(errs field.ErrorList, source string) Rule {
	for _, err := range errs {
		if err.Type == field.ErrorTypeForbidden {
			return Rule{Refuses, err.Detail, source}
		}
	}
	return NoRule
}

// Refusals. Some have the texts of package inplace.
var (
	StrategySwitched = refusal(inplace.ValidateStrategy(hotupdate.AutoRollingUpdate,
		hotupdate.AutoInPlaceUpdate, nil), validation)
	VersionLowered = refusal(inplace.ValidateVersion("1.1.0", "1.0.0", hotupdate.AutoRollingUpdate, nil),
		validation)
	MinorSkipped = refusal(inplace.ValidateVersion("1.0.0", "1.2.0", hotupdate.AutoInPlaceUpdate, nil),
		validation)
	ImageLowered = refusal(inplace.ValidateImage(hash.Image{Version: "1.1.0"}, hash.Image{Version: "1.0.0"},
		nil, nil), validation)
	ImageUnknown = Rule{
		Refuses, "the CloudProfile does not have the machine image in this version", admission,
	}
	ImageNotInPlace = refusal(inplace.ValidateImage(hash.Image{Version: "1.0.0"},
		hash.Image{Version: "1.1.0"}, nil, nil), admission)
	ConfigInPlace = Rule{
		Refuses,
		"the released extension refuses every change of the provider config of a pool that is updated in place",
		validators,
	}
	DataVolumesInPlace = Rule{
		Refuses, "the extension refuses every change of the data volumes of a pool that is updated in place",
		validators,
	}
	NodeLocalDNSInPlace = Rule{
		Refuses,
		"node-local DNS cannot be switched while a pool that is updated in place is below Kubernetes 1.34 or has " +
			"kube-proxy in IPVS mode", validation,
	}
	NotReleased   = Rule{Refuses, "the released extension does not know the field", validators}
	PendingUpdate = refusal(inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}}.ValidateChange("a",
		nil, nil), validation)
	RotationBlocked = refusal(inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}}.ValidateRotation(nil),
		operations)
	RolloutInPlace = Rule{
		Refuses, "a pool that is updated in place cannot be rolled by an annotation", operations,
	}
	SurgeOfManualPool = Rule{
		Refuses, "a pool with ManualInPlaceUpdate has neither maxSurge nor maxUnavailable", validation,
	}
	SurgeAndUnavailableZero = Rule{Refuses, "maxSurge and maxUnavailable cannot both be 0", validation}
	ZonesChanged            = Rule{Refuses, "zones can only be added at the end of the list", validators}
	WorkersComeOrGo         = Rule{
		Refuses, "a Shoot cannot lose its last pool, nor get its first one later", validation,
	}
	SecretNameLost = Rule{Refuses, "the extension refuses a pool without a node-agent secret name", workers}
)

// Reasons for the verdict on a change.
var (
	HashedAsWritten = Rule{
		Decides,
		"the era of the pool hashes the config as it is written: the order of lists, the spelling of values and " +
			"empty objects count", extensions,
	}
	HashedInEra = Rule{
		Decides, "the field became hot in a later era: here the name of the pool depends on it", extensions,
	}
	ServerGroup        = Rule{Decides, "another policy makes another server group, and its ID is hashed", extensions}
	SecretNameFallback = Rule{
		Decides,
		"without a node-agent secret name, an extension built with Gardener up to 1.145 computes the first version " +
			"of the hash", extensions,
	}
	RotationStarted = Rule{
		Decides,
		"the annotation begins a rotation of credentials, which every pool or those that it lists have to follow",
		operations,
	}
	RolloutWorkers = Rule{
		Decides, "the annotation replaces the machines of the pool, which keeps its name", operations,
	}
	Hibernated   = Rule{Decides, "the cluster is hibernated: every machine is deleted", workers}
	WokenUp      = Rule{Decides, "the cluster wakes up: its machines are created", workers}
	Scaled       = Rule{Decides, "the number of machines changes", workers}
	ZoneAppended = Rule{
		Decides,
		"minimum and maximum count over all zones and are spread anew: machines of the other zones are deleted",
		workers,
	}
	EraUnknown = Rule{
		Decides,
		"whether the name of the pool depends on it is not known: its extension, era or Kubernetes minor is not",
		thisCommand,
	}
	PoolKubelet = Rule{
		Decides,
		"a kubelet configuration of the pool's own replaces the Shoot's, where admission may have set kubeReserved",
		admission,
	}
	FilledIn = Rule{
		Decides, "admission fills in what is left out, with values that are not known here", admission,
	}
	NoCloudProfile = Rule{
		Decides,
		"the CloudProfile says whether the machine image can be updated in place; name it with --cloudprofile",
		admission,
	}
	InfrastructureMayRoll = Rule{
		Decides, "Azure hashes the identity and the zones' subnets, which follow from the infrastructure's config",
		extensions,
	}
	ConfigRespelled = Rule{
		Decides, "admission of the released extension compares bytes: members in another order may be refused",
		validators,
	}
	SecretNameGained = Rule{
		Decides, "it is not known which hash named the pool while it had no node-agent secret name", workers,
	}
	NameStays    = Rule{Decides, "the pool keeps its name: only new machines have it", extensions}
	NotHashed    = Rule{Decides, "no name depends on it: no machine is replaced", hashing}
	PatchVersion = Rule{Decides, "a patch version replaces no machine", hashing}
	EmptyObject  = Rule{
		Decides, "an empty object changes no hash, as its field has no presence option", thisCommand,
	}
	BeyondManifests = Rule{
		Decides,
		"facts that are in no manifest decide what the change does: the extension, the CloudProfile or the seed",
		thisCommand,
	}
	MaintenanceStarted = Rule{
		Decides,
		"maintenance begins now: it may update the Kubernetes version and machine images, also without autoUpdate if " +
			"they have expired", operations,
	}
	SameMeaning = Rule{Decides, "in effect it is the same: no hash depends on order or spelling here", thisCommand}
	ToldAtPools = Rule{Decides, "each pool shows its effect", thisCommand}
)

// Assumptions.
var (
	ExtensionAdopted = Rule{
		Assumes,
		"the extension has adopted this library: tags are hot in every era, and admission goes by the classes " +
			"(--extension released judges today's)", thisCommand,
	}
	ExtensionReleased = Rule{
		Assumes, "the extension is today's release, which has not adopted this library", thisCommand,
	}
	JudgedCanonically = Rule{
		Assumes, "no era is known: the config is judged by the classes of its fields, as the canonical hash does",
		thisCommand,
	}
	StrategyIsRollingUpdate = Rule{Assumes, "the update strategy is taken to be AutoRollingUpdate", thisCommand}
	ReservationsBySum       = Rule{
		Assumes, "kubeReserved and systemReserved are taken to be added up, as Gardener's releases do that know both",
		hashing,
	}
	DriverAppliesInPlace = Rule{
		Assumes,
		"the driver applies in-place fields of the provider config while the node is drained; with a driver that " +
			"cannot, no node is selected and nothing changes", thisCommand,
	}
	SpecByClasses = Rule{
		Assumes,
		"only the spec decides, by the classes in --classes: a field without one has that of the field above, and is " +
			"immutable by default", thisCommand,
	}
	GateIsOn = Rule{
		Assumes, "the feature gate InPlaceNodeUpdates is on, without which a new pool cannot be updated in place",
		validation,
	}
)

// Notes.
var (
	EraCrossed = Rule{
		Notes, "the new Kubernetes minor belongs to another era, with another way of hashing", extensions,
	}
	StrategyRefined = Rule{Notes, "changing who starts in-place updates touches no machine", hashing}
	ConfigAsWhole   = Rule{
		Notes,
		"no Schema knows the provider config on both sides: every member counts as immutable, and no value is shown",
		thisCommand,
	}
	ProxyModeChanged = Rule{
		Notes, "kube-proxy or its mode has changed, and decides whether node-local DNS replaces machines", hashing,
	}
	SurgeReplaces = Rule{
		Notes,
		"with maxSurge above 0, machines are added during the update, and as many old ones are deleted at its end",
		workers,
	}
	RotationWithoutWorkers = Rule{
		Notes, "the rotation of credentials begins without the pools: they follow with rotate-rollout-workers",
		operations,
	}
	RotationFollowed = Rule{
		Notes, "the pool does not wait for a rollout of credentials: the operation leaves it as it is", operations,
	}
	StaysHibernated = Rule{Notes, "the cluster is hibernated: it has no machines until it wakes up", workers}
	PendingForced   = Rule{
		Notes, "the annotation force-in-place-update lets the change pass although an in-place update is not finished",
		validation,
	}
	WaitsForMaintenance = Rule{Notes, "the change waits for the maintenance window", operations}
)
