package gitsides_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gitsides"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }

// repository is a git repository of a test.
type repository struct {
	t      *testing.T
	folder string
}

func newRepository(t *testing.T, files map[string]string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main", "--template=")
	r.commit(files)
	return r
}

func (r *repository) git(args ...string) {
	r.t.Helper()
	settings := []string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "maintenance.auto=false"}
	command := exec.CommandContext(r.t.Context(), "git", append(settings, args...)...)
	command.Dir = r.folder
	out, err := command.CombinedOutput()
	require.NoError(r.t, err, string(out))
}

// commit writes files and commits them. An empty one is removed.
func (r *repository) commit(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.folder, filepath.FromSlash(name))
		if text == "" {
			require.NoError(r.t, os.Remove(path))
			continue
		}
		require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "a commit")
}

// sides writes both sides of the last commit, and returns the files of each.
func (r *repository) sides(paths, kinds []string) (old, updated []string, _ *gitsides.Sides) {
	r.t.Helper()
	last, err := gitsides.ParseRange("HEAD~1..HEAD")
	require.NoError(r.t, err)
	s, err := gitsides.Open(r.t.Context(), r.folder, last)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { assert.NoError(r.t, s.Remove()) })
	require.NoError(r.t, s.Write(paths, kinds))
	return filesIn(r.t, s.Old), filesIn(r.t, s.Updated), s
}

func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

// kinds are those of the tests.
var kinds = []string{"Shoot", "Worker", "WorkerConfig"}

// TestParseRange: as git diff reads a range.
func TestParseRange(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a.yaml": "kind: Shoot\n"})
	r.commit(map[string]string{"a.yaml": "kind: Shoot\na: 1\n"})
	for _, text := range []string{"HEAD", "HEAD..", "..HEAD", "HEAD...", "HEAD~1..HEAD", "HEAD~1...HEAD", "HEAD^{tree}..HEAD"} {
		given, err := gitsides.ParseRange(text)
		require.NoError(t, err, text)
		s, err := gitsides.Open(t.Context(), r.folder, given)
		require.NoError(t, err, text)
		assert.Equal(t, strings.HasPrefix(text, "HEAD^"), s.Base == "", text)
		assert.Equal(t, text == "HEAD", s.Head == "", text)
		require.NoError(t, s.Remove())
	}
	for _, text := range []string{"", "a..b..c", "a....b", "a...b..c"} {
		_, err := gitsides.ParseRange(text)
		require.Error(t, err, text)
	}
}

// TestSelectsChangedManifests: changed files with a kind that is compared, however it is written, on both sides.
func TestSelectsChangedManifests(t *testing.T) {
	t.Parallel()
	wide := "\xff\xfe" + strings.Join(strings.Split("kind: Shoot\n", ""), "\x00") + "\x00"
	for _, test := range []struct {
		name, text string
		kinds      []string
		want       bool
	}{
		{"a.yaml", "kind: Worker\n", kinds, true},
		{"b.yml", "kind: 'WorkerConfig'\n", kinds, true},
		{"c.json", "{\n  \"kind\" : \"Shoot\"\n}\n", kinds, true},
		{"utf16.yaml", wide, kinds, true},
		{"sops.yaml", "kind: ENC[AES256_GCM,data:x]\n", kinds, true},
		{"crypt.yaml", "\x00GITCRYPT\x00\x01\xff\xfe", kinds, true},
		{"lfs.yaml", "version https://git-lfs.github.com/spec/v1\n", kinds, true},
		{"vault.yaml", "$ANSIBLE_VAULT;1.1;AES256\n", kinds, true},
		{"template.yaml", "apiVersion: core.gardener.cloud/v1beta1\nkind: '{{ .Values.kind }}'\n", kinds, true},
		{"variable.yaml", "apiVersion: core.gardener.cloud/v1beta1\nkind: ${kind}\n", kinds, true},
		{"anchor.yaml", "kind: &k Shoot\n", kinds, true},
		{"alias.yaml", "a: &k Shoot\nkind: *k\n", kinds, true},
		{"tag.yaml", "kind: !!str Shoot\n", kinds, true},
		{"block.yaml", "kind: >-\n  Shoot\n", kinds, true},
		{"comment.yaml", "kind: # a comment\n  # and another one\n  Shoot\n", kinds, true},
		{"question.yaml", "? kind\n: Shoot\n", kinds, true},
		{"escaped.yaml", `kind: "Sh\u006fot"` + "\n", kinds, true},
		{"escaped.json", `{"k\u0069nd": "Shoot"}` + "\n", kinds, true},
		{"told.yaml", `a: '{"kind": "Deployment", "text": "a\\nb"}'` + "\n", kinds, false},
		{"other.yaml", "kind: NodePool\n", kinds, false},
		{"similar.yaml", "kind: ShootState\n", kinds, false},
		{"custom.yaml", "kind: NodePool\n", []string{"NodePool", "Shoot"}, true},
		{"any.yaml", "kind: NodePool\n", nil, true},
		{"text.md", "kind: Shoot\n", kinds, false},
		{"a folder/a \"name\".yaml", "kind: Shoot\n", kinds, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, map[string]string{"same.yaml": "kind: Shoot\n"})
			r.commit(map[string]string{test.name: test.text})
			want := []string(nil)
			if test.want {
				want = []string{test.name}
			}
			old, updated, _ := r.sides(nil, test.kinds)
			assert.Empty(t, old)
			assert.Equal(t, want, updated)
			r.commit(map[string]string{test.name: ""})
			old, updated, _ = r.sides(nil, test.kinds)
			assert.Equal(t, want, old)
			assert.Empty(t, updated)
		})
	}
}

