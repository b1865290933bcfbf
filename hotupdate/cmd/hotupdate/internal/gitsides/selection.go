package gitsides

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// set is a set of paths of the repository.
type set map[string]bool

func (s set) has(path string) bool { return s[path] }

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }

// selection are the files that a change concerns.
type selection struct {
	*repository

	trees   trees
	paths   []string // pathspecs
	kinds   string   // pattern of a line with a kind that is compared
	ofKinds *regexp.Regexp

	old, updated set
	renamed      map[string]string
	notCompared  []NotCompared
	elsewhereOld elsewhere
	elsewhereNew elsewhere
	changed      []string            // all paths, of both sides
	texts        map[string][]byte   // of the changed files that the paths choose, by their blobs
	recipes      map[string][]string // of both trees
}

func newSelection(r *repository, t trees, paths, kinds []string) (s *selection, err error) {
	s = &selection{
		repository: r, trees: t, paths: paths, kinds: kind, old: set{}, updated: set{}, renamed: map[string]string{},
		elsewhereOld: elsewhere{}, elsewhereNew: elsewhere{}, texts: map[string][]byte{},
	}
	if len(paths) == 0 {
		s.paths = []string{everything}
	}
	if kinds != nil {
		s.kinds = kind + "((" + strings.Join(kinds, "|") + `)([^[:alnum:]]|$)|ENC\[|` + spelled + ")|" + spelledKey
	}
	s.ofKinds, err = regexp.Compile(s.kinds)
	return s, err
}

// everything is the pathspec of all files.
const everything = ":/"

// Patterns of lines, as git grep and Go read them.
const (
	// kind ends before the value. YAML admits comments, an anchor, a tag and the mark of a block there.
	kind = `kind["']?[[:space:]]*:([[:space:]]|#.*|[&!|>][^[:space:]]*)*["']?`
	// spelled begins a value that may be any text: an alias, or a text with escapes. So may a key with escapes.
	spelled    = `\*|[^"[:space:]]*\\`
	spelledKey = `"[^"]*\\[xuU][^"]*"[[:space:]]*:`
	// fromTemplate is a kind that a template or a variable sets.
	fromTemplate = kind + `(\{\{|\$\{)`
	// concealed begins a file that git-crypt or Git LFS has replaced.
	concealed = `GITCRYPT|^version https://git-lfs`
)

// isExclusion reports whether a pathspec leaves files out.
func isExclusion(pathspec string) bool {
	return strings.HasPrefix(pathspec, ":!") || strings.HasPrefix(pathspec, ":^")
}

// exclusions are the pathspecs that leave files out.
func (s *selection) exclusions() []string {
	return slices.DeleteFunc(slices.Clone(s.paths), func(spec string) bool { return !isExclusion(spec) })
}

// check refuses paths by which a gate would check nothing. What the change has shown is not asked again.
func (s *selection) check() error {
	if isShown := len(s.paths) == 1 && len(s.changed) > 0; !isShown {
		if err := s.checkPaths(); err != nil {
			return err
		}
	}
	if isShown := len(s.old)+len(s.updated) > 0; isShown {
		return nil
	}
	return s.checkManifests()
}

// checkPaths refuses paths that match nothing.
func (s *selection) checkPaths() error {
	for _, spec := range s.paths {
		if isExclusion(spec) || spec == everything {
			continue
		}
		isThere, err := s.matchesEither([]string{spec})
		switch {
		case err != nil:
			return err
		case !isThere:
			return fmt.Errorf("paths: %s matches no file, neither before nor after the change", spec)
		}
	}
	if len(s.exclusions()) > 0 {
		isThere, err := s.matchesEither(s.paths)
		switch {
		case err != nil:
			return err
		case !isThere:
			return errors.New("paths: every file is left out")
		}
	}
	return nil
}

// checkManifests refuses paths of which no file has a manifest, whether it has changed or not.
func (s *selection) checkManifests() error {
	for _, tree := range []string{s.trees.old, s.trees.updated} {
		if hasManifest, err := s.hasManifest(tree); hasManifest || err != nil {
			return err
		}
	}
	return errors.New("paths: no file has a Shoot, a Worker, a provider config or a resource of --crd, neither " +
		"before nor after the change")
}

func (s *selection) matchesEither(specs []string) (bool, error) {
	isThere, err := s.matches(s.trees.old, specs)
	if isThere || err != nil {
		return isThere, err
	}
	return s.matches(s.trees.updated, specs)
}

