package mutants_test

const (
	setFile       = "hotupdate/driver/set.go"
	kitFile       = "hotupdate/driver/kit.go"
	driverUpdate  = "hotupdate/driver/update.go"
	unappliedFile = "hotupdate/driver/unapplied.go"
)

// sets are the tests that kill. The model kills more of them, and takes longer.
const sets = "hotupdate/driver ^Test(Sets|UnknownSet|FailedMember|LanesOfSets|DriverWithSets|SetsInDefinitions|SetsNotApplied)$"

// setMutants break how the kit of drivers changes attributes that are sets.
var setMutants = []mutant{
	{"only missing members are added", setFile, "if !slices.Contains(live, name) {", "if true {", sets},
	{"members of others stay", setFile, "slices.Contains(ours, name) && !slices", "!slices", sets},
	{
		"a wanted member is not removed", setFile, "slices.Contains(ours, name) && !slices.Contains(wanted, name)",
		"slices.Contains(ours, name)", sets,
	},
	{"members that the last success applied are ours", setFile, "range specs[1:] {", "range specs[2:] {", sets},
	{"members of attempts are ours", setFile, "range specs[1:] {", "range specs[1:2] {", sets},
	{
		"everything is added before anything is removed", setFile, "\t\t\t\tu.changeMember(\"AddMember\"",
		"\t\t\t\tdefer u.changeMember(\"AddMember\"", sets,
	},
	{
		"a member is added and removed once", setFile, "slices.Compact(slices.Sorted(slices.Values(names)))",
		"slices.Sorted(slices.Values(names))", sets,
	},
	{"a set that is missing is unknown", setFile, "case !isKnown:", "case false && isKnown:", sets},
	{"a set of which no spec has a member need not be read", setFile, "case !isConcerned:", "case false && isConcerned:", sets},
	{"errors hide wanted members", setFile, "\t\tu.hide(slices.Values(wanted))\n", "", sets},
	{"errors hide members of attempts", setFile, "\t\tu.hide(slices.Values(ours))\n", "", sets},
	{"errors hide members of others", driverUpdate, "\t\t\t\tu.hide(slices.Values(members))\n", "\t\t\t\t_ = members\n", sets},
	{"a set changes in its lane", driverUpdate, "; s.Lane == u.request.Lane {", "; true {", sets},
	{
		"a lane covers the kinds of its sets", kitFile, "return s.Kind == kind && s.Lane == lane }",
		"return s.Kind == kind && lane == \"\" }", sets,
	},
	{
		"a driver that learns a set checks every machine", kitFile, "said.Revision += fmt.Sprintf(\" %s set %q\", s.Kind, s.Name)", "_ = s",
		sets,
	},
	{"a kind has one set of a name", kitFile, "require(isOnce, \"Set.Name\"", "require(isOnce || true, \"Set.Name\"", sets},
	{"a changed set is applied", unappliedFile, "if s.Lane == u.request.Lane && slices", "if s.Lane != u.request.Lane && slices", sets},
}
