package mutants_test

// The tests that kill, most of them properties against the oracle of package hotupdate.
const (
	document = "hotupdate TestDocumentSays|TestDocumentOrders"
	diff     = "hotupdate TestDiffIs|TestDiffOf|TestDiffTakes|TestEqualHash"
	halves   = "hotupdate TestMergeInverts|TestHalves|TestSplit|TestMerge"
	cover    = "hotupdate TestCover"
	exact    = "hotupdate ^TestCoverLeavesExactly"
	paths    = "hotupdate TestPathsAndPointers"
	presence = "hotupdate TestPresence"
	leaves   = "hotupdate TestDocumentSays|TestDocumentIsCanonical|TestFormatRows|TestQuotedNumbers|TestValidTypes"
	dynamic  = "internal/leaf TestLeaf"
	raw      = "hotupdate TestBadInput|TestRawJSONIsRead"
	releases = "internal/schemadiff TestCompare"
	// conditions are held against the oracle.
	conditions = "hotupdate ^TestFindings"
	meanings   = "internal/leaf ^TestMeaning"
	keyClasses = "hotupdate ^TestKeyClass"
)

const (
	collectionsFile = "internal/engine/collections.go"
	coverFile       = "hotupdate/cover.go"
	compareFile     = "internal/schemadiff/compare.go"
	conditionFile   = "internal/schemadiff/condition.go"
	diffFile        = "internal/engine/diff.go"
	elementsFile    = "internal/engine/elements.go"
	fieldplanFile   = "internal/fieldplan/plan.go"
	overlayFile     = "internal/engine/overlay.go"
	jsonpatchFile   = "internal/jsonpatch/jsonpatch.go"
	leafFile        = "internal/leaf/text.go"
	meaningLeafFile = "internal/leaf/meaning.go"
	keyClassesFile  = "internal/fieldplan/keyclasses.go"
	keyedFile       = "internal/engine/keyed.go"
	keysFile        = "internal/engine/keys.go"
	objectFile      = "internal/rawjson/object.go"
	pairsFile       = "internal/engine/pairs.go"
	rawFile         = "internal/engine/raw.go"
	sameFile        = "internal/engine/same.go"
	setsFile        = "internal/engine/diff_sets.go"
	splitFile       = "internal/engine/split.go"
	stringFile      = "internal/canonjson/string.go"
	trailFile       = "internal/engine/trail.go"
	valueFile       = "internal/engine/value.go"
	writeFile       = "internal/engine/write.go"
)

