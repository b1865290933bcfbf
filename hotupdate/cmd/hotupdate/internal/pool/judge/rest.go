package judge

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// rest are the differences between two manifests or pools, judged by the table of fields.
type rest struct {
	findings  []Finding         // that the table decides
	elsewhere []tree.Difference // that a judgement decides
	unjudged  []string          // the paths of those without a row
}

// restOf judges the differences by a table, which is made for the first difference. It does not judge fields that an
// unknown extension decides about.
func restOf(
	table func() fields.Table, strategy hotupdate.Strategy, old, updated *tree.Node, isOpen func(path string) bool,
) (r rest) {
	for _, d := range tree.Differences(old, updated) {
		path := fields.InShoot(joined(d.Path))
		row, isKnown := table().Row(path)
		switch {
		case isOpen(path):
			r.unjudged = append(r.unjudged, pathOf(d.Path).String())
		case isKnown:
			r.add(d, row, strategy)
		case table().Below(path): // an empty object, so that all fields below stay absent
			r.add(d, fields.Field{Rolling: fields.None, InPlace: fields.None}, strategy)
		default:
			r.unjudged = append(r.unjudged, pathOf(d.Path).String())
		}
	}
	return r
}

// add judges a difference by its row.
func (r *rest) add(d tree.Difference, row fields.Field, strategy hotupdate.Strategy) {
	// a field that the names of rolling pools cover counts as hashed in pools that are updated in
	// place, too
	effect := row.Of(strategy)
	if row.Rolling == fields.Roll {
		effect = fields.Judged
	}
	found := func(v verdict.Verdict, rule verdict.Rule) {
		one := about(d, v, rule)
		if fields.IsSecret(joined(d.Path)) {
			one.Sensitive = true
			one.Old = ""
			one.New = ""
		}
		r.findings = append(r.findings, one)
	}
	switch effect {
	case fields.None:
		found(verdict.None, verdict.NotHashed)
	case fields.Pools:
		found(verdict.None, verdict.ToldAtPools)
	case fields.Removal:
		found(verdict.Removed, verdict.ShootDeleted)
	case fields.Unknown:
		found(verdict.Indeterminate, verdict.BeyondManifests)
	case fields.Fixed:
		found(verdict.Forbidden, verdict.FixedInPlace)
	case fields.Roll, fields.Drain, fields.Kept, fields.Judged, fields.Scale:
		r.elsewhere = append(r.elsewhere, d)
	case fields.Meta:
	}
}

// judgeRest compares the fields of a pool that no name depends on.
func (p *pair) judgeRest() rest {
	strategy := p.strategy
	if p.isRefined() { // Gardener does not look at the machine
		strategy = hotupdate.AutoRollingUpdate
	}
	all := restOf(fields.Pool, strategy, p.old.Node, p.updated.Node, p.isOpen)
	var elsewhere []tree.Difference
	for _, d := range all.elsewhere {
		isConstant := d.Path[0] == fields.SecretName // in place
		if d.Path[0] != fields.Config && !isConstant {
			elsewhere = append(elsewhere, d)
		}
	}
	all.elsewhere = elsewhere
	return all
}

// isOpen reports whether an unknown extension decides about a field. Eras that the user gives say
// what the extension hashes, but not how it spreads machines over zones.
func (p *pair) isOpen(path string) bool {
	switch {
	case p.provider.Name != "":
		return false
	case p.given != nil:
		return fields.IsSpread(path)
	}
	return fields.IsExtensions(path)
}

func joined(path []string) string { return strings.Join(path, ".") }

// pointerInShoot returns the pointer of a difference with the names that a Shoot gives to its fields.
func pointerInShoot(d tree.Difference) string {
	return pathOf(strings.Split(fields.InShoot(joined(d.Path)), ".")).Pointer()
}