// TestRenames: of a renamed file, the old path leads to the new one, also if only one of them is chosen.
func TestRenames(t *testing.T) {
	t.Parallel()
	text := "kind: Shoot\nmetadata: {name: web}\nspec: {a: 1, b: 2, c: 3}\n"
	r := newRepository(t, map[string]string{"a/web.yaml": text, "b/other.yaml": "kind: Shoot\n"})
	r.commit(map[string]string{"a/web.yaml": "", "b/web.yaml": text + "status: {}\n"})
	for _, paths := range [][]string{nil, {"a"}, {"b"}, {":!a"}} {
		old, updated, s := r.sides(paths, kinds)
		assert.Equal(t, []string{"a/web.yaml"}, old, paths)
		assert.Equal(t, []string{"b/web.yaml"}, updated, paths)
		assert.Equal(t, map[string]string{"a/web.yaml": "b/web.yaml"}, s.Renamed, paths)
	}
}

// TestSameTexts: a text file is no manifest, even if a changed manifest has the same content, chosen or not.
func TestSameTexts(t *testing.T) {
	t.Parallel()
	const shoot = "kind: Shoot\nmetadata: {name: web}\n"
	r := newRepository(t, map[string]string{"b/README.md": "text\n", "b/same.yaml": "kind: Shoot\n", "a/web.yaml": "a: 1\n"})
	r.commit(map[string]string{"b/README.md": shoot, "a/web.yaml": shoot})
	for _, test := range []struct{ path, want, wentTo string }{
		{":/", "a/web.yaml", ""}, {"a", "a/web.yaml", ""}, {"b", "", "a/web.yaml"},
	} {
		_, updated, s := r.sides([]string{test.path}, kinds)
		assert.Equal(t, test.want, strings.Join(updated, " "), test.path)
		assert.Equal(t, test.wentTo, s.WentTo("web"), test.path)
	}
}

// TestFewProcesses: a hook of git starts git this often for a usual change. GIT_TRACE2_EVENT writes a file for each process.
func TestFewProcesses(t *testing.T) {
	r := newRepository(t, map[string]string{"a/web.yaml": "kind: Shoot\n"})
	r.commit(map[string]string{"a/web.yaml": "kind: Shoot\na: 1\n"})
	for _, test := range []struct {
		paths []string
		want  int
	}{
		{nil, 9}, {[]string{"a"}, 10},
	} {
		traces := t.TempDir()
		t.Setenv("GIT_TRACE2_EVENT", traces)
		_, updated, _ := r.sides(test.paths, kinds)
		assert.Equal(t, []string{"a/web.yaml"}, updated)
		assert.Len(t, filesIn(t, traces), test.want, test.paths)
	}
}

