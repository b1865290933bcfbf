package crds

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

// Finding is a difference between two releases of a CRD in one version of the kind, in the form of
// the findings between Schemas, and as a sentence. Its conditions are:
//
//	omits it             the object does not have the field, and the API server fills it in or no longer does
//	has it               the object has the field, which the API server drops
//	has null there       the object has null for the field, which has a default
//	is stored            the API server stores and converts it as another version
//	does not meet it     the value at the path is not valid in the new release
//	changes it against the rule
type Finding struct {
	hotupdate.Finding

	Text string
	// Keyword is the keyword of the constraint that differs; empty for other findings.
	Keyword string
	// IsUndecided says that the effect on machines is not known, for example because the field has
	// no class.
	IsUndecided bool
}

// Harmless reports whether no object is refused, and no object changes without an edit in a way
// that affects machines.
func (f *Finding) Harmless() bool { return f.Finding.Harmless() }

const (
	omitsIt = "omits it"
	hasIt   = "has it"
	isNull  = "has null there"
	fails   = "does not meet it"

	isStored = "is stored"

	changesIt = "changes it against the rule"
)

// Diff lists what differs of a type, which both sets must have: fields, defaults and constraints of its schema, and the
// version in which its objects are stored.
func Diff(old, updated *Set, t facts.TypeMeta) []Finding {
	d := &differ{old: old, updated: updated, of: t, has: map[string]bool{}}
	before := old.resources[t]
	after := updated.resources[t]
	d.storage(before.storage, after.storage)
	d.keywords(before.part.object.own(), after.part.object.own(), "")
	if !after.part.isWhole {
		d.required(before.part.object, after.part.object, specMember, specMember)
	}
	d.node(before.part.schema, after.part.schema, "")
	slices.SortStableFunc(d.found, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return d.found
}

// own is a schema without the schemas of its members.
func (s schema) own() schema {
	alone := maps.Clone(s)
	for _, below := range []string{"properties", "items", "additionalProperties"} {
		delete(alone, below)
	}
	return alone
}

type differ struct {
	old     *Set
	updated *Set
	of      facts.TypeMeta
	found   []Finding
	has     map[string]bool // the paths of the fields that exist in every object that has the value around them
	around  string          // the path of the innermost value around this one that an object may lack; or empty
	lists   []string        // the paths of lists without keys around the value, the outermost first
}

// storage compares the versions in which objects are stored.
func (d *differ) storage(old, updated string) {
	if old == updated || old == "" || updated == "" {
		return
	}
	d.add(Finding{
		Finding: hotupdate.Finding{
			Kind: "StorageVersionChanged", Old: old, New: updated,
			Roll: hotupdate.Effect{Every: true, Where: isStored},
		},
		Text: "objects are stored as " + updated + ", and were stored as " + old + ": what their conversion changes " +
			"is not known",
		IsUndecided: true,
	})
}

// node compares the schemas of a value that is not a member of an object.
func (d *differ) node(old, updated schema, path string) {
	d.keywords(old, updated, path)
	d.defaults(old, updated, path)
	d.below(old, updated, path)
}

// below compares what is in a value.
func (d *differ) below(old, updated schema, path string) {
	all := schema{}
	maps.Copy(all, old.members())
	maps.Copy(all, updated.members())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d.member(old, updated, name, fieldpath.Join(path, name))
	}
	d.undescribed(old, updated, path)
	lists := d.lists
	around := d.around
	if updated.at("items") != nil && updated[listTypeKeyword] != "map" {
		d.lists = append(slices.Clone(lists), path)
	}
	d.around = fieldpath.Elements(path)
	for _, inner := range []func(schema) schema{schema.ofElements, schema.ofEntries} {
		before := inner(old)
		if before == nil {
			before = old.ofUndescribed()
		}
		after := inner(updated)
		switch {
		case before == nil:
		case after != nil:
			d.node(before, after, d.around)
		case updated.isTrue(freeKeyword):
			d.unfilled(inner(old), d.around)
		}
	}
	d.lists = lists
	d.around = around
}

