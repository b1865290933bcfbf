package judge

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// change is the change of a pool, in all readings that the manifests allow.
type change struct {
	old, updated *facts.Pool
	readings     facts.Readings
}

// underBoth judges a pool by the extension. Under [Both] it judges by today's release, and adds what happens once the
// extension has adopted the library, where that may differ.
func (r *Receiver) underBoth(mayDiffer bool, judged func(*Receiver) (Comparison, error)) (Comparison, error) {
	if r.Extension != Both {
		return judged(r)
	}
	adopted, err := judged(r.adopted)
	hasSchema := r.Naming != nil && r.Naming.Assumed
	hasEras := r.Naming != nil && !hasSchema
	isSame := !hasSchema && !mayDiffer
	if err != nil || hasEras || isSame {
		return adopted, err
	}
	released, err := judged(r.released)
	if err == nil && adopted.Verdict != released.Verdict {
		released.Adopted = &adopted.Verdict
	}
	return released, err
}

// under compares the pool by a release of the extension, and adds what an earlier one does if the release decides.
func (c *change) under(r *Receiver) (Comparison, error) {
	open := c.readings.Open
	isOpen := r.mayBeEarlier(c.old, c.updated)
	fallsBack := mayFallBack(r.provider, c.old, c.updated)
	now := make([]Comparison, len(c.readings.All))
	if err := c.compare(now, r, func(facts.Reading) bool { return true }); err != nil {
		return Comparison{}, err
	}
	if !isOpen {
		return combinedBy(now, open, reasonOf(open)), nil
	}
	before := slices.Clone(now) // where the earlier release does not support a reading, nothing differs
	err := c.compare(before, r.earlier, func(reading facts.Reading) bool {
		return fallsBack || !isSupportedOnlySince(r.provider, &reading.Updated)
	})
	if err != nil {
		return Comparison{}, err
	}
	isSame := func(a, b Comparison) bool { return slices.Equal(a.Effects(), b.Effects()) }
	if slices.EqualFunc(now, before, isSame) {
		return combinedBy(now, open, reasonOf(open)), nil
	}
	reason := verdict.NoRule
	switch {
	case len(open) > 0:
	case fallsBack:
		reason = verdict.SecretNameFallback
	default:
		reason = verdict.ReleaseDecides
	}
	all := combinedBy(append(now, before...), append(open, facts.ExtensionRelease), reason)
	since := r.provider.Since
	if fallsBack {
		since = r.provider.FallsBackBefore // older releases roll the pool regardless of what else they hash
	}
	all.Rules = slices.DeleteFunc(all.Rules, func(r verdict.Rule) bool { return r == verdict.ExtensionIsKnown })
	for i := range all.Questions {
		if q := &all.Questions[i]; q.Rule == verdict.ReleaseDecides {
			q.Answer = "state landscape.extensions." + c.updated.Provider + ".release in " + ConfigFile
			q.Values[0].Text = "v" + since + " or newer"
		}
	}
	return all, nil
}

// compare compares those readings by a release of the extension that are meant, each at its position.
func (c *change) compare(compared []Comparison, r *Receiver, isMeant func(facts.Reading) bool) (err error) {
	for i, reading := range c.readings.All {
		if !isMeant(reading) {
			continue
		}
		if compared[i], err = compareReading(reading, r); err != nil {
			return err
		}
	}
	return nil
}

// mayBeEarlier reports whether the release of the extension may decide about the change of a pool: none is stated, and
// an earlier one names the pool in another way. It is false for Kubernetes minors that earlier releases do not support,
// and for in-place updates, which they may not know.
func (r *Receiver) mayBeEarlier(old, updated *facts.Pool) bool {
	isNamed := !updated.IsBare() && r.given == nil && r.mayDiffer(old, updated)
	isRolling := !old.Worker.UpdateStrategy.InPlace() && !updated.Worker.UpdateStrategy.InPlace()
	if r.earlier == nil || !isNamed || !isRolling {
		return false
	}
	return mayFallBack(r.provider, old, updated) || !isSupportedOnlySince(r.provider, updated)
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

// reasonOf returns the reason why readings disagree, if they differ only in one fact that is not a
// default.
func reasonOf(open []facts.Fact) verdict.Rule {
	if slices.Equal(open, []facts.Fact{facts.DNSByVersion}) {
		return verdict.DNSByVersion
	}
	return verdict.NoRule
}

// releaseOfExtension is the assumption about the release of an extension that decides about a
// change of the pool, unless its recorded answers are used.
func (p *pair) releaseOfExtension() []verdict.Rule {
	isOfExtension := p.mayDiffer(p.old, p.updated) && p.given == nil
	isRecorded := slices.ContainsFunc(p.provider.Recorded, func(one string) bool {
		return verdict.SameMinor(p.release, one)
	})
	switch {
	case p.Extension != Released, !isOfExtension:
		return nil
	case p.release == "":
		return []verdict.Rule{verdict.ExtensionIsKnown}
	case isRecorded:
		return nil
	}
	return []verdict.Rule{verdict.OtherExtension}
}
