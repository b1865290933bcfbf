package side

import (
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// examineOld is [Reader.examine] for the old side. It also compares each manifest with itself, while the manifest is
// in memory: if the new side has the same text, that is the plan, and neither text is read again. Most objects of two
// states of a repository are such objects.
func (r *Reader) examineOld(d *manifests.Document) *object {
	one, m := r.examineText(d)
	if m == nil || one.problem != nil || one.fatal != nil {
		return one
	}
	both := inputs{m, m}
	plan, err := both.plan(r.optionsFor(both), nil)
	if err != nil {
		return one // the comparison of the pair tells the problem
	}
	both.place(plan)
	one.unchanged = plan
	return one
}

// unchangedPlan returns the plan of a pair with one text, at the places of both; nil if it is not known.
//
// Both texts are read with the same Schemas and options, and no program is asked about objects that are equal. So the
// comparison of the two is the comparison of one of them with itself, but for the lines of the new side.
func (p pair) unchangedPlan() *pool.Plan {
	if !p.isUnchanged() || p.old.unchanged == nil {
		return nil
	}
	plan := p.old.unchanged
	plan.MoveNew(pool.Place{File: p.updated.Place.File, Line: p.updated.Place.Line})
	return plan
}