// undescribed reports that the API server drops the members of an object that its schema does not describe, and kept
// them before.
func (d *differ) undescribed(old, updated schema, path string) {
	before := old.ofUndescribed()
	isObject := updated.typeName() == "object" || len(updated) == 0
	isClosed := isObject && updated.ofUndescribed() == nil
	if before == nil || !isClosed {
		return
	}
	f := Finding{Finding: hotupdate.Finding{
		Kind: "FieldRemoved", Path: fieldpath.Elements(path), Old: before.typeName(),
		Roll: hotupdate.Effect{Every: true, Where: hasIt},
	}}
	f.Text = cmp.Or(path, "the object") + ": the API server kept members that are not described, and drops them from " +
		"every object that has some; " + d.consequence(&f, d.sampleWith(f.Path, before.value()), hotupdate.OpRemove)
	d.add(f)
}

// member compares a member of an object.
func (d *differ) member(old, updated schema, name, path string) {
	before := old.members().at(name)
	after := updated.members().at(name)
	if before == nil {
		before = old.ofUndescribed().asMember()
	}
	inMap := updated.ofEntries().asMember()
	keeps := updated.ofUndescribed() != nil
	isNamed := old.isMeta(name) && name != "metadata"
	isRequired := old.requires(name) || isNamed
	d.has[path] = isRequired && before["default"] == nil
	switch {
	case before != nil && after != nil:
		d.described(before, after, path)
	case after != nil:
		d.add(Finding{
			Finding: hotupdate.Finding{Kind: "FieldAdded", Path: path, New: after.typeName()},
			Text:    path + ": is new, " + after.typeName() + after.withoutEffect(),
		})
		d.defaults(nil, after, path)
	case keeps:
		d.add(Finding{
			Finding: hotupdate.Finding{Kind: "FieldRemoved", Path: path, Old: before.typeName()},
			Text:    path + ": is no longer described, and the API server keeps it",
		})
		if inMap != nil {
			d.described(before, inMap, path)
		} else {
			d.unfilled(before, path)
		}
	default:
		f := Finding{Finding: hotupdate.Finding{
			Kind: "FieldRemoved", Path: path, Old: before.typeName(), Roll: hotupdate.Effect{Every: true, Where: hasIt},
		}}
		f.Text = path + ": is gone, was " + before.typeName() + ": the API server drops it from every object that " +
			"has it, and kubectl refuses manifests with it; "
		f.Text += d.consequence(&f, d.sampleWith(path, before.value()), hotupdate.OpRemove)
		d.add(f)
	}
	d.required(old, updated, name, path)
}

// unfilled reports the defaults that the API server no longer fills in because a value has become free JSON.
func (d *differ) unfilled(old schema, path string) {
	d.defaults(old, nil, path)
	around := d.around
	if !d.has[path] {
		d.around = path
	}
	properties := old.at("properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		at := fieldpath.Join(path, name)
		member := properties.at(name)
		d.has[at] = old.requires(name) && member["default"] == nil
		d.unfilled(member, at)
	}
	d.around = fieldpath.Elements(path)
	for _, inner := range []schema{old.ofElements(), old.ofEntries()} {
		if inner != nil {
			d.unfilled(inner, d.around)
		}
	}
	d.around = around
}

// described compares a member that both releases describe. The findings below it are about objects that have it.
func (d *differ) described(old, updated schema, path string) {
	d.keywords(old, updated, path)
	d.defaults(old, updated, path)
	around := d.around
	if !d.has[path] && updated["default"] == nil {
		d.around = path
	}
	d.below(old, updated, path)
	d.around = around
}

// withoutEffect says that a new field has no effect, unless it has a default, which is a separate
// finding.
func (s schema) withoutEffect() string {
	if s["default"] != nil {
		return ""
	}
	return ": no object changes"
}

