package side

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// unfollowed returns a symbolic link in a side that leads to a folder outside of it; empty if there
// is none. Such a folder is not read, and may hold an object that the files of the side do not
// have.
func unfollowed(side string) (link string) {
	root, err := filepath.EvalSymlinks(side)
	if err != nil {
		return ""
	}
	// returns only errors that end the walk
	_ = filepath.WalkDir(side, func(at string, entry fs.DirEntry, err error) error {
		isHidden := at != side && strings.HasPrefix(filepath.Base(at), ".")
		switch {
		case err != nil:
			return nil //nolint:nilerr // unreadable files were reported before
		case isHidden && entry.IsDir():
			return fs.SkipDir
		case at != side && leadsOut(at, root, entry):
			link = at
			return fs.SkipAll
		}
		return nil
	})
	return link
}

// leadsOut reports whether an entry is a symbolic link to a folder outside of a root.
func leadsOut(at, root string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 || !isDirectory(at) {
		return false
	}
	target, err := filepath.EvalSymlinks(at)
	if err != nil {
		return true
	}
	inside, err := filepath.Rel(root, target)
	return err != nil || !filepath.IsLocal(inside)
}

// link returns a placeholder for the objects behind a link out of the side, which may be any; nil
// if there is no link.
func (all *objects) link() *object {
	at := unfollowed(all.path)
	if at == "" {
		return nil
	}
	return &object{From: at + ", a symbolic link to a folder that is not followed,", role: isUnread}
}