// TestNames: messages name a file of the old side by its commit.
func TestNames(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a.yaml": "kind: Shoot\n"})
	r.commit(map[string]string{"a.yaml": "kind: Shoot\na: 1\n"})
	_, _, s := r.sides(nil, kinds)
	old := filepath.Join(s.Old, "a.yaml")
	updated := filepath.Join(s.Updated, "a.yaml")
	assert.Equal(t, "a.yaml", s.Path(old))
	assert.Equal(t, "a.yaml", s.Path(updated))
	assert.Equal(t, "elsewhere.yaml", s.Path("elsewhere.yaml"))
	assert.Equal(t, s.Base[:12]+":a.yaml: a, a.yaml:3: b", s.Shown(old+": a, "+updated+":3: b"))
}

// TestSelectsRecipes: what kustomize, Helm and Flux make of changed files is in no file, so the recipes are handed over.
func TestSelectsRecipes(t *testing.T) {
	t.Parallel()
	const chart = "apiVersion: v2\nname: fleet\nversion: 1.0.0\n"
	const shoot = "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: web}\n"
	const variable = shoot + "spec: {a: '${a}'}\n"
	const dependency = "dependencies:\n- name: fleet\n  repository: file://../fleet\n"
	flux := func(text string) string {
		return "kind: Kustomization\nmetadata: {name: web}\nspec: {postBuild: " + text + "}\n"
	}
	for _, test := range []struct {
		name          string
		files, change map[string]string
		paths         []string
		want          []string // on both sides
	}{
		{
			"a patch of an overlay",
			map[string]string{
				"base/kustomization.yaml": "resources: [web.yaml]\n", "base/web.yaml": shoot,
				"prod/kustomization.yml": "resources: [../base]\n", "prod/patches/a.json": "[1]\n",
			},
			map[string]string{"prod/patches/a.json": "[2]\n"},
			nil,
			[]string{"prod/kustomization.yml"},
		},
		{
			"without an ending",
			map[string]string{"Kustomization": "patches: [{path: a.json, target: {kind: Shoot}}]\n", "a.json": "[1]\n"},
			map[string]string{"a.json": "[2]\n"},
			nil,
			[]string{"kustomization.yaml"},
		},
		{
			"of Deployments",
			map[string]string{"web.yaml": shoot, "app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": "kind: Deployment\n"},
			map[string]string{"app/a.yaml": "kind: Deployment # changed\n"},
			nil, nil,
		},
		{
			"left out",
			map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": shoot},
			map[string]string{"a.yaml": shoot + "a: 1\n"},
			[]string{":!kustomization.yaml"},
			[]string{"a.yaml"},
		},
		{
			"a folder of a similar name",
			map[string]string{"prod/kustomization.yaml": "resources: [a.yaml]\n", "prod/a.yaml": shoot, "production.yaml": shoot},
			map[string]string{"production.yaml": shoot + "a: 1\n"},
			nil,
			[]string{"production.yaml"},
		},
		{
			"values of a chart",
			map[string]string{"fleet/Chart.yaml": chart, "fleet/values.yaml": "a: 1\n", "fleet/templates/web.yaml": shoot},
			map[string]string{"fleet/values.yaml": "a: 2\n"},
			nil,
			[]string{"fleet/Chart.yaml", "fleet/templates/web.yaml"},
		},
		{
			"values elsewhere",
			map[string]string{"fleet/Chart.yaml": chart, "prod/values-web.yaml": "a: 1\n", "fleet/templates/web.yaml": shoot},
			map[string]string{"prod/values-web.yaml": "a: 2\n"},
			nil,
			[]string{"fleet/Chart.yaml", "fleet/templates/web.yaml"},
		},
		{
			"values of a chart that depends on one beside it",
			map[string]string{
				"prod/Chart.yaml": chart + dependency, "prod/values.yaml": "a: 1\n", "fleet/Chart.yaml": chart,
				"fleet/templates/web.yaml": shoot,
			},
			map[string]string{"prod/values.yaml": "a: 2\n"},
			nil,
			[]string{"fleet/Chart.yaml", "fleet/templates/web.yaml", "prod/Chart.yaml"},
		},
		{
			"an archive of a chart",
			map[string]string{"fleet/Chart.yaml": chart, "fleet/charts/a.tgz": "packed", "fleet/values.yaml": "a: 1\n"},
			map[string]string{"fleet/values.yaml": "a: 2\n"},
			nil,
			[]string{"fleet/Chart.yaml", "fleet/charts/a.tgz"},
		},
		{
			"a chart of other kinds",
			map[string]string{
				"app/Chart.yaml": chart, "app/values.yaml": "a: 1\n", "app/templates/a.yaml": "kind: Deployment\n", "web.yaml": shoot,
			},
			map[string]string{"app/values.yaml": "a: 2\n"},
			nil, nil,
		},
		{
			"a substitution of Flux",
			map[string]string{"web.yaml": variable, "other.yaml": shoot, "flux.yaml": flux("{substitute: {a: 1}}")},
			map[string]string{"flux.yaml": flux("{substitute: {a: 2}}")},
			nil,
			[]string{"web.yaml"},
		},
		{
			"a ConfigMap that Flux reads",
			map[string]string{"web.yaml": variable, "flux.yaml": flux("{substituteFrom: []}"), "types.yaml": "kind: ConfigMap\na: 1\n"},
			map[string]string{"types.yaml": "kind: ConfigMap\na: 2\n"},
			nil,
			[]string{"web.yaml"},
		},
		{
			"a ConfigMap that nobody reads",
			map[string]string{"web.yaml": variable, "types.yaml": "kind: ConfigMap\na: 1\n"},
			map[string]string{"types.yaml": "kind: ConfigMap\na: 2\n"},
			nil, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, test.files)
			r.commit(test.change)
			old, updated, _ := r.sides(test.paths, kinds)
			assert.Equal(t, test.want, old)
			assert.Equal(t, test.want, updated)
		})
	}
}