func (d *differ) add(f Finding) { d.found = append(d.found, f) }

// typeName names the type of a value.
func (s schema) typeName() string {
	name, _ := s["type"].(string)
	if s.isTrue("x-kubernetes-int-or-string") {
		return "int-or-string"
	}
	return cmp.Or(name, "any value")
}

// defaults compares what the API server fills in.
func (d *differ) defaults(old, updated schema, path string) {
	before := textOf(old["default"])
	after := textOf(updated["default"])
	if before == after {
		d.nulls(old, updated, path)
		return
	}
	f := Finding{Finding: hotupdate.Finding{
		Kind: "DefaultChanged", Path: path, Old: cmp.Or(before, noValue), New: cmp.Or(after, noValue),
		Roll: hotupdate.Effect{Every: true, Where: omitsIt},
	}}
	f.Text = cmp.Or(path, "the object") + ": has the default " + f.New + ", had " + f.Old + ": "
	if d.has[path] {
		f.Roll = hotupdate.Effect{}
		f.Text += "every object has the field, since it was required: none changes"
	} else {
		f.Text += d.whoOmits(path) + " changes, and one that spells it out does not"
		if before != "" {
			f.Text += ", such as one that was stored with the old default"
		}
		f.Text += "; " + d.consequence(&f, d.sampleWithout(path), operationOf(before, after))
	}
	d.add(f)
}

// nulls compares whether the API server fills in the default, of which both schemas have the same, where a value is
// null.
func (d *differ) nulls(old, updated schema, path string) {
	f := Finding{Finding: hotupdate.Finding{
		Kind: "DefaultChanged", Path: path, Roll: hotupdate.Effect{Every: true, Where: isNull},
	}}
	how := "keeps a null, and filled in the default"
	op := hotupdate.OpRemove
	switch was, is := old.fillsNull(), updated.fillsNull(); {
	case was == is:
		return
	case was:
		f.Old = textOf(old["default"])
		f.New = noValue
	default:
		f.Old = noValue
		f.New = textOf(updated["default"])
		how = "fills in the default for a null, and kept it"
		op = hotupdate.OpAdd
	}
	f.Text = cmp.Or(path, "the object") + ": the API server " + how + ": every object that has null there changes; " +
		d.consequence(&f, d.sampleWith(path, nil), op)
	d.add(f)
}

// fillsNull reports whether the API server fills in the default where the value is null.
func (s schema) fillsNull() bool { return s["default"] != nil && !s.isTrue("nullable") }

// operationOf returns the operation on an omitted field that follows from a change of its default;
// empty for none.
func operationOf(before, after string) hotupdate.Op {
	switch {
	case before == "":
		return hotupdate.OpAdd
	case after == "":
		return hotupdate.OpRemove
	}
	return hotupdate.OpReplace
}

// whoOmits says which objects omit a field: a default is filled in only where the object around the field is.
func (d *differ) whoOmits(path string) string {
	switch d.around {
	case "":
		return "every object that omits it"
	case path: // an element: it is omitted by a null
		return "every object that has null there"
	}
	return "every object that has " + d.around + ", and omits it there,"
}

const (
	noValue         = "none"
	requiredKeyword = "required"
)

// textOf returns a value in JSON, and nothing for null.
func textOf(value any) string {
	if value == nil {
		return ""
	}
	text, _ := jsonpatch.Write(value)
	return string(text)
}

// required compares whether an object must have a member.
func (d *differ) required(old, updated schema, name, path string) {
	was := old.requires(name)
	is := updated.requires(name)
	isFilled := updated.at("properties", name)["default"] != nil
	switch {
	case was == is:
	case is && isFilled:
		d.constraint(path, requiredKeyword, narrowed, noValue, "true, and the API server fills the field in", true)
	case is:
		d.constraint(path, requiredKeyword, narrowed, noValue, "true", false)
	default:
		d.constraint(path, requiredKeyword, widened, "true", noValue, false)
	}
}

