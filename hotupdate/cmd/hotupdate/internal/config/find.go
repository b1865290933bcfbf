package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// None is the name that stands for no file.
const None = "none"

// Choice says which config file counts.
type Choice struct {
	// Named is the file that a user names, or [None]. Without it, the file is looked for in the directory
	// and those above it, up to the root of the git repository. Outside of a repository, it is looked for in
	// the directory alone.
	Named string
	// Directory is where the search begins, and what Named is relative to.
	Directory string
	// Base is the commit whose file counts; empty for the file of the work tree.
	Base string
	// Head is git's whole name of the commit with the changes since the base; empty for the work tree.
	Head string
}

// Find returns the config file. If there is no such file, it returns the zero File.
func Find(c Choice) (*File, error) {
	if c.Named == None {
		return &File{}, nil
	}
	directory, err := physical(c.Directory)
	if err != nil {
		return nil, err
	}
	root := rootOf(directory)
	places := configsAbove(root, directory)
	var workTree folder = disk(root)
	if c.Named != "" {
		workTree, places = placeOf(c.Named, root, directory)
	}
	if c.Base == "" || workTree != disk(root) { // only a file of the repository is in a commit
		return parseFirst(workTree, places, c.Named != "")
	}
	revision, err := resolve(root, c.Base)
	if err != nil {
		return nil, err
	}
	repository := newRepository(root)
	base := repository.commit(revision)
	isRequired := c.Named != "" && !isIn(workTree, places)
	file, err := parseFirst(base, places, isRequired)
	if err != nil {
		return nil, err
	}
	file.now = workTree
	if c.Head != "" {
		file.now = repository.commit(c.Head)
	}
	file.noteChange(base, places)
	return file, nil
}

// physical returns the path of a directory without symbolic links, so that its parents are the
// directories that contain it.
func physical(directory string) (string, error) {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// placeOf returns the folder and the place in it of a file that a user names.
func placeOf(name, root, directory string) (folder, []string) {
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(directory, file)
	}
	inRoot, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(inRoot) {
		return disk(filepath.Dir(file)), []string{filepath.Base(file)}
	}
	return disk(root), []string{filepath.ToSlash(inRoot)}
}

// first returns the first of the files that a folder has, and its text. The path is empty if there is none.
func first(in folder, places []string) (file string, text []byte, err error) {
	if of, isCommit := in.(*commit); isCommit {
		if err := of.list(places...); err != nil {
			return "", nil, unreadable(in.name(places[0]), err)
		}
	}
	for _, file := range places {
		text, err := in.read(file)
		switch {
		case err == nil:
			return file, text, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", nil, unreadable(in.name(file), err)
		}
	}
	return "", nil, nil
}

func isIn(in folder, places []string) bool {
	file, _, err := first(in, places)
	return err == nil && file != ""
}

// parseFirst reads the first of the files that a folder has.
func parseFirst(in folder, places []string, isRequired bool) (*File, error) {
	at, text, err := first(in, places)
	switch {
	case err != nil:
		return nil, err
	case at == "" && isRequired:
		return nil, unreadable(in.name(places[0]), fs.ErrNotExist)
	case at == "":
		return &File{folder: in}, nil
	}
	file, err := Parse(text, in.name(at))
	if err != nil {
		return nil, err
	}
	file.folder = in
	file.path = at
	return file, nil
}

// noteChange notes whether the config file has changed, and the problems of the new version.
func (f *File) noteChange(base *commit, places []string) {
	_, before, _ := first(base, places) // has been read
	at, now, err := first(f.now, places)
	if err == nil && at == f.path && bytes.Equal(before, now) {
		return
	}
	switch at {
	case "":
		f.note(base, f.path, "is removed")
		return
	case f.path:
		f.note(base, at, "is changed")
	default:
		f.note(base, at, "is added")
	}
	if _, problem := Parse(now, f.now.name(at)); errors.Join(err, problem) != nil {
		f.Notes = append(f.Notes, errors.Join(err, problem).Error())
	}
}

// note notes how a file has changed since the base. The version of the base counts.
func (f *File) note(base *commit, file, what string) {
	counts := "the file of commit %.12s counts"
	if f.path == "" {
		counts = "commit %.12s, which counts, has none"
	}
	counts = fmt.Sprintf(counts, base.revision)
	f.Notes = append(f.Notes, file+": "+what+", which decides nothing here: "+counts)
}

func unreadable(name string, err error) error {
	if pathError, isOfPath := errors.AsType[*fs.PathError](err); isOfPath {
		err = pathError.Err
	}
	what := "cannot be read: " + err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		what = "does not exist"
	}
	return &fault.Error{Kind: fault.Failed, Code: "unreadable-config", Where: name, What: what}
}

// rootOf returns the root of the git repository of a directory, or the directory if it is in none.
func rootOf(directory string) string {
	for at := directory; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return directory
		}
	}
}

// configsAbove are the places of the config file for a directory, the nearest first.
func configsAbove(root, directory string) (paths []string) {
	for at := directory; ; at = filepath.Dir(at) {
		inRoot, err := filepath.Rel(root, at)
		if err != nil {
			return paths
		}
		paths = append(paths, path.Join(filepath.ToSlash(inRoot), Name))
		if at == root || at == filepath.Dir(at) {
			return paths
		}
	}
}

// Read returns the text of a file that the config file names, and its name for messages.
func (f *File) Read(name string) (text []byte, from string, err error) {
	in := f.folder
	file := path.Join(path.Dir(f.path), filepath.ToSlash(name))
	if filepath.IsAbs(name) {
		in = disk("")
		file = filepath.ToSlash(name)
	}
	from = in.name(file)
	text, err = in.read(file)
	if err != nil {
		return nil, from, unreadable(from, err)
	}
	if base, isOfCommit := in.(*commit); isOfCommit {
		now, err := f.now.read(file)
		switch {
		case err != nil:
			f.note(base, file, "is removed")
		case !bytes.Equal(now, text):
			f.note(base, file, "is changed")
		}
	}
	return text, from, nil
}

// folder has files by their paths with slashes.
type folder interface {
	read(path string) ([]byte, error) // fs.ErrNotExist if there is none
	name(path string) string          // for messages
}

// disk is a directory.
type disk string

func (d disk) read(path string) ([]byte, error) { return os.ReadFile(d.file(path)) }

func (d disk) file(path string) string { return filepath.Join(string(d), filepath.FromSlash(path)) }

// name is relative to the working directory, if that is in the same tree.
func (d disk) name(path string) string {
	working, err := os.Getwd()
	if err == nil {
		working, err = filepath.EvalSymlinks(working)
	}
	if err != nil {
		return d.file(path)
	}
	relative, err := filepath.Rel(working, d.file(path))
	if err != nil {
		return d.file(path)
	}
	return relative
}
