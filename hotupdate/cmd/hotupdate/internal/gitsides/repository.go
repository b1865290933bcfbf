package gitsides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// repository is a git repository that the git program reads. Nothing in it is written.
type repository struct {
	ctx       context.Context //nolint:containedctx // of one call of Write
	directory string          // in which git is called
	folder    string          // of git, in which it keeps objects
	top       string          // of the work tree; empty until workTree
	env       []string        // beside that of the process
}

// open finds the repository of a directory.
func open(ctx context.Context, directory string) (*repository, error) {
	r := &repository{ctx: ctx, directory: directory}
	folder, err := r.git("rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	r.folder = strings.TrimSpace(folder)
	return r, nil
}

// settings override settings of the user that would change git's answers: submodules are separate
// repositories, and the number of files among which renames are found is fixed.
var settings = []string{"-c", "submodule.recurse=false", "-c", "diff.renameLimit=3000"}

// git returns what git writes.
func (r *repository) git(args ...string) (string, error) { return r.feed("", nil, args...) }

// feed returns what git writes for an input, with more variables of the environment.
func (r *repository) feed(input string, env []string, args ...string) (string, error) {
	command := exec.CommandContext(r.ctx, "git", append(slices.Clone(settings), args...)...)
	command.Dir = r.directory
	command.Env = append(append(os.Environ(), r.env...), env...)
	command.Stdin = strings.NewReader(input)
	var out, problem bytes.Buffer
	command.Stdout = &out
	command.Stderr = &problem
	err := command.Run()
	switch text := strings.TrimSpace(problem.String()); {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git: is not in the PATH; --git needs it")
	case text != "":
		return out.String(), &gitError{text, err}
	}
	return out.String(), &gitError{err.Error(), err}
}

// gitError is what git says about a failure.
type gitError struct {
	text string
	err  error
}

func (e *gitError) Error() string { return "git: " + e.text }
func (e *gitError) Unwrap() error { return e.err }

// isCode reports whether git ended with an exit code.
func isCode(err error, code int) bool {
	exit, isExit := errors.AsType[*exec.ExitError](err)
	return isExit && exit.ExitCode() == code
}

// emptyTree is git's name of the empty tree.
func (r *repository) emptyTree() (string, error) {
	empty, err := r.git("hash-object", "-t", "tree", "--stdin")
	return strings.TrimSpace(empty), err
}

// named is what a revision names: a tree, and a commit if it is one.
type named struct{ tree, commit string }

// resolve returns what revisions name. It asks git for all of them at once.
func (r *repository) resolve(revisions ...string) ([]named, error) {
	var asked strings.Builder
	for _, revision := range revisions {
		if strings.Contains(revision, "\n") { // ends a question
			return nil, notCommit(revision)
		}
		fmt.Fprintf(&asked, "%s^{tree}\n%s^{commit}\n", revision, revision)
	}
	// Git ends at a revision that it cannot read, such as an entry of the reflog that there is not.
	told, _ := r.feed(asked.String(), nil, "cat-file", "--batch-check=%(objecttype) %(objectname)")
	answers := append(strings.Split(told, "\n"), make([]string, 2*len(revisions))...)
	all := make([]named, len(revisions))
	for i, revision := range revisions {
		tree, isTree := strings.CutPrefix(answers[2*i], "tree ")
		commit, isCommit := strings.CutPrefix(answers[2*i+1], "commit ")
		switch {
		case isTree && isCommit:
			all[i] = named{tree, commit}
		case isTree:
			all[i] = named{tree: tree}
		case revision == head && r.isUnborn():
			empty, err := r.emptyTree()
			if err != nil {
				return nil, err
			}
			all[i] = named{tree: empty}
		default:
			return nil, notCommit(revision)
		}
	}
	return all, nil
}

func notCommit(revision string) error {
	return fmt.Errorf("%s: is not a commit of the repository; fetch it if the clone is shallow", revision)
}

// isUnborn reports whether the branch of HEAD has no commit yet.
func (r *repository) isUnborn() bool {
	_, noBranch := r.git("symbolic-ref", "--quiet", head)
	_, noCommit := r.git("rev-parse", "--quiet", "--verify", head)
	return noBranch == nil && noCommit != nil
}

// workTree returns the tree that a commit of all tracked files would have. Its new objects are
// written into a separate folder.
func (r *repository) workTree(folder string) (string, error) {
	told, err := r.git("rev-parse", "--git-path", "index", "--git-path", "objects", "--show-toplevel")
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(told, "\n"), "\n")
	if len(lines) != 3 {
		return "", fmt.Errorf("git: rev-parse: %q; the path of the repository must be one line", told)
	}
	index := lines[0]
	objects := lines[1]
	r.top = lines[2]
	own := filepath.Join(folder, "objects")
	copied := filepath.Join(folder, "index")
	if err := errors.Join(os.Mkdir(own, 0o700), copyIndex(r.absolute(index), copied)); err != nil {
		return "", err
	}
	alternates := r.absolute(objects)
	if given := os.Getenv(alternatesVariable); given != "" {
		alternates += string(filepath.ListSeparator) + given
	}
	r.env = append(r.env, "GIT_OBJECT_DIRECTORY="+own, alternatesVariable+"="+alternates)
	env := []string{"GIT_INDEX_FILE=" + copied}
	if _, err := r.feed("", env, "-C", r.top, "add", "-u"); err != nil {
		return "", err
	}
	tree, err := r.feed("", env, "write-tree")
	return strings.TrimSpace(tree), err
}