func (s schema) requires(name string) bool {
	all, _ := s["required"].([]any)
	return slices.Contains(all, any(name))
}

// change is how a constraint changes: with which values.
type change string

// The changes. A changed constraint may refuse some values and permit others.
const (
	same     change = ""
	narrowed change = "narrowed"
	widened  change = "widened"
	changed  change = "changed"
)

// The keywords that make elements of a list unique.
const (
	listTypeKeyword = "x-kubernetes-list-type"
	listKeysKeyword = "x-kubernetes-list-map-keys"
)

// embeddedKeyword makes an object a resource: it must have an apiVersion, a kind and valid metadata.
const embeddedKeyword = "x-kubernetes-embedded-resource"

// constraint adds a finding about a keyword.
func (d *differ) constraint(path, keyword string, how change, old, updated string, isFilled bool) {
	f := Finding{
		Finding: hotupdate.Finding{Kind: "ConstraintChanged", Path: path, Old: old, New: updated}, Keyword: keyword,
	}
	at := cmp.Or(path, "the object")
	f.Text = at + ": " + keyword + " " + string(how) + ": " + updated + ", was " + old
	switch {
	case how == widened, isFilled:
		f.Text += ": no object is refused or changed"
	case keyword == "rule" && strings.Contains(updated, "oldSelf"): // such a rule is not evaluated for a new object
		f.Text += ": a change that does not meet it is refused"
		f.Forbidden = hotupdate.Effect{Where: changesIt}
	default:
		f.Text += ": " + d.refusedWhen(at, keyword)
		f.Forbidden = hotupdate.Effect{Where: fails}
	}
	d.add(f)
}

// refusedWhen says which requests an API server refuses for a constraint. From Kubernetes 1.30 on, an update may keep
// what does not meet it.
func (d *differ) refusedWhen(at, keyword string) string {
	const created = "an object that does not meet it is refused when created or restored, and when "
	switch {
	case keyword == embeddedKeyword: // updates are validated as creations are
		return "an object without apiVersion, kind or valid metadata there is refused when created, restored or updated"
	case keyword == listTypeKeyword, keyword == listKeysKeyword: // an update may keep such elements and add others
		return "an object with elements that stand twice is refused when created or restored, and when an update " +
			"adds the first of them"
	case keyword == requiredKeyword && len(d.lists) == 0:
		return created + "the object around it is changed"
	case len(d.lists) > 0: // elements without keys are not found again
		return created + d.lists[0] + " is changed"
	}
	return created + at + " is changed"
}

// keywords compares the keywords of a value that only validate.
func (d *differ) keywords(old, updated schema, path string) {
	if path == "" && old == nil {
		return
	}
	for _, one := range keywords {
		before := old[one.name]
		after := updated[one.name]
		if how := one.compare(before, after); how != same {
			d.constraint(path, one.name, how, cmp.Or(textOf(before), noValue), cmp.Or(textOf(after), noValue), false)
		}
	}
	d.types(old, updated, path)
	d.rules(old, updated, path)
}

// types compares the types of values.
func (d *differ) types(old, updated schema, path string) {
	was := old.typeName()
	is := updated.typeName()
	isWider := is == "int-or-string" && (was == "integer" || was == "string")
	isUntyped := is == "any value"
	switch {
	case was == is:
	case isWider, isUntyped:
		d.constraint(path, "type", widened, was, is, false)
	default:
		d.constraint(path, "type", changed, was, is, false)
	}
}

// rules compares the CEL rules of a value.
func (d *differ) rules(old, updated schema, path string) {
	before := old.rules()
	after := updated.rules()
	for _, rule := range after {
		if !slices.Contains(before, rule) {
			d.constraint(path, "rule", narrowed, noValue, rule, false)
		}
	}
	for _, rule := range before {
		if !slices.Contains(after, rule) {
			d.constraint(path, "rule", widened, rule, noValue, false)
		}
	}
}

