package verdict

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// ConfigFile is the file with the facts of a landscape, for the answers of questions and assumptions.
const ConfigFile = ".hotupdate.yaml"

// Unchanged is a fact that decides about machines and that no input states. A verdict assumes that it is the same
// on both sides.
type Unchanged string

// The facts that are assumed to be unchanged.
const (
	KubernetesVersion   Unchanged = "the Kubernetes version"
	MachineImageVersion Unchanged = "the default version of the machine image"
	ContainerRuntime    Unchanged = "the container runtime"
	NodeLocalDNS        Unchanged = "node-local DNS"
	Credentials         Unchanged = "credentials and their rotation"
	ProviderState       Unchanged = "the state of the provider's infrastructure" // which the extension hashes
	RestOfPool          Unchanged = "the rest of the worker pool"
)

// Rule returns the assumption as a rule.
func (u Unchanged) Rule() Rule { return Rule{Kind: Assumes, Text: unchangedPrefix + string(u)} }

const unchangedPrefix = "unchanged: "

// IsUnchanged reports whether a rule is the assumption that a fact is the same on both sides.
func IsUnchanged(rule Rule) bool {
	return rule.Kind == Assumes && strings.HasPrefix(rule.Text, unchangedPrefix)
}

// The assumptions that are rules, see [Assumptions].
var (
	OldSpecRuns     = Rule{Assumes, "the old spec is what runs, and no earlier change waits", operations}
	GardenerIsKnown = Rule{
		Kind: Assumes, Text: "Gardener has the rules of " + gardenerRelease,
	}
	OtherGardener = Rule{
		Kind: Assumes,
		Text: "the release of Gardener that landscape.gardener states has the rules of " + gardenerRelease,
	}
	ExtensionIsKnown = Rule{
		Kind: Assumes, Text: "the extension names pools like the release that this command knows",
	}
	OtherExtension = Rule{
		Kind: Assumes,
		Text: "the release of the extension that " + ConfigFile + " states names pools like the nearest release that " +
			"this command knows",
	}
	JudgedCanonically = Rule{
		Kind: Assumes, Text: "no era is known: the classes of the fields decide, as for the canonical hash",
	}
	StrategyIsRollingUpdate = Rule{Kind: Assumes, Text: "the update strategy is AutoRollingUpdate"}
	ReservationsBySum       = Rule{
		Assumes, "Gardener adds kubeReserved and systemReserved up, as the releases do that have both", names,
	}
	DriverAppliesInPlace = Rule{
		Kind: Assumes,
		Text: "the driver applies in-place fields of the provider config while the node is drained",
	}
	SpecByClasses  = Rule{Kind: Assumes, Text: "only the spec decides, by the classes of its fields"}
	ClassesBuiltIn = Rule{
		Kind: Assumes, Text: "the controllers of the kind work like those in which the classes of its fields were read",
	}
	VersionsAlike = Rule{
		Kind: Assumes, Text: "a field means the same in both versions, and conversion keeps its value",
	}
	ConversionKeeps = Rule{
		Kind: Assumes,
		Text: "conversion keeps the values of objects whose version is not the one that the API server stores",
	}
	GateIsOn        = Rule{Assumes, "the feature gate InPlaceNodeUpdates is on", Validation}
	RestOfNameAlike = Rule{
		Kind: Assumes, Text: "beside provider configs, both releases name pools alike, such as by their volumes",
	}
	SameFunction = Rule{
		Kind: Assumes, Text: "a function that is not known here is the same in both releases, if the era is",
	}
)

// Assumption is a fact that a verdict assumes because no input states it. No other unknown fact
// makes a verdict milder.
type Assumption struct {
	// Name is the name of the assumption. It stays the same when the text changes.
	Name string `json:"name"`
	// Text is the assumption in a clause, and Answer says what would decide it: a flag, a key of the config file
	// or another input.
	Text   string `json:"text"`
	Answer string `json:"answer"`
	// Source is the source of the rule that needs the fact; empty for a rule of this command.
	Source string `json:"source,omitempty"`
}

