package pool

// Rule is a rule of Gardener, of an extension or of this command that a verdict rests on, beside the classes of the changes.
type Rule uint8

// RuleKind says what a rule does to a verdict.
type RuleKind uint8

// The kinds of rules.
const (
	Notes   RuleKind = iota // explains the verdict, and does not change it
	Assumes                 // is taken for granted, since no manifest tells it
	Decides                 // leads to the verdict on a change
	Refuses                 // refuses the change, whatever the classes are
)

var kindWords = [...]string{Notes: "note", Assumes: "assumption", Decides: "reason", Refuses: "refusal"}

// String returns the kind in a word.
func (k RuleKind) String() string { return kindWords[k] }

// The rules, in the order in which a comparison lists them. What each says stands in the table below.
const (
	NoRule Rule = iota

	StrategySwitched
	VersionLowered
	MinorSkipped
	ImageLowered
	ImageUnknown
	ImageNotInPlace
	ConfigInPlace
	DataVolumesInPlace
	NodeLocalDNSInPlace
	NotReleased
	PendingUpdate
	RotationBlocked
	RolloutInPlace
	SurgeOfManualPool
	SurgeAndUnavailableZero
	ZonesChanged
	WorkersComeOrGo
	SecretNameLost

	HashedAsWritten
	ServerGroup
	SecretNameFallback
	RotationStarted
	RolloutWorkers
	Hibernated
	WokenUp
	Scaled
	ZoneAppended
	EraUnknown
	PoolKubelet
	FilledIn
	NoCloudProfile
	InfrastructureMayRoll
	ConfigRespelled
	SecretNameGained
	NameStays
	NotHashed
	PatchVersion
	EmptyObject
	SameMeaning
	ToldAtPools

	ExtensionAdopted
	ExtensionReleased
	JudgedCanonically
	StrategyIsRollingUpdate
	ReservationsBySum
	GateIsOn

	EraCrossed
	StrategyRefined
	ConfigAsWhole
	ConfigKindChanged
	QuantityRespelled
	ProxyModeChanged
	SurgeReplaces
	RotationWithoutWorkers
	StaysHibernated
	PendingForced
	WaitsForMaintenance
)

// Sources of the rules. All have been read in Gardener v1.150 and in the provider extensions of its time.
const (
	validation  = "Gardener v1.150, validation of Shoots; GEP-31"
	admission   = "Gardener v1.150, admission of Shoots; GEP-31"
	operations  = "Gardener v1.150, operations by annotation"
	hashing     = "Gardener v1.150, hash of worker pools; GEP-31"
	workers     = "Gardener v1.150, reconciliation of Workers"
	extensions  = "hash functions of the provider extensions"
	validators  = "admission of the provider extensions"
	thisCommand = ""
)

