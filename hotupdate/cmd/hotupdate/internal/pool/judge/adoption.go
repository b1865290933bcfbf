package judge

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// compareBoth compares two pools under today's release of the extension, and adds what the change
// does once the extension has adopted the library.
func compareBoth(old, updated facts.Pool, o Options) (Comparison, error) {
	o.Extension = Adopted
	adopted, err := Compare(old, updated, o)
	hasSchema := o.Naming != nil && o.Naming.Assumed
	hasEras := o.Naming != nil && !hasSchema
	isSame := !hasSchema && !o.extensionsMayDiffer(&old, &updated)
	if err != nil || hasEras || isSame {
		return adopted, err
	}
	o.Extension = Released
	released, err := Compare(old, updated, o)
	if err == nil && adopted.Verdict != released.Verdict {
		released.Adopted = &adopted.Verdict
	}
	return released, err
}

// extensionsMayDiffer reports whether a verdict may depend on whether the extension has adopted the
// library.
func (o Options) extensionsMayDiffer(old, updated *facts.Pool) bool {
	sameVolumes := slices.EqualFunc(old.DataVolumes, updated.DataVolumes, equalVolumes) &&
		equalPointers(old.Encrypted, updated.Encrypted)
	sameSecret := (old.NodeAgentSecretName == nil) == (updated.NodeAgentSecretName == nil)
	isSame := sameVolumes && sameSecret && old.Config.Same(updated.Config)
	return o.ProviderOf(updated).Name != "" && o.Custom == nil && !isSame
}

func equalVolumes(a, b facts.DataVolume) bool {
	sameName := a.Name == b.Name
	sameDisk := a.Size == b.Size && equalPointers(a.Type, b.Type)
	return sameName && sameDisk && equalPointers(a.Encrypted, b.Encrypted)
}

func equalPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
