// Package gitsides writes both sides of a change in a git repository into folders that the command can compare, by the
// git program.
//
// It owns what --git means: the range, the files that are compared, renames, and how messages name
// a file of each side. It selects the files that a change concerns: changed manifests, and the
// recipes by which kustomize, Helm or Flux make manifests of changed files. It must not know the
// content of a manifest or how it is judged.
package gitsides

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Range is what --git compares.
type Range struct {
	old, updated  string // revisions; updated is empty for the work tree
	fromMergeBase bool
}

// ParseRange reads BASE, BASE..HEAD or BASE...HEAD, as git diff does. An empty end of a range is HEAD.
func ParseRange(text string) (Range, error) {
	old, updated, isRange := strings.Cut(text, "..")
	rest, fromMergeBase := strings.CutPrefix(updated, ".")
	switch {
	case text == "":
		return Range{}, errors.New("needs a revision, as in HEAD, origin/main..HEAD or origin/main...HEAD")
	case strings.HasPrefix(rest, ".") || strings.Contains(rest, ".."):
		return Range{}, fmt.Errorf("%q is not a range; write it as BASE, BASE..HEAD or BASE...HEAD", text)
	case !isRange:
		return Range{old: text}, nil
	}
	if old == "" {
		old = head
	}
	if rest == "" {
		rest = head
	}
	return Range{old, rest, fromMergeBase}, nil
}

// head is git's name of the commit that is checked out.
const head = "HEAD"

// Sides are two folders with the files that a change concerns. The caller removes them.
type Sides struct {
	Old, Updated string // the folders
	// Base and Head are the commits of both sides, for the config file; empty for a side that is
	// not a commit, such as the work tree.
	Base, Head string
	// Renamed are the new paths of renamed files, by their old ones.
	Renamed map[string]string
	// NotCompared are changes that no file in the folders contains.
	NotCompared []NotCompared
	// Untracked are files with manifests that the work tree has and git does not track.
	Untracked []string

	folder     string // has both
	shortly    string // the old side in messages
	repository *repository
	trees      trees
	isWorkTree bool // the new side

	elsewhereOld, elsewhereNew elsewhere
}

// NotCompared is a path of the repository with the reason why it is not compared.
type NotCompared struct{ Path, Reason string }

// Open finds both sides of a range in the repository of a directory. The folders are empty until [Sides.Write].
func Open(ctx context.Context, directory string, of Range) (*Sides, error) {
	r, err := open(ctx, directory)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "hotupdate-git-")
	if err != nil {
		return nil, err
	}
	s := &Sides{
		Old: filepath.Join(folder, "old"), Updated: filepath.Join(folder, "new"), folder: folder, repository: r,
	}
	s.trees, err = s.resolve(of)
	if err := errors.Join(err, os.Mkdir(s.Old, 0o700), os.Mkdir(s.Updated, 0o700)); err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	return s, nil
}

// Write writes the files that the change concerns into the folders. Paths are git's pathspecs, relative to the
// directory; without one, all files count. Kinds are those of the objects that are compared; nil for all.
func (s *Sides) Write(paths, kinds []string) error {
	chosen, err := newSelection(s.repository, s.trees, paths, kinds)
	if err != nil {
		return err
	}
	if s.isWorkTree {
		s.Untracked, err = chosen.untracked()
	}
	if err := errors.Join(err, chosen.add()); err != nil {
		return err
	}
	if err := chosen.check(); err != nil {
		return err
	}
	s.Renamed = chosen.renamed
	s.NotCompared = chosen.notCompared
	s.elsewhereOld = chosen.elsewhereOld
	s.elsewhereNew = chosen.elsewhereNew
	return errors.Join(
		s.repository.checkOut(s.trees.old, s.Old, chosen.old),
		s.repository.checkOut(s.trees.updated, s.Updated, chosen.updated),
	)
}

// trees are git's names of the trees of both sides.
type trees struct{ old, updated string }

// resolve finds the trees of both sides.
func (s *Sides) resolve(of Range) (found trees, err error) {
	r := s.repository
	old := of.old
	if of.fromMergeBase {
		base, err := r.git("merge-base", "--end-of-options", old, of.updated)
		if err != nil {
			return found, fmt.Errorf("%s and %s: have no commit in common in this clone; fetch more of the history",
				of.old, of.updated)
		}
		old = strings.TrimSpace(base)
	}
	revisions := []string{old}
	if of.updated != "" {
		revisions = append(revisions, of.updated)
	}
	all, err := r.resolve(revisions...)
	if err != nil {
		return found, err
	}
	found.old = all[0].tree
	s.Base = all[0].commit
	s.shortly = short(cmp.Or(s.Base, found.old))
	if of.updated == "" {
		s.isWorkTree = true
		found.updated, err = r.workTree(s.folder)
		return found, err
	}
	found.updated = all[1].tree
	s.Head = all[1].commit
	return found, nil
}

// short is the beginning of git's name of an object, as messages have it.
func short(object string) string { return object[:min(12, len(object))] }

// Remove removes the folders.
func (s *Sides) Remove() error { return os.RemoveAll(s.folder) }

// Path is the path in the repository of a file of a side.
func (s *Sides) Path(file string) string {
	for _, side := range []string{s.Old, s.Updated} {
		if below, isBelow := strings.CutPrefix(file, side+string(filepath.Separator)); isBelow {
			return filepath.ToSlash(below)
		}
	}
	return file
}

// Shown returns a text in which files have their names in git; files of the old side are
// COMMIT:PATH.
func (s *Sides) Shown(text string) string {
	slash := string(filepath.Separator)
	return strings.NewReplacer(
		s.Old+slash, s.shortly+":", s.Updated+slash, "", s.Old, s.shortly, s.Updated, "the new side",
	).Replace(text)
}

// isManifest reports whether a path has the ending of a manifest.
func isManifest(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}