// rules holds of each rule what it does, what it says, and where it is from.
var rules = [...]struct {
	kind         RuleKind
	text, source string
}{
	NoRule: {},

	StrategySwitched:        {Refuses, "a pool cannot change between rolling and in-place updates", validation},
	VersionLowered:          {Refuses, "a Kubernetes version cannot be lowered, not even by a patch", validation},
	MinorSkipped:            {Refuses, "a Shoot, and a pool that is updated in place, has to take one Kubernetes minor after the other", validation},
	ImageLowered:            {Refuses, "the version of a machine image cannot be lowered in place", validation},
	ImageUnknown:            {Refuses, "the CloudProfile does not have the machine image in this version", admission},
	ImageNotInPlace:         {Refuses, "the CloudProfile does not let the machine image be updated in place from the old version", admission},
	ConfigInPlace:           {Refuses, "the released extension refuses every change of the provider config of a pool that is updated in place", validators},
	DataVolumesInPlace:      {Refuses, "the extension refuses every change of the data volumes of a pool that is updated in place", validators},
	NodeLocalDNSInPlace:     {Refuses, "node-local DNS cannot be switched while a pool that is updated in place is below Kubernetes 1.34 or has kube-proxy in IPVS mode", validation},
	NotReleased:             {Refuses, "the released extension does not know the field", validators},
	PendingUpdate:           {Refuses, "the pool has not finished an in-place update: until then every change of it is refused, but for the annotation gardener.cloud/operation: force-in-place-update", validation},
	RotationBlocked:         {Refuses, "no rotation of credentials can begin while a pool has not finished an in-place update", operations},
	RolloutInPlace:          {Refuses, "a pool that is updated in place cannot be rolled by an annotation", operations},
	SurgeOfManualPool:       {Refuses, "a pool with ManualInPlaceUpdate has neither maxSurge nor maxUnavailable", validation},
	SurgeAndUnavailableZero: {Refuses, "maxSurge and maxUnavailable cannot both be 0", validation},
	ZonesChanged:            {Refuses, "zones can only be added at the end of the list", validators},
	WorkersComeOrGo:         {Refuses, "a Shoot cannot lose its last pool, nor get its first one later", validation},
	SecretNameLost:          {Refuses, "the extension refuses a pool without a node-agent secret name", workers},

	HashedAsWritten:       {Decides, "the era of the pool hashes the config as it is written: the order of lists, the spelling of values and empty objects count", extensions},
	ServerGroup:           {Decides, "another policy makes another server group, and its ID is hashed", extensions},
	SecretNameFallback:    {Decides, "without a node-agent secret name, an extension built with Gardener up to 1.145 hashes in the way of its first version", extensions},
	RotationStarted:       {Decides, "the annotation begins a rotation of credentials, which every pool or those that it lists have to follow", operations},
	RolloutWorkers:        {Decides, "the annotation replaces the machines of the pool, which keeps its name", operations},
	Hibernated:            {Decides, "the cluster is hibernated: every machine is deleted", workers},
	WokenUp:               {Decides, "the cluster wakes up: its machines are created", workers},
	Scaled:                {Decides, "the number of machines changes", workers},
	ZoneAppended:          {Decides, "minimum and maximum count over all zones and are spread anew: machines of the other zones are deleted", workers},
	EraUnknown:            {Decides, "whether the name of the pool depends on it is not known: its extension, era or Kubernetes minor is not", thisCommand},
	PoolKubelet:           {Decides, "a kubelet configuration of the pool's own replaces the Shoot's, where admission may have set kubeReserved", admission},
	FilledIn:              {Decides, "admission fills in what is left out, and with what is not known", admission},
	NoCloudProfile:        {Decides, "whether the machine image can be updated in place stands in the CloudProfile; name it with --cloudprofile", admission},
	InfrastructureMayRoll: {Decides, "Azure hashes the identity and the zones' subnets, which follow from the infrastructure's config", extensions},
	ConfigRespelled:       {Decides, "admission of the released extension compares bytes: members in another order may be refused", validators},
	SecretNameGained:      {Decides, "what named the pool without a node-agent secret name is not known", workers},
	NameStays:             {Decides, "the pool keeps its name: only new machines have it", extensions},
	NotHashed:             {Decides, "no name depends on it: no machine is replaced", hashing},
	PatchVersion:          {Decides, "a patch version replaces no machine", hashing},
	EmptyObject:           {Decides, "an empty object changes no hash, as its field does not say presence", thisCommand},
	SameMeaning:           {Decides, "in effect it is the same: no hash depends on order or spelling here", thisCommand},
	ToldAtPools:           {Decides, "what it does is told at each pool", thisCommand},

	ExtensionAdopted:        {Assumes, "the extension has adopted this library: tags are hot in every era, and admission goes by the classes (--extension released judges today's)", thisCommand},
	ExtensionReleased:       {Assumes, "the extension is today's release, which has not adopted this library", thisCommand},
	JudgedCanonically:       {Assumes, "no era is known: the config is judged by the classes of its fields, as the canonical hash does", thisCommand},
	StrategyIsRollingUpdate: {Assumes, "the update strategy is taken to be AutoRollingUpdate", thisCommand},
	ReservationsBySum:       {Assumes, "kubeReserved and systemReserved are taken to be added up, as Gardener's releases do that know both", hashing},
	GateIsOn:                {Assumes, "the feature gate InPlaceNodeUpdates is on, without which a new pool cannot be updated in place", validation},

	EraCrossed:             {Notes, "the new Kubernetes minor is in another era, in which the extension hashes in another way", extensions},
	StrategyRefined:        {Notes, "changing who starts in-place updates touches no machine", hashing},
	ConfigAsWhole:          {Notes, "no Schema of the provider config is known: it is compared as a whole", thisCommand},
	ConfigKindChanged:      {Notes, "the provider configs have different kinds or versions: they are compared as a whole", thisCommand},
	QuantityRespelled:      {Notes, "the same quantity in another spelling is a change here, because Gardener hashes the text of volume sizes and eviction thresholds", hashing},
	ProxyModeChanged:       {Notes, "kube-proxy's mode has changed, and decides whether node-local DNS replaces machines", hashing},
	SurgeReplaces:          {Notes, "with maxSurge above 0, as many old machines as came in addition are deleted at the end", workers},
	RotationWithoutWorkers: {Notes, "the rotation of credentials begins without the pools: they follow with rotate-rollout-workers", operations},
	StaysHibernated:        {Notes, "the cluster is hibernated: it has no machines until it wakes up", workers},
	PendingForced:          {Notes, "the annotation force-in-place-update lets the change pass although an in-place update is not finished", validation},
	WaitsForMaintenance:    {Notes, "the change waits for the maintenance window", operations},
}

// String returns the rule as a sentence.
func (r Rule) String() string { return rules[r].text }

// Source says where the rule is from; empty for a rule of this command.
func (r Rule) Source() string { return rules[r].source }

// Kind says what the rule does to the verdict.
func (r Rule) Kind() RuleKind { return rules[r].kind }
