package mutants_test

// The tests that kill.
const (
	idioms      = "internal/crd ^Test(Idioms|Required|SpecWith)"
	patterns    = "internal/crd ^Test(Meaning|Languages)"
	rules       = "internal/crd ^Test(Rule|Options|Mistakes)"
	crds        = "hotupdate ^Test(CRD|SchemaOfCRD)"
	scripts     = "hotupdate/cmd/hotupdate ^TestScripts/plan_crd"
	crdVersions = "hotupdate/cmd/hotupdate ^TestScripts/plan_versions"
	audits      = "hotupdate/cmd/hotupdate ^TestAuditScripts/crds"
)

const (
	propertyFile    = "internal/crd/property.go"
	meaningFile     = "internal/crd/meaning.go"
	patternFile     = "internal/crd/pattern.go"
	ruleFile        = "internal/crd/rules.go"
	definitionFile  = "hotupdate/cmd/hotupdate/internal/side/crd.go"
	crdClassesFile  = "hotupdate/cmd/hotupdate/internal/crds/classes.go"
	crdVersionsFile = "hotupdate/cmd/hotupdate/internal/crds/versions.go"
	customFile      = "hotupdate/cmd/hotupdate/internal/audit/custom.go"
	configFile      = "hotupdate/cmd/hotupdate/internal/pool/judge/config.go"
)

// crdMutants break what a CustomResourceDefinition means.
var crdMutants = []mutant{
	{"a field that is not required is a pointer", propertyFile, "(f.Optional || p.Nullable ||", "(p.Nullable ||", idioms},
	{"a field that may be null is a pointer", propertyFile, "(f.Optional || p.Nullable ||", "(f.Optional ||", idioms},
	{"a field with a default is a pointer", propertyFile, " || f.Default != nil)", ")", idioms},
	{"null elements differ from zero", propertyFile, "ElemNullable: elem.Nullable && takesPointer(n)", "ElemNullable: false", idioms},
	{"several keys make a set", propertyFile, "len(p.ListMapKeys) != 1 ||", "len(p.ListMapKeys) == 0 ||", crds},
	{"a key with a default makes a set", propertyFile, "len(k.Default) == 0 && ", "", idioms},
	{"a key that may be absent makes a set", propertyFile, "slices.Contains(p.Items.Required, key)", "true", idioms},
	{"the pattern of a quantity is known", meaningFile, "return slices.Contains(p.patterns(), quantityPattern)", "return false", idioms},
	{"a pattern of the field stands beside that of the type", meaningFile, "patterns = append(patterns, each.Pattern)", "_ = each", idioms},
	{"a pattern may admit words beside durations", patternFile, "|[A-Za-z]*)$`)\n\thours", ")$`)\n\thours", idioms},
	{"minutes alone may be thousandths", patternFile, " && admits.some(hoursOrSeconds)", "", patterns},
	{"what follows a match is free", patternFile, "case i.Op == syntax.InstMatch:\n\t\t\tnext.at = append(next.at, pc)", "case i.Op == syntax.InstMatch:", patterns},
	{"a match may begin anywhere", patternFile, "\tnext.at = append(next.at, uint32(l.prog.Start)) //nolint:gosec // is small\n", "", patterns},
	{"the option as takes a recognized meaning back", meaningFile, "declared != structtag.Undeclared:", "false:", "internal/crd ^TestMeaningsOfOverrides"},
	{"the option as decides what is an integer or a string", meaningFile, "declared == structtag.AsText || declared == structtag.AsQuantity {", "false {", "hotupdate ^TestDescribe"},
	{"a key identifies by its text", propertyFile, "member.Name == f.Key && member.Type.Kind != \"int\"", "false", idioms},
	{"an empty list differs from an absent one that has a default", propertyFile, "f.Nullable = isFilled ||", "f.Nullable = isFilled && p == nil ||", idioms},
	{"an empty default is none", propertyFile, "isEmpty := n.Kind != \"json\" &&", "isEmpty := p == nil &&", idioms},
	{"defaults below free JSON are told", propertyFile, "r.readFills(p, path)", "", idioms},
	{"an embedded resource is free JSON", propertyFile, "case p.Preserve, p.Embedded:", "case p.Preserve:", idioms},
	{"a password is not shown", propertyFile, `if p.Format == "password" {`, "if false {", idioms},
	{"a default of digits in a string stays a string", "internal/leaf/parse.go", "k == IntOrString && (intstr.Parse(text).Type == intstr.Int || ", "k == IntOrString && (", idioms},
	{"a rule makes a field immutable", propertyFile, `Inherited: rule == ""`, "Inherited: true", rules},
	{"a rule with an alternative makes nothing immutable", ruleFile, "if strings.ContainsAny(rule, `|?(\"'`) {", "if false {", rules},
	{"a rule compares a field with itself", ruleFile, " || m[2] != m[4]:", ":", rules},
	{"a field that a rule fixes takes no hot update", ruleFile, "tag.Class == structtag.Hot || ", "", rules},
	{"what lies in a field that a rule fixes takes no update", ruleFile, "\t\tif rule := r.rules[path]; rule != \"\" {\n\t\t\treturn rule\n\t\t}\n\t}\n\treturn \"\"", "\t}\n\treturn r.rules[path]", rules},
	{"options of a CRD inherit the class", "internal/fieldplan/compile.go", " && !jf.tag.inherits", "", crds},
	{"a class that the user gave is told as his", "internal/schemajson/load.go", "if f.Declared != fieldplan.Overridden {", "if true {", rules},
	{"a custom resource is judged by its own Schema", definitionFile, "return m.spec }", "return nil }", scripts},
	{"a mistake in the classes is told in their file", crdClassesFile, "if c.object != nil && ", "if c.object == nil && ", scripts},
	{"a field of the old version alone is not compared", crdVersionsFile, "if c.Origin == unknownMember {", "if false {", crdVersions},
	{"a field of the new version alone is not compared", crdVersionsFile, `case f.Kind == "FieldAdded":`, `case f.Kind == "FieldAdded" && path == "":`, crdVersions},
	{"versions that differ otherwise are not compared", crdVersionsFile, ", !f.Harmless():", ":", crdVersions},
	{"what one version calls sensitive is not shown", configFile, "return isScalar && !hidesOld && !hidesNew", "return isScalar && !hidesOld && (!hidesNew || d.New != nil)", crdVersions},
	{"a value of another spelling is shown only if nothing in it is sensitive", configFile, "isOpen := !described.Sensitive &&", "isOpen := pointer != \"\" &&", scripts},
	{"an object of a version that is gone is not judged", customFile, "case updated == nil:\n\t\treturn Indeterminate", "case updated == nil:\n\t\treturn Unchanged", audits},
}
