package judge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/verdict"
)

// Either has the verdicts on a pool for both extensions, where they differ.
type Either struct {
	Adopted, Released verdict.Verdict
	// Fields are the deciding fields under the extension with the graver verdict.
	Fields []string
}

// does says what today's release does to a change, or because of the fields that follow.
var does = map[verdict.Verdict]string{
	verdict.None: "touches no machine", verdict.HotUpdate: "updates running machines",
	verdict.ComeOrGo: "creates or deletes machines", verdict.InPlaceUpdate: "drains nodes",
	verdict.Indeterminate: "is not known to do the same", verdict.Roll: "replaces the machines",
	verdict.Forbidden: "refuses it",
}

// String says both in a clause for people.
func (e *Either) String() string {
	text := e.Adopted.String() + " once your extension has adopted this library; today's release " + does[e.Released]
	if shown := e.Fields[:min(3, len(e.Fields))]; len(shown) > 0 && e.Released >= e.Adopted {
		text += ": " + strings.Join(shown, ", ")
	}
	return text
}

// compareBoth compares two pools under both extensions. It takes the graver comparison, and tells
// where they differ.
func compareBoth(old, updated facts.Pool, o Options) (Comparison, error) {
	o.Extension = Adopted
	adopted, err := Compare(old, updated, o)
	if err != nil || o.Naming != nil || !o.extensionsMayDiffer(&old, &updated) {
		return adopted, err
	}
	o.Extension = Released
	released, err := Compare(old, updated, o)
	if err != nil || adopted.Verdict == released.Verdict {
		return adopted, err
	}
	graver := &adopted
	if released.Verdict > adopted.Verdict {
		graver = &released
	}
	graver.Either = &Either{Adopted: adopted.Verdict, Released: released.Verdict}
	for _, change := range graver.Changes {
		name := strings.TrimPrefix(change.Path, fields.Config+".")
		if change.Rule == verdict.NotReleased {
			name = name[:strings.IndexAny(name+".", ".[")]
		}
		if change.Decides && !slices.Contains(graver.Either.Fields, name) {
			graver.Either.Fields = append(graver.Either.Fields, name)
		}
	}
	return *graver, nil
}

// extensionsMayDiffer reports whether a verdict may depend on whether the extension has adopted the
// library.
func (o Options) extensionsMayDiffer(old, updated *facts.Pool) bool {
	sameVolumes := slices.EqualFunc(old.DataVolumes, updated.DataVolumes, equalVolumes) &&
		equalPointers(old.Encrypted, updated.Encrypted)
	sameSecret := (old.NodeAgentSecretName == nil) == (updated.NodeAgentSecretName == nil)
	isSame := sameVolumes && sameSecret && bytes.Equal(old.ProviderConfig, updated.ProviderConfig)
	return !updated.IsBare() && o.ProviderOf(updated).Name != "" && !isSame
}

func equalVolumes(a, b facts.DataVolume) bool {
	return a.Name == b.Name && a.Size == b.Size && equalPointers(a.Type, b.Type) && equalPointers(a.Encrypted,
		b.Encrypted)
}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
