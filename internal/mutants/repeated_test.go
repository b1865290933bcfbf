package mutants_test

const (
	orderFile = "internal/engine/order.go"
	keyedFile = "internal/engine/keyed.go"
	pairsFile = "internal/engine/pairs.go"
	rawFile   = "internal/engine/raw.go"

	longLists = "hotupdate ^TestLongListsOfRepeatedKeys$"
	documents = "hotupdate ^TestDocumentsOfRepeatedKeys$"
	diffs     = "hotupdate ^TestDiffOfRepeatedKeys$"
)

// repeatedMutants break the order of elements of one key of a keyed list: in short lists, in long ones whose texts are
// dealt, by integers, and in raw JSON. The last ones are killed by laws of drawn configurations.
var repeatedMutants = []mutant{
	{
		"elements of one text stand as given", orderFile, "\t\t\t\treturn order\n\t\t\t}\n\t\t\treturn cmp.Compare(a.at, b.at)",
		"\t\t\t\treturn order\n\t\t\t}\n\t\t\treturn cmp.Compare(b.at, a.at)", longLists,
	},
	{
		"elements of one integer stand as given", orderFile, "\t\t\treturn order\n\t\t}\n\t\treturn cmp.Compare(a.at, b.at)",
		"\t\t\treturn order\n\t\t}\n\t\treturn cmp.Compare(b.at, a.at)", longLists,
	},
	{
		"dealt elements of one text stand as given", orderFile, "for _, e := range own {\n\t\t\tr.dealt",
		"for _, e := range slices.Backward(own) {\n\t\t\tr.dealt", longLists,
	},
	{"raw JSON leaves elements of one key to the value", rawFile, "\t\tif order == 0 {\n\t\t\tt.fail()\n\t\t}\n", "", longLists},
	{"elements of one key stand by their class", keyedFile, "ranks[e.at] = int(n.levels.of(n.plan, elem))", "_ = elem", documents},
	{
		"elements of one class stand as given", keyedFile, "func(a, b entry) int { return cmp.Compare(ranks[a.at], ranks[b.at]) }",
		"func(a, b entry) int { return cmp.Or(cmp.Compare(ranks[a.at], ranks[b.at]), cmp.Compare(b.at, a.at)) }", documents,
	},
	{"an absent integer is no key of another element", keyedFile, "ranks[e.at] += absentFirst", "ranks[e.at] += 0", documents},
	{
		"elements of one key are paired by their class", pairsFile, "ranked[elements[i].At] = rank(elements[i].Value)",
		"ranked[elements[i].At] = 0", diffs,
	},
	{"elements of one class are paired in their order", pairsFile, "cmp.Compare(a.At, b.At))", "cmp.Compare(b.At, a.At))", diffs},
	{
		"a class with elements of one key is unusable", "internal/engine/compile.go", "n.refusesTies = c.spelling == leaf.Quoted",
		"n.refusesTies = false", "hotupdate/machineupdate ^TestClassOfRepeatedKeys$",
	},
	{
		"the second element of a key has an ordinal", keyedFile, "e.ordinal = before + 1", "e.ordinal = before",
		"hotupdate ^TestPartsOfRepeatedKeys$",
	},
	{
		"hash and Diff agree on the class of elements of one key", pairsFile, "ranked[elements[i].At] = rank(elements[i].Value)",
		"ranked[elements[i].At] = 0", "hotupdate ^TestDiffIsAsStrictAsTheDifference$",
	},
	{
		"the document of elements of one key is what the oracle projects", keyedFile, "ranks[e.at] = int(n.levels.of(n.plan, elem))",
		"_ = elem", "hotupdate ^TestRawDocumentSaysWhatTheDesignSays$",
	},
}
