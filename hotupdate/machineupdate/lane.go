package machineupdate

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Lane is a set of leaves of the provider spec that is applied, recorded and confirmed
// independently. A change that the cloud refuses for hours, or that waits for a drain, delays only
// its own lane. The Hot leaves without a Lane form the first lane, which has no name.
//
// A leaf that moves to another lane is adopted there: values that were set before and are no longer
// wanted are not removed.
type Lane struct {
	// Name is a DNS label. The lane's record is the annotation [AnnotationRecord] with a hyphen and
	// the name behind it.
	Name string
	// Kinds are the kinds of resources that the lane covers; if empty, the Kinds of the Driver.
	Kinds []string
	// Paths are RFC 6901 pointers into the provider spec. The lane consists of the Hot leaves at and
	// below them, or of the InPlace leaves, never of both. A list is one leaf. A
	// driver with ReadsFirst can have one lane that is InPlace: see "In place" in FLOW.md.
	Paths []string
}

// maxLaneName is the greatest length of a lane's name: the name of an annotation has at most 63
// characters.
const maxLaneName = 63 - len("hot-update-")

// text identifies the lane in a record.
func (l Lane) text() string {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	return l.Name + "?" + url.Values{"kind": sorted(l.Kinds), "path": sorted(l.Paths)}.Encode()
}

// lane is a Lane, or the first lane, with its wanted part for the machines of a class.
type lane struct {
	name       string
	annotation string          // the annotation of its record
	class      hotupdate.Class // the class of its leaves: Hot or InPlace
	kinds      []string
	target     *record.Target
	holds      func(pointer string) bool // whether a leaf belongs to the lane, whatever its class
	*ability
}

// canUpdate reports whether the driver covers kinds of the lane, and has not said that it cannot
// update.
func (l *lane) canUpdate() bool { return len(l.kinds) > 0 && l.unable.Load() == nil }

// where names the lane at the end of messages; the first lane has no name.
func (l *lane) where() string {
	if l == nil || l.name == "" {
		return ""
	}
	return ", lane " + l.name
}

// layout assigns the leaves of a Schema to the lanes of a driver.
type layout struct {
	schema *hotupdate.Schema
	lanes  []lane         // beginning with the first lane
	owner  map[string]int // path to lane
}

// Validate checks the driver: it needs a Schema that its lanes fit. The error joins all problems,
// each a [*fault.Error]: with the code invalid-lane, or unusable-schema if the Schema is nil or
// zero. [Classes.Prepare] checks the same for each class.
func (d *Driver) Validate() error {
	if err := d.validateSchema(); err != nil {
		return err
	}
	_, err := layoutOf(d)
	return err
}

func (d *Driver) validateSchema() error {
	_, err := d.Schema.Fingerprint()
	if err == nil {
		return nil
	}
	const hint = "set it to what SchemaOf or LoadSchema returned; " +
		"for a driver without hot updates call Classes.PrepareUnsupported"
	problem := misuse("unusable-schema", "machineupdate.Driver", "is nil or zero", hint)
	problem.Field = "Schema"
	problem.Cause = err
	return problem
}

// layoutOf checks the lanes of a driver. Its errors have the code invalid-lane.
func layoutOf(driver *Driver) (*layout, error) {
	l := &layout{
		schema: driver.Schema, lanes: []lane{{annotation: AnnotationRecord, class: hotupdate.Hot, kinds: driver.Kinds}},
		owner: map[string]int{},
	}
	var problems fault.List
	for i := range driver.Lanes {
		where := "lane " + strconv.Quote(driver.Lanes[i].Name) + " of the driver"
		l.declare(driver, &driver.Lanes[i], func(what, hint string) {
			problems.Add(misuse("invalid-lane", where, what, hint))
		})
	}
	return l, problems.Err()
}

