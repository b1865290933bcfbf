package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// The machine image of a pool, as Gardener completes it from the CloudProfile.

// ImageOf returns the machine image of a pool; it is zero if none is set.
func ImageOf(w hash.Worker) (image hash.Image) {
	if w.Image != nil {
		image = *w.Image
	}
	return image
}

// fillImage completes the machine image: ensureMachineImage. A pool that leaves the image out, or its
// version under the same name, keeps it. A partial version becomes the newest one.
func fillImage(r Reading, given Given) filling {
	profile := given.CloudProfile
	before := r.Old.Worker.Image
	after := r.Updated.Worker.Image
	if !r.Updated.OfShoot() || !mayDiffer(before, after) {
		return nothing()
	}
	if keepsImage(before, after) {
		return known(func(r *Reading) { r.Updated.Worker.Image = r.Old.Worker.Image })
	}
	isStored := r.Old.Cluster.isReadBack || before != nil && profile.takes(*before)
	fact := StoredImage
	isOpen := !isStored
	wanted := *after
	if !profile.takes(wanted) {
		chosen, found := profile.defaultImage(&r.Updated)
		if found {
			wanted = chosen
		} else {
			fact = DefaultImage
			isOpen = true
		}
	}
	fill := func(r *Reading) { r.Updated.Worker.Image = &wanted }
	if !isOpen || !canBeOne(orDefault(before, hash.Image{}), &wanted) {
		return known(fill)
	}
	same := func(r *Reading) {
		image := wanted
		if before != nil && len(before.Version) > len(image.Version) {
			image = *before
		}
		r.Old.Worker.Image = &image
		r.Updated.Worker.Image = &image
	}
	another := func(r *Reading) {
		fill(r)
		r.Old.ImageIsOpen = !isStored
		r.Updated.ImageIsOpen = fact == DefaultImage
	}
	return filling{[]Fact{fact}, []func(*Reading){same, another}}
}

func mayDiffer(before, after *hash.Image) bool {
	return (before == nil) != (after == nil) || before != nil && *before != *after
}

// keepsImage reports whether a pool keeps its image.
func keepsImage(before, after *hash.Image) bool {
	switch {
	case after == nil:
		return true
	case before == nil || after.Name != before.Name:
		return false
	}
	return after.Version == "" || after.Version == before.Version
}

// canBeOne reports whether two images, of which one may be partial, can become the same one.
func canBeOne(a, b *hash.Image) bool {
	sameName := a.Name == "" || b.Name == "" || a.Name == b.Name
	return sameName && (beginsWith(a.Version, b.Version) || beginsWith(b.Version, a.Version))
}

// isWhole reports whether a version has all three parts, so that Gardener takes it as it is.
func isWhole(version string) bool { return strings.Count(version, ".") >= 2 }

// defaultImage returns the machine image that Gardener chooses for a pool without an image, or with
// no version or a partial version of it: getDefaultMachineImage. It is false if there is no
// CloudProfile, or it has none.
func (p *CloudProfile) defaultImage(of *Pool) (hash.Image, bool) {
	if p == nil {
		return hash.Image{}, false
	}
	wanted := ImageOf(of.Worker)
	architecture := p.architectureOf(of)
	for _, image := range p.spec.At("machineImages").Elements() {
		name := image.At("name").Text()
		isMeant := name == wanted.Name || wanted.Name == "" && p.hasVersionFor(image, of, architecture)
		if isMeant {
			version := p.latestImage(image, of, architecture)
			return hash.Image{Name: name, Version: version}, version != ""
		}
	}
	return hash.Image{}, false
}

// takes reports whether Gardener uses an image without completing it. The CloudProfile may be nil.
func (p *CloudProfile) takes(image hash.Image) bool {
	switch {
	case image.Name == "":
		return false
	case isWhole(image.Version):
		return true
	}
	return p != nil && p.Has(image)
}

// ImageOf returns the machine image of a new pool: its own, or the one that Gardener takes where the pool leaves
// out the image or a part of its version. The CloudProfile may be nil.
func (p *CloudProfile) ImageOf(added *Pool) hash.Image {
	own := ImageOf(added.Worker)
	if p.takes(own) {
		return own
	}
	chosen, isFound := p.defaultImage(added)
	if !isFound {
		return own
	}
	return chosen
}

