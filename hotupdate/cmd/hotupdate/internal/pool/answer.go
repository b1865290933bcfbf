package pool

import (
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
)

// AnswerIn is [fields.Table.Answer] with the facts of a landscape. The field is one of a kind of
// manifest or, without a kind, of a pool of a Shoot.
func AnswerIn(l *facts.Landscape, t fields.Table, kind facts.Kind, field string) (fields.Answer, bool) {
	answer, isKnown := t.Answer(field)
	if !isKnown {
		return answer, false
	}
	alike := func(text string) (fields.Answer, bool) {
		return fields.Answer{Path: answer.Path, Rolling: text, InPlace: "the same", Source: answer.Source}, true
	}
	if release, isStated := l.Gardener.Value(); isStated && lacks(kind, answer.Path, release) {
		return alike("none: Gardener " + release + " does not have the field")
	}
	heeds, isStated := l.RespectsSyncPeriod.Value()
	if answer.IsIgnored() && isStated && !heeds {
		return alike("indeterminate in the namespace garden if it is removed or false: an earlier change may wait; " +
			"else none")
	}
	formula, isStated := l.GKEFormula.Value()
	if !isStated || !answer.IsLabel() {
		return answer, true
	}
	if formula.Selector == nil || formula.Selector.Empty() {
		return fields.Answer{Path: answer.Path, Rolling: "none", InPlace: "none", Source: answer.Source}, true
	}
	const reads = " if the selector of useGKEFormula reads the label, and Gardener then reserves in another way; "
	const open = "indeterminate if the CloudProfile tells the reservation and is not known; else none"
	answer.Rolling = "roll" + reads + open
	answer.InPlace = "in-place-update" + reads + open
	return answer, true
}

// lacks reports whether a release of Gardener does not have a field, for sure.
func lacks(kind facts.Kind, path []string, release string) bool {
	if kind == facts.NoKind {
		kind = facts.Shoot
		path = append([]string{"spec", "provider", "workers", "element"}, path...)
	}
	return kinds.Kind(kind).Lacks(path, release)
}
