package mutants_test

// The tests that kill.
const (
	verdicts = "hotupdate/cmd/hotupdate/internal/pool ^TestVerdictsByFunction$"
	trees    = "hotupdate/cmd/hotupdate/internal/tree Test|FuzzParseYAML"
	reads    = poolPackage + " ^TestReadRefuses$"
	edits    = "hotupdate/cmd/hotupdate/internal/pool ^(TestEveryEditAgreesWithAnotherReading|TestRowsThatRollAreHashed)$"
)

const (
	poolPackage    = "hotupdate/cmd/hotupdate/internal/pool"
	poolFolder     = poolPackage + "/"
	treeFolder     = "hotupdate/cmd/hotupdate/internal/tree/"
	judgementsFile = poolFolder + "judgements.go"
	operationsFile = poolFolder + "operations.go"
	shootFile      = poolFolder + "shoot.go"
	profileFile    = poolFolder + "cloudprofile.go"
	tableFile      = poolFolder + "fields.txt"
)

// planMutants break what plan says of a Shoot.
var planMutants = []mutant{
	{"zones are only appended", judgementsFile, "slices.Equal(before, after[:len(before)]); {", "true; {", verdicts},
	{"a cluster that wakes up creates machines", judgementsFile, `ofPool(ComeOrGo, RuleOf("WokenUp"))`, `ofPool(None, RuleOf("WokenUp"))`, edits},
	{"an operation stands alone", operationsFile, `case has(o, "alone") && len(beside) > 1:`, "case false:", verdicts},
	{"a hibernated cluster takes no operation", operationsFile, `case has(o, "awake") && s.isHibernated():`, "case false:", verdicts},
	{"maintenance is not harmless", operationsFile, `ofPool(Indeterminate, RuleOf("MaintenanceStarted"))`, `ofPool(None, RuleOf("MaintenanceStarted"))`, verdicts},
	{"a transition needs its conditions", shootFile, "isValue && !matches(pattern, updated)", `isValue && pattern == "x"`, verdicts},
	{"an old mistake stays", shootFile, "if _, is := before[key]; !is {", "if _, is := before[key]; !is || true {", verdicts},
	{"a default that is written out is no change", shootFile, "case before == after:", "case before == after && after < 0:", verdicts},
	{"an encryption that is not rolled out yet", shootFile, "live == nil || isRolledOut", "live == nil || !isRolledOut", verdicts},
	{"the kubelets of a Shoot are validated", shootFile, `check(kubelet, "spec.", limits()["limits"])`, "_ = kubelet", verdicts},
	{"a zone without machines for the system", shootFile, "int(maximum) >= len(zones)", "int(maximum) >= 0", verdicts},
	{"a type that cannot be used", profileFile, "return usable != nil && !usable.IsTrue()", "return usable != nil && usable.IsTrue()", verdicts},
	{"an expired image replaces a lower one", profileFile, `return old.Version == "" || lowered`, "return true || lowered", verdicts},
	{"the region is fixed", tableFile, "spec.region  refused refused", "spec.region  none none", verdicts},
	{"the machine type rolls", tableFile, "machine.type  roll refused", "machine.type  none refused", edits},
	{"a merge key counts where it stands", treeFolder + "yaml.go", "\t\tobject.below[at] = value\n", "\t\tif !known {\n\t\t\tobject.below[at] = value\n\t\t}\n", trees},
	{"of two merged mappings the first one counts", treeFolder + "yaml.go", "range slices.Backward(c.merged(value))", "range slices.All(c.merged(value))", trees},
	{"an anchor has several aliases", treeFolder + "yaml.go", "\tdelete(c.open, from.Alias)\n", "", trees},
	{"a tag without a name is compared", treeFolder + "yaml.go", "if bytes.IndexByte(text, '!') >= 0 && loneTag.Match(text) {", "if false {", trees},
	{"the line of a member is that of its name", treeFolder + "json.go", "value.name, value.line = name, line", "value.name, _ = name, line", trees},
	{"the last member of a name counts", treeFolder + "tree.go", "for i := len(n.below) - 1; i >= 0; i-- {", "for i := range n.below {", trees},
	{"a member that stands twice is told", treeFolder + "tree.go", "if seen[name] {", "if seen[name] && false {", "hotupdate/cmd/hotupdate/internal/members TestProblems"},
	{"the types of all members are checked", poolFolder + "read.go", "return m, errors.Join(err, read(), m.checkNames())", "_ = err\n\treturn m, errors.Join(read(), m.checkNames())", reads},
	{"a field without a row is not harmless", poolFolder + "fields.go", "case !known && !harmless:", "case !known && !harmless && false:", edits},
}
