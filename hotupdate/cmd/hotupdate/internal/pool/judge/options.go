// Package judge says what a change does to the machines of a worker pool, and above the pools of a
// Shoot or Worker.
//
// Package facts has what both sides say, package fields what a change of each field does. A [Receiver]
// turns them into findings: [Receiver.Compare] those about a pool, [Receiver.AbovePools] those about the
// rest of a manifest. The gravest finding is the verdict. No judgement knows what another one
// finds, and none changes a fact.
//
//   - The machines of a pool that rolls are replaced exactly if its name changes, or if an operation
//     or the state of the infrastructure replaces them. Package hash composes the names.
//   - An extension adds data to the name, in the era of the pool's minor: see [Naming].
//   - A fact that is not known makes the verdict indeterminate if it decides, and is else listed as
//     assumed.
//   - Refusals follow the proposals: strategies that switch, fields that a pool updated in place
//     cannot change, pending updates, and machine images that cannot be updated in place. Whether
//     Gardener admits a change is Gardener's answer.
//
// Source: GEP-31, "Goals", "Update Strategies" and "Worker pool hash calculations"; Gardener v1.150
// and the extensions of its time.
package judge

import (
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Options say how pools are judged. The zero value has no Schema, and assumes an extension that
// has adopted the library.
type Options struct {
	// Schema finds the Schema of a provider config. If it is nil or returns nil, every member of
	// the config is Immutable.
	Schema func(facts.TypeMeta) *hotupdate.Schema
	// Strategy overrides the strategies of the pools, unless it is nil.
	Strategy *hotupdate.Strategy
	// Extension is the extension that receives the change, if its provider is one of the examples.
	Extension Extension
	// Naming says how pools are named. If it is nil, the example extension of the pool's provider
	// names them.
	Naming *Naming
	// Providers are the provider extensions that are known.
	Providers []Provider
	// CloudProfile says what Gardener fills in, and which machine images can be updated in place; nil
	// if it is not known.
	CloudProfile *facts.CloudProfile
	// Landscape has the facts of the landscape, as far as they are known.
	Landscape facts.Landscape
	// Ways are the ways in which a manifest may be applied to a Shoot of a cluster: one if the user says it,
	// and all if there are none.
	Ways []apply.Way
	// Defaulted says that a defaulter may have changed one of the provider configs, see
	// [hotupdate.Change].Omitted.
	Defaulted bool
	// Versions is set if the provider configs are of two versions of their kind.
	Versions *Versions
	// Custom is set if the configs are the specs of a custom resource.
	Custom *Custom
	// Refused are the reasons for which the API server refuses the custom resource, if it was asked.
	Refused []verdict.Rule
	// Effect says more of a change in the spec of a custom resource than the class of its field does; nil if
	// nothing more is known. It is given the verdict by the class.
	Effect func(c hotupdate.Change, byClass verdict.Verdict) (verdict.Verdict, verdict.Rule)
	// Interrupted returns an error once a comparison is to end early, which is then the error of the comparison; nil if
	// it never ends early. It is asked before each pool and between the steps in which the two states of one are
	// compared: a config may have as much in it as many pools. Each step takes time in proportion to its input.
	Interrupted func() error
}

// Versions says what is known of configs of two versions of one kind.
type Versions struct {
	// Schema reads the configs of both versions; nil if the versions have too little in common.
	Schema *hotupdate.Schema
	// Has reports whether both versions have the field of a change, and MayShow whether its old value
	// may be shown.
	Has, MayShow func(hotupdate.Change) bool
	// Rule is the reason why a change is indeterminate that only one of the versions knows.
	Rule verdict.Rule
}

// Extension is the extension that receives a change. The zero value means Adopted.
type Extension string

// The extensions.
const (
	Adopted  Extension = "adopted"  // has adopted this library according to the guide in examples
	Released Extension = "released" // today's release
	Both     Extension = "both"     // today's release, with the verdict after adoption where it differs
)

// String returns the value of the flag.
func (x Extension) String() string { return string(x) }

// CheckInterrupted returns the error of a comparison that is to end early.
func (o Options) CheckInterrupted() error {
	if o.Interrupted == nil {
		return nil
	}
	return o.Interrupted()
}
