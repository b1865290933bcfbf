// Package gardenerplugin is the protocol between hotupdate plan and the command hotupdate-gardener,
// which asks Gardener's own code whether a Shoot's change is admitted and which pools get new keys.
//
// hotupdate-gardener reads JSON values from its standard input, one a line: first a [Setup], then
// any number of [Question]s. It writes one line for each: first a [Ready], then an [Answer] for each
// question, in their order. It ends with its input. Lines that it cannot use get an answer with an
// error. Its exit code is 0 if it could answer all lines, and 1 if not: the setup was refused, or
// its input or output failed.
//
//   - Both sides compare the format version. Within a version, members may be added: a reader
//     ignores members that it does not know, and an unknown value of [Change] counts as
//     [Undecided].
//   - Texts of Gardener's may have values of the Shoot in them.
//   - The package needs only the standard library. It exists twice with the same bytes, below
//     internal of the main module and of the module hotupdate/gardener, because neither of the
//     modules may depend on the other.
package gardenerplugin

import "encoding/json"

// Command is the name of the command, as plan looks for it in the PATH.
const Command = "hotupdate-gardener"

// FormatVersion is the version of the protocol.
const FormatVersion = 1

// Setup is what all questions have in common.
type Setup struct {
	FormatVersion int `json:"formatVersion"`
	// Objects are what the admission of Shoots reads beside the Shoot, as in the cluster:
	// CloudProfiles, NamespacedCloudProfiles (with their status), Seeds, Projects, SecretBindings,
	// CredentialsBindings, Secrets, ConfigMaps, and the other Shoots. For an object that a Shoot
	// refers to and that is not here, Gardener's code sees one that permits everything; see
	// [Answer.Missing].
	Objects []json.RawMessage `json:"objects,omitempty"`
	// FeatureGates are the feature gates of gardener-apiserver that differ from their defaults.
	// Only the default of InPlaceNodeUpdates is another one here: it is true, so that pools are
	// judged which need it.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
}

// Ready answers the setup.
type Ready struct {
	FormatVersion int `json:"formatVersion"`
	// Gardener is the version of Gardener whose code answers, such as v1.150.0.
	Gardener string `json:"gardener"`
	// Ignored says which objects of the setup are not used, and why.
	Ignored []string `json:"ignored,omitempty"`
	// Error says why no question can be answered. It is empty if they can.
	Error string `json:"error,omitempty"`
}

// Question asks what New does after Old. Each is a Shoot of core.gardener.cloud/v1beta1.
//
//   - A Shoot with a UID or resource version was read from a cluster, others were written by a user. If
//     only Old was read, its annotation of kubectl apply says what New removes.
//   - Two Shoots that were read are compared as they are.
//   - Without an Old, New is created.
type Question struct {
	// ID is repeated in the answer.
	ID  string          `json:"id"`
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new"`
	// Apply is how New is applied, and Old was: client (kubectl apply), server or server=MANAGER (server-side
	// apply of the manager that owns all of Old), or replace. If it is empty, the answer has the outcomes of all
	// of them, and [Answer.DependsOn] says if they differ.
	Apply string `json:"apply,omitempty"`
}

// Answer is Gardener's answer to a question.
type Answer struct {
	ID string `json:"id"`
	// Error says why there is no answer: the old Shoot cannot be read, or Gardener's code failed.
	Error string `json:"error,omitempty"`
	// Outcomes has one outcome, or several if the configuration of gardener-apiserver decides among
	// them, which is in no manifest. The first one holds in Gardener's default configuration.
	Outcomes []Outcome `json:"outcomes,omitempty"`
	// DependsOn names what decides among several outcomes, in Gardener's words, such as
	// useGKEFormula of the admission plugin ShootResourceReservation.
	DependsOn []string `json:"dependsOn,omitempty"`
	// OldRefusals are refusals of the old Shoot by itself, if it was written by a user: this version
	// of Gardener would not create it.
	OldRefusals []Refusal `json:"oldRefusals,omitempty"`
	// Assumed are facts that the manifests do not have and that were assumed.
	Assumed []string `json:"assumed,omitempty"`
	// Missing are the objects that the Shoots refer to and that the setup does not have. Refusals
	// that depend on them are not in the answer.
	Missing []Reference `json:"missing,omitempty"`
}

// Outcome is what happens in some landscapes.
type Outcome struct {
	// Landscapes are those in which the outcome holds.
	Landscapes []Landscape `json:"landscapes"`
	// Refusals are Gardener's reasons to refuse the change. It is admitted if there are none.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Pools are the worker pools of both Shoots, if the change is admitted: the pools of the new Shoot in
	// its order, then the removed ones.
	Pools []Pool `json:"pools,omitempty"`
}

// Landscape is a configuration of gardener-apiserver, as far as it decides about machines. The zero
// value is Gardener's default.
type Landscape struct {
	// UseGKEFormula is the flag of the admission plugin ShootResourceReservation, for a Shoot that its
	// selector matches before and after the change: reservations are filled in for each pool by its
	// machine type, and not for the Shoot.
	UseGKEFormula bool `json:"useGKEFormula"`
	// NodeLocalDNSByDefault says that the admission plugin ShootNodeLocalDNSEnabledByDefault was
	// enabled when the Shoot was created.
	NodeLocalDNSByDefault bool `json:"nodeLocalDNSByDefault"`
}

// Refusal is a reason to refuse a change.
type Refusal struct {
	// Field is the path of the field in the v1beta1 Shoot, such as
	// spec.provider.workers[0].minimum. It is empty if Gardener names none.
	Field string `json:"field,omitempty"`
	// Text is Gardener's text, without the path.
	Text string `json:"text"`
	// By is the part of the API server that refuses: decoding, ShootMutator,
	// ShootResourceReservation, validation or ShootValidator.
	By string `json:"by"`
}

// Pool is what a change does to the machines of a worker pool by Gardener's code. What an extension
// does is not in it.
type Pool struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Change Change `json:"change"`
	// Strategy is the pool's update strategy in the new Shoot, and of a removed pool in the old one.
	Strategy string `json:"strategy"`
	// OldKey and NewKey are the names of the node agent's secret, which the names of rolling machines
	// depend on.
	OldKey string `json:"oldKey,omitempty"`
	NewKey string `json:"newKey,omitempty"`
	// OldHash and NewHash are the hashes of a pool that is updated in place.
	OldHash string `json:"oldHash,omitempty"`
	NewHash string `json:"newHash,omitempty"`
	// Because says which missing object decides if the change is undecided.
	Because string `json:"because,omitempty"`
}

// State says on which sides a pool is.
type State string

// The states.
const (
	Kept    State = "kept"
	Added   State = "added"
	Removed State = "removed"
)

// Change is what happens to the machines of a pool.
type Change string

// The changes.
const (
	// NoChange leaves key and hash as they are. Added and removed pools also have it.
	NoChange Change = "none"
	// InPlace changes the hash: nodes are drained and updated in place.
	InPlace Change = "in-place"
	// Roll changes the key: machines are replaced.
	Roll Change = "roll"
	// Undecided depends on an object that is missing.
	Undecided Change = "undecided"
)

// Reference names an object.
type Reference struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns the kind and the name of the object.
func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}
