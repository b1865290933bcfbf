package machineupdate

import (
	"context"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// apart is how many of the latest versions are never merged, so that they stay exact.
const apart = 8

// merged stands between merged versions and the versions that were added since: the hot part
// without leaves.
const merged HotSpec = "{}"

// AddVersion adds the hot part of the class to the versions with which machines of the class were
// created, oldest first. It is for callers that cannot write to a machine while its VM is being
// created: they store the result for the class before CreateMachine and before InitializeMachine,
// and read it for [Observation].Versions. "Creations without a record" in FLOW.md has the rules.
//
// If isNew is false, the hot part is one of the versions or has no leaves, and nothing has to be
// stored.
//
// Versions are merged from time to time, except the latest 8: every value of every leaf stays, and
// values that versions have in common stand once. Each text has one value for each leaf, so a leaf
// with N values in the versions needs N texts. Merged texts end with {}. Adding N versions takes
// time proportional to their length.
func (p *PreparedClass) AddVersion(versions []HotSpec) (extended []HotSpec, isNew bool) {
	if p.hot == merged || slices.Contains(versions, p.hot) {
		return versions, false
	}
	extended = append(slices.Clip(versions), p.hot)
	begin := mergedIn(extended)
	end := len(extended) - apart
	// Versions are merged once they are an eighth as long as the merged versions: so texts are
	// rewritten rarely, and little space is lost until then.
	isFew := end-begin < apart
	if isFew || 8*lengthOf(extended[begin:end]) < lengthOf(extended[:begin]) {
		return extended, true
	}
	return slices.Concat(record.Merge(extended[:end]), []HotSpec{merged}, extended[end:]), true
}

// mergedIn returns how many of the versions were merged.
func mergedIn(versions []HotSpec) int {
	for i, version := range slices.Backward(versions) {
		if version == merged {
			return i + 1
		}
	}
	return 0
}

func lengthOf(versions []HotSpec) (total int) {
	for _, version := range versions {
		total += len(version)
	}
	return total
}

// recall replans the first pass of a machine with the versions that may have created its VM.
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
			return o.unusableVersions("are not hot parts", "remove them: the machine is then adopted without them")
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
	return &fault.Error{Kind: fault.Invalid, Code: "unusable-versions", Where: where, What: what, Hint: hint}
}
