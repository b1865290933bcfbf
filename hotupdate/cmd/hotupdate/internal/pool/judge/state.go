package judge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// stateOf returns the parts of the infrastructure's state that the name of a pool depends on.
func (r *Receiver) stateOf(p *facts.Pool) []provider.Part {
	if r.provider.State == nil {
		return nil
	}
	return r.provider.State(p.InWorker())
}

// Lacks returns the parts of the infrastructure's state that today's name of a pool depends on and
// that its manifest does not have.
func (o Options) Lacks(p *facts.Pool) []provider.Part { return o.receiverOf(p).lacks(p) }

func (r *Receiver) lacks(p *facts.Pool) (missing []provider.Part) {
	parts := r.stateOf(p)
	for _, part := range parts {
		isOther := part.Zone != "" && !equalPointers(part.Value, subnetOf(parts))
		switch {
		case !part.IsKnown:
			missing = append(missing, part)
		case isOther:
			missing = append(missing, provider.Part{
				Name: "one name for all zones, which have a subnet each", Path: part.Path,
			})
		}
	}
	return missing
}

// subnetOf returns the subnet of the first zone; nil if it has none.
func subnetOf(parts []provider.Part) *string {
	i := slices.IndexFunc(parts, func(part provider.Part) bool { return part.Zone != "" })
	return parts[i].Value
}

// sameStatus reports whether the status of the infrastructure, which may tell a part, is the same on both
// sides.
func (p *pair) sameStatus(part provider.Part) bool {
	isOfStatus := strings.HasPrefix(part.Path, "spec.")
	return !isOfStatus || bytes.Equal(p.old.Infrastructure, p.updated.Infrastructure)
}

// lacksState reports whether a manifest lacks a part of the infrastructure's state.
func (p *pair) lacksState() bool {
	return len(p.lacks(p.old))+len(p.lacks(p.updated)) > 0
}

// state judges the state of the infrastructure, which stands in a Worker. A part that neither side
// has is assumed to stay the same. Each zone has a separate part, so only zones of both sides are
// compared.
func (p *pair) state() (findings []Finding) {
	if p.strategy.InPlace() {
		return nil // their data have no state
	}
	before := p.stateOf(p.old)
	for _, after := range p.stateOf(p.updated) {
		i := slices.IndexFunc(before, func(part provider.Part) bool { return part.Name == after.Name })
		switch {
		case i < 0:
		case !after.IsKnown && !before[i].IsKnown && p.sameStatus(after):
		case !after.IsKnown, !before[i].IsKnown:
			findings = append(findings, p.ofPart(after, verdict.Indeterminate, verdict.StateUnknown))
			findings[len(findings)-1].Question = verdict.Question{
				Fact: after.Name, Owner: after.Path + " of the Worker", Rule: verdict.StateUnknown,
				Answer: "compare the Workers of the cluster", Values: []verdict.Value{
					verdict.Gives("the same on both sides", verdict.None), verdict.Gives("another one", verdict.Roll),
				},
			}
		case !equalPointers(after.Value, before[i].Value):
			findings = append(findings, p.ofPart(after, verdict.Roll, verdict.StateChanged))
		}
	}
	return findings
}

// ofPart is a finding about a part of the state. It names the field of the Worker's spec that has
// the part, if there is one and it differs.
func (p *pair) ofPart(part provider.Part, v verdict.Verdict, rule verdict.Rule) Finding {
	names, isOfSpec := strings.CutPrefix(part.Path, statusOfInfrastructure+".")
	at := strings.Split(names, ".")
	d := tree.Difference{
		Path: strings.Split(part.Path, "."), Old: tree.Of(p.old.Infrastructure).At(at...),
		New: tree.Of(p.updated.Infrastructure).At(at...),
	}
	if !isOfSpec || tree.Equal(d.Old, d.New) {
		return ofPool(v, rule)[0]
	}
	return about(d, v, rule)
}

// statusOfInfrastructure is the path of the status of the infrastructure in a Worker.
const statusOfInfrastructure = "spec.infrastructureProviderStatus"