func (s schema) rules() (rules []string) {
	list, _ := s["x-kubernetes-validations"].([]any)
	for _, one := range list {
		rule, _ := one.(map[string]any)
		text, _ := rule["rule"].(string)
		rules = append(rules, text)
	}
	return rules
}

// keyword is a keyword of a schema, with the function that compares two of its values; nil is an absent one.
type keyword struct {
	name    string
	compare func(old, updated any) change
}

var keywords = []keyword{
	{"enum", compareSets},
	{"pattern", comparePresence},
	{"format", comparePresence},
	{"multipleOf", comparePresence},
	{"minLength", compareLower},
	{"minItems", compareLower},
	{"minProperties", compareLower},
	{"minimum", compareLower},
	{"maxLength", compareUpper},
	{"maxItems", compareUpper},
	{"maxProperties", compareUpper},
	{"maximum", compareUpper},
	{"exclusiveMinimum", compareFlags},
	{"exclusiveMaximum", compareFlags},
	{"uniqueItems", compareFlags},
	{"allOf", comparePresence},
	{"anyOf", comparePresence},
	{"oneOf", comparePresence},
	{"not", comparePresence},
	{"nullable", func(old, updated any) change { return compareFlags(updated, old) }},
	{listTypeKeyword, compareListTypes},
	{listKeysKeyword, comparePresence},
	{embeddedKeyword, compareFlags},
}

// comparePresence compares constraints whose values are not compared with one another.
func comparePresence(old, updated any) change {
	switch {
	case reflect.DeepEqual(old, updated):
		return same
	case old == nil:
		return narrowed
	case updated == nil:
		return widened
	}
	return changed
}

// compareListTypes compares the types of lists: elements of a set or a map are unique.
func compareListTypes(old, updated any) change {
	free := func(value any) any {
		if value == "atomic" {
			return nil
		}
		return value
	}
	return comparePresence(free(old), free(updated))
}

func compareFlags(old, updated any) change {
	was := old == true
	is := updated == true
	switch {
	case was == is:
		return same
	case is:
		return narrowed
	}
	return widened
}

// compareLower compares lower bounds.
func compareLower(old, updated any) change { return compareBounds(old, updated, 1) }

// compareUpper compares upper bounds.
func compareUpper(old, updated any) change { return compareBounds(old, updated, -1) }

// compareBounds compares bounds. A greater one is narrower for the sign 1, a smaller one for -1.
func compareBounds(old, updated any, sign float64) change {
	was, hadBound := old.(json.Number)
	is, hasBound := updated.(json.Number)
	if !hadBound || !hasBound {
		return presenceOfBound(hadBound, hasBound)
	}
	before, _ := was.Float64()
	after, _ := is.Float64()
	switch {
	case before == after:
		return same
	case sign*after > sign*before:
		return narrowed
	}
	return widened
}

func presenceOfBound(had, has bool) change {
	switch {
	case had == has:
		return same
	case has:
		return narrowed
	}
	return widened
}

// compareSets compares the values that an enum permits.
func compareSets(old, updated any) change {
	before, hadSet := old.([]any)
	after, hasSet := updated.([]any)
	if !hadSet || !hasSet {
		return presenceOfBound(hadSet, hasSet)
	}
	loses := !containsAll(after, before)
	gains := !containsAll(before, after)
	switch {
	case loses && gains:
		return changed
	case loses:
		return narrowed
	case gains:
		return widened
	}
	return same
}

func containsAll(all, values []any) bool {
	for _, value := range values {
		text := []byte(textOf(value))
		if !slices.ContainsFunc(all, func(one any) bool { return bytes.Equal([]byte(textOf(one)), text) }) {
			return false
		}
	}
	return true
}
