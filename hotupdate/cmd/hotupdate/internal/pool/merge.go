package pool

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
)

// Merge merges the answer of Gardener's own code about the same manifests into the plan of a Shoot.
// Version is the version of that code. Old is nil for a Shoot that is added.
//
//   - A change that Gardener refuses is forbidden, and has no other effect.
//   - A pool whose key Gardener changes rolls or is updated in place.
//   - If this command finds another key than Gardener, the plan says that this command is wrong,
//     and the verdict that touches machines counts. If Gardener would not create the old Shoot,
//     another Shoot is stored, and a verdict that follows only from Gardener's key is
//     indeterminate.
//   - Gardener's code is asked about an update, which keeps the status. If both Shoots were read from a cluster and a
//     rotation of credentials lies between them, another key here is no defect.
func (p *Plan) Merge(a gardenerplugin.Answer, version string, old, updated *facts.Manifest) {
	m := merging{p, a, verdict.Gardener(version), old, updated}
	problem := a.Error
	if problem == "" && len(a.Outcomes) == 0 {
		problem = "the answer has no outcome"
	}
	if problem != "" {
		m.Note(m.gardener.Fails(problem))
		return
	}
	p.AdmissionAsked()
	for _, fact := range a.Assumed {
		m.Note(m.gardener.Assumes(fact))
	}
	if count := len(a.OldRefusals); count > 0 {
		m.Note(m.gardener.RefusesOld(a.OldRefusals[0].Field, a.OldRefusals[0].Text, count-1))
	}
	m.refusals()
	for i := range p.Pools {
		m.pool(&p.Pools[i])
	}
	p.Rules = verdict.Sorted(p.Rules)
}

// Note adds rules that decide nothing.
func (p *Plan) Note(rules ...verdict.Rule) { p.Rules = verdict.Sorted(append(p.Rules, rules...)) }

// merging is a plan and an answer about the same manifests.
type merging struct {
	*Plan

	answer       gardenerplugin.Answer
	gardener     verdict.Gardener
	old, updated *facts.Manifest
}

// refusals adds the refusals of Gardener, in all landscapes or in some.
func (m *merging) refusals() {
	in := map[gardenerplugin.Refusal]int{}
	var inOrder []gardenerplugin.Refusal
	refusing := 0
	for _, outcome := range m.answer.Outcomes {
		if len(outcome.Refusals) > 0 {
			refusing++
		}
		for _, refusal := range outcome.Refusals {
			if in[refusal] == 0 {
				inOrder = append(inOrder, refusal)
			}
			in[refusal]++
		}
	}
	m.IsRefused = refusing > 0 && refusing == len(m.answer.Outcomes)
	for _, refusal := range inOrder {
		if m.IsRefused {
			m.refuse(refusal, verdict.Forbidden, m.gardener.Refuses(refusal.Text, refusal.By))
		} else {
			m.refuse(refusal, verdict.Indeterminate, m.gardener.MayRefuse(refusal.Text, refusal.By, m.answer.DependsOn))
		}
	}
	if refusing == 0 && m.isChanged() {
		var missing []string
		for _, reference := range m.answer.Missing {
			missing = append(missing, reference.String())
		}
		m.Note(m.gardener.Admits(missing))
	}
}

// refuse adds a refusal to the change of its field, or as a finding about an unchanged field.
func (m *merging) refuse(refusal gardenerplugin.Refusal, v verdict.Verdict, rule verdict.Rule) {
	m.Note(rule)
	finding := m.finding(refusal.Field)
	finding.Verdict = v
	finding.Rule = rule
	finding.Decides = true
	finding.Question = m.question(v, rule)
	i := slices.IndexFunc(m.Changes, func(c judge.Finding) bool { return c.Pointer == finding.Pointer })
	if i < 0 {
		m.Changes = append(m.Changes, finding)
		return
	}
	if v >= m.Changes[i].Verdict {
		m.Changes[i].Verdict = v
		m.Changes[i].Rule = rule
		m.Changes[i].Decides = true
		m.Changes[i].Question = finding.Question
	}
}

// question asks for the facts that decide whether Gardener refuses a change.
func (m *merging) question(v verdict.Verdict, rule verdict.Rule) verdict.Question {
	if v != verdict.Indeterminate {
		return verdict.Question{}
	}
	return m.gardener.Asks(m.answer.DependsOn, rule, verdict.Gives("some values", verdict.Forbidden),
		verdict.Gives("others", verdict.None))
}

// finding has the values of a field at a path in the Shoot. Without a path it is about the Shoot.
func (m *merging) finding(path string) judge.Finding {
	change := hotupdate.Change{
		Path: path, Op: hotupdate.OpReplace, Origin: "default", Class: hotupdate.Ignored,
	}
	var names []string
	for _, step := range fieldpath.ParseShown(path) {
		names = append(names, step.Name)
		change.Pointer = fieldpath.Below(change.Pointer, step.Name)
	}
	if path == "" {
		return judge.Finding{Change: change}
	}
	change.Old = textAt(m.old, names)
	change.New = textAt(m.updated, names)
	if change.Old == "" && change.New == "" {
		change.Old = absent
		change.New = absent
	}
	return judge.Finding{Change: facts.Operated(change)}
}