// String returns the assumption with what would decide it.
func (a Assumption) String() string { return a.Text + "; " + a.Answer }

// Compare orders assumptions by their rows in the table, and then by their texts.
func (a Assumption) Compare(b Assumption) int {
	at := func(a Assumption) int {
		return slices.IndexFunc(table(), func(r row) bool { return r.name == a.Name })
	}
	return cmp.Or(at(a)-at(b), cmp.Compare(a.Text, b.Text))
}

// row is an assumption in the table.
type row struct {
	name   string
	rule   Rule
	answer string
}

// ofPlugin is the row of all assumptions that Gardener's own code names, see [Gardener.Assumes].
const ofPlugin = "gardener-code"

// table is the table of all assumptions.
var table = sync.OnceValue(assumed)

func assumed() []row {
	return []row{
		{"kubernetes-version", KubernetesVersion.Rule(), "write the version in both manifests"},
		{
			"machine-image", MachineImageVersion.Rule(),
			"write machine.image.version, or compare with the Shoot of the cluster",
		},
		{"container-runtime", ContainerRuntime.Rule(), "compare the Shoots"},
		{"node-local-dns", NodeLocalDNS.Rule(), "compare the Shoots"},
		{"credentials", Credentials.Rule(), "compare with the Shoot of the cluster, which has a status"},
		{"infrastructure-state", ProviderState.Rule(), "compare the Workers of the cluster"},
		{"rest-of-pool", RestOfPool.Rule(), "compare the Shoots or Workers"},
		{"old-spec-runs", OldSpecRuns, "compare with the Shoot of the cluster, which has a status"},
		{"gardener-release", GardenerIsKnown, "state landscape.gardener in " + ConfigFile},
		{"gardener-other-release", OtherGardener, "ask the hotupdate-gardener of that release"},
		{"extension-release", ExtensionIsKnown, "state landscape.extensions.TYPE.release in " + ConfigFile},
		{"extension-other-release", OtherExtension, "give the eras of that release by --eras"},
		{"reservations-by-sum", ReservationsBySum, "state landscape.gardener in " + ConfigFile},
		{"in-place-gate", GateIsOn, "state landscape.featureGates.InPlaceNodeUpdates in " + ConfigFile},
		{"rolling-strategy", StrategyIsRollingUpdate, "give the strategy by --strategy"},
		{"canonical-hash", JudgedCanonically, "give the eras of the extension by --eras"},
		{"driver-in-place", DriverAppliesInPlace, "no flag states it: ask the developers of the driver"},
		{"spec-by-classes", SpecByClasses, "give the classes of fields by --classes"},
		{
			"classes-built-in", ClassesBuiltIn,
			"hotupdate schema --crd names the releases; give other classes by --classes",
		},
		{
			"validation", NotValidated,
			"install hotupdate-crd, which asks the API server's code, or name it by --validator",
		},
		{"versions-alike", VersionsAlike, "compare the objects in one version"},
		{
			"conversion", ConversionKeeps,
			"get the objects from an API server with the new release, and compare them with these",
		},
		{"rest-of-name", RestOfNameAlike, "ask the programs of both releases by --old-exec and --new-exec"},
		{"same-function", SameFunction, "ask the programs of both releases by --old-exec and --new-exec"},
		{ofPlugin, Gardener("").Assumes("facts that the question to it lacks"), "give its objects by --cloudprofile"},
	}
}

// Assumptions returns the table of all assumptions.
func Assumptions() (assumptions []Assumption) {
	for _, one := range table() {
		assumptions = append(assumptions, one.of(one.rule))
	}
	return assumptions
}

func (r row) of(rule Rule) Assumption { return Assumption{r.name, rule.Text, r.answer, rule.Source} }

// AssumptionOf returns the assumption of a rule of the kind [Assumes]. A rule that is in no row of
// the table comes from Gardener's own code.
func AssumptionOf(rule Rule) Assumption {
	all := table()
	for _, one := range all {
		if one.rule.Text == rule.Text {
			return one.of(rule)
		}
	}
	return all[len(all)-1].of(rule)
}
