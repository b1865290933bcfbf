package verdict

import (
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Sources of rules. All have been read in Gardener v1.150 and in the provider extensions of its
// time.
const (
	Validation      = "Gardener v1.150, validation of Shoots; GEP-31"
	Admission       = "Gardener v1.150, admission of Shoots; GEP-31"
	names           = "Gardener v1.150, hash of worker pools; GEP-31"
	operations      = "Gardener v1.150, operations by annotation"
	workers         = "Gardener v1.150, reconciliation of Workers"
	hashFunctions   = "hash functions of the provider extensions"
	appliers        = "kubectl v1.34, apply and replace; structured-merge-diff v6.3"
	extensionsAdmit = "admission of the provider extensions"
)

// ForceInPlaceUpdate is the operation, by annotation, that lets a pool be changed whose in-place update has not
// finished.
const ForceInPlaceUpdate = "force-in-place-update"

// Refusals: those that the proposals make. What Gardener admits beside them is not judged here, see
// [AdmissionUnjudged].
var (
	StrategySwitched = Rule{Refuses, "a pool cannot change between rolling and in-place updates", Validation}
	PendingUpdate    = Rule{
		Refuses, "the pool has not finished an in-place update; wait for it, or set the annotation " +
			"gardener.cloud/operation: " + ForceInPlaceUpdate, Validation,
	}
	RotationBlocked = Rule{
		Refuses, "no rotation of credentials can begin while a pool has not finished an in-place update", operations,
	}
	ImageUnknown    = Rule{Refuses, "the CloudProfile does not have the machine image in this version", Admission}
	ImageLowered    = Rule{Refuses, "the version of a machine image cannot be lowered in place", Validation}
	ImageNotInPlace = Rule{
		Refuses, "the CloudProfile does not let the machine image be updated in place from the old version", Admission,
	}
	NewImageNotInPlace = Rule{
		Refuses, "the CloudProfile does not let the machine image be updated in place", Admission,
	}
	ConfigInPlace = Rule{
		Refuses, "the released extension refuses every change of the provider config of a pool that is updated in " +
			"place",
		extensionsAdmit,
	}
	DataVolumesInPlace = Rule{
		Refuses, "the extension refuses every change of the data volumes of a pool that is updated in place",
		extensionsAdmit,
	}
	NodeLocalDNSInPlace = Rule{
		Refuses, "node-local DNS cannot be switched while a pool that is updated in place is below Kubernetes 1.34 " +
			"or has kube-proxy in IPVS mode", Validation,
	}
	FixedInPlace   = Rule{Refuses, "a pool that is updated in place cannot change the field", Validation}
	RolloutInPlace = Rule{Refuses, "a pool that is updated in place cannot be rolled by an annotation", operations}
	NotReleased    = Rule{Refuses, "the released extension does not know the field", extensionsAdmit}
	NotYetRead     = Rule{
		Refuses, "today's release ignores the config: an extension that has adopted this library reads the field " +
			"from a later Kubernetes minor on, and refuses a change before it", extensionsAdmit,
	}
	ZonesRefused = Rule{
		Refuses, "the extension refuses every change of zones but appended ones", extensionsAdmit,
	}
	InfrastructureFixed = Rule{Refuses, "the extension refuses every change of the field", extensionsAdmit}
	MinimumAboveMaximum = Rule{
		Refuses, "the minimum of a pool must not be above its maximum", Validation,
	}
	GateIsOff = Rule{
		Refuses, "the feature gate InPlaceNodeUpdates is off, without which a new pool cannot be updated in place",
		Validation,
	}
	SecretNameLost = Rule{Refuses, "the extension refuses a pool without a node-agent secret name", workers}
)

// Reasons: each decides the verdict on a change.
var (
	HashedAsWritten = Rule{
		Decides, "the era of the pool hashes the config as it is written: the order of lists, the spelling of values " +
			"and empty objects count", hashFunctions,
	}
	HashedInEra = Rule{
		Decides, "the field is hot, but the name of the pool still depends on it at this Kubernetes version",
		hashFunctions,
	}
	HashedInEveryEra = Rule{
		Decides, "the field is hot, but the name of the pool still depends on it at every Kubernetes version",
		hashFunctions,
	}
	IgnoredInEra = Rule{
		Decides, "the field concerns no machine, but the name of the pool still depends on it at this Kubernetes " +
			"version", hashFunctions,
	}
	IgnoredInEveryEra = Rule{
		Decides, "the field concerns no machine, but the name of the pool still depends on it at every Kubernetes " +
			"version", hashFunctions,
	}
	NoClasses = Rule{
		Kind: Decides,
		Text: "no classes are given, so nobody knows whether machines follow a change of the field",
	}
	NoRemovalClass = Rule{
		Kind: Decides, Text: "what the removal of an object of this kind does is a class of the kind, and is not given",
	}
	NoAdditionClass = Rule{
		Kind: Decides, Text: "whether a new object of this kind gets machines is a class of the kind, and is not given",
	}
	ServerGroup = Rule{
		Decides, "a server group of another policy has another ID, and the ID is hashed", hashFunctions,
	}
	StateChanged = Rule{
		Decides, "the extension hashes a part of the infrastructure's state that differs between the Workers, such " +
			"as the identity, a subnet or the server group", hashFunctions,
	}
	StateUnknown = Rule{
		Decides, "one of the Workers does not tell a part of the infrastructure's state that the extension hashes",
		hashFunctions,
	}
	SecretNameFallback = Rule{
		Decides, "without a node-agent secret name, an extension built with Gardener up to 1.145 computes the first " +
			"version of the hash", hashFunctions,
	}
	SecretNameGained = Rule{
		Decides, "the hash that named the pool before it had a node-agent secret name is not known", workers,
	}
	RotationStarted = Rule{
		Decides, "the annotation begins a rotation of credentials, which every pool, or every listed pool, must " +
			"follow", operations,
	}
	RolloutWorkers = Rule{
		Decides, "the annotation replaces the machines of the pool, which keeps its name", operations,
	}
	PoolKubelet = Rule{
		Decides, "the kubelet configuration of the pool replaces the Shoot's, and the values that Gardener fills in " +
			"there",
		Admission,
	}
	ReservationsFilledIn = Rule{
		Decides, "Gardener fills other reservations into the kubelet configuration of the pool", Admission,
	}
	MaintenanceStarted = Rule{
		Decides, "maintenance begins now: it may update the Kubernetes version and machine images, and updates " +
			"expired ones even without autoUpdate", operations,
	}
	ShootDeleted = Rule{Decides, "the Shoot is being deleted, with all its machines", workers}
	Hibernated   = Rule{Decides, "the cluster is hibernated: every machine is deleted", workers}
	WokenUp      = Rule{Decides, "the cluster wakes up: its machines are created", workers}
	Grown        = Rule{Decides, "the pool has room for more machines", workers}
	MinimumMore  = Rule{Decides, "machines are added up to the new minimum", workers}
	Shrunk       = Rule{Decides, "the machines above the new maximum are deleted", workers}
	ScaledToZero = Rule{Decides, "with a maximum of 0 every machine is deleted", workers}
	MinimumLess  = Rule{
		Decides, "a smaller minimum deletes no machine; the cluster autoscaler may remove idle ones later", workers,
	}
	NumbersStay = Rule{Decides, "no number of machines that the pool may have changes", workers}
	NoMachines  = Rule{
		Decides, "the pool has no machines before the change: none is replaced or updated", workers,
	}
	KeepsNoMachines = Rule{
		Decides, "the pool keeps no machine: none is replaced or updated", workers,
	}
	MayStillRun = Rule{
		Decides, "hibernation is not finished: if the pool still has machines, the change finds them", workers,
	}
	HibernationEnds = Rule{
		Decides, "hibernation ends before it is finished: machines may still run, and those that are missing are " +
			"created", workers,
	}
	ZoneAppended = Rule{
		Decides, "minimum and maximum count over all zones and are spread anew: a zone whose share of the maximum " +
			"shrinks loses the machines above it",
		workers,
	}
	ZoneAdded = Rule{
		Decides, "minimum and maximum count over all zones and are spread anew: no zone has a smaller share", workers,
	}
	HibernationScheduled = Rule{
		Decides, "a schedule hibernates the cluster: every machine is deleted then", "hibernation controller",
	}
	HibernatedAgain = Rule{
		Decides, "a schedule hibernates the cluster again: every machine is deleted that runs since the end of a " +
			"schedule has woken the cluster up", "hibernation controller",
	}
	WakeUpScheduled = Rule{
		Decides, "a schedule wakes the cluster up: its machines are created then", "hibernation controller",
	}
	ScheduleRemoved = Rule{
		Decides, "a schedule is removed: it hibernates or wakes up the cluster no more", "hibernation controller",
	}
	ZonesChanged = Rule{
		Decides, "the extension decides about machines in other zones: today's extensions refuse every change of " +
			"zones but appended ones", extensionsAdmit,
	}
	EraUnknown = Rule{
		Kind: Decides,
		Text: "the name of the pool may depend on the field: its extension, era or Kubernetes minor is not known",
	}
	ReadByVersion = Rule{
		Decides, "an extension that has adopted this library reads the config from a Kubernetes minor on, and " +
			"refuses it below", extensionsAdmit,
	}
	ReleaseDecides = Rule{
		Decides, "releases of the extension hash the config in different ways at this Kubernetes version",
		hashFunctions,
	}
	InPlaceNotInRelease = Rule{
		Decides, "the stated release of the extension may be older than in-place updates: what it does with such a " +
			"pool is not known", extensionsAdmit,
	}
	PoolUnknown = Rule{
		Kind: Decides,
		Text: "the name of the pool may depend on the field: a provider config without its pool does not tell; " +
			"compare the Shoots, or judge an extension that has adopted this library by --extension adopted",
	}
	PoolsUnknown = Rule{
		Kind: Decides,
		Text: "a provider config on its own does not tell which worker pools have it: where it is only on one side, " +
			"what becomes of them is not known",
	}
	InfrastructureMayRoll = Rule{
		Decides, "Azure hashes the identity and the zones' subnets, which follow from the infrastructure's config",
		hashFunctions,
	}
	ConfigRespelled = Rule{
		Decides, "admission of the released extension compares bytes: members in another order may be refused",
		extensionsAdmit,
	}
	EarlierMayWait = Rule{
		Decides, "an earlier change may wait, and is rolled out with this one: what runs is not known while the " +
			"rollout is confined to the maintenance window, the last operation has failed or gardenlet ignores the " +
			"Shoot",
		operations,
	}
	NoCloudProfile = Rule{
		Decides, "the CloudProfile says whether the machine image can be updated in place; name it with --cloudprofile",
		Admission,
	}
	NodeLocalDNSByVersion = Rule{
		Decides, "the Kubernetes version decides whether node-local DNS can be switched while a pool is updated in " +
			"place", Validation,
	}
	NameStays = Rule{Decides, "the pool keeps its name: only new machines get the value", hashFunctions}
	NotHashed = Rule{Decides, "no name depends on the field: no machine is replaced", names}

	PatchVersion = Rule{Decides, "a patch version replaces no machine", names}
	EmptyObject  = Rule{Kind: Decides, Text: "an empty object changes no hash, as its field has no presence option"}
	// MayBeTold is for custom resources: Karpenter's hash tells an empty map from none, and a repeated element.
	MayBeTold = Rule{
		Kind: Decides, Text: "both values mean the same, but the controllers of the kind may tell them apart, such " +
			"as an empty list from none; write both alike",
	}
	SameMeaning = Rule{
		Kind: Decides, Text: "both values mean the same: no hash depends on order or spelling here",
	}
	// AsLeftOut: Gardener fills the value in, or keeps it.
	AsLeftOut = Rule{Kind: Decides, Text: "the field has the same value where it is left out"}
	// ReservationsStay: kubeReserved and systemReserved are added up, and Gardener fills in some values.
	ReservationsStay = Rule{Decides, "the sum of the reservations stays the same", names}

	ToldAtPools = Rule{Kind: Decides, Text: "each pool shows the effect of the field"}
	Misspelled  = Rule{
		Kind: Decides, Text: "the value of the field is not known: a member with nearly its name was probably meant",
	}
	BeyondManifests = Rule{
		Kind: Decides, Text: "the extension decides what the change does, by facts that no manifest has",
	}
)

// Reasons of verdicts that depend on what Gardener fills in, see package facts.
var (
	ReservationMode = Rule{
		Decides, "Gardener's API server decides by useGKEFormula in the configuration of its admission plugin " +
			"ShootResourceReservation: it fills in kubeReserved in the Shoot, or in each pool by its machine type",
		Admission,
	}
	FormulaByLabel = Rule{
		Decides, "a label changes that the selector of useGKEFormula may read: Gardener then reserves in another way",
		Admission,
	}
	KeptReservation = Rule{
		Decides, "with useGKEFormula, what Gardener has filled into kubeReserved stays if the manifest is merged " +
			"into the stored Shoot, and not if it replaces the Shoot", Admission,
	}
	KeptEncryption = Rule{
		Kind:   Decides,
		Text:   "the extension's admission, where it runs, keeps the encryption of volumes that a manifest leaves out",
		Source: "extension provider-alicloud v1.71, admission of Shoots: mutateShootUpdate",
	}
	FilledEncryption = Rule{
		Kind: Decides,
		Text: "the extension's admission, where it ran, encrypted the volumes whose manifest left it out when they " +
			"were created",
		Source: "extension provider-alicloud v1.71, admission of Shoots: setDefaultForEncryptedDisk",
	}
	GKEReservation = Rule{
		Decides, "with useGKEFormula, Gardener fills in kubeReserved by CPU and memory of the machine type; name the " +
			"CloudProfile with --cloudprofile", Admission,
	}
	DNSByDefault = Rule{
		Decides, "Gardener's admission plugin ShootNodeLocalDNSEnabledByDefault decides whether node-local DNS was " +
			"enabled when the Shoot was created", Admission,
	}
	DNSByVersion = Rule{
		Decides, "from Kubernetes 1.34 on, a pool is named by node-local DNS only with kube-proxy in IPVS mode; no " +
			"manifest has the version", names,
	}
	StoredImage = Rule{
		Decides, "Gardener chose the machine image when the pool was created, or has updated it since; compare with " +
			"the Shoot of the cluster", Admission,
	}
	DefaultImage = Rule{
		Decides, "Gardener takes the newest machine image that the CloudProfile has; name it with --cloudprofile",
		Admission,
	}
	StoredVersion = Rule{
		Decides, "Gardener chose the Kubernetes version when the Shoot was created, or has updated it since; compare " +
			"with the Shoot of the cluster", Admission,
	}
	DefaultVersion = Rule{
		Decides, "Gardener takes the newest Kubernetes version that the CloudProfile has; name it with --cloudprofile",
		Admission,
	}
	ClusterVersion = Rule{
		Decides, "a pool without a Kubernetes version has the version of its cluster, which a Worker does not name",
		workers,
	}
)

// Remarks.
var (
	ExtensionAdopted = Rule{
		Kind: Notes,
		Text: "judged for an extension that has adopted this library: tags are hot in every era, and admission " +
			"follows the classes; judge today's release by --extension released",
	}
	ExtensionReleased = Rule{
		Kind: Notes, Text: "judged for today's release of the extension, which has not adopted this library",
	}
	AdmissionUnjudged = Rule{
		Kind: Notes, Text: "admission is left to kubectl apply --dry-run=server or hotupdate-gardener",
	}
	SchemaNotReleased = Rule{
		Kind: Notes,
		Text: "today's release of the extension does not use the Schema: the Schema decides with --extension adopted",
	}
	SchemaNamesNothing = Rule{
		Kind: Notes,
		Text: "a Schema says how a field may be applied, not what names a pool: the Schema decides with --extension " +
			"adopted, and eras decide with --eras",
	}
	EraCrossed = Rule{
		Notes, "the new Kubernetes minor belongs to another era, with another way of hashing", hashFunctions,
	}
	StrategyRefined = Rule{Notes, "changing who starts in-place updates touches no machine", names}
	ConfigAsWhole   = Rule{
		Kind: Notes,
		Text: "no Schema knows the provider config on both sides: every member counts as immutable, and no value " +
			"is shown",
	}
	ProxyModeChanged = Rule{
		Notes, "kube-proxy or its mode has changed, and decides whether node-local DNS replaces machines", names,
	}
	SurgeReplaces = Rule{
		Notes, "with maxSurge above 0, machines are added during the update, and as many old ones are deleted at " +
			"its end",
		workers,
	}
	RotationWithoutWorkers = Rule{
		Notes, "the rotation of credentials begins without the pools: they follow with rotate-rollout-workers",
		operations,
	}
	RotationFollowed = Rule{
		Notes, "the pool does not wait for a rollout of credentials: the operation does not change it", operations,
	}
	SSHAccessOff = Rule{
		Notes, "with SSH access off, Gardener removes rotate-ssh-keypair from the annotation, and rotates and " +
			"reconciles nothing for it", operations,
	}
	StaysHibernated = Rule{
		Notes, "the cluster is hibernated: it has no machines until it wakes up", workers,
	}
	StillHibernates = Rule{
		Notes, "hibernation is not finished: it deletes the machines that still run, whatever the change does", workers,
	}
	PendingForced = Rule{
		Notes, "the annotation force-in-place-update lets the change pass although an in-place update is not finished",
		Validation,
	}
	RemovalWaits = Rule{
		Kind: Notes, Text: "the object is not deleted while other objects use it, and no machine is touched",
	}
	RemovalIsFree       = Rule{Kind: Notes, Text: "no machine belongs to an object of this kind"}
	WaitsForMaintenance = Rule{Notes, "the change waits for the maintenance window", operations}
)

// maxDropped bounds the members that a rule lists.
const maxDropped = 5

// NotInRelease says that the release of Gardener of a landscape does not have members of a manifest.
func NotInRelease(release string, paths []string) Rule {
	listed := strings.Join(paths[:min(len(paths), maxDropped)], ", ")
	if more := len(paths) - maxDropped; more > 0 {
		listed += " and " + plaintext.Counted(more, "member")
	}
	return Rule{
		Kind: Notes, Text: "Gardener " + release + ", which landscape.gardener states, does not have " + listed +
			": its API server drops or refuses what it does not have",
	}
}

// LeftOut says how many fields are not shown because only the manifest of the cluster has them.
func LeftOut(fields int) Rule {
	verb := "are"
	if fields == 1 {
		verb = "is"
	}
	return Rule{
		Kind: Notes,
		Text: plaintext.Counted(fields, "field") + " that only the Shoot of the cluster has " + verb +
			" left out, see --verbose",
	}
}

// HowApplied is the reason why it is not known what becomes of fields that only the Shoot of a cluster has.
var HowApplied = Rule{
	Decides, "how the manifest is applied decides what becomes of the fields that only the Shoot of the cluster has",
	appliers,
}

// AppliedAsLast says that a verdict is that of the way in which the Shoot was applied last, which is the
// gravest one, and names the ways that have a milder one, of the Shoot or of one of its pools.
func AppliedAsLast(way string, milder []string) Rule {
	return Rule{
		Notes, "the Shoot was applied last by " + way + ", as its metadata says; it would be milder by " +
			strings.Join(milder, " or ") + ": see --apply", appliers,
	}
}

// ApplyConflict says that server-side apply has a conflict with a manager that owns fields.
func ApplyConflict(manager string, paths []string) Rule {
	return Rule{
		Notes, "server-side apply has a conflict with " + manager + " over " + strings.Join(paths, ", ") +
			": it is refused unless it is forced, such as by --force-conflicts", appliers,
	}
}

// VersionsDiffer is the reason for not knowing what a change means between objects of two versions
// of one kind. The resource is the name of the old object's kind in the new version for kubectl.
func VersionsDiffer(old, updated, resource string) Rule {
	return Rule{Kind: Decides, Text: "the objects are of " + old + " and " + updated + ", whose schemas differ here; " +
		"compare them in one version, such as by kubectl get " + resource + " NAME -o yaml"}
}

// OfField is the rule by which a controller or webhook handles an edit of a field of a custom resource; [NoRule]
// if the text is empty.
func OfField(kind Kind, text, source string) Rule {
	if text == "" {
		return NoRule
	}
	return Rule{kind, text, source}
}

// FieldWithoutClass is the reason for not knowing what an edit of a field does whose kind has classes that are
// built in.
func FieldWithoutClass(release string) Rule {
	return Rule{Kind: Decides, Text: "the field has no class: it is not in the classes that were read in " + release +
		"; give it one by --classes"}
}

// Rules returns all rules but the assumptions, see [Assumptions], and the rules that functions make.
func Rules() []Rule {
	return []Rule{
		StrategySwitched, PendingUpdate, RotationBlocked, ImageUnknown, ImageLowered, ImageNotInPlace,
		NewImageNotInPlace, ConfigInPlace, DataVolumesInPlace, NodeLocalDNSInPlace, FixedInPlace, RolloutInPlace,
		NotReleased, NotYetRead, ZonesRefused, InfrastructureFixed,
		MinimumAboveMaximum, GateIsOff, SecretNameLost,
		HashedAsWritten, HashedInEra, HashedInEveryEra, IgnoredInEra, IgnoredInEveryEra, ServerGroup, StateChanged,
		StateUnknown, SecretNameFallback,
		SecretNameGained, RotationStarted, RolloutWorkers,
		PoolKubelet, ReservationsFilledIn, MaintenanceStarted, ShootDeleted, Hibernated, WokenUp, Grown, Shrunk,
		ScaledToZero, MinimumMore, MinimumLess, NumbersStay, NoMachines, KeepsNoMachines, MayStillRun,
		HibernationEnds, ZoneAppended, ZoneAdded, HibernationScheduled, HibernatedAgain, WakeUpScheduled,
		ScheduleRemoved, ZonesChanged,
		EraUnknown, ReadByVersion, ReleaseDecides, InPlaceNotInRelease, PoolUnknown, PoolsUnknown,
		InfrastructureMayRoll,
		ConfigRespelled, EarlierMayWait, NoCloudProfile, NodeLocalDNSByVersion, NameStays, NotHashed, PatchVersion,
		EmptyObject, MayBeTold, SameMeaning, AsLeftOut, ReservationsStay, ToldAtPools, Misspelled, BeyondManifests,
		ReservationMode, FormulaByLabel, KeptReservation, KeptEncryption, FilledEncryption,
		GKEReservation, DNSByDefault, DNSByVersion,
		StoredImage,
		DefaultImage,
		StoredVersion, DefaultVersion, ClusterVersion, HowApplied,
		ExtensionAdopted, ExtensionReleased,
		AdmissionUnjudged, SchemaNotReleased, SchemaNamesNothing, EraCrossed, StrategyRefined, ConfigAsWhole,
		ProxyModeChanged, SurgeReplaces,
		RotationWithoutWorkers, RotationFollowed, SSHAccessOff, StaysHibernated, StillHibernates, PendingForced,
		WaitsForMaintenance,
		RemovalWaits, RemovalIsFree, NoClasses, NoRemovalClass, NoAdditionClass,
	}
}