var mutants = []mutant{
	// Presence.
	{"a zero integer that is no pointer is absent", writeFile, "if i == 0 && !o.zero {", "if i == 0 && o.zero {", document},
	{"a pointer to zero is present", "internal/engine/compile.go", "zero: f.Pointer,", "zero: false,", document},
	{"a list that equals its default is absent", writeFile, "case isDefault:", "case isDefault && o == nil:", "hotupdate ^TestFormatRows"},
	{"an empty list whose default is another is written", writeFile, "case !isWritten:\n\t\tr.emptyMember(o.routine)", "case !isWritten:\n\t\tr.buf = r.buf[:start]\n\t\treturn false", "hotupdate ^TestFormatRows"},
	{"an absent list with a default is compared as the default", diffFile, "values = values.or(o.fallback().value)", "", "hotupdate ^TestDefaults"},
	{"a list that one side sets may be a default", diffFile, "\td.changes[i].Omitted = true", "\td.changes[i].Omitted = false", "hotupdate ^TestOmitted"},
	{"an array that one side sets may be a default", diffFile, "isSet[i] = o.isWritten(v)", "isSet[i] = true", "hotupdate ^TestOmitted"},
	{"a default that is spelled out is shown", diffFile, "if !set[i] && o.isDefault(s[i].value) {", "if false {", "hotupdate ^TestDefaultsAreShown"},
	{"a half without a list has its default", splitFile, "return members.or(o.fallback().value)", "return members", "hotupdate ^TestDefaults"},
	{"an absent side of a patch has the default", "internal/engine/overlay.go", "if isUnset(other) {", "if false {", "hotupdate ^TestDefaults"},
	{"a default stays left out in a patch", "internal/engine/overlay.go", "if isUnset(side) && reflect.DeepEqual(result, filled) {", "if false {", "hotupdate ^TestDefaults"},
	{"the default of a MicroTime is found in its spelling", writeFile, "|| o.spelled != nil && bytes.Equal(text, o.spelled)", "", "hotupdate ^TestDefaults"},
	{"what a default fills in has the classes of its parts", "internal/fieldplan/classes.go", "|| classes.Any(f.Filled)", "", "hotupdate TestInsertingHotMembers|TestStripRaw"},
	{"networks are compared without the bits of the host", meaningLeafFile, "prefix.Masked().String()", "prefix.String()", meanings},
	{"domain names have no case", meaningLeafFile, "strings.ToLower(name)", "name", meanings},
	{"domain names beyond ASCII stand for themselves", meaningLeafFile, "if text[i] >= utf8.RuneSelf {", "if text[i] >= utf8.RuneSelf && i < 0 {", meanings},
	{"times are compared in UTC", meaningLeafFile, "t = t.UTC()\n\tisTime", "isTime", meanings},
	{"a time has the form of RFC 3339", meaningLeafFile, "err == nil && rfc3339.MatchString(text)", "err == nil", meanings},
	{"strings in lists have the meaning of their field", "internal/fieldplan/compile.go", "closed: ctx.closed || n.closes(ctx), as: ctx.as,", "closed: ctx.closed || n.closes(ctx),", "hotupdate ^TestFormatRows"},
	{"an empty slice of bytes is absent", fieldplanFile, "&& f.Node.Leaf == leaf.Bytes &&", "&& f.Node.Leaf == leaf.Opaque &&", document},
	{"the presence of an object counts where its field says so", "internal/fieldplan/classes.go", "return f.Presence || f.Pointer", "return f.Pointer", document},
	{"an object with nothing left is absent", writeFile, "r.closeObject(start, before, some || empty == written)", "r.closeObject(start, before, true || some || empty == written)", document},
	{"an object whose presence counts is written", writeFile, "case o.presence:", "case false:", document},
	{"a nil list is none where presence counts", writeFile, "if isNone(o.kind, m) {", "if false {", presence},
	{"an empty list whose presence counts is a difference", diffFile, "; old != updated {", "; old != updated && o.kind == objectKind {", presence},
	{"a nil list is not there where values are paired", "internal/engine/run.go", "return !o.routine.isNull(valueOf(v))", "return exists(valueOf(v))", diff},
	{"a hundred problems of texts are enough", trailFile, "t.faults[:min(len(t.faults), maxFaults-len(other.faults))]", "t.faults", "hotupdate TestHostileValues"},
	{"the half that a collection belongs to says whether it is nil", splitFile, "owner, other := from[1], from[0]\n", "owner, other := from[0], from[0]\n", halves},
	{"an override replaces options", "internal/structtag/tag.go", "if o.HasOptions() {", "if false {", "hotupdate TestOverride"},
	{"an override reveals nothing", "internal/structtag/tag.go", "o.Sensitive = max(t.Sensitive, o.Sensitive)", "_ = t", "hotupdate TestOverride"},
	{"a key may be a pointer", "internal/fieldplan/options.go", "!key.Pointer && key.Node.Leaf != leaf.String:", "true:", "hotupdate TestKeyBehindPointer"},
	{"a declared default is absent", fieldplanFile, "|| f.Default != nil && bytes.Equal(text, f.Default)", "", diff},
	{"a declared default is not written", writeFile, "string(r.textOfMember(o, start)) != string(o.field.Default)", "true", document},
	{"an array that nobody has set is absent", collectionsFile, "if isWritten && bytes.Equal(r.buf[start:], n.zero()) {", "if false {", document},
	{"a list that is not written in full ends at its last trace", collectionsFile, "r.cut(end)\n", "", "hotupdate TestHotPart$"},
	{"a difference to an undeclared default is told", diffFile, "set[0] != set[1] && !o.hasDefault", "set[0] != set[1] && o.hasDefault", "hotupdate TestOmitted"},
	{"in-place fields are hashed", fieldplanFile, "const Projected = ClassSet(1<<structtag.Immutable | 1<<structtag.InPlace)", "const Projected = ClassSet(1 << structtag.Immutable)", document},

	// Order and identity of elements.
	{"sets are ordered by their texts", collectionsFile, "slices.SortFunc(spans, func(a, b span) int { return bytes.Compare(text(a), text(b)) })", "slices.Reverse(spans)", document},
	{"an element stands in a set once", collectionsFile, "if i > 0 && bytes.Equal(", "if i > len(spans) && bytes.Equal(", document},
	{"negative keys stand before positive ones", keysFile, "uint64(i) ^ 1<<63 }", "uint64(i) }", document},
	{"a keyed list in descending order is turned round", keyedFile, "at = elements.len - 1 - i", "at = i", document},
	{"a keyed list in disorder is sorted by text", keyedFile, "r.sortByText(own, 0, maxDeals, textOf)", "", document},
	{"a keyed list in disorder is sorted by number", keyedFile, "sortByOrder(own)", "", document},
	{"texts are dealt a few times at most", "internal/engine/order.go", "deals-1, textOf", "deals, textOf", "internal/engine TestTextsThatBeginAlike"},
	{"map keys are sorted", "internal/engine/maps.go", "r.sortByText(own, 0, maxDeals, func(at int) string { return keys[at] })", "_ = keys", document},
	{"texts of many keys are sorted to their ends", "internal/engine/order.go", "if byte(own[from].order) == 3 {", "if false {", "internal/engine TestOrderOfManyKeys"},
	{"a text that ends stands before one that goes on", "internal/engine/order.go", "order[3] = byte(copy(", "_ = byte(copy(", "internal/engine TestOrderOfManyKeys"},
	{"a short text is looked at", stringFile, "found = special(x | ones*' '<<(8*len(s)))", "found = 0 * x", "internal/canonjson TestAppendString"},
	{"a text is looked at from its beginning", stringFile, "found |= special(x)\n\t\t\tbinary", "found |= special(x) * 0\n\t\t\tbinary", "internal/canonjson TestAppendString"},
	{"a text is looked at up to its end", stringFile, "found |= special(x)\n\t\tbinary", "found |= special(x) * 0\n\t\tbinary", "internal/canonjson TestAppendString"},
	{"the end of a short text is found", stringFile, "&& special(uint64(text[at]))&0x80 == 0;", ";", "internal/canonjson TestAppendValue|TestStrings"},
	{"the end of a text is found among the last bytes", stringFile, "return at + bits.TrailingZeros64(special(load(text, len(text)-8)>>(64-8*left)))/8", "return at + left", "internal/canonjson TestAppendValue|TestStrings"},
	{"elements with keys are paired in their order", elementsFile, "slices.SortFunc(entries, CompareKeys)", "slices.Reverse(entries)", diff},
	{"integer keys are ordered by value", elementsFile, "cmp.Compare(a.order, b.order)", "strings.Compare(a.Key, b.Key)", "internal/engine TestIntegerKeys"},
	{"a key stands once in a list", keyedFile, "if i > 0 && own[i-1].order == e.order &&", "if i > 1 && own[i-1].order == e.order &&", "hotupdate TestBadInput"},
	{"a key stands once in a map", elementsFile, "if i > 0 && entries[i-1].Key == e.Key {", "if i > 1 && entries[i-1].Key == e.Key {", "hotupdate TestHostileValues"},
	{"the empty text is no key", keysFile, `return key, key.text != ""`, "return key, true", "hotupdate TestHostileValues"},
	{"key and selector are the identity of an element", fieldplanFile, "n.Key != nil && n.Key.Name == f.Name ||", "", halves},

	// Hotwhen and null.
	{"hotwhen selects elements by their text", fieldplanFile, "return problem == nil && string(text) == s.Value", "return problem == nil && string(text) != s.Value", document},
	{"a selector that is missing is zero", fieldplanFile, "text = s.Field.Zero\n", "return false\n", document},
	{"the only element needs no key", keysFile, "n.kind == textKeyedKind && elements", "n == nil && elements", "hotupdate TestOnlyElement"},
	{"two elements need their keys", keysFile, "elements.len == 1 && exists(m)", "exists(m)", "hotupdate TestElementsThatNeedTheirKey"},
	{"a hot element needs its key", keysFile, "fieldplan.IsProjected(n.plan.Class) && n.plan.When == nil", "fieldplan.IsProjected(n.plan.Class) || true", "hotupdate TestElementsThatNeedTheirKey"},
	{"a key that is the selector is hashed", "internal/engine/compile.go", "in.Key.Name == f.Name {\n\t\treturn false", "in.Key.Name != f.Name {\n\t\treturn false", "hotupdate TestSelectorOfAnIgnoredList"},
	{"hotwhen selects the elements that are written", keyedFile, "if n.when != nil && n.when.holds(r.buf, m) {", "if n.when != nil && !n.when.holds(r.buf, m) {", document},
	{"hotwhen selects the elements that are compared", valueFile, "n.When != nil && p.whole", "n.When != nil && !p.whole", diff},
	{"lists of other values are compared", sameFile, "if !n.elem.isSame(", "if false && !n.elem.isSame(", diff},
	{"members with other values are compared", sameFile, "if !o.routine.isSame(", "if false && !o.routine.isSame(", diff},
	{"texts that are no UTF-8 are compared", sameFile, "return a == b && utf8.ValidString(a)", "return a == b", "hotupdate TestHostileValues"},
	{"lists whose keys are not unique are compared", sameFile, "n.key != nil && n.directionOf(&one) == mixed", "false", "hotupdate TestHostileValues|TestBadInput"},
	{"members of other classes are compared", diffFile, "if f.Node == other.Node && d.sameMember", "if d.sameMember", diff},
	{"elements of other classes are compared", diffFile, "if s[0].node == s[1].node && d.sameElement", "if d.sameElement", diff},
	{"a part that may be too deep is compared", sameFile, "depth+n.height <= MaxDepth", "depth >= 0", "internal/engine TestTooDeep"},
	{"raw JSON has each member once", rawFile, "|| !mark(t.seen[seen:], i) {", "|| mark(nil, 0) {", "internal/engine TestRawJSON"},
	{"raw JSON has each key once", rawFile, "if order == 0 {\n\t\t\tt.fail()", "if order == 0 {\n\t\t\t_ = t", "internal/engine TestRawJSON"},
	{"members of raw JSON are sorted", rawFile, "t.sortPieces(own)", "_ = own", "internal/engine TestRawJSON"},
	{"members of raw JSON in descending order are reversed", rawFile, "slices.Reverse(own)", "_ = own", "internal/engine TestRawJSON"},
	{"unset leaves of raw JSON are left out", rawFile, "!m.op.always && m.op.isUnset(text)", "false", "internal/engine TestRawJSON"},
	{"the key of raw JSON is no presence", rawFile, "&& !m.op.always {\n\t\t\tsome = true", "{\n\t\t\tsome = true", "internal/engine TestRawJSON"},
	{"a list key that is missing is left to the value", rawFile, "if p.name < 0 {", "if false {", "internal/engine TestRawJSON"},
	{"a root that reads itself is left to it", rawFile, "if root.shape != rawjson.Object || ", "if ", "internal/rawjson TestReadsItself"},
	{"nesting near the bound is left to the value", rawFile, "|| t.in.Depth() > t.deepest", "", "internal/rawjson TestBounds"},
	{"what is moved is bounded", rawFile, "if t.budget < 0 {", "if false {", "internal/engine TestMovesAreBounded"},
	{"hotwhen of raw JSON is read from a value", "internal/engine/source.go", "case n.when != nil, ", "case ", "hotupdate ^TestRawDocument"},
	{"a part that was read into a value may see spelling", "internal/engine/diff_raw.go", "case !one.hasValue && ", "case ", "hotupdate ^TestSpelling$"},
	{"members of raw JSON with other texts differ", "internal/engine/diff_raw.go", "!bytes.Equal(text[0], text[1])", "text[0] == nil != (text[1] == nil)", "hotupdate ^TestRawDiff"},
	{"white space is no part of a number", "internal/canonjson/scan.go", "isSpaced && !isPunctuation(before) && !isPunctuation(a[at])", "isSpaced && false", "internal/canonjson ^TestSameTokens"},
	{"a text is the same in one spelling", "internal/canonjson/scan.go", "!bytes.Equal(a[at:at+size], b[to:to+size])", "false", "internal/canonjson ^TestSameTokens"},
	{"the selector of a hot element is hot", diffFile, "if elem.node == in.When.Hot {", "if elem.node == in.When.Hot.Elem {", exact},
	{"null in a hot map is an absent key", valueFile, "return !fieldplan.IsProjected(class) && n.elem.isNull(m)", "_ = class\n\treturn false", diff},
	{"null in a kept map is a key", valueFile, "return !fieldplan.IsProjected(class) && n.elem.isNull(m)", "_ = class\n\treturn n.elem.isNull(m)", diff},
	{"null in a hot map is not written", "internal/engine/maps.go", "if !n.isAbsent(r.keys[k.keys+at], elem) && ", "if ", "hotupdate TestHotPart$"},

	// Decoding.
	{"unknown members are refused", objectFile, "r.report(unknownMember(n, name))\n", "", raw},
	{"a member stands once", objectFile, "if seen[i] {", "if false {", raw},
	{"a map has a key once", "internal/rawjson/collection.go", "if n.kind != mapByKeys && m.value.Len() == before {", "if n.kind != mapByKeys && m.value.Len() < before {", "hotupdate TestMapsHaveEachKeyOnce"},
	// Texts of leaves.
	{"nil bytes are null, and empty ones are not", leafFile, "if b == nil {", "if len(b) == 0 {", leaves},
	{"the type of an IntOrString says which value counts", leafFile, "strconv.AppendInt(dst, int64(v.IntVal), 10), nil", "canonjson.AppendString(dst, v.StrVal)", leaves},
	{"times are in UTC", leafFile, "\tt = t.UTC()\n", "", leaves},
	{"a time whose text is the zero time's is null", leafFile, "if string(dst[mark:]) == zeroTime {", "if t.IsZero() {", leaves},
	{"a time has nanoseconds", leafFile, "05.999999999Z", "05.999999Z", leaves},
	{"a MicroTime has microseconds", leafFile, "05.999999Z", "05.999Z", leaves},
	{"a year has four digits", leafFile, "year > 9999", "year > 99999", "hotupdate TestHostileValues"},
	{"empty raw JSON is null", leafFile, "if len(raw) == 0 {", "if raw == nil {", dynamic},
	{"raw JSON counts before the object beside it", leafFile, "if v.Raw == nil && v.Object != nil {", "if v.Object != nil {", dynamic},
	{"the output of a text marshaler is a string", leafFile, "return canonjson.AppendString(dst, string(out))", "return append(dst, out...), nil", leaves},
	{"a quantity has no zeros at its end", "internal/leaf/quantity.go", `strings.TrimRight(decimals, "0")`, "decimals", leaves},
	{"a quantity has its decimals", "internal/leaf/quantity.go", `whole += "." + decimals`, "_ = decimals", leaves},
	{"a struct tag below an interface is an error", "internal/leaf/dynamic.go", "if len(tagged) == 0 {", "if true {", dynamic},
	{"a marshaler that panics is a problem", leafFile, "if recover() != nil {", "if false {", dynamic},
	{"quantities are bounded before they are parsed", "internal/leaf/quantity.go", `len("999")`, `len("9999")`, "internal/leaf TestParseQuantityIsBounded"},
	{"numbers in interfaces are not rounded", "internal/rawjson/leaf.go", "n.kind == free && r.exact", "false", "hotupdate TestRawNumbersAreNotRounded"},
	{"integers have a width", "internal/leaf/parse.go", "strconv.ParseInt(text, 10, bits)", "strconv.ParseInt(text, 10, 64)", raw},

	// Classes of single keys of maps.
	{"the exact key wins over a prefix", keyClassesFile, "if rule := rules.exact[key]; rule != nil {", "if rule := rules.exact[key]; rule != nil && len(rules.prefixes) == 0 {", keyClasses},
	{"the longest prefix wins", keyClassesFile, "cmp.Compare(len(b.Pattern), len(a.Pattern))", "cmp.Compare(len(a.Pattern), len(b.Pattern))", keyClasses},
	{"the empty key may have a class", keyClassesFile, "return r.matches", "return false", keyClasses},
	{"an override of a key wins over the struct tag", keyClassesFile, "all[at] = rule\n", "_ = at\n", keyClasses},
	{"a hot key is left out of a map of strings", "internal/engine/keyclasses.go", "return !writesPresence && utf8.ValidString(key)", "return !writesPresence && !utf8.ValidString(key)", keyClasses},
	{"a map of strings with hot keys only is absent", "internal/engine/maps.go", "if len(stored) == 0 {", "if false {", keyClasses},
	{"null has the meaning of its key's class", valueFile, "class = n.plan.Entry(key).Class\n", "", keyClasses},
	{"an entry of one class is in one half", splitFile, "side = c.sideOf(node.Classes | fieldplan.Of(node.Class))", "_ = node", keyClasses},
	{"a half without the map keeps the other's entries", splitFile, "if n.Keys != nil && length(owner) == 0 && length(other) > 0 {", "if false {", keyClasses},
	{"a key is stripped by its class", "internal/strip/strip.go", "n.RuleOf(n.KeyText(unescaped(key)))", "n.RuleOf(n.KeyText(string(key)))", keyClasses},
	{"a finding for a prefix is not about exact keys", conditionFile, "return isPrefix && pattern != other && strings.HasPrefix(pattern, prefix)", "return isPrefix && prefix == \"\"", keyClasses},

	// Unknown members, depth and cycles.
	{"unknown members are written", writeFile, "if r.member(&o, valueOf(member.Value), next) {", "if o.presence && !o.presence {", "hotupdate TestUnknown|TestOpen"},
	{"unknown members stand in the order of names", writeFile, "return ops[i].field.Name > member.Key", "return ops[i].field.Name < member.Key", "hotupdate TestUnknown|TestOpen"},
	{"known members are content beside unknown ones", writeFile, "some || isContent", "some || isContent && false", "hotupdate TestKnownMembers"},
	{"unknown members are compared where their names belong", pairsFile, "first = min(first, left[0].Key)", "first = max(first, left[0].Key)", "hotupdate TestUnknown"},
	{"a value that contains itself is refused", trailFile, "if now.at != 0 && slices.Contains(*a, now) {", "if now.at != 0 && len(*a) > 500 && slices.Contains(*a, now) {", "hotupdate TestCycleThrough"},
	{"nesting is bounded", trailFile, "if depth > MaxDepth {", "if depth > 3*MaxDepth {", "hotupdate TestDepth"},

	// Pairing and diff.
	{"elements are paired by key", pairsFile, "order = CompareKeys(p.left[0][0], p.left[1][0])", "order = 0", diff},
	{"an element without an old partner is listed", pairsFile, "case len(p.left[0]) == 0:\n\t\torder = +1", "case len(p.left[0]) == 0:\n\t\treturn false", diff},
	{"a missing array says what the zero array says", pairsFile, "if array.IsValid() {\n\t\treturn array\n\t}\n\treturn reflect.New(n.Type).Elem()", "return array", diff},
	{"the elements of a set are paired by value", setsFile, "slices.SortStableFunc(elements, CompareKeys)", "slices.SortStableFunc(elements, func(a, b Element) int { return a.At - b.At })", paths},
	{"an element is paired in a set once", setsFile, "return a.Key == b.Key })", "return a.At == b.At })", paths},
	{"maps of strings differ by what one side lacks", "internal/engine/diff_texts.go", "if _, ok := before[key]; !ok {", "if _, ok := before[key]; ok {", diff},
	{"the stricter class of both sides counts", diffFile, "if s[0].node.Class < s[1].node.Class {", "if false {", diff},
	{"null means what it does where the class is stricter", diffFile, "old, updated = s.stricter().node, s.stricter().node", "", cover},
	{"an element that only comes or goes is a change", diffFile, "if shells[0] != shells[1] && (d.overlays || !slices", "if shells[0] == shells[1] && (d.overlays || !slices", diff},
	{"an element is a change unless one below is as strict", diffFile, "return c.Class.Stricter(class) == c.Class }", "return c.Class.Stricter(class) == c.Class || true }", diff},
	{"a removal points into the old list", diffFile, "if op == OpRemove {", "if op == OpAdd {", "hotupdate TestRemoval"},
	{"a sensitive value is hidden", diffFile, "c.Old, c.New = \"\", \"\"", "c.Old = \"\"", "hotupdate Secre|Sensitive"},

	// Split and merge.
	{"a half has no leaf of the other", splitFile, "case !classes.Any(^c.first):", "case classes.Any(c.first):", halves},
	{"identities stand in both halves", splitFile, "if in != nil && in.Identity(f) {", "if in != nil && c.merges && in.Identity(f) {", halves},
	{"a nil list stays nil in the halves", splitFile, "if !owner.IsValid() || owner.IsNil() {", "if !owner.IsValid() {", halves},
	{"halves share no memory", "internal/leaf/copy.go", "to.Set(reflect.AppendSlice(reflect.MakeSlice(to.Type(), 0, from.Len()), from))", "to.Set(from)", halves},
	{"what only hot parts bring is no part of a projection", splitFile, "if !c.trims || f.HasPresenceOf(fieldplan.Projected) {", "if true {", "hash/hashstructure TestProjection"},
	{"an element of which nothing is hashed is no part of a projection", splitFile, "c.program.isHashed(n, elem, in)", "true", "hash/hashstructure TestProjection"},
	{"halves have the same elements", splitFile, "(!from[0].IsValid() || !from[1].IsValid())", "!from[0].IsValid()", halves},
	{"halves have lists of one length", splitFile, "size != length(from[1]):", "size < 0:", halves},
	{"hot parts are taken from the hot half", splitFile, "case !classes.Any(c.first):\n\t\treturn 1", "case !classes.Any(c.first):\n\t\treturn 0", halves},
	{"a hot object that is nil is gone", splitFile, "return from[1].IsValid() || c.program.isHashed(f.Node, from[0], nil)", "return true", halves},

	{"an element is hot in both halves or in none", splitFile, "case areTwo && n != c.program.ElementNode(in, key, from[1]):", "case false:", halves + "|TestHotWhen"},

	// What is covered, and patched.
	{"what is of the class is taken over", overlayFile, "if changes[0].Class != structtag.Immutable {", "if changes[0].Class == structtag.Immutable {", exact},
	{"a set is taken over as a whole", overlayFile, "|| n.Pairing == fieldplan.ByValue ", "", exact},
	{"an element that is null becomes null again", overlayFile, "isNull := from == nil && c.Op == OpReplace", "isNull := false", cover},
	{"an element that comes brings its identity", overlayFile, "members[f.Name] = value\n", "_, _ = members, value\n", exact},
	{"a member that is emptied goes", overlayFile, "member = Absent{} //", "_ = f //", cover},
	{"an emptied object stays if its presence counts", overlayFile, "&& !f.HasPresence() {", "{", cover},
	{"what stands before an element holds its place", overlayFile, "for len(result) < i {", "for false {", cover},
	{"a key has several spellings", overlayFile, "all[n.KeyText(spelled)] = spelled", "all[spelled] = spelled", cover},
	{"a place of an array that says zero is not filled", overlayFile, " && (elem != nil || n.Kind != fieldplan.Array):", ":", cover},
	{"every element that comes or goes is a change on the way", diffFile, "(d.overlays || !slices", "(false || !slices", exact},
	{"an element of a list that a flip empties has the class of the list", diffFile, "!value.IsValid() && s[i].node.When != nil {", "!value.IsValid() {", "hotupdate TestDiffTakesTheStricterList"},
	{"a patch removes elements from the end", jsonpatchFile, "for i := len(old) - 1; i >= common; i-- {", "for i := common; i < len(old); i++ {", cover},
	{"a patch goes through no empty name", jsonpatchFile, `case name == "" && !`, `case name == "\x00" && !`, cover},
	{"where neither has a configuration none is made", coverFile, "if before.config.Tree != (engine.Absent{}) || covered != (engine.Absent{}) {", "if true {", cover},
	{"a configuration that is gone is removed", coverFile, "below == (engine.Absent{}) {", "below == nil {", cover},
	{"an empty list in an array is not zero", writeFile, "emptyText(n.plan.Kind, n.isNull(m))", "emptyText(n.plan.Kind, true)", document},
	{"the identity of a nil element can be decoded", writeFile, "\tr.buf = append(r.buf, text...)\n\tif o.quoted {", "\tr.buf = append(r.buf, text...)\n\tif false {", "hotupdate ^TestHotPart$"},
	{"an identity does not hold an element", writeFile, "if !o.always {\n\t\t\tsome = true", "if true {\n\t\t\tsome = true", document},

	// What a release does to configurations: whose class counts, what is certain, who rolls, who is refused, and under which condition.
	{"a change of class rolls who says only what moved", compareFile, "return every(whereSet)\n\t}\n\treturn some(whereSet)", "return every(whereSet)\n\t}\n\treturn every(whereSet)", releases},
	{"a field whose class stays ends what is told above", compareFile, "s.covered = change\n\t\treturn s", "return s", releases},
	{"the classes of both Schemas count", compareFile, "return p.old.Classes | p.updated.Classes", "return p.updated.Classes", releases},
	{"an element of an array is hashed where JSON has null for the array", compareFile, "s.filled && f.Rolls != none", "false", releases},
	{"a field that is a zero array is unset", compareFile, "p.old.Kind == fieldplan.Array && s.in.old != nil", "p.old.Kind == fieldplan.Array", releases},
	{"keys that are read because of a field below may be missing", compareFile, "case p.readsKeysNow():", "case false:", releases},
	{"null is null under another leaf as well", compareFile, "isSame := isLeaf && bytes.Equal(", "isSame := false && bytes.Equal(", releases},
	{"a default of a list that changed is a finding", compareFile, "d.add(s, d.fallback(old, updated, areAlike()))", "_ = areAlike", releases},
	{"a default that fills in nothing hashed rolls nobody", compareFile, "case bytes.Equal(d.defaults[0][old], d.defaults[1][updated]):", "case false:", releases},
	{"a default that the fields have themselves is none", compareFile, "case updated.Default == nil && engine.Of(d.plans[1]).FillsIn(updated, old.Default):", "case false:", releases},
	{"a default of which the fields have a part themselves is one", compareFile, "engine.Of(d.plans[1]).FillsIn(updated, old.Default)", "true", releases},
	{"nothing is certain below a default", compareFile, "s.certain = s.certain && !isFilled", "_ = isFilled", releases},
	{"a text with another meaning is not refused", compareFile, "p.old.Leaf.IsText() && p.updated.Leaf.IsText()", "false", releases},
	{"presence rolls only where both hash the object", compareFile, "Every: p.areHashed() && (", "Every: (", releases},
	{"nothing is certain of the elements of a set", compareFile, "p.old.Pairing == fieldplan.ByValue || p.updated.Pairing == fieldplan.ByValue ||", "", releases},
	{"nothing is certain of elements that may be hot", compareFile, "|| p.old.When != nil ||\n\t\tp.updated.When != nil || len(patterns) > 0 {", "|| len(patterns) > 0 {", releases},
	{"leaves of different kinds may say the same", compareFile, "s.certain = s.certain && sameKind\n", "", releases},
	{"an identity is written whatever it is", compareFile, "in.old.Identity(old) || in.updated.Identity(updated)", "in.old.Identity(old)", releases},
	{"a default that is gone rolls who spells it out", compareFile, "effect(whereDefault, old.Default, updated.Default)", "effect(whereDefault, updated.Default)", releases},
	{"elements that are hot are compared", compareFile, "d.element(p, twoNodes{p.old.When.Hot, p.updated.When.Hot}, s)", "", releases},
	{"an integer holds what a narrower unsigned one does", "internal/schemadiff/words.go", "is == \"int\" && to > from", "is == \"int\" && to >= from", releases},
	{"null elements of a type that marshals itself may be refused", compareFile, "n.Leaf == leaf.Opaque || n.Leaf.MarshalsItself()", "n.Leaf == leaf.Opaque", releases},
	{"null is no key behind a pointer", compareFile, "|| in.updated.ElemPointer && in.updated.Pairing == fieldplan.ByKey {", "{", releases},
	{"a number is always a key", compareFile, "n.Key.Node.Leaf == leaf.String && n.When == nil", "n.When == nil", releases},
	{"null says what the empty object says", compareFile, ", !isLeaf && p.old.Kind != fieldplan.Array:", ":", releases},
	{"null is not held", conditionFile, "c.where == whereHeld && member != nil", "c.where == whereHeld", conditions},
	{"only the default is spelled out", conditionFile, "return f.Default != nil && !hashed.IsSet", "return f.Default != nil", conditions},
	{"something hashed is not empty", conditionFile, "return f.Pointer && !isNil && !hashed.IsFilled", "return f.Pointer && !isNil", conditions},
	{"zero is spelled out behind a pointer", conditionFile, "isLeaf && f.Pointer && zero != nil", "isLeaf && zero != nil", conditions},
	{"the place is one in arrays", conditionFile, "if !step.Element || n.Kind != fieldplan.Array {", "if !step.Element || n.Elem == nil {", conditions},
	{"a selector is hot whatever its class", "internal/engine/member.go", "in.When != nil && in.When.Hot == n &&", "false &&", "hotupdate ^TestSelectorIsHot"},
	{"a value with a problem is set", "internal/engine/member.go", "if r.trail.Failed() {", "if false {", conditions},
	{"of what is told twice the graver stays", "internal/schemadiff/finding.go", "gravity(b.Rolls)-gravity(a.Rolls)", "gravity(a.Rolls)-gravity(b.Rolls)", releases},
}
