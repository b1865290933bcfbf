// Package report shows what a change does to the machines of worker pools, to people and to programs: as text for a terminal, as Markdown
// for a comment on a pull request, as JSON for everything else.
//
// It owns words, order, escaping and shortening. What changed, and what that means, it takes from package hotupdate; it must not read
// configurations, files or the environment.
//
// A report begins with the verdict. Then comes every change with a marker (+ added, - removed, ~ replaced), its path, its values, its
// class, and what gave it the class. A change that causes a roll, a drained update or a refusal says so.
//
//   - The same report gives the same bytes. Nothing is sorted: pools and changes stand in the order in which they are given.
//   - Values of sensitive fields are not shown, whatever a [hotupdate.Change] holds. Their paths and verdicts are.
//   - Nothing in a value, path or name can move a cursor, colour a terminal, reverse the reading direction, or become Markdown or HTML.
//   - Text and Markdown shorten what is long, around the place where old and new differ. JSON has everything whole.
package report

import "github.com/hotupdate/providerconfig/hotupdate"

// Report says what a change does to each worker pool. The zero value is a report about no pool.
type Report struct {
	Pools []Pool
	// Assumed is what the input does not tell, for any of the pools, and the verdicts take as unchanged.
	Assumed []string
	// Notes are remarks on the report as a whole, a sentence each.
	Notes []string
}

// Pool says what a change does to one worker pool. A provider config that was compared on its own is a pool without a name.
type Pool struct {
	Name string
	// FormerName is the name that a renamed pool had.
	FormerName string
	State      State
	// Strategy is the pool's update strategy, and Outcome what the changes do to its machines under it. Outcome counts for kept pools
	// only: the State of others says what happens.
	Strategy hotupdate.Strategy
	Outcome  hotupdate.Outcome
	// Meaning says what the Outcome means where a rule beside the classes decides it: a part of a sentence, in words of the program and not
	// of a manifest. Empty is what [hotupdate.Outcome.Consequence] says.
	Meaning string
	// Changes are shown in their order. They need not be complete for an added or removed pool.
	Changes hotupdate.Changes
	// Causes are those of the Changes that decide the Outcome, in their order; nil if the Strategy tells, see [hotupdate.Changes.Causes].
	Causes hotupdate.Changes
	// Assumed is what the input does not tell about this pool, and the verdict takes as unchanged.
	Assumed []string
	// Notes are remarks on this pool, a sentence each.
	Notes []string
}

// State says whether a pool stands on both sides of a change.
type State uint8

// The states.
const (
	Kept    State = iota // the pool is on both sides
	Added                // the pool is new: its machines are created, and no other machine is touched
	Removed              // the pool is gone, and so are its machines
	Renamed              // the pool has another name, under which all its machines are created anew
)

// String returns the state in a word.
func (s State) String() string {
	switch s {
	case Kept:
		return "kept"
	case Added:
		return "added"
	case Removed:
		return "removed"
	case Renamed:
		return "renamed"
	}
	return "unknown"
}

// Outcome is the gravest that happens to any machine that exists: of forbidden, roll, indeterminate, in-place update, hot update and
// none the first that applies to a pool. Machines of a removed or renamed pool go away as if it were rolled; those of an added one do
// not exist yet.
func (r Report) Outcome() hotupdate.Outcome {
	gravest := hotupdate.NoUpdate
	for _, p := range r.Pools {
		if o := p.outcome(); severity(o) > severity(gravest) {
			gravest = o
		}
	}
	return gravest
}

// outcome is what happens to the machines that the pool has.
func (p Pool) outcome() hotupdate.Outcome {
	switch p.State {
	case Added:
		return hotupdate.NoUpdate
	case Removed, Renamed:
		return hotupdate.Roll
	case Kept:
	}
	return p.Outcome
}

// severity orders outcomes. What is certain to replace machines is graver than what may.
func severity(o hotupdate.Outcome) int {
	switch o {
	case hotupdate.NoUpdate:
		return 0
	case hotupdate.HotUpdate:
		return 1
	case hotupdate.InPlaceUpdate:
		return 2
	case hotupdate.Indeterminate:
		return 3
	case hotupdate.Roll:
		return 4
	case hotupdate.UpdateForbidden:
		return 5
	}
	return severity(hotupdate.Indeterminate)
}
