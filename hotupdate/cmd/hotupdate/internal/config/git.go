package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// repository is the git repository with a root. It asks git once for each blob.
type repository struct {
	root  string
	texts map[string][]byte // of blobs
}

func newRepository(root string) *repository { return &repository{root, map[string][]byte{}} }

// commit has the files of a commit of a repository. It asks git once for each of them.
type commit struct {
	*repository
	revision string
	entries  map[string]entry // of the files that have been asked for
}

func (r *repository) commit(revision string) *commit { return &commit{r, revision, map[string]entry{}} }

// entry is what a commit has at a path; the zero value is nothing.
type entry struct{ mode, blob string }

func (c *commit) name(path string) string { return c.revision + ":" + path }

func (c *commit) read(file string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return nil, errors.New("is outside of the repository")
	}
	if err := c.list(file); err != nil {
		return nil, err
	}
	switch found := c.entries[file]; found.mode {
	case "":
		return nil, fs.ErrNotExist
	case "100644", "100755":
		return c.text(found.blob)
	}
	return nil, errors.New("is not a file; a symbolic link, a folder or a submodule cannot be read from a commit")
}

// list asks for the entries of files, of all of them at once.
func (c *commit) list(files ...string) error {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		_, isKnown := c.entries[file]
		return isKnown
	})
	if len(files) == 0 {
		return nil
	}
	listed, err := git(c.root, append([]string{"ls-tree", "-z", c.revision, "--"}, files...)...)
	if err != nil {
		return err
	}
	for _, file := range files {
		c.entries[file] = entry{}
	}
	for line := range strings.SplitSeq(listed, "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		if fields := strings.Fields(about); len(fields) == 3 {
			c.entries[name] = entry{fields[0], fields[2]}
		}
	}
	return nil
}

// text is the content of a blob.
func (r *repository) text(blob string) ([]byte, error) {
	if text, isKnown := r.texts[blob]; isKnown {
		return text, nil
	}
	text, err := git(r.root, "cat-file", "blob", blob)
	if err != nil {
		return nil, err
	}
	r.texts[blob] = []byte(text)
	return r.texts[blob], nil
}

// git returns what git writes about a repository.
func git(root string, args ...string) (string, error) {
	command := exec.Command("git", append([]string{"--literal-pathspecs", "-C", root}, args...)...)
	var out, problem bytes.Buffer
	command.Stdout = &out
	command.Stderr = &problem
	if err := command.Run(); err != nil {
		if text := strings.TrimSpace(problem.String()); text != "" {
			return "", fmt.Errorf("git: %s", text)
		}
		return "", fmt.Errorf("git: %w", err)
	}
	return out.String(), nil
}

// resolve returns the commit of a revision.
func resolve(root, revision string) (string, error) {
	found, err := git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s: is not a commit of the repository", revision)
	}
	return strings.TrimSpace(found), nil
}

// Shown is a file that git shows with its external diff: its path in the repository, and the name of the
// old version's blob as git gives it: of zeros for a file of the work tree, or a dot for none.
type Shown struct{ Path, OldBlob string }

// noBlob is git's name for the blob of a file that is missing.
const noBlob = "."

// errNoBase says that a config file cannot be found for what git shows.
var errNoBase = errors.New("git does not tell what it compares with, and the commits with this version of the file " +
	"have several config files; name one with --config")

// most is how many commits are searched.
const most = 300

// BaseOf returns the commit whose config file counts for what git shows, in the repository of a directory. It
// is empty if no config file counts: there is none, or there is no commit.
//
// Git does not tell the commit that it compares with. It is HEAD if HEAD or the index has the old version of
// the file. Otherwise it is any commit that has the old version, if all of them have the same config file.
func BaseOf(directory string, shown Shown) (string, error) {
	directory, err := physical(directory)
	if err != nil {
		return "", err
	}
	root := rootOf(directory)
	head, err := resolve(root, "HEAD")
	if err != nil {
		return "", nil //nolint:nilerr // there is no repository, or no commit
	}
	places := configsAbove(root, directory)
	repository := newRepository(root)
	if !isIn(disk(root), places) && !isIn(repository.commit(head), places) {
		return "", nil
	}
	index, err := git(root, "ls-files", "--stage", "-z", "--", shown.Path)
	if err != nil {
		return "", err
	}
	if shown.isOf(blobIn(index)) {
		return head, nil
	}
	if shown.OldBlob == noBlob { // too many commits lack it
		return "", errNoBase
	}
	options := []string{"rev-list", "--full-history", "--max-count", strconv.Itoa(most + 1), "--all", "HEAD", "--"}
	listed, err := git(root, slices.Concat(options, []string{shown.Path}, places)...)
	if err != nil {
		return "", err
	}
	if strings.Count(listed, "\n") > most {
		return "", errNoBase
	}
	return shown.commonBase(repository, append([]string{head}, strings.Fields(listed)...), places)
}

// BlobOf returns git's name for the blob of a file, as [Shown] has it.
func BlobOf(file string) (string, error) {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return noBlob, nil //nolint:nilerr // git names a device for a file that is missing
	}
	blob, err := git(".", "hash-object", "--no-filters", "--", file)
	return strings.TrimSpace(blob), err
}

// blobIn returns the blob in a line of git ls-files --stage; nothing if there is none.
func blobIn(entry string) string {
	fields := strings.Fields(entry)
	if len(fields) < 2 {
		return ""
	}
	return fields[1]
}

// isOf reports whether the old version is a blob. A file that is missing has no blob.
func (s Shown) isOf(blob string) bool {
	isNone := s.OldBlob == noBlob
	isOfWorkTree := strings.Trim(s.OldBlob, "0") == ""
	switch {
	case isOfWorkTree:
		return true
	case isNone:
		return blob == ""
	}
	return blob != "" && strings.HasPrefix(blob, s.OldBlob)
}

// commonBase returns the first of the commits that have the old version, if they agree on the config file.
func (s Shown) commonBase(r *repository, commits, configs []string) (base string, err error) {
	agreed := ""
	for i, one := range commits {
		blobs, err := r.commit(one).blobs(append([]string{s.Path}, configs...))
		if err != nil {
			return "", err
		}
		if !s.isOf(blobs[0]) {
			continue
		}
		config := strings.Join(blobs[1:], " ")
		switch {
		case i == 0: // HEAD
			return one, nil
		case base == "":
			base = one
			agreed = config
		case config != agreed:
			return "", errNoBase
		}
	}
	if base == "" {
		return "", errNoBase
	}
	return base, nil
}

// blobs returns the blobs of files; nothing for one that is missing.
func (c *commit) blobs(files []string) ([]string, error) {
	if err := c.list(files...); err != nil {
		return nil, err
	}
	blobs := make([]string, len(files))
	for i, file := range files {
		blobs[i] = c.entries[file].blob
	}
	return blobs, nil
}
