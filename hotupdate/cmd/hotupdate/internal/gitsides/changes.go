package gitsides

import (
	"fmt"
	"slices"
	"strings"
)

// change is a path that differs, with git's modes and blobs of both sides. A path or blob is empty on a side that does
// not have it.
type change struct {
	old, updated         string // paths
	oldMode, newMode     string
	oldBlob, updatedBlob string
}

// Git's modes for entries that are not files.
const (
	submodule = "160000"
	link      = "120000"
)

// changes returns the differences below the paths, with renames, even from outside of the paths.
// Others are the differences outside of the paths.
func (r *repository) changes(t trees, pathspecs []string) (chosen, others []change, err error) {
	listed, err := r.git("diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--find-renames", t.old, t.updated)
	if err != nil {
		return nil, nil, err
	}
	all, err := parseChanges(listed)
	if err != nil {
		return nil, nil, err
	}
	if slices.Equal(pathspecs, []string{everything}) {
		return all, nil, nil
	}
	args := []string{"diff-tree", "-r", "--name-only", "-z", "--no-renames", t.old, t.updated, "--"}
	names, err := r.git(append(args, pathspecs...)...)
	below := set{}
	for name := range strings.SplitSeq(names, "\x00") {
		below[name] = true
	}
	for _, c := range all {
		if slices.ContainsFunc(c.paths(), below.has) {
			chosen = append(chosen, c)
		} else {
			others = append(others, c)
		}
	}
	return chosen, others, err
}

// parseChanges reads the format of git diff-tree --raw -z: about a change, its status, and one path or two.
func parseChanges(listed string) (changes []change, err error) {
	fields := strings.Split(strings.TrimSuffix(listed, "\x00"), "\x00")
	for len(fields) > 1 {
		about := strings.Fields(strings.TrimPrefix(fields[0], ":"))
		if len(about) != 5 {
			return nil, fmt.Errorf("git: diff-tree: %q", fields[0])
		}
		c := change{fields[1], fields[1], about[0], about[1], about[2], about[3]}
		used := 2
		if isRename := about[4][0] == 'R'; isRename && len(fields) > 2 {
			c.updated = fields[2]
			used = 3
		}
		changes = append(changes, c.cleared())
		fields = fields[used:]
	}
	return changes, nil
}

// cleared is a change without what a side does not have.
func (c change) cleared() change {
	const none = "000000"
	if c.oldMode == none {
		c.old = ""
		c.oldBlob = ""
	}
	if c.newMode == none {
		c.updated = ""
		c.updatedBlob = ""
	}
	return c
}

// paths are those of the sides that have one.
func (c change) paths() []string {
	return slices.Compact(slices.DeleteFunc([]string{c.old, c.updated}, func(path string) bool { return path == "" }))
}

// hasMode reports whether a side is of a mode.
func (c change) hasMode(mode string) bool { return c.oldMode == mode || c.newMode == mode }

// mayHaveManifest reports whether a side is named like a file with manifests.
func (c change) mayHaveManifest() bool {
	isFile := !c.hasMode(submodule) && !c.hasMode(link)
	return isFile && slices.ContainsFunc(c.paths(), isManifest)
}

// notCompared says why a change is not in a compared file; empty if it is.
func (c change) notCompared() string {
	switch {
	case c.hasMode(submodule):
		return "is a submodule, and not compared; run hotupdate plan --git " + shortRange(c) + " in it"
	case c.hasMode(link) && mayHold(c.paths()[0]):
		return "is a symbolic link, which is not followed; compare what it leads to"
	}
	return ""
}

// mayHold reports whether a link of this name may lead to manifests: it has their ending, or the name of a folder.
func mayHold(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return isManifest(path) || !strings.Contains(name, ".")
}

// shortRange is the range between two commits of a submodule.
func shortRange(c change) string {
	ends := []string{"BASE", "HEAD"}
	for i, blob := range []string{c.oldBlob, c.updatedBlob} {
		mode := []string{c.oldMode, c.newMode}[i]
		if mode == submodule {
			ends[i] = short(blob)
		}
	}
	return strings.Join(ends, "..")
}
