package pool

// Rule is a rule of Gardener, of an extension or of this command that a verdict rests on, beside the classes of the changes.
type Rule uint8

// RuleKind says what a rule does to a verdict.
type RuleKind uint8

// The kinds of rules.
const (
	Notes   RuleKind = iota // explains the verdict, and does not change it
	Assumes                 // is taken for granted, since no manifest tells it
	Decides                 // leads to the verdict of a change
	Refuses                 // refuses the change, whatever the classes are
)

var kindWords = [...]string{Notes: "note", Assumes: "assumption", Decides: "reason", Refuses: "refusal"}

// String returns the kind in a word.
func (k RuleKind) String() string { return kindWords[k] }

// The rules, in the order in which a comparison lists them. Their sentences stand in the table below.
const (
	NoRule Rule = iota
	StrategySwitched
	MinorSkipped
	StrategyIsRollingUpdate
	ReservationsBySum
	StrategyRefined
	ConfigAsWhole
	ConfigKindChanged
	QuantityRespelled
	ProxyModeChanged
	ImageInPlace
	Scaled
	ZoneAppended
	ZonesChanged
	Hibernated
	WokenUp
	NotHashed
)

// Sources of the rules.
const (
	validation = "Gardener v1.150, validation of Shoots; GEP-31"
	hashing    = "Gardener v1.150, hash of worker pools; GEP-31"
	workers    = "Gardener v1.150, reconciliation of Workers"
)

// rules holds of each rule what it does, what it says, and where it is from.
var rules = [...]struct {
	kind         RuleKind
	text, source string
}{
	NoRule:                  {},
	StrategySwitched:        {Refuses, "a pool cannot change between rolling and in-place updates", validation},
	MinorSkipped:            {Refuses, "an in-place update has to take the next Kubernetes minor, without skipping one or going back", validation},
	StrategyIsRollingUpdate: {Assumes, "the update strategy is taken to be AutoRollingUpdate", ""},
	ReservationsBySum:       {Assumes, "kubeReserved and systemReserved are taken to be added up, as Gardener's releases do that know both", hashing},
	StrategyRefined:         {Notes, "changing who starts in-place updates touches no machine", hashing},
	ConfigAsWhole:           {Notes, "no Schema of the provider config is known: it is compared as a whole, and any change of it replaces machines", ""},
	ConfigKindChanged:       {Notes, "the provider configs have different kinds or versions: they are compared as a whole", ""},
	QuantityRespelled:       {Notes, "the same quantity in another spelling is a change here, because Gardener hashes the text of volume sizes and eviction thresholds", hashing},
	ProxyModeChanged:        {Notes, "kube-proxy's mode has changed, and decides whether node-local DNS replaces machines", hashing},
	ImageInPlace:            {Notes, "the CloudProfile has to let the machine image be updated in place to its new version", validation},
	Scaled:                  {Decides, "the number of machines changes", workers},
	ZoneAppended:            {Decides, "a zone is added: minimum and maximum, which count over all zones, are spread anew, and machines of the other zones are deleted", workers},
	ZonesChanged:            {Refuses, "zones can only be added at the end of the list", validation},
	Hibernated:              {Decides, "the cluster is hibernated: every machine is deleted", workers},
	WokenUp:                 {Decides, "the cluster wakes up: its machines are created", workers},
	NotHashed:               {Decides, "the name of the pool does not depend on it: no machine is replaced", hashing},
}

// String returns the rule as a sentence.
func (r Rule) String() string { return rules[r].text }

// Source says where the rule is from; empty for a rule of this command.
func (r Rule) Source() string { return rules[r].source }

// Kind says what the rule does to the verdict.
func (r Rule) Kind() RuleKind { return rules[r].kind }