// alternatesVariable names further folders of objects.
const alternatesVariable = "GIT_ALTERNATE_OBJECT_DIRECTORIES"

// absolute is a path that git writes, which is relative to the directory.
func (r *repository) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.directory, path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return absolute
}

// copyIndex copies the index with its time: git compares the content of files that are as new as
// the index, because their times do not show changes. A new repository has no index, and then there
// is no copy.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	data, readErr := os.ReadFile(from)
	if err := errors.Join(err, readErr); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, data, 0o600), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// checkOut writes files of a tree into a folder, as git checkout would: filters such as that of Git LFS apply.
func (r *repository) checkOut(tree, folder string, files set) error {
	if len(files) == 0 {
		return nil
	}
	env := []string{"GIT_INDEX_FILE=" + folder + ".index", "GIT_DIR=" + r.folder, "GIT_WORK_TREE=" + folder}
	if _, err := r.feed("", env, "read-tree", tree); err != nil {
		return err
	}
	list := strings.Join(files.sorted(), "\x00") + "\x00"
	if _, err := r.feed(list, env, "-C", folder, "checkout-index", "--force", "-z", "--stdin"); err != nil {
		return err
	}
	return nameKustomizations(folder, files)
}

// texts returns the contents of blobs, as the repository has them.
func (r *repository) texts(blobs []string) (map[string][]byte, error) {
	all := map[string][]byte{}
	if len(blobs) == 0 {
		return all, nil
	}
	written, err := r.feed(strings.Join(blobs, "\n")+"\n", nil, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for rest := written; rest != ""; {
		head, body, _ := strings.Cut(rest, "\n")
		fields := strings.Fields(head)
		if len(fields) != 3 {
			return nil, fmt.Errorf("git: cat-file: %s", head)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size >= len(body) {
			return nil, fmt.Errorf("git: cat-file: %s", head)
		}
		all[fields[0]] = []byte(body[:size])
		rest = body[size+1:]
	}
	return all, nil
}

// grep returns the files of a tree with a line that one of the patterns matches.
func (r *repository) grep(tree string, patterns, pathspecs []string) ([]string, error) {
	found, err := r.grepEach([]string{tree}, patterns, pathspecs)
	return found[tree], err
}

// grepEach returns the files of each tree with a line that one of the patterns matches.
func (r *repository) grepEach(trees, patterns, pathspecs []string) (map[string][]string, error) {
	args := []string{"grep", "--files-with-matches", "--null", "--full-name", "--text", "--extended-regexp"}
	for _, pattern := range patterns {
		args = append(args, "-e", pattern)
	}
	args = slices.Concat(args, trees, []string{"--"}, pathspecs)
	found, err := r.git(args...)
	if err != nil && !isCode(err, 1) { // none
		return nil, err
	}
	files := map[string][]string{}
	for name := range strings.SplitSeq(found, "\x00") {
		if tree, file, isFound := strings.Cut(name, ":"); isFound {
			files[tree] = append(files[tree], file)
		}
	}
	return files, nil
}

// matches reports whether a tree has a file that pathspecs choose.
func (r *repository) matches(tree string, pathspecs []string) (bool, error) {
	empty, err := r.emptyTree()
	if err != nil {
		return false, err
	}
	_, err = r.git(append([]string{"diff-tree", "-r", "--quiet", empty, tree, "--"}, pathspecs...)...)
	if isCode(err, 1) {
		return true, nil
	}
	return false, err
}