// TestSubmodulesAreNotSearched: whatever the settings of the user say, charts of a submodule are those of another repository.
func TestSubmodulesAreNotSearched(t *testing.T) {
	t.Parallel()
	fleet := newRepository(t, map[string]string{"Chart.yaml": "apiVersion: v2\n", "web.yaml": "kind: Shoot\n"})
	r := newRepository(t, map[string]string{"a.yaml": "kind: Shoot\n", "values.yaml": "a: 1\n"})
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", fleet.folder, "fleet")
	r.git("config", "submodule.recurse", "true")
	r.commit(nil)
	r.commit(map[string]string{"values.yaml": "a: 2\n", "a.yaml": "kind: Shoot\na: 1\n"})
	old, updated, _ := r.sides(nil, kinds)
	assert.Equal(t, []string{"a.yaml"}, old)
	assert.Equal(t, []string{"a.yaml"}, updated)
}

// TestManyRenames: files that are renamed and changed are followed, also where there are more than git follows by itself.
func TestManyRenames(t *testing.T) {
	t.Parallel()
	before := map[string]string{}
	after := map[string]string{}
	for i := range 40 {
		text := "kind: Shoot\nmetadata: {name: web}\n" + strings.Repeat(strconv.Itoa(1000+i)+": a\n", 20)
		name := strconv.Itoa(i) + ".yaml"
		before["a/"+name] = text
		after["a/"+name] = ""
		after["b/moved-"+name] = text + "status: {}\n"
	}
	r := newRepository(t, before)
	r.git("config", "diff.renameLimit", "1")
	r.commit(after)
	_, _, s := r.sides(nil, kinds)
	assert.Len(t, s.Renamed, 40)
}

// TestChangeInTheSameTick: git compares the content of a file that is as new as its index. A copy of the index must not
// look newer, or a change of the same size that follows a commit at once is missed.
func TestChangeInTheSameTick(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"shoot.yaml": "kind: Shoot\nspec: 3000\n"})
	r.git("config", "core.trustctime", "false") // it differs, since the test sets the times
	tick := time.Now().Add(-time.Hour)
	file := filepath.Join(r.folder, "shoot.yaml")
	index := filepath.Join(r.folder, ".git", "index")
	require.NoError(t, os.Chtimes(file, tick, tick))
	r.git("add", "-A", "--renormalize")
	require.NoError(t, os.Chtimes(index, tick, tick))
	require.NoError(t, os.WriteFile(file, []byte("kind: Shoot\nspec: 6000\n"), 0o600))
	require.NoError(t, os.Chtimes(file, tick, tick))
	last, err := gitsides.ParseRange("HEAD")
	require.NoError(t, err)
	s, err := gitsides.Open(t.Context(), r.folder, last)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Remove()) })
	require.NoError(t, s.Write(nil, []string{"Shoot"}))
	assert.Equal(t, []string{"shoot.yaml"}, filesIn(t, s.Updated))
}
