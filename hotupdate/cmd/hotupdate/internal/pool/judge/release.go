package judge

import (
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// inRelease returns an extension in the release that the landscape states; unchanged if it states
// none.
func (o Options) inRelease(p Provider) Provider {
	release, isKnown := o.releaseOf(p)
	if !isKnown || p.At == nil {
		return p
	}
	return p.At(release)
}

// releaseOf returns the release of an extension that the landscape states.
func (o Options) releaseOf(p Provider) (release string, isKnown bool) {
	return o.Landscape.Extensions[p.Name].Release.Value()
}

// withRelease returns the options for a release of an extension.
func (o Options) withRelease(p Provider, release string) Options {
	stated := maps.Clone(o.Landscape.Extensions)
	if stated == nil {
		stated = map[string]facts.Extension{}
	}
	one := stated[p.Name]
	one.Release = verdict.Known(release, "recorded")
	stated[p.Name] = one
	o.Landscape.Extensions = stated
	return o
}

// earlier returns the options for the earliest known release, if no release is stated and earlier
// releases name the pool in another way. It skips Kubernetes minors that earlier releases do not
// support, and in-place updates, which they may not know.
func (o Options) earlier(old, updated *facts.Pool) (_ Options, isOpen bool) {
	p := o.ProviderOf(updated)
	_, isStated := o.releaseOf(p)
	isNamed := !updated.IsBare() && o.givenNaming() == nil && o.extensionsMayDiffer(old, updated)
	isRolling := !o.StrategyOf(old).InPlace() && !o.StrategyOf(updated).InPlace()
	switch {
	case o.Extension != Released, isStated, p.Since == "":
		return o, false
	case !isNamed, !isRolling, isSupportedOnlySince(p, updated) && !mayFallBack(p, old, updated):
		return o, false
	}
	return o.withRelease(p, p.Recorded[0]), true
}

// mayFallBack reports whether a pool gains or loses its node-agent secret name, which releases
// handle differently, at any Kubernetes minor.
func mayFallBack(p Provider, old, updated *facts.Pool) bool {
	isSame := (old.NodeAgentSecretName == nil) == (updated.NodeAgentSecretName == nil)
	return !isSame && p.FallsBackBefore != ""
}

// isSupportedOnlySince reports whether no earlier release of an extension supports the Kubernetes minor of a pool.
func isSupportedOnlySince(p Provider, pool *facts.Pool) bool {
	since, _ := kubeminor.Read(p.SinceKubernetes)
	minor, isKnown := kubeminor.Read(pool.Worker.KubernetesVersion)
	return isKnown && minor.Compare(since) >= 0
}

// compareReleases compares a pool by today's release, and adds what an earlier one does if the release decides.
func compareReleases(old, updated facts.Pool, o Options) (Comparison, error) {
	readings := facts.ReadingsOf(old, updated, o.given())
	today, err := compareAll(readings, o)
	if err != nil {
		return Comparison{}, err
	}
	earlier, isOpen := o.earlier(&old, &updated)
	if !isOpen {
		return combinedBy(today, readings.Open, reasonOf(readings.Open)), nil
	}
	provider := o.ProviderOf(&updated)
	fallsBack := mayFallBack(provider, &old, &updated)
	before := slices.Clone(today)
	for i, reading := range readings.All {
		if !fallsBack && isSupportedOnlySince(provider, &reading.Updated) {
			continue
		}
		if before[i], err = compareReading(reading, earlier); err != nil {
			return Comparison{}, err
		}
	}
	isSame := func(a, b Comparison) bool { return slices.Equal(a.Effects(), b.Effects()) }
	if slices.EqualFunc(today, before, isSame) {
		return combinedBy(today, readings.Open, reasonOf(readings.Open)), nil
	}
	reason := verdict.NoRule
	switch {
	case len(readings.Open) > 0:
	case fallsBack:
		reason = verdict.SecretNameFallback
	default:
		reason = verdict.ReleaseDecides
	}
	all := combinedBy(append(today, before...), append(readings.Open, facts.ExtensionRelease), reason)
	since := provider.Since
	if fallsBack {
		since = provider.FallsBackBefore // older releases roll the pool regardless of what else they hash
	}
	all.Rules = slices.DeleteFunc(all.Rules, func(r verdict.Rule) bool { return r == verdict.ExtensionIsKnown })
	for i := range all.Questions {
		if q := &all.Questions[i]; q.Rule == verdict.ReleaseDecides {
			q.Answer = "state landscape.extensions." + updated.Provider + ".release in " + ConfigFile
			q.Values[0].Text = "v" + since + " or newer"
		}
	}
	return all, nil
}

// reasonOf returns the reason why readings disagree, if they differ only in one fact that is not a
// default.
func reasonOf(open []facts.Fact) verdict.Rule {
	if slices.Equal(open, []facts.Fact{facts.DNSByVersion}) {
		return verdict.DNSByVersion
	}
	return verdict.NoRule
}

// compareAll compares a pool in each reading.
func compareAll(readings facts.Readings, o Options) ([]Comparison, error) {
	compared := make([]Comparison, len(readings.All))
	for i, reading := range readings.All {
		var err error
		if compared[i], err = compareReading(reading, o); err != nil {
			return nil, err
		}
	}
	return compared, nil
}

// releaseOfExtension is the assumption about the release of an extension that decides about a
// change of the pool, unless its recorded answers are used.
func (p *pair) releaseOfExtension() []verdict.Rule {
	isOfExtension := p.extensionsMayDiffer(p.old, p.updated) && p.givenNaming() == nil
	release, isKnown := p.releaseOf(p.provider)
	isRecorded := slices.ContainsFunc(p.provider.Recorded, func(one string) bool {
		return verdict.SameMinor(release, one)
	})
	switch {
	case p.Extension != Released, !isOfExtension:
		return nil
	case !isKnown:
		return []verdict.Rule{verdict.ExtensionIsKnown}
	case isRecorded:
		return nil
	}
	return []verdict.Rule{verdict.OtherExtension}
}
