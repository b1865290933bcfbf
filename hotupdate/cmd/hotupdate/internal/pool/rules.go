package pool

import (
	"cmp"
	"slices"
	"strings"
	"sync"

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

// Sources of rules with the texts of package inplace. All rules have been read in Gardener v1.150
// and in the provider extensions of its time.
const (
	release    = "Gardener v1.150"
	validation = "Gardener v1.150, validation of Shoots; GEP-31"
	admission  = "Gardener v1.150, admission of Shoots; GEP-31"
	operations = "Gardener v1.150, operations by annotation"
)

// NoRule means that only the class of a field decides.
var NoRule = Rule{}

// rule returns a rule of fields.txt.
func rule(name string) Rule { return rules()[name] }

var rules = sync.OnceValue(func() map[string]Rule {
	all := map[string]Rule{}
	for kind, section := range []string{"refusals", "reasons", "assumptions", "notes"} {
		for _, row := range sections()[section] {
			all[row[0]] = Rule{RuleKind(kind), row[2], strings.TrimPrefix(row[1], "-")} //nolint:gosec // of four
		}
	}
	return all
})

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
	ImageUnknown    = rule("ImageUnknown")
	ImageNotInPlace = refusal(inplace.ValidateImage(hash.Image{Version: "1.0.0"},
		hash.Image{Version: "1.1.0"}, nil, nil), admission)
	ConfigInPlace       = rule("ConfigInPlace")
	DataVolumesInPlace  = rule("DataVolumesInPlace")
	NodeLocalDNSInPlace = rule("NodeLocalDNSInPlace")
	NotReleased         = rule("NotReleased")
	PendingUpdate       = refusal(inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}}.ValidateChange("a",
		nil, nil), validation)
	RotationBlocked = refusal(inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}}.ValidateRotation(nil),
		operations)
	RolloutInPlace          = rule("RolloutInPlace")
	SurgeOfManualPool       = rule("SurgeOfManualPool")
	SurgeAndUnavailableZero = rule("SurgeAndUnavailableZero")
	ZonesChanged            = rule("ZonesChanged")
	WorkersComeOrGo         = rule("WorkersComeOrGo")
	SecretNameLost          = rule("SecretNameLost")
)

// Reasons for the verdict on a change.
var (
	HashedAsWritten       = rule("HashedAsWritten")
	HashedInEra           = rule("HashedInEra")
	ServerGroup           = rule("ServerGroup")
	SecretNameFallback    = rule("SecretNameFallback")
	RotationStarted       = rule("RotationStarted")
	RolloutWorkers        = rule("RolloutWorkers")
	Hibernated            = rule("Hibernated")
	WokenUp               = rule("WokenUp")
	Scaled                = rule("Scaled")
	ZoneAppended          = rule("ZoneAppended")
	EraUnknown            = rule("EraUnknown")
	PoolKubelet           = rule("PoolKubelet")
	FilledIn              = rule("FilledIn")
	NoCloudProfile        = rule("NoCloudProfile")
	InfrastructureMayRoll = rule("InfrastructureMayRoll")
	ConfigRespelled       = rule("ConfigRespelled")
	SecretNameGained      = rule("SecretNameGained")
	NameStays             = rule("NameStays")
	NotHashed             = rule("NotHashed")
	PatchVersion          = rule("PatchVersion")
	EmptyObject           = rule("EmptyObject")
	BeyondManifests       = rule("BeyondManifests")
	MaintenanceStarted    = rule("MaintenanceStarted")
	SameMeaning           = rule("SameMeaning")
	ToldAtPools           = rule("ToldAtPools")
)

// Assumptions.
var (
	ExtensionAdopted        = rule("ExtensionAdopted")
	ExtensionReleased       = rule("ExtensionReleased")
	JudgedCanonically       = rule("JudgedCanonically")
	StrategyIsRollingUpdate = rule("StrategyIsRollingUpdate")
	ReservationsBySum       = rule("ReservationsBySum")
	DriverAppliesInPlace    = rule("DriverAppliesInPlace")
	SpecByClasses           = rule("SpecByClasses")
	GateIsOn                = rule("GateIsOn")
)

// Notes.
var (
	EraCrossed             = rule("EraCrossed")
	StrategyRefined        = rule("StrategyRefined")
	ConfigAsWhole          = rule("ConfigAsWhole")
	ProxyModeChanged       = rule("ProxyModeChanged")
	SurgeReplaces          = rule("SurgeReplaces")
	RotationWithoutWorkers = rule("RotationWithoutWorkers")
	RotationFollowed       = rule("RotationFollowed")
	StaysHibernated        = rule("StaysHibernated")
	PendingForced          = rule("PendingForced")
	WaitsForMaintenance    = rule("WaitsForMaintenance")
)
