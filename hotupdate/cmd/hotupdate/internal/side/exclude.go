package side

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Globs choose files and folders of a side. A glob without a slash matches the name of a file or
// folder in any folder. A glob with a slash matches its path in the side. ** matches any number of
// folders, and everything else is as in [path.Match]. Files in a chosen folder are chosen, too.
type Globs [][]string

// ParseGlobs reads globs.
func ParseGlobs(texts []string) (globs Globs, err error) {
	for _, text := range texts {
		if _, err := path.Match(text, ""); err != nil || strings.Trim(text, "/") == "" {
			return nil, fmt.Errorf("%q is not a glob; write the name of a file or folder, or its path, as in "+
				"templates, *.tpl.yaml or apps/**/base", text)
		}
		steps := strings.Split(strings.Trim(text, "/"), "/")
		if len(steps) == 1 {
			steps = []string{anyFolders, steps[0]}
		}
		globs = append(globs, steps)
	}
	return globs, nil
}

// inSide returns the path of a file in a side; . if the side is the file.
func inSide(side, file string) string {
	path, err := filepath.Rel(side, file)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(path)
}

// anyFolders matches any number of folders.
const anyFolders = "**"

// Matches reports whether a file of a side is chosen.
func (g Globs) Matches(side, file string) bool {
	if len(g) == 0 {
		return false
	}
	path := inSide(side, file)
	if path == "." { // a side of one file
		path = filepath.ToSlash(filepath.Base(file))
	}
	names := strings.Split(path, "/")
	return slices.ContainsFunc(g, func(steps []string) bool { return chooses(steps, names) })
}

// chooses reports whether a glob matches a file, or a folder around it.
func chooses(steps, names []string) bool {
	if len(steps) == 0 {
		return true // the rest of the path is in the folder
	}
	if steps[0] == anyFolders {
		for skipped := range names {
			if chooses(steps[1:], names[skipped:]) {
				return true
			}
		}
		return false
	}
	if len(names) == 0 {
		return false
	}
	isMatch, _ := path.Match(steps[0], names[0]) // the glob has been checked
	return isMatch && chooses(steps[1:], names[1:])
}
