package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Verdict is the effect of a release on an unchanged pool.
type Verdict string

// The verdicts.
const (
	Rejected      Verdict = "rejected"      // the new release cannot read the config
	Rolled        Verdict = "rolled"        // machines are replaced
	Renamed       Verdict = "renamed"       // the MachineClass gets another name, and nodes are updated in place
	Indeterminate Verdict = "indeterminate" // the hash function of an era is not known
	Invalid       Verdict = "invalid"       // neither release can read the config
	Accepted      Verdict = "accepted"      // only the new release can read the config
	Unchanged     Verdict = "unchanged"     // nothing happens
)

// Verdicts are ordered from the gravest to the least.
func Verdicts() []Verdict {
	return []Verdict{Rejected, Rolled, Renamed, Indeterminate, Invalid, Accepted, Unchanged}
}

// JudgedPool is a judged pool.
type JudgedPool struct {
	manifest.Place

	Namespace         string  `json:"namespace,omitempty"`
	Project           string  `json:"project,omitempty"`
	Kind              string  `json:"kind"`
	Name              string  `json:"name"`
	Pool              string  `json:"pool"`
	Provider          string  `json:"provider,omitempty"`
	KubernetesVersion string  `json:"kubernetesVersion,omitempty"`
	Strategy          string  `json:"strategy"`
	Minimum           int     `json:"minimum"`
	Maximum           int     `json:"maximum"`
	Verdict           Verdict `json:"verdict"`
	OldEra            string  `json:"oldEra,omitempty"`
	NewEra            string  `json:"newEra,omitempty"`
	// Reasons are the reasons for the verdict. An unchanged pool has none.
	Reasons []Reason `json:"reasons,omitempty"`
	// Known says why the finding is known: it is in the baseline, or accepted.
	Known string `json:"known,omitempty"`
}

// Reason is a reason for a pool's verdict.
type Reason struct {
	Path    string `json:"path,omitempty"`    // with [] for elements of lists and maps
	Finding string `json:"finding,omitempty"` // the kind of a hotupdate.Finding
	Code    string `json:"code,omitempty"`    // the code of a fault.Error
	Text    string `json:"text"`
}

// Side describes a release: by its hash functions, by a program that hashes like the release, or by
// both.
type Side struct {
	*release.Release
	// Program is a name and arguments. If set, its hashes count, and the release, if any, only
	// reads the configs.
	Program []string

	program *program // may be nil
}

// Releases are the two releases under which pools are judged. They are safe for concurrent use.
type Releases struct {
	old, updated Side
	kind         pool.TypeMeta // of the provider configs; empty if neither release names it

	findings sync.Map // between two Schemas
	open     sync.Map // the Schemas with unknown members admitted
}

// NewReleases checks that both are releases of one extension, and starts their programs, which end
// with [Releases.Run].
func NewReleases(old, updated Side) (*Releases, error) {
	oldErr, newErr := old.start(), updated.start()
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	if none := (pool.TypeMeta{}); old.Kind != none && updated.Kind != none && old.Kind != updated.Kind {
		return nil, fmt.Errorf("%s: is of another kind than %s; compare releases of one extension",
			updated.From, old.From)
	}
	return &Releases{old: old, updated: updated, kind: cmp.Or(old.Kind, updated.Kind)}, nil
}

// start starts the program of a side. The eras of the side are then those in the program's answers.
func (s *Side) start() (err error) {
	if len(s.Program) == 0 {
		return nil
	}
	known := &release.Release{From: strings.Join(s.Program, " ")}
	if s.Release != nil {
		known.Schema, known.Kind = s.Schema, s.Kind
	}
	s.Release = known
	s.program, err = start(s.Program)
	return err
}

// hash returns the hash of a pool under the release. The last error is a failure of the program.
func (s *Side) hash(p *pool.Pool) (hashed release.Hashed, refused, failed error) {
	if s.program != nil {
		return s.program.hash(p)
	}
	hashed, refused = s.Release.Hash(p)
	return hashed, refused, nil
}

// concern reports whether a provider config is of the releases' kind. An empty config is of every
// kind.
func (r *Releases) concern(raw []byte) bool {
	return r.kind == pool.TypeMeta{} || pool.IsNull(raw) || pool.TypeMetaOf(raw) == r.kind
}

