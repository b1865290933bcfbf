package driver

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/share"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Kit implements the updates of a driver. It is safe for concurrent use if the functions of its
// [Definition] are. A process needs only one.
type Kit[T, C any] struct {
	definition  Definition[T, C]
	shell       *share.Shell[*member[C]]
	description []byte
}

// New checks a definition. The error joins all problems, each a [*fault.Error]: with the code
// unusable-driver or a code of [machineupdate.Driver.Check]. The Rules of each
// Tagging are checked as well, as [tags.Rules.Plan] does.
func New[T, C any](definition Definition[T, C]) (*Kit[T, C], error) {
	if err := definition.check(); err != nil {
		return nil, err
	}
	if definition.Wait == nil {
		definition.Wait = sleep
	}
	if definition.Takeover == nil {
		definition.Takeover = func(machineupdate.Resource, string) {}
	}
	if definition.Count == nil {
		definition.Count = func(string, string) {}
	}
	k := &Kit[T, C]{definition: definition, shell: &share.Shell[*member[C]]{Wait: definition.Wait}}
	described := k.Driver()
	if err := described.Check(definition.Schema); err != nil {
		return nil, err
	}
	var err error
	if k.description, err = described.Describe(definition.Schema); err != nil {
		return nil, err
	}
	return k, nil
}

// Schema returns the Schema of the Definition.
func (k *Kit[T, C]) Schema() *hotupdate.Schema { return k.definition.Schema }

// Driver describes the kit to the update flow. A changed attribute, default or AnyValue of
// [tags.Rules] changes the Revision. The operator may set Epoch.
func (k *Kit[T, C]) Driver() machineupdate.Driver {
	said := machineupdate.Driver{ReadsFirst: true, Revision: "tags", Kinds: k.definition.kinds("")}
	for _, lane := range k.definition.Lanes {
		lane.Kinds = k.definition.kinds(lane.Name)
		said.Lanes = append(said.Lanes, lane)
	}
	for i := range k.definition.Tags {
		if t := &k.definition.Tags[i]; len(t.Rules.AnyValue) > 0 {
			said.Revision += fmt.Sprintf(" %s any value %q", t.Kinds, t.Rules.AnyValue)
		}
	}
	for _, g := range k.definition.Groups {
		said.Revision += fmt.Sprint(" ", g.Kind, g.Defaults)
	}
	return said
}

// Describe returns what [machineupdate.Classes.PrepareDescribed] needs, for a driver interface
// without a type of this library. The caller must not change it.
func (k *Kit[T, C]) Describe() []byte { return k.description }

// Prepare reads a class with the kit's Schema and Driver.
func (k *Kit[T, C]) Prepare(
	classes *machineupdate.Classes, class machineupdate.MachineClass,
) (prepared *machineupdate.Prepared, beyond bool, err error) {
	return classes.Prepare(class, k.definition.Schema, k.Driver())
}

// UpdateMachine is the function that [machineupdate.Executor] calls. Its contract is that of
// [machineupdate.UpdateMachineRequest].
//
// A panic in a function of the Definition is an error with a [*machineupdate.PanicError].
func (k *Kit[T, C]) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	u := &update[T, C]{Kit: k, request: request, notDone: map[*Resource]bool{}}
	err := caught(func() error { return u.make(ctx) })
	if problem, ok := err.(*machineupdate.PanicError); ok { //nolint:errorlint // others have their place already
		return u.failure("UpdateMachine", nil, problem)
	}
	return err
}

// make makes the update.
func (u *update[T, C]) make(ctx context.Context) error {
	if err := u.read(ctx); err != nil {
		return err
	}
	if err := u.plan(); err != nil {
		return err
	}
	return u.carryOut(ctx)
}

// kinds returns the kinds of resources that a lane covers.
func (d *Definition[T, C]) kinds(lane string) []string {
	var names []string
	for _, kind := range tags.Kinds() {
		isTagged := slices.ContainsFunc(d.Tags, func(t Tagging[T, C]) bool { return slices.Contains(t.Kinds, kind) })
		if isTagged && lane == "" || slices.ContainsFunc(d.Groups,
			func(g Group[T, C]) bool { return g.Kind == kind && g.Lane == lane }) {
			names = append(names, string(kind))
		}
	}
	return names
}

func (d *Definition[T, C]) check() error {
	var problems fault.List
	require := func(holds bool, where, what string) {
		if !holds {
			problems.Add(&fault.Error{
				Kind: fault.Misuse, Code: "unusable-driver", Where: "driver.Definition", Field: where, What: what,
			})
		}
	}
	decoded, _ := d.Schema.Decode(nil)
	_, isT := decoded.(*T)
	require(isT, "Schema", "has to be that of the provider spec")
	require(d.Connect != nil, "Connect", "has to be set")
	require(d.Resources != nil || d.Sharing.Resources != nil, "Resources", "has to be set, or Sharing.Resources")
	require(len(d.kinds("")) > 0, "Tags and Groups", "have to name a kind of resource outside of Lanes")
	kinds := map[tags.Kind]int{}
	for _, t := range d.Tags {
		for _, kind := range t.Kinds {
			kinds[kind]++
			require(isKind(kind) && kinds[kind] == 1, "Tagging.Kinds",
				"have to be kinds of package tags, each in one Tagging")
		}
		isWhole := t.Replace != nil
		guard := t.Rules.Guard
		require(t.Project != nil && isWhole != (t.Set != nil) && isWhole != (t.Remove != nil), "Tagging",
			"needs Project, and either Replace or Set and Remove")
		require(guard == tags.Unguarded || isWhole == (guard == tags.GuardVersion), "Tagging",
			"needs Replace if the guard of Rules is GuardVersion, else Set and Remove")
		_, err := t.Rules.Plan(tags.State{}, nil, nil)
		problems = append(problems, fault.All(err)...)
	}
	for _, g := range d.Groups {
		isLane := func(l machineupdate.Lane) bool { return l.Name == g.Lane }
		require(g.Lane == "" || slices.ContainsFunc(d.Lanes, isLane), "Group.Lane", "has to be one of Lanes")
		require(isKind(g.Kind) && g.Project != nil && g.Modify != nil, "Group", "needs Kind, Project and Modify")
		unset := slices.Collect(maps.Values(g.Defaults))
		unset = slices.DeleteFunc(unset, func(value string) bool { return value != "" })
		require(len(g.Defaults) > 0 && len(unset)%len(g.Defaults) == 0, "Group.Defaults",
			"have to name the attributes, all with a default or none")
	}
	d.checkSharing(require)
	for _, lane := range d.Lanes {
		require(len(d.kinds(lane.Name)) > 0, "Lanes", "have to be used by a Group each")
	}
	return problems.Err()
}

func isKind(kind tags.Kind) bool { return slices.Contains(tags.Kinds(), kind) }
