package mutants_test

// The tests that kill, most of them properties against the oracle of package hotupdate.
const (
	halves     = "hotupdate TestMergeInverts|TestHalves|TestSplit|TestMerge"
	keyClasses = "hotupdate ^TestKeyClass"
)

const (
	fieldplanFile = "internal/fieldplan/plan.go"
	splitFile     = "internal/engine/split.go"
)

// splitMutants break the parts of a config: the halves of Split, and what Merge makes of them.
var splitMutants = []mutant{
	{
		"a half without a list has its default", splitFile, "return members.or(o.fallback().value)", "return members",
		"hotupdate ^TestDefaults",
	},
	{"the half that a collection belongs to says whether it is nil", splitFile, "owner := from[1]\n", "owner := from[0]\n", halves},
	{"key and selector are the identity of an element", fieldplanFile, "n.isKey(f) ||", "", halves},
	{"an entry of one class is in one half", splitFile, "side = c.sideOf(node.Classes | fieldplan.Of(node.Class))", "_ = node", keyClasses},
	{
		"a half without the map keeps the other's entries", splitFile, "if n.Keys != nil && length(owner) == 0 && length(other) > 0 {",
		"if false {", keyClasses,
	},
	{"a half has no leaf of the other", splitFile, "case !classes.Any(^c.first):", "case classes.Any(c.first):", halves},
	{
		"identities stand in both halves", splitFile, "if in != nil && in.Identity(f) {", "if in != nil && c.merges && in.Identity(f) {",
		halves,
	},
	{"a nil list stays nil in the halves", splitFile, "if !owner.IsValid() || owner.IsNil() {", "if !owner.IsValid() {", halves},
	{
		"halves share no memory", "internal/leaf/copy.go", "to.Set(reflect.AppendSlice(reflect.MakeSlice(to.Type(), 0, from.Len()), from))",
		"to.Set(from)", halves,
	},
	{
		"what only hot parts bring is no part of a projection", splitFile, "if !c.trims || f.HasPresenceOf(fieldplan.Projected) {",
		"if true {", "hash/hashstructure TestProjection",
	},
	{
		"an element of which nothing is hashed is no part of a projection", splitFile, "c.program.isHashed(n, elem, in)", "true",
		"hash/hashstructure TestProjection",
	},
	{"halves have the same elements", splitFile, "(!from[0].IsValid() || !from[1].IsValid())", "!from[0].IsValid()", halves},
	{"halves have lists of one length", splitFile, "size != length(from[1]):", "size < 0:", halves},
	{
		"hot parts are taken from the hot half", splitFile, "case !classes.Any(c.first):\n\t\treturn 1",
		"case !classes.Any(c.first):\n\t\treturn 0", halves,
	},
	{
		"a hot object that is nil is gone", splitFile, "return from[1].IsValid() || c.program.isHashed(f.Node, from[0], nil)",
		"return true", halves,
	},
	{
		"an element is hot in both halves or in none", splitFile, "case areTwo && n != c.program.ElementNode(in, key, from[1]):",
		"case false:", halves + "|TestHotWhen",
	},
}