// hasVersionFor reports whether an image has a version for the architecture or the machine type of
// a pool.
func (p *CloudProfile) hasVersionFor(image *tree.Node, of *Pool, architecture string) bool {
	machine := p.machineType(of)
	for _, one := range image.At("versions").Elements() {
		if slices.Contains(p.architectures(one), architecture) || machine != nil && p.canRun(machine, one) {
			return true
		}
	}
	return false
}

// latestImage returns the newest version of an image that a pool can have. A deprecated version counts
// only if there is no other: DetermineLatestMachineImageVersion. The result is empty if there is none.
func (p *CloudProfile) latestImage(image *tree.Node, of *Pool, architecture string) string {
	var latest, latestDeprecated newest
	partial := strings.TrimPrefix(ImageOf(of.Worker).Version, "v")
	for _, one := range image.At("versions").Elements() {
		text := one.At("version").Text()
		if !beginsWith(text, partial) || !p.isFor(of, one, architecture) {
			continue
		}
		switch p.stageOf(one) {
		case preview:
		case deprecated:
			latestDeprecated.show(text)
		case supported, unavailable, expired:
			latest.show(text)
		}
	}
	return cmp.Or(latest.text, latestDeprecated.text)
}

// isFor reports whether a pool can have a version of an image.
func (p *CloudProfile) isFor(of *Pool, version *tree.Node, architecture string) bool {
	machine := p.machineType(of)
	switch {
	case !slices.Contains(p.architectures(version), architecture):
		return false
	case machine != nil && !p.canRun(machine, version):
		return false
	case of.Declared.InPlace():
		return version.At("inPlaceUpdates", "supported").IsTrue()
	}
	return true
}

func (p *CloudProfile) machineType(of *Pool) *tree.Node {
	return p.spec.At("machineTypes").Keyed("name", of.Worker.MachineType)
}

// amd64 is the default architecture.
const amd64 = "amd64"

// architectureOf returns the architecture of a pool's machines: defaultWorkerArchitectures.
func (p *CloudProfile) architectureOf(of *Pool) string {
	if of.Architecture != nil {
		return *of.Architecture
	}
	machine := p.machineType(of)
	if values := p.capability(machine.At("capabilities"), "architecture"); len(values) == 1 {
		return values[0]
	}
	return cmp.Or(machine.At("architecture").Text(), amd64)
}

// architectures returns the architectures of a version of an image.
func (p *CloudProfile) architectures(version *tree.Node) (names []string) {
	for _, flavor := range version.At("capabilityFlavors").Elements() {
		names = append(names, p.capability(flavor, "architecture")...)
	}
	if len(names) > 0 {
		return names
	}
	if listed := textsIn(version.At("architectures")); len(listed) > 0 {
		return listed
	}
	return []string{amd64}
}

// canRun reports whether a machine type has the capabilities of a flavor of an image, if it has any:
// AreCapabilitiesSupportedByImageFlavors.
func (p *CloudProfile) canRun(machine, version *tree.Node) bool {
	flavors := version.At("capabilityFlavors")
	for _, flavor := range flavors.Elements() {
		if p.fits(machine.At("capabilities"), flavor) {
			return true
		}
	}
	return flavors.Len() == 0
}

// fits reports whether two sets of capabilities have a common value for each capability.
func (p *CloudProfile) fits(machine, flavor *tree.Node) bool {
	for _, definition := range p.spec.At("machineCapabilities").Elements() {
		name := definition.At("name").Text()
		offered := p.capability(flavor, name)
		isOffered := func(value string) bool { return slices.Contains(offered, value) }
		if !slices.ContainsFunc(p.capability(machine, name), isOffered) {
			return false
		}
	}
	return true
}

// capability returns the values of a capability: all that are defined if it is not set.
func (p *CloudProfile) capability(of *tree.Node, name string) []string {
	if values := of.At(name); values != nil {
		return textsIn(values)
	}
	return textsIn(p.spec.At("machineCapabilities").Keyed("name", name).At("values"))
}
