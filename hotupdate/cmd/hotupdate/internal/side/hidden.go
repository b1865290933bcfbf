package side

import (
	"io/fs"
	"path/filepath"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
)

// hidden returns the objects in hidden files and folders of a side that would be compared if they were read, by their
// identity. Whether they are applied is not known. The folder of git is left out.
func (r *Reader) hidden(side string) map[identity]*object {
	found := map[identity]*object{}
	if side == noFile || !isDirectory(side) {
		return found
	}
	// returns only errors that end the walk
	_ = filepath.WalkDir(side, func(at string, entry fs.DirEntry, err error) error {
		isOfGit := err == nil && entry.IsDir() && entry.Name() == ".git"
		switch {
		case err != nil, r.Exclude.Matches(side, at):
			return nil //nolint:nilerr // unreadable files were reported before
		case isOfGit:
			return fs.SkipDir
		case entry.Type().IsRegular() && isHiddenManifest(inSide(side, at)):
			for d := range manifests.Documents([]string{at}, nil) {
				r.addHidden(found, d)
			}
		}
		return nil
	})
	return found
}

func (r *Reader) addHidden(found map[identity]*object, d *manifests.Document) {
	if o := r.examine(d); o != nil && o.role == isManifest {
		o.From += ", a hidden file,"
		found[o.identity()] = o
	}
}

// isHiddenManifest reports whether a path in a side has a hidden step, and the ending of a manifest.
func isHiddenManifest(path string) bool {
	isHidden := strings.HasPrefix(path, ".") || strings.Contains(path, "/.")
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return isHidden
	}
	return false
}
