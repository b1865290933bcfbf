package driver

import (
	"context"
	"fmt"
	"slices"
	"strconv"

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
// unusable-driver, or a code of [machineupdate.Driver.Validate] or [hotupdate.SchemaOf]. The Rules of each
// Tagging are also checked, as [tags.Rules.Plan] does.
func New[T, C any](definition Definition[T, C]) (*Kit[T, C], error) {
	if definition.Schema == nil {
		schema, err := hotupdate.SchemaOf[T]()
		if err != nil {
			return nil, err
		}
		definition.Schema = schema
	}
	if err := definition.check(); err != nil {
		return nil, err
	}
	if definition.Wait == nil {
		definition.Wait = sleep
	}
	if definition.Takeover == nil {
		definition.Takeover = func(machineupdate.ResourceID, string) {}
	}
	if definition.Count == nil {
		definition.Count = func(string, string) {}
	}
	k := &Kit[T, C]{definition: definition, shell: &share.Shell[*member[C]]{Wait: definition.Wait}}
	described := k.Driver()
	description, err := described.Describe()
	if err != nil {
		return nil, err
	}
	k.description = description
	return k, nil
}

// Driver describes the kit to [machineupdate.Classes.Prepare]. A changed attribute, default, set or
// AnyValue of [tags.Rules] changes the Revision. The operator may set Epoch.
func (k *Kit[T, C]) Driver() machineupdate.Driver {
	said := machineupdate.Driver{
		Schema: k.definition.Schema, Kinds: k.definition.kinds(""), Revision: "tags", ReadsFirst: true,
		CaseSensitive: k.definition.CaseSensitive,
	}
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
	for _, s := range k.definition.Sets {
		said.Revision += fmt.Sprintf(" %s set %q", s.Kind, s.Name)
	}
	return said
}

// Describe returns Driver as [machineupdate.Driver.Describe] writes it, for a driver interface
// without a type of this library. The caller must not change it.
func (k *Kit[T, C]) Describe() []byte { return k.description }

// UpdateMachine brings the resources of a machine to the desired state. It is the function that
// [machineupdate.Executor] calls.
//
//   - It returns nil if every resource is in the desired state, as far as a read shows.
//   - It returns [machineupdate.ErrPending] if an accepted change is under way, ErrNotFound if there
//     is no VM, and ErrDiffers if the request is ReadOnly and a resource is not as desired.
//   - It returns a [*machineupdate.RetryError] if the cloud says when it accepts the change, and a
//     [*machineupdate.PartialError] if only some calls succeeded.
//   - It calls BeforeWrite of the request before the first call that changes the cloud, and sends
//     nothing once ctx is done.
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
		isOfGroup := func(g AttributeGroup[T, C]) bool { return g.Kind == kind && g.Lane == lane }
		isGrouped := slices.ContainsFunc(d.Groups, isOfGroup)
		isOfSet := func(s Set[T, C]) bool { return s.Kind == kind && s.Lane == lane }
		hasSet := slices.ContainsFunc(d.Sets, isOfSet)
		isTaggedHere := isTagged && lane == "" // infrastructure tags belong to the first lane
		if isTaggedHere || isGrouped || hasSet {
			names = append(names, string(kind))
		}
	}
	return names
}

// require reports a problem of the Definition unless a condition holds.
type require func(holds bool, field, what string)

// check returns all problems of the Definition.
func (d *Definition[T, C]) check() error {
	var problems fault.List
	require := func(holds bool, field, what string) {
		if !holds {
			problems.Add(&fault.Error{
				Kind: fault.Misuse, Code: "unusable-driver", Where: "driver.Definition", Field: field, What: what,
			})
		}
	}
	d.checkFunctions(require)
	kinds := map[tags.Kind]int{} // the number of Taggings that name it
	for i := range d.Tags {
		t := &d.Tags[i]
		t.check(kinds, require)
		_, err := t.Rules.Plan(tags.PlanInput{}, nil, nil)
		problems = append(problems, fault.All(err)...)
	}
	for i := range d.Groups {
		d.checkGroup(&d.Groups[i], require)
	}
	for i := range d.Sets {
		d.checkSet(i, require)
	}
	d.checkSharing(require)
	for _, lane := range d.Lanes {
		require(len(d.kinds(lane.Name)) > 0, "Lanes", "must be used by an AttributeGroup or a Set each")
	}
	return problems.Err()
}

