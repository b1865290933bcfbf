package tags

import (
	"fmt"
	"io"
	"maps"
	"strconv"
)

// PlanInput holds what the spec and the record of a machine say about one kind of resource, for
// [Rules.Plan]. Each map is as [Rules.Effective] returns it.
type PlanInput struct {
	// Recorded are the specs whose values are ours, in any order: the last-applied one, and those
	// that were sent since, including the present one if it was recorded before the call. A nil or
	// empty spec is an attempt to remove everything, and owns nothing.
	//
	// After a success, Recorded also has the spec that was last-applied before: see rules 1 and
	// 5 of the package documentation.
	Recorded []map[string]string
	// Applied is the spec of Recorded that the last success has applied; nil if none is known. It
	// decides only what the plan reports as Rewritten and Kept.
	Applied map[string]string
	Desired map[string]string // by the present spec
	// PerKind are the infrastructure tags that the present spec has for this kind alone, as a user wrote
	// them. A key of them that is mandatory is an error, although Mandatory would override it. It may be
	// nil.
	PerKind map[string]string
	// Mandatory are the keys by which MCM finds the machine, and the keys that the driver sets itself.
	Mandatory map[string]string
}

// ResourcePlan says what to change on one resource. All lists are sorted by key, then by value.
type ResourcePlan struct {
	Resource string // the ID
	Set      []Tag  // to add or to overwrite
	// Remove are the live infrastructure tags to remove. The value is the condition of the removal:
	// a driver passes it on if its cloud supports conditions.
	Remove   []Tag
	Takeover []string // keys of Set that are live with a foreign value, which is lost
	// Rewritten are the keys of Takeover that Applied has with the value to set. If reads have
	// caught up since the success, another writer has changed them.
	Rewritten []string
	// Kept are the desired keys that keep another live value because of [Rules.AnyValue], and that
	// Applied does not have with the desired value: the resource does not get what the spec changes.
	Kept []string

	// setFirst says that everything is set before anything is removed, so that a key that replaces
	// another is never missing. Without setFirst the removals come first, because the limit leaves
	// no room.
	setFirst bool
}

// Tag is one infrastructure tag. Printing it shows the key and the length of the value, as the
// value may be secret.
type Tag struct {
	Key   string
	Value string
}

// Format prints the key and the length of the value, for every verb.
func (t Tag) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = io.WriteString(f, strconv.Quote(t.Key)+"=("+strconv.Itoa(len(t.Value))+" bytes)")
}

// Apply returns the infrastructure tags that the resource has after the plan is carried out on
// live, and does not change live. Drivers of clouds that replace all infrastructure tags at once
// ([GuardVersion]) write the result, with the version at which live was read.
func (p *ResourcePlan) Apply(live map[string]string) map[string]string {
	after := make(map[string]string, len(live)+len(p.Set))
	maps.Copy(after, live)
	for _, tag := range p.Remove {
		if value, ok := after[tag.Key]; ok && value == tag.Value {
			delete(after, tag.Key)
		}
	}
	for _, tag := range p.Set {
		after[tag.Key] = tag.Value
	}
	return after
}

// Plan returns what to set and what to remove on each resource so that it carries exactly the
// desired, the mandatory and the foreign infrastructure tags. The rules are in the package's
// documentation.
//
// Resources are the IDs of those resources of the kind that the launch created. The plans are
// sorted by ID, one for each. Live maps IDs to infrastructure tags. Other resources in live are
// ignored; a resource that is not in live has no tags. Plan neither changes nor keeps its
// arguments.
//
// The error joins all problems, each a [*fault.Error]: desired or mandatory keys that clash, that
// are reserved and not mandatory, or that name several clusters, and keys of PerKind that are mandatory
// (unusable-key), and resources on
// which foreign, mandatory and desired keys exceed the limit (over-limit). Then there are no plans,
// and the driver must not call the cloud. Lengths and characters are not checked: [Rules.Validate]
// does that, at admission.
func (r *Rules) Plan(input PlanInput, resources []string, live map[string]map[string]string) ([]ResourcePlan, error) {
	p := newPlanner(r, &input)
	if err := p.check(); err != nil {
		return nil, err
	}
	return p.planAll(resources, live)
}