// declare adds a lane, and reports its errors.
func (l *layout) declare(driver *Driver, declared *Lane, tell func(what, hint string)) {
	next := lane{name: declared.Name, annotation: AnnotationRecord + "-" + declared.Name, kinds: declared.Kinds}
	if len(next.kinds) == 0 {
		next.kinds = driver.Kinds
	}
	switch {
	case len(validation.IsDNS1123Label(next.name)) > 0 || len(next.name) > maxLaneName:
		tell("has a name that cannot be part of the name of an annotation",
			fmt.Sprintf("use at most %d lower-case letters, digits and hyphens", maxLaneName))
	case slices.ContainsFunc(l.lanes, func(other lane) bool { return other.name == next.name }):
		tell("is declared twice", "name each lane once")
	case len(l.lanes) > record.MaxLanes:
		tell("is one too many", fmt.Sprintf("declare at most %d: a Machine has no room for more", record.MaxLanes))
	}
	if len(declared.Paths) == 0 {
		tell("has no paths", "name the leaves of the lane")
	}
	for _, path := range declared.Paths {
		l.add(&next, path, func(what, hint string) { tell(strconv.Quote(path)+" "+what, hint) })
	}
	isInPlace := func(l lane) bool { return l.class == hotupdate.InPlace }
	switch {
	case !isInPlace(next):
	case slices.ContainsFunc(l.lanes, isInPlace):
		tell("is a second lane that is InPlace", "declare one lane: a drain applies all of it")
	case !driver.ReadsFirst:
		tell("is InPlace, and the driver does not read first",
			"set ReadsFirst: outside of a drain the driver only reads")
	}
	l.lanes = append(l.lanes, next)
}

// add assigns a path to a lane, or reports its errors.
func (l *layout) add(to *lane, path string, tell func(what, hint string)) {
	class := hotupdate.Hot
	other := hotupdate.InPlace
	if !l.mayHold(class, path) {
		class, other = other, class
	}
	overlaps := func(owned string) bool { return covers(owned, path) || covers(path, owned) }
	switch {
	case path != "" && path[0] != '/':
		tell("is not an RFC 6901 pointer", "begin it with a slash")
	case !l.mayHold(class, path):
		tell("has no Hot or InPlace leaf in the Schema",
			"write the JSON names of members with a slash before each; elements of lists have no paths")
	case l.mayHold(other, path) || to.class == other:
		tell("mixes Hot and InPlace leaves, alone or with the other paths of the lane",
			"give Hot and InPlace leaves separate lanes")
	case slices.ContainsFunc(slices.Collect(maps.Keys(l.owner)), overlaps):
		tell("overlaps with another path", "give each leaf to one lane, once")
	default:
		to.class = class
		l.owner[path] = len(l.lanes)
	}
}

// mayHold reports whether the Schema has leaves of the class at or below a path.
func (l *layout) mayHold(class hotupdate.Class, path string) bool {
	return (*schemabridge.Schema)(l.schema).Holds(structtag.Class(class), path)
}

// leavesOutInPlace reports whether the Schema has InPlace leaves that belong to no lane.
func (l *layout) leavesOutInPlace() bool {
	paths := slices.Collect(maps.Keys(l.owner))
	return (*schemabridge.Schema)(l.schema).HoldsOutside(structtag.InPlace, paths)
}

// holdsJSON reports whether the Schema has leaves of the class at or below a pointer, and can read the JSON
// there; an empty text stands for nothing.
func holdsJSON(schema *hotupdate.Schema, class hotupdate.Class, pointer, text string) bool {
	return (*schemabridge.Schema)(schema).HoldsJSON(structtag.Class(class), pointer, text)
}

// covers reports whether a pointer is at or below the path.
func covers(path, pointer string) bool {
	below, isPrefix := strings.CutPrefix(pointer, path)
	return isPrefix && (below == "" || below[0] == '/')
}

// of returns the number of the lane to which a leaf belongs; 0 if no path covers it.
func (l *layout) of(pointer string) int {
	for path, i := range l.owner {
		if covers(path, pointer) {
			return i
		}
	}
	return 0
}

// setTargets computes the targets of the lanes from the documents of their classes.
func (l *layout) setTargets(documents map[hotupdate.Class][]byte, schema, class string) error {
	var problems fault.List
	limits, others := record.LimitsOf(len(l.lanes) - 1)
	for i := range l.lanes {
		lane := &l.lanes[i]
		lane.ability = &ability{}
		lane.holds = func(pointer string) bool { return l.of(pointer) == i }
		isHot := func(pointer, text string) bool {
			return lane.holds(pointer) && holdsJSON(l.schema, lane.class, pointer, text)
		}
		wanted := record.Filter(string(documents[lane.class]), lane.holds)
		lane.target = record.NewTarget(wanted, schema, lane.kinds, isHot, limits)
		if what := lane.target.TooLarge(); what != "" {
			problems.Add(&fault.Error{
				Kind: fault.Invalid, Code: "large-hot-part", Where: "class " + class + lane.where(), What: what,
				Hint: "make fewer or shorter fields hot",
			})
		}
		limits = others
	}
	return problems.Err()
}