func (d *Definition[T, C]) checkFunctions(require require) {
	decoded, _ := d.Schema.Decode(nil)
	_, isT := decoded.(*T)
	require(isT, "Schema", "must be the Schema of the provider spec")
	require(d.Connect != nil, "Connect", "must be set")
	require(d.Resources != nil || d.Sharing.Resources != nil, "Resources", "must be set, or Sharing.Resources")
	require(len(d.kinds("")) > 0, "Tags, Groups and Sets", "must name a kind of resource outside of Lanes")
}

// check checks a Tagging, and counts its kinds.
func (t *Tagging[T, C]) check(kinds map[tags.Kind]int, require require) {
	for _, kind := range t.Kinds {
		kinds[kind]++
		isOnce := kinds[kind] == 1
		require(isKind(kind) && isOnce, "Tagging.Kinds", "must be kinds of package tags, each in one Tagging")
	}
	hasReplace := t.Replace != nil
	hasSet := t.Set != nil
	hasRemove := t.Remove != nil
	isWhole := hasReplace && !hasSet && !hasRemove
	isByKey := !hasReplace && hasSet && hasRemove
	hasOneWay := isWhole || isByKey
	require(t.Project != nil && hasOneWay, "Tagging", "needs Project, and either Replace or Set and Remove")
	var fits bool
	switch t.Rules.Guard {
	case tags.Unguarded:
		fits = true
	case tags.GuardVersion:
		fits = hasReplace
	case tags.GuardValue:
		fits = !hasReplace
	}
	require(fits, "Tagging", "needs Replace if the guard of Rules is GuardVersion, else Set and Remove")
}

func (d *Definition[T, C]) checkGroup(g *AttributeGroup[T, C], require require) {
	require(d.hasLane(g.Lane), "AttributeGroup.Lane", "must be one of Lanes")
	hasFunctions := g.Project != nil && g.Modify != nil
	require(isKind(g.Kind) && hasFunctions, "AttributeGroup", "needs Kind, Project and Modify")
	unset := 0
	for _, value := range g.Defaults {
		if value == "" {
			unset++
		}
	}
	allOrNone := unset == 0 || unset == len(g.Defaults)
	require(len(g.Defaults) > 0 && allOrNone, "AttributeGroup.Defaults",
		"must name the attributes, either all with a default or none")
}

// checkSet checks a Set against those before it.
func (d *Definition[T, C]) checkSet(i int, require require) {
	s := &d.Sets[i]
	require(isKind(s.Kind), "Set.Kind", "must be a kind of package tags")
	require(s.Name != "", "Set.Name", "must be set")
	require(d.hasLane(s.Lane), "Set.Lane", "must be one of Lanes")
	require(s.Members != nil, "Set.Members", "must be set")
	require(s.AddMember != nil, "Set.AddMember", "must be set")
	require(s.RemoveMember != nil, "Set.RemoveMember", "must be set")
	isSame := func(other Set[T, C]) bool { return other.Kind == s.Kind && other.Name == s.Name }
	isOnce := !slices.ContainsFunc(d.Sets[:i], isSame)
	require(isOnce, "Set.Name", "must be the name of one set of a kind: "+strconv.Quote(s.Name))
}

// hasLane reports whether a lane is declared. The first one has no name.
func (d *Definition[T, C]) hasLane(name string) bool {
	isNamed := func(l machineupdate.Lane) bool { return l.Name == name }
	return name == "" || slices.ContainsFunc(d.Lanes, isNamed)
}

func isKind(kind tags.Kind) bool { return slices.Contains(tags.Kinds(), kind) }