// judge reads and hashes the provider config of a pool under both releases. An error is a failure
// of a program.
func (r *Releases) judge(p *pool.Pool, judged *JudgedPool) error {
	raw := p.ProviderConfig
	if pool.IsNull(raw) {
		raw = nil
	}
	old, oldErr, oldFailed := r.old.hash(p)
	updated, newErr, newFailed := r.updated.hash(p)
	if err := errors.Join(oldFailed, newFailed); err != nil {
		return err
	}
	judged.OldEra, judged.NewEra = old.Era.Name, updated.Era.Name
	judged.Verdict = Unchanged
	switch {
	case oldErr != nil && newErr != nil:
		judged.Verdict = Invalid
		judged.addErrors(oldErr)
	case newErr != nil:
		judged.Verdict = Rejected
		judged.addErrors(newErr)
	case oldErr != nil:
		judged.Verdict = Accepted
		judged.addErrors(oldErr)
	case old.IsUnknown() || updated.IsUnknown():
		if old.Era.Hash == updated.Era.Hash && old.Era.Name == updated.Era.Name {
			return nil // assumed to be the same function
		}
		judged.Verdict = Indeterminate
		judged.Reasons = []Reason{
			{
				Text: fmt.Sprintf("era %q is in force, it was %q, and one of them hashes by a function that is not "+
					"known here", updated.Era.Name, old.Era.Name),
			},
		}
	case !slices.Equal(old.Data, updated.Data):
		judged.Verdict = Rolled
		if p.Worker.UpdateStrategy != hotupdate.AutoRollingUpdate {
			judged.Verdict = Renamed
		}
		judged.Reasons = r.reasons(old, updated, raw)
	}
	return nil
}

// reasons are the reasons why two releases hash a provider config differently.
func (r *Releases) reasons(old, updated release.Hashed, raw []byte) []Reason {
	var all []Reason
	if old.Era.Name != updated.Era.Name || old.Era.Hash != updated.Era.Hash {
		all = append(all, Reason{
			Text: fmt.Sprintf("era %q (%s) is in force; it was %q (%s)", updated.Era.Name, updated.Era.Hash,
				old.Era.Name, old.Era.Hash),
		})
	}
	before, after := hashedJSON(old, raw), hashedJSON(updated, raw)
	if before != nil && after != nil && (old.Era.Hash == release.Canonical) == (updated.Era.Hash == release.Canonical) {
		first, second := cmp.Or(old.Era.Schema, r.old.Schema), cmp.Or(updated.Era.Schema, r.updated.Schema)
		all = append(all, r.findingReasons(first, second, r.differences(first, second, before, after))...)
	}
	if len(all) == 0 {
		// the addition itself may be confidential
		all = append(all, Reason{Text: "what the extension adds to the name is another"})
	}
	return all
}

// hashedJSON returns the hashed bytes of a provider config: its canonical document, or its JSON. It
// is nil if they are not known.
func hashedJSON(h release.Hashed, raw []byte) []byte {
	switch {
	case h.Era.Hash == release.Canonical:
		document, _ := h.Era.Schema.DocumentRaw(raw) // cannot fail, since raw was hashed
		return document
	case len(h.Data) == 1 && (h.Era.Hash == release.RawBytes || h.Era.Hash == release.CutBytes):
		return []byte(h.Data[0])
	}
	return nil
}

// findingReasons are the findings between two Schemas at the paths. A path without a finding is a
// reason itself.
func (r *Releases) findingReasons(old, updated *hotupdate.Schema, paths []string) (all []Reason) {
	unexplained := slices.Clone(paths)
	for _, f := range r.findingsOf(old, updated) {
		isConcerned := func(path string) bool { return within(path, f.Path) || within(f.Path, path) }
		if f.Rolls.Where != "" && slices.ContainsFunc(paths, isConcerned) {
			all = append(all, Reason{Path: f.Path, Finding: f.Kind, Text: f.String()})
			unexplained = slices.DeleteFunc(unexplained, isConcerned)
		}
	}
	for _, path := range unexplained {
		all = append(all, Reason{Path: path, Text: path + ": is hashed in another way"})
	}
	return all
}

func (r *Releases) findingsOf(old, updated *hotupdate.Schema) []hotupdate.Finding {
	return cached(&r.findings, [2]*hotupdate.Schema{old, updated}, func() []hotupdate.Finding {
		found, _ := hotupdate.Compatibility(old, updated) // fails only for nil
		return found
	})
}

// cached returns the value of a key, which is computed once.
func cached[V any](all *sync.Map, key any, of func() V) V {
	known, ok := all.Load(key)
	if !ok {
		known, _ = all.LoadOrStore(key, of())
	}
	return known.(V)
}

// addErrors adds the problems of a provider config, one reason each.
func (p *JudgedPool) addErrors(err error) {
	problems := fault.All(err)
	if len(problems) == 0 {
		p.Reasons = append(p.Reasons, Reason{Text: err.Error()})
	}
	for _, problem := range problems {
		path := patternOf(problem.Path)
		text := strings.Replace(manifest.Reason(problem), problem.Path, path, 1)
		if because := (Reason{Path: path, Code: problem.Code, Text: text}); !slices.Contains(p.Reasons, because) {
			p.Reasons = append(p.Reasons, because)
		}
	}
}