// absent is the value of a field that is on neither side.
const absent = "null"

// textAt returns a value of a manifest in JSON, and nothing if there is none.
func textAt(m *facts.Manifest, names []string) string {
	if m == nil {
		return ""
	}
	found, steps := m.Tree.Find(names)
	if steps < len(names) {
		return ""
	}
	return string(found.Compact())
}

// changeOf returns Gardener's effect on a pool that is on both sides, if it is decided, and whether
// landscapes differ in it. A landscape that refuses the change has no effect.
func (m *merging) changeOf(name string) (change gardenerplugin.Change, differs bool) {
	var changes []gardenerplugin.Change
	for _, outcome := range m.answer.Outcomes {
		if len(outcome.Refusals) == 0 {
			changes = append(changes, changeIn(outcome, name))
		}
	}
	slices.Sort(changes)
	changes = slices.Compact(changes)
	if len(changes) != 1 {
		return gardenerplugin.Undecided, len(changes) > 1
	}
	switch change := changes[0]; change {
	case gardenerplugin.NoChange, gardenerplugin.InPlace, gardenerplugin.Roll:
		return change, false
	case gardenerplugin.Undecided:
	}
	return gardenerplugin.Undecided, false // or a word of a later version
}

// changeIn returns the effect on a pool that is on both sides.
func changeIn(outcome gardenerplugin.Outcome, name string) gardenerplugin.Change {
	for _, pool := range outcome.Pools {
		if pool.Name == name && pool.State == gardenerplugin.Kept {
			return pool.Change
		}
	}
	return gardenerplugin.Undecided
}

// pool merges the effect on a pool.
func (m *merging) pool(planned *Planned) {
	if planned.State != Kept || m.IsRefused || planned.HasNone {
		return
	}
	change, differs := m.changeOf(planned.Name)
	switch change {
	case gardenerplugin.Roll:
		m.raise(planned, verdict.Roll)
	case gardenerplugin.InPlace:
		m.raise(planned, verdict.InPlaceUpdate)
	case gardenerplugin.NoChange:
		if planned.Key == judge.KeyChanges {
			planned.Rules = append(planned.Rules, m.keyStays())
		}
	case gardenerplugin.Undecided:
		if differs && planned.Key != judge.KeyOpen {
			rule := m.gardener.DependsOn(m.answer.DependsOn)
			question := m.gardener.Asks(m.answer.DependsOn, rule, verdict.Gives("some values", verdict.Roll),
				verdict.Gives("others", planned.Staying()))
			planned.ask(question)
		}
	}
	planned.Rules = verdict.Sorted(planned.Rules)
}

// keyStays is the rule of a pool whose key only this command changes.
func (m *merging) keyStays() verdict.Rule {
	switch {
	case len(m.answer.OldRefusals) > 0:
		return m.gardener.KeyOfRefused()
	case m.isRotated():
		return m.gardener.KeyOfRotation()
	}
	return m.gardener.KeyStays()
}

// isRotated reports whether credentials were rotated between two Shoots of a cluster.
func (m *merging) isRotated() bool {
	if m.old == nil || !m.old.IsReadBack() || !m.updated.IsReadBack() {
		return false
	}
	rotation := []string{"status", "credentials", "rotation"}
	return !tree.Equal(m.old.Tree.At(rotation...), m.updated.Tree.At(rotation...))
}

// raise adds to a pool the verdict on a key that Gardener changes.
func (m *merging) raise(planned *Planned, v verdict.Verdict) {
	isOfRefused := planned.Key == judge.KeyStays && len(m.answer.OldRefusals) > 0
	switch {
	case isOfRefused:
		planned.ask(m.gardener.AsksForOld(planned.Staying(), v))
		return
	case planned.Key == judge.KeyOpen:
		planned.Rules = append(planned.Rules, m.gardener.Decides())
	case planned.Key == judge.KeyStays:
		planned.Rules = append(planned.Rules, m.gardener.KeyChanges())
	}
	if planned.MayHaveNone {
		planned.ask(judge.RunningQuestion(v))
		return
	}
	planned.raise(v)
}

// ask adds a question that makes the verdict at least indeterminate.
func (p *Planned) ask(question verdict.Question) {
	p.May = p.PossibleStaying().And(question.Becomes())
	p.Questions = verdict.Merged(append(slices.Clone(p.Questions), question))
	p.raise(verdict.Indeterminate)
	p.Rules = append(p.Rules, question.Rule)
}

// raise makes the verdict at least as grave, now and after adoption.
func (p *Planned) raise(v verdict.Verdict) {
	if v != verdict.Indeterminate {
		p.May = p.PossibleStaying().And(verdict.Only(v))
		p.askBeside(v)
	}
	if p.Adopted != nil {
		adopted := max(*p.Adopted, v)
		p.Adopted = &adopted
	}
	p.Raise(v)
	p.SetDeciding()
	if p.Adopted != nil && *p.Adopted == p.Verdict {
		p.Adopted = nil
	}
}

// askBeside removes the questions that a certain verdict answers.
func (p *Planned) askBeside(v verdict.Verdict) {
	var all []verdict.Question
	for _, question := range p.Questions {
		if beside := question.Beside(v); beside.Asks() {
			all = append(all, beside)
		}
	}
	p.Questions = all
}