// hasManifest reports whether a file that the paths choose has a manifest, or may make one, or cannot be read.
func (s *selection) hasManifest(tree string) (bool, error) {
	found, err := s.grep(tree, []string{s.kinds, fromTemplate, concealed}, s.paths)
	if err != nil || slices.ContainsFunc(found, isManifest) {
		return err == nil, err
	}
	all, err := s.grep(tree, []string{""}, s.paths)
	return slices.ContainsFunc(all, isRecipe), err
}

// isRecipe reports whether a file makes manifests of other files.
func isRecipe(file string) bool {
	name := path.Base(file)
	return isKustomization(name) || name == chartFile || isValues(name)
}

// kustomizations are the names of a kustomization.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

func isKustomization(name string) bool { return slices.Contains(kustomizations, name) }

// isValues reports whether a file is named like values of a chart, which may stand anywhere.
func isValues(name string) bool {
	return strings.Contains(name, "values") && slices.Contains([]string{".yaml", ".yml"}, path.Ext(name))
}

const chartFile = "Chart.yaml"

// add selects the files of both sides.
func (s *selection) add() error {
	all, others, err := s.changes(s.trees, s.paths)
	if err != nil {
		return err
	}
	texts, err := s.textsOf(slices.Concat(all, others))
	if err != nil {
		return err
	}
	s.addElsewhere(others, texts)
	for _, c := range all {
		if c.mayHaveManifest() {
			s.texts[c.oldBlob] = texts[c.oldBlob]
			s.texts[c.updatedBlob] = texts[c.updatedBlob]
		}
		s.changed = append(s.changed, c.paths()...)
		s.addChange(c)
	}
	if len(all) == 0 {
		return nil
	}
	s.recipes, err = s.recipesIn(s.trees)
	if err != nil {
		return err
	}
	return errors.Join(s.addRecipes(s.trees.old, s.old), s.addRecipes(s.trees.updated, s.updated))
}

// addElsewhere keeps the texts of changed files outside of the paths: an object may have moved from
// or to such a file.
func (s *selection) addElsewhere(others []change, texts map[string][]byte) {
	for _, c := range others {
		if !c.mayHaveManifest() {
			continue
		}
		old := texts[c.oldBlob]
		updated := texts[c.updatedBlob]
		if s.concerns(old) {
			s.elsewhereOld[c.old] = lost(old, updated)
		}
		if s.concerns(updated) {
			s.elsewhereNew[c.updated] = lost(updated, old)
		}
	}
}

// textsOf returns the contents of the changed files with the endings of manifests, by their blobs.
func (s *selection) textsOf(all []change) (map[string][]byte, error) {
	var blobs []string
	for _, c := range all {
		if c.mayHaveManifest() {
			blobs = append(blobs, c.oldBlob, c.updatedBlob)
		}
	}
	blobs = slices.DeleteFunc(blobs, func(blob string) bool { return blob == "" })
	slices.Sort(blobs)
	return s.repository.texts(slices.Compact(blobs))
}

// addChange selects a changed file if one of its versions may have a manifest.
func (s *selection) addChange(c change) {
	if reason := c.notCompared(); reason != "" {
		s.notCompared = append(s.notCompared, NotCompared{c.paths()[0], reason})
		return
	}
	isConcerned := s.concerns(s.texts[c.oldBlob]) || s.concerns(s.texts[c.updatedBlob])
	if !c.mayHaveManifest() || !isConcerned { // another file may have the same blob
		return
	}
	if c.old != "" {
		s.old[c.old] = true
	}
	if c.updated != "" {
		s.updated[c.updated] = true
	}
	if c.old != c.updated && len(c.paths()) == 2 {
		s.renamed[c.old] = c.updated
	}
}

// The patterns by which a text is found to have a manifest.
var (
	hidden      = lazyregexp.New(`^(\x00GITCRYPT|version https://git-lfs|-----BEGIN (PGP|AGE) |\$ANSIBLE_VAULT;)`)
	ofGardener  = lazyregexp.New(`gardener\.cloud/`)
	ofVariables = lazyregexp.New(fromTemplate)
)

// concerns reports whether a text has a manifest, or may have one that cannot be read.
func (s *selection) concerns(text []byte) bool {
	plain := bytes.ReplaceAll(text, []byte{0}, nil) // UTF-16 is legible without its zero bytes
	switch {
	case len(text) == 0:
		return false
	case hidden().Match(text):
		return true
	case ofGardener().Match(plain) && ofVariables().Match(plain):
		return true
	}
	return s.ofKinds.Match(plain)
}

// untracked are the files with manifests that git does not track.
func (s *selection) untracked() (found []string, err error) {
	listed, err := s.git(append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--full-name", "--"},
		s.paths...)...)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(listed, "\x00") {
		if !isManifest(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.top, filepath.FromSlash(name)))
		if err == nil && s.concerns(text) {
			found = append(found, name)
		}
	}
	return found, nil
}
