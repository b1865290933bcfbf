package mutants_test

// The tests that kill.
const (
	verdicts = "hotupdate/cmd/hotupdate/internal/pool ^TestVerdictsByFunction$"
	trees    = "hotupdate/cmd/hotupdate/internal/tree Test|FuzzParseYAML"
	reads    = poolPackage + " ^TestReadRefuses$"
	rolling  = poolPackage + "/facts ^TestRowsThatRollAreHashed$"
	edits    = "hotupdate/cmd/hotupdate/internal/pool ^TestEveryEditAgreesWithAnotherReading$"
	merges   = "hotupdate/cmd/hotupdate/internal/pool ^TestMerge"
)

const (
	poolPackage      = "hotupdate/cmd/hotupdate/internal/pool"
	treeFolder       = "hotupdate/cmd/hotupdate/internal/tree/"
	factsFolder      = poolPackage + "/facts/"
	judgeFolder      = poolPackage + "/judge/"
	judgementsFile   = judgeFolder + "judgements.go"
	readingsFile     = factsFolder + "readings.go"
	reservationsFile = factsFolder + "reservations.go"
	profileFile      = factsFolder + "cloudprofile.go"
	tableFile        = poolPackage + "/fields/table.go"
	mergeFile        = poolPackage + "/merge.go"
)

// planMutants break what plan says of a Shoot.
var planMutants = []mutant{
	{"zones are only appended", judgementsFile, "len(before) < len(after) && slices.Equal(before, after[:len(before)])", "len(before) < len(after)+1", verdicts},
	{"a cluster that wakes up creates machines", judgementsFile, "ofPool(verdict.ComeOrGo, verdict.WokenUp)", "ofPool(verdict.None, verdict.WokenUp)", edits},
	{"maintenance is not harmless", judgementsFile, "ofPool(verdict.Indeterminate, verdict.MaintenanceStarted)", "ofPool(verdict.None, verdict.MaintenanceStarted)", verdicts},
	{"the machine type rolls", tableFile, "rows(Roll, Fixed, key+\", \"+update, MachineType, ImageName,", "rows(None, Fixed, key+\", \"+update, MachineType, ImageName,", rolling},
	{"the CPU manager policy rolls", tableFile, `evictionHard, Kubelet+".cpuManagerPolicy"),`, "evictionHard),\n\t\trows(None, None, kubelet, Kubelet+\".cpuManagerPolicy\"),", rolling},
	{"a field without a row is not harmless", judgeFolder + "rest.go", "r.unjudged = append(r.unjudged, pathOf(d.Path).String())", "_ = d", edits},
	{"readings that disagree are indeterminate", judgeFolder + "readings.go", "if reading.Verdict != first.Verdict {", "if false {", verdicts},
	{"a pool keeps its image", readingsFile, "if keepsImage(before, after) {", "if false {", verdicts},
	{"another image is not kept", readingsFile, "case before == nil || after.Name != before.Name:", "case before == nil:", verdicts},
	{"a partial version may be the one that there is", readingsFile, "!isOpen || !canBeOne(orDefault(before, hash.Image{}), &wanted)", "!isOpen || true", verdicts},
	{"a version without a minor is a default", readingsFile, "case isWithoutMinor(before) &&", "case before == \"\" &&", verdicts},
	{"node-local DNS may have been enabled", readingsFile, "if changes(false) == changes(true) {", "if changes(false) == changes(true) || true {", verdicts},
	{"both modes of reservations count", reservationsFile, "case ofShoot.keeps(r) != perPool.keeps(r):", "case false:", verdicts},
	{"the formula of reservations may give what is written", reservationsFile, "perPool.keeps(r) != asWritten.keeps(r)", "false", verdicts},
	{"reservations of the Shoot are completed there", reservationsFile, "if m.perPool && !p.shootReserves() {", "if m.perPool {", verdicts},
	{"a kubelet configuration for reservations replaces that of the Shoot", reservationsFile, "own := hash.Kubelet{SumReservations: true}", "own := *orDefault(p.kubeletInManifest(), hash.Kubelet{SumReservations: true})", verdicts},
	{"the second core counts", reservationsFile, "reserved += 10", "reserved += 11", verdicts},
	{"the memory above four gibibytes counts", reservationsFile, "{4 * gibi, 8 * gibi, 1, 5}", "{4 * gibi, 8 * gibi, 1, 4}", verdicts},
	{"an expired version is no default", profileFile, "p.stageOf(one) == supported && beginsWith(text, partial)", "beginsWith(text, partial)", verdicts},
	{"a preview is no default", profileFile, "\t\tcase preview:\n", "\t\tcase preview:\n\t\t\tlatest.show(text)\n", verdicts},
	{"a deprecated image is none if there is another one", profileFile, "latestDeprecated.show(text)", "latest.show(text)", verdicts},
	{"an image is for the architecture", profileFile, "case !slices.Contains(p.architectures(version), architecture):", "case false:", verdicts},
	{"an image has the capabilities", profileFile, "case machine != nil && !p.canRun(machine, version):", "case machine != nil && false:", verdicts},
	{"an image supports in-place updates", profileFile, "case isInPlace(of.Declared):", "case false:", verdicts},
	{"a change that Gardener refuses does not happen", poolPackage + "/plan.go", "case p.IsRefused:", "case p.IsRefused && false:", merges},
	{"what one landscape admits is not refused", mergeFile, "refusing > 0 && refusing == len(m.answer.Outcomes)", "refusing > 0", merges},
	{"a key that Gardener changes rolls", mergeFile, "m.raise(planned, verdict.Roll)", "_ = planned", merges},
	{"a hash that Gardener changes drains", mergeFile, "m.raise(planned, verdict.InPlaceUpdate)", "_ = planned", merges},
	{"a key that Gardener leaves alone is told", mergeFile, "if planned.Key == judge.KeyChanges {", "if false {", merges},
	{"landscapes that differ are told", mergeFile, "planned.raise(verdict.Indeterminate)", "_ = planned", merges},
	{"the verdict after adoption is raised too", mergeFile, "adopted := max(*p.Adopted, v)", "adopted := *p.Adopted", merges},
	{"a merge key counts where it stands", treeFolder + "yaml.go", "\t\tobject.below[at] = value\n", "\t\tif !known {\n\t\t\tobject.below[at] = value\n\t\t}\n", trees},
	{"of two merged mappings the first one counts", treeFolder + "yaml.go", "range slices.Backward(c.merged(value))", "range slices.All(c.merged(value))", trees},
	{"an anchor has several aliases", treeFolder + "yaml.go", "\tdelete(c.open, from.Alias)\n", "", trees},
	{"a tag without a name is compared", treeFolder + "yaml.go", "if hasLoneTag(text, &root) {", "if false {", trees},
	{"the line of a member is that of its name", treeFolder + "json.go", "value.line = line", "_ = line", trees},
	{"the last member of a name counts", treeFolder + "tree.go", "for i := len(n.below) - 1; i >= 0; i-- {", "for i := range n.below {", trees},
	{"a member that stands twice is told", treeFolder + "tree.go", "if seen[name] {", "if seen[name] && false {", "hotupdate/cmd/hotupdate/internal/members TestProblems"},
	{"the types of all members are checked", factsFolder + "manifest.go", "return m, errors.Join(err, read(), m.checkNames())", "_ = err\n\treturn m, errors.Join(read(), m.checkNames())", reads},
}
