package machineupdate

import (
	"context"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// maxVersions is how many versions of a class are kept apart.
const maxVersions = 16

// AddVersion adds the hot part of the class to the versions with which machines of the class were
// created, oldest first. It is for callers that cannot write to a machine while its VM is being
// created: they store the result for the class before CreateMachine and before InitializeMachine,
// and read it for [Observation].Versions. "Creations without a record" in FLOW.md has the rules.
//
// If isNew is false, the hot part is one of the versions, and nothing has to be stored. Beyond 16
// versions the oldest are merged: every value of every leaf stays.
func (p *Prepared) AddVersion(versions []Hot) (all []Hot, isNew bool) {
	if slices.Contains(versions, p.hot) {
		return versions, false
	}
	if all = append(slices.Clip(versions), p.hot); len(all) <= maxVersions {
		return all, true
	}
	old := len(all) - maxVersions/2
	return append(record.Merge(all[:old]), all[old:]...), true
}

// recall plans the first pass of a machine anew, with the versions with which its VM may have been
// created.
func (o *observation) recall(ctx context.Context, d *decision) error {
	if o.Versions == nil || !d.adopts {
		return nil
	}
	versions, err := o.Versions(ctx)
	if err != nil {
		return err
	}
	created := make([]string, len(versions))
	for i, version := range versions {
		if !record.IsHotPart([]byte(version)) {
			return o.unusableVersions("are no hot parts", "remove them: the machine is then adopted without them")
		}
		created[i] = record.Filter(string(version), o.lane.holds)
	}
	adoption, ok := record.Adopt(o.lane.target, created, o.ProviderID, o.now)
	if !ok {
		return o.unusableVersions("are too long for a record", "remove the oldest")
	}
	d.pass = adoption
	o.sign(adoption)
	return nil
}

func (o *observation) unusableVersions(what, hint string) error {
	where := "versions of the class of machine " + o.Machine.GetName() + o.lane.where()
	return &fault.Error{Kind: fault.Malformed, Code: "unusable-versions", Where: where, What: what, Hint: hint}
}
