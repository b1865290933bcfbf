package mutants_test

// The tests that kill.
const (
	verdicts = "hotupdate/cmd/hotupdate/internal/pool ^TestVerdictsByFunction$"
	edits    = "hotupdate/cmd/hotupdate/internal/pool ^(TestEveryEditAgreesWithAnotherReading|TestRowsThatRollAreHashed)$"
)

const (
	poolFolder     = "hotupdate/cmd/hotupdate/internal/pool/"
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
	{"a type that cannot be used", profileFile, "refuse(!*orDefault(m.Usable, true)", "refuse(false", verdicts},
	{"an expired image replaces a lower one", profileFile, `return old.Version == "" || lowered`, "return true || lowered", verdicts},
	{"the region is fixed", tableFile, "spec.region  refused refused", "spec.region  none none", verdicts},
	{"the machine type rolls", tableFile, "machine.type  roll refused", "machine.type  none refused", edits},
	{"a field without a row is not harmless", poolFolder + "fields.go", "case !known && !harmless:", "case !known && !harmless && false:", edits},
}
