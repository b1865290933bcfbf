package action_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shoot is a Shoot with one pool of machines of a type.
func shoot(name, machineType string) string {
	return `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: ` + name + `, namespace: garden-dev}
spec:
  kubernetes: {version: 1.33.2}
  provider:
    type: aws
    workers:
    - {name: cpu, minimum: 1, maximum: 3, machine: {type: ` + machineType + `}}
`
}

// changed returns a clone whose pull request changes the machine type of a Shoot.
func changed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, map[string]string{"shoots/web.yaml": shoot("web", "m5.large")})
	w.pullRequest(map[string]string{"shoots/web.yaml": shoot("web", "m5.xlarge")})
	return w
}

// TestVerdicts: for each exit code of plan, the report is in the comment and in the summary, and
// then the job ends with the same exit code.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	w := changed(t)
	for code, word := range words(t) {
		j := w.run(fake{report: "| verdict |\n", code: code}, map[string]string{"fail-on": "roll,removed"}, nil)
		assert.Equal(t, code != 0, j.failed, code)
		assert.Equal(t, "<!-- plan by hotupdate -->\n| verdict |\n", w.comment(), code)
		assert.Equal(t, "| verdict |\n", j.summary, code)
		assert.Contains(t, w.calls(), "plan --git=HEAD^1..HEAD --output markdown --fail-on=roll,removed -- .", code)
		if code != 0 {
			assert.Regexp(
				t, fmt.Sprintf("::error title=hotupdate plan::%s(: .*)?, see the summary of the job\nexit code %d\n", word, code), j.log,
			)
		}
		assert.Equal(t, strconv.Itoa(code), j.text(j.definition.Outputs["code"].Value))
		assert.Equal(t, "| verdict |\n", read(t, j.text(j.definition.Outputs["report"].Value)))
	}
	w.run(fake{report: "none\n"}, nil, nil)
	assert.NotContains(t, w.calls(), "--fail-on", "without the input")
}

// words returns the verdicts by their exit codes, as the help topic verdicts lists them.
func words(t *testing.T) map[int]string {
	t.Helper()
	text := read(t, filepath.Join(root, "hotupdate/cmd/hotupdate/help/verdicts.md"))
	all := map[int]string{}
	for _, row := range regexp.MustCompile(`(?m)^ {4,5}(\d+) {2}(\S+) {2,}\S`).FindAllStringSubmatch(text, -1) {
		code, err := strconv.Atoi(row[1])
		require.NoError(t, err, row)
		if all[code] != "" {
			all[code] += " or "
		}
		all[code] += row[2]
	}
	require.Len(t, all, 11)
	return all
}

// TestUnjudged: errors stand before the verdicts, escaped so that no Markdown takes effect, and the
// job fails.
func TestUnjudged(t *testing.T) {
	t.Parallel()
	w := changed(t)
	for _, test := range []struct {
		name string
		does fake
		want string
	}{
		{
			"a file of several",
			fake{"| verdict |\n", "shoots/b.yaml: is not valid YAML\n```\n@everyone\n", 1},
			"**not judged**\n\n    shoots/b.yaml: is not valid YAML\n    ```\n    @everyone\n\n| verdict |\n",
		},
		{"nothing was judged", fake{"", "hotupdate plan: bad flag\n", 2}, "**not judged**\n\n    hotupdate plan: bad flag\n\n"},
		{"the command was killed", fake{"", "", 137}, "**not judged**\n\n    hotupdate plan ended with exit code 137\n\n"},
		{
			"many files",
			fake{"", strings.Repeat("a: is not valid YAML\n", 40), 1},
			"**not judged**\n\n" + strings.Repeat("    a: is not valid YAML\n", 30) + "    ...\n\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := w.run(test.does, nil, nil)
			assert.Equal(t, "<!-- plan by hotupdate -->\n"+test.want, w.comment())
			assert.Equal(t, test.want, j.summary)
			assert.Contains(t, j.log, fmt.Sprintf("not everything was judged, see the summary of the job\nexit code %d\n", test.does.code))
			assert.Contains(t, j.log, test.does.errors)
		})
	}
	j := w.run(fake{"| verdict |\n", "a hint\n", 12}, nil, nil)
	assert.Equal(t, "| verdict |\n", j.summary, "a word on standard error of a run that judged everything")
	assert.Contains(t, j.log, "a hint\n")
	for _, code := range []int{1, 12} {
		j = w.run(fake{"| verdict |\n", "::stop-commands::x.yaml: is not valid YAML\n ::error::y\n", code}, nil, nil)
		assert.NotRegexp(t, `(?m)^\s*::(stop|error::)`, j.log, "a name of a file is no command to the runner")
	}
}

// TestTokens: if the token must not comment, the job does not fail, and the summary has the report.
// If GitHub fails, the job fails, and still reports the verdict.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode, token string
		code              int
		notice, failed    bool
	}{
		{"read-only, as of a fork", "readonly", "x", 0, true, false},
		{"without any access", "forbidden", "x", 0, true, false},
		{"no token", "", "", 0, true, false},
		{"read-only, and a pool that rolls", "readonly", "x", 12, true, true},
		{"an outage", "down", "x", 0, false, true},
		{"an outage, and a pool that rolls", "down", "x", 12, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := changed(t)
			j := w.run(fake{"| verdict |\n", "", test.code}, map[string]string{"token": test.token}, map[string]string{"GITHUB": test.mode})
			assert.Equal(t, test.failed, j.failed, j.log)
			assert.Equal(t, test.notice, strings.Contains(j.log, "::notice title=no comment::"), j.log)
			assert.Equal(t, "| verdict |\n", j.summary)
			assert.Empty(t, w.comment())
			assert.Equal(t, "verdict.sh", j.ran[len(j.ran)-1])
			assert.Equal(t, test.code == 12, strings.Contains(j.log, "::roll, see"))
		})
	}
}

// TestNothingToSay: without a manifest the action writes no comment, removes its former comment,
// and says so in the summary.
func TestNothingToSay(t *testing.T) {
	t.Parallel()
	w := changed(t)
	w.run(fake{report: "| verdict |\n"}, nil, nil)
	require.NotEmpty(t, w.comment())
	w.real()
	w.pullRequest(map[string]string{"README.md": "text", "job.yaml": "kind: Job\n"})
	for range 2 {
		j := w.run(fake{}, nil, nil)
		assert.False(t, j.failed, j.log)
		assert.Empty(t, w.comment())
		assert.Equal(t, "No changed file has a Shoot, a Worker or a provider config.\n", j.summary)
	}
}

// TestPush: without a pull request, the report of a push is in the summary.
func TestPush(t *testing.T) {
	t.Parallel()
	w := changed(t)
	j := w.run(fake{"| verdict |\n", "", 12}, nil, map[string]string{"github.event.pull_request.number": ""})
	assert.True(t, j.failed)
	assert.Equal(t, "| verdict |\n", j.summary)
	assert.NotContains(t, j.ran, "comment.sh")
}

// TestLongReport: a comment has as many lines as fit, and closes a block of code. The summary has
// the whole report.
func TestLongReport(t *testing.T) {
	t.Parallel()
	w := changed(t)
	for name, report := range map[string]string{
		"within code":   "| verdict |\n\n```\n" + strings.Repeat("ünchanged\n", 8_000) + "```\n",
		"behind code":   "```\na\n```\n" + strings.Repeat("line\n", 20_000),
		"one long line": strings.Repeat("x", 70_000) + "\n",
	} {
		j := w.run(fake{report: report}, nil, nil)
		assert.False(t, j.failed, j.log)
		assert.Equal(t, report, j.summary, name)
		comment := w.comment()
		assert.LessOrEqual(t, len(comment), 65_536, name)
		assert.Equal(t, 0, strings.Count(comment, "```")%2, name)
		assert.True(
			t, strings.HasSuffix(comment, "\n\nThe rest is in the [summary of the job](https://github.com/o/fleet/actions/runs/5).\n"),
			name,
		)
	}
	longest := "```\n" + strings.Repeat("123456789\n", 6_400) + "```\n\n"
	w.run(fake{report: longest}, nil, nil)
	assert.Equal(t, "<!-- plan by hotupdate -->\n"+longest, w.comment(), "the longest that plan writes")
}

// TestClones: a clone without the merge commit and its first parent is refused, because the verdict
// would be about other commits.
func TestClones(t *testing.T) {
	t.Parallel()
	for name, checkout := range map[string]func(w *world){
		"shallow": func(w *world) {
			shallow := w.t.TempDir()
			w.git("clone", "-q", "--depth", "1", "file://"+w.clone, shallow)
			w.clone = shallow
		},
		"the branch of the pull request": func(w *world) { w.git("checkout", "-q", "branch") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := changed(t)
			checkout(w)
			j := w.run(fake{report: "| verdict |\n"}, nil, nil)
			assert.True(t, j.failed)
			assert.Regexp(
				t, `    HEAD\^[12]: is not in the clone; check out the merge of the pull request, with fetch-depth: 2\n`, w.comment(),
			)
			assert.NotContains(t, w.calls(), "plan --git=")
		})
	}
}

// TestRealCommand: the report names files as the repository does, not by temporary paths.
func TestRealCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{
		"shoots/web.yaml": shoot("web", "m5.large"), "shoots/same.yaml": shoot("same", "m5.large"),
		"charts/a.yaml": "kind: Shoot\na: {{ .A }}\n",
	})
	w.real()
	w.pullRequest(map[string]string{"shoots/web.yaml": shoot("web", "m5.xlarge"), "charts/a.yaml": "kind: Shoot\na: {{ .B }}\n"})
	only := map[string]string{"paths": "\nshoots\n\n", "fail-on": "roll"}
	j := w.run(fake{}, only, nil)
	assert.Contains(t, j.log, "::error title=hotupdate plan::roll, see the summary of the job\nexit code 12\n")
	assert.Contains(t, w.comment(), "Shoot garden-dev/web, pool cpu")
	assert.NotContains(t, w.comment(), "same")
	j = w.run(fake{}, map[string]string{"fail-on": "removed"}, map[string]string{"inputs.paths": ":!charts"})
	assert.False(t, j.failed, j.log)

	j = w.run(fake{}, nil, nil)
	assert.Contains(t, j.log, "not everything was judged, see the summary of the job\nexit code 1\n")
	assert.Contains(t, j.summary, "    charts/a.yaml: is a template, since it has {{ and }}")
	assert.Regexp(t, "    [0-9a-f]{12}:charts/a.yaml: is a template", j.summary)
	for _, text := range []string{j.summary, j.log} {
		assert.NotContains(t, text, j.temp)
		assert.NotRegexp(t, `\b(old|new)/`, text)
	}
}

// TestKustomizations: the report says that a kustomization must be rendered first.
func TestKustomizations(t *testing.T) {
	t.Parallel()
	w := newWorld(
		t, map[string]string{"prod/kustomization.yaml": "patches: [{path: a.json, target: {kind: Shoot}}]\n", "prod/a.json": "[1]\n"},
	)
	w.real()
	w.pullRequest(map[string]string{"prod/a.json": "[2]\n"})
	j := w.run(fake{}, nil, nil)
	assert.Contains(t, j.log, "exit code 1\n")
	assert.Contains(t, j.summary, "is a kustomization; render it first")
}

// TestNothingIsSeen: a job that cannot judge a change fails, and its report names the reason. A job
// passes if it sees that the change concerns no machine.
func TestNothingIsSeen(t *testing.T) {
	t.Parallel()
	const chart = "apiVersion: v2\nname: fleet\nversion: 1.0.0\n"
	template := strings.Replace(shoot("web", "m5.large"), "m5.large", "'{{ .Values.type }}'", 1)
	variable := strings.Replace(shoot("web", "m5.large"), "m5.large", "'${machine_type}'", 1)
	flux := func(text string) string {
		return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web}\nspec: {postBuild: " + text + "}\n"
	}
	deployment := func(image string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {image: '{{ " + image + " }}'}\n"
	}
	for _, test := range []struct {
		name   string
		files  map[string]string
		change map[string]string
		paths  string
		want   string // a text in the report; empty if the job passes
	}{
		{
			"a path without files", nil,
			map[string]string{"a.yaml": shoot("web", "a")},
			"shoot",
			"paths: shoot matches no file, neither before nor after the change",
		},
		{
			"one of two paths", nil,
			map[string]string{"shoots/a.yaml": shoot("web", "a")},
			"shoots\nclusters/**",
			"paths: clusters/** matches no file",
		},
		{"all files left out", nil, map[string]string{"a.yaml": shoot("web", "a")}, ".\n:!*", "paths: every file is left out"},
		{"a path that the change adds", nil, map[string]string{"shoots/a.yaml": shoot("web", "a")}, "shoots", ""},
		{
			"a path whose files stay",
			map[string]string{"shoots/a.yaml": shoot("web", "a")},
			map[string]string{"b.yaml": shoot("b", "a")},
			"shoots", "",
		},
		{
			"values of a chart",
			map[string]string{"fleet/Chart.yaml": chart, "fleet/values.yaml": "type: m5.large\n", "fleet/templates/web.yaml": template},
			map[string]string{"fleet/values.yaml": "type: m5.xlarge\n"},
			"", "fleet/Chart.yaml: is a chart that may render Shoots or Workers; render it first, with helm template",
		},
		{
			"values elsewhere",
			map[string]string{"fleet/Chart.yaml": chart, "prod/values-web.yaml": "type: m5.large\n", "fleet/templates/web.yaml": template},
			map[string]string{"prod/values-web.yaml": "type: m5.xlarge\n"},
			"", "fleet/Chart.yaml: is a chart",
		},
		{
			"values of a chart that depends on one beside it",
			map[string]string{
				"prod/Chart.yaml":  chart + "dependencies:\n- name: fleet\n  repository: file://../fleet\n",
				"prod/values.yaml": "type: m5.large\n",
				"fleet/Chart.yaml": chart, "fleet/templates/web.yaml": template,
			},
			map[string]string{"prod/values.yaml": "type: m5.xlarge\n"},
			"", "prod/Chart.yaml: is a chart",
		},
		{
			"a chart of other kinds",
			map[string]string{
				"app/Chart.yaml": chart, "app/values.yaml": "a: b\n", "app/templates/a.yaml": deployment(".Values.a"),
				"web.yaml": shoot("web", "a"),
			},
			map[string]string{"app/values.yaml": "a: c\n", "app/templates/a.yaml": deployment(".Values.b")},
			"", "",
		},
		{
			"a substitution of Flux",
			map[string]string{"web.yaml": variable, "flux.yaml": flux("{substitute: {machine_type: m5.large}}")},
			map[string]string{"flux.yaml": flux("{substitute: {machine_type: m5.xlarge}}")},
			"", "web.yaml:9: has ${machine_type}, a variable that Flux or envsubst replaces",
		},
		{
			"a ConfigMap with variables",
			map[string]string{
				"web.yaml": variable, "flux.yaml": flux("{substituteFrom: [{kind: ConfigMap, name: types}]}"),
				"types.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: types}\ndata: {machine_type: m5.large}\n",
			},
			map[string]string{"types.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: types}\ndata: {machine_type: m5.xlarge}\n"},
			"", "web.yaml:9: has ${machine_type}, a variable",
		},
		{
			"a ConfigMap without variables",
			map[string]string{"web.yaml": shoot("web", "a"), "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"},
			map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"},
			"", "",
		},
		{
			"encrypted",
			map[string]string{"web.yaml": shoot("web", "a")},
			map[string]string{"web.yaml": "\x00GITCRYPT\x00\x01\xff\xfe"},
			"", "web.yaml: is encrypted by git-crypt",
		},
		{
			"a kind of a template", nil,
			map[string]string{"a.yaml": "apiVersion: core.gardener.cloud/v1beta1\nkind: '{{ .Values.kind }}'\n"},
			"",
			"a.yaml:2: is a template",
		},
		{
			"a Shoot's state",
			map[string]string{"web.yaml": shoot("web", "a")},
			map[string]string{"a.yaml": "apiVersion: core.gardener.cloud/v1beta1\nkind: ShootState\nmetadata: {name: a}\n"},
			"", "",
		},
		{
			"a text about a Shoot", nil,
			map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 'kind: Shoot'}\n"},
			"", "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.files)
			w.real()
			w.pullRequest(test.change)
			inputs := map[string]string{"fail-on": "roll,removed"}
			if test.paths != "" {
				inputs["paths"] = test.paths
			}
			j := w.run(fake{}, inputs, nil)
			assert.Equal(t, test.want != "", j.failed, j.log)
			if test.want != "" {
				assert.Contains(t, j.summary, test.want)
				assert.Contains(t, w.comment(), test.want)
			}
		})
	}
}

// TestConfigFile: the action reads facts and rules from the commit that a request is merged into. A
// change of them in the request is reported, and has no effect on the verdict.
func TestConfigFile(t *testing.T) {
	t.Parallel()
	const config = "formatVersion: 1\nfailOn: [roll, removed]\naccept: accept.yaml\n"
	const nothing = "formatVersion: 1\naccepted: []\n"
	const everything = "formatVersion: 1\naccepted: [{verdict: roll, reason: mine, expires: 2999-12-31}]\n"
	w := newWorld(t, map[string]string{".hotupdate.yaml": config, "accept.yaml": nothing, "web.yaml": shoot("web", "m5.large")})
	w.real()
	w.pullRequest(map[string]string{"web.yaml": shoot("web", "m5.xlarge")})
	j := w.run(fake{}, nil, nil)
	assert.Contains(t, j.log, "exit code 12\n", "the verdicts are those of the file")
	assert.NotContains(t, j.summary, "decides nothing here")

	w.git("checkout", "-q", "main")
	w.git("reset", "-q", "--hard", "HEAD^1")
	w.pullRequest(map[string]string{
		"web.yaml": shoot("web", "m5.xlarge"), ".hotupdate.yaml": "formatVersion: 1\naccept: accept.yaml\n", "accept.yaml": everything,
	})
	j = w.run(fake{}, nil, nil)
	assert.Contains(t, j.log, "exit code 12\n", "the request cannot let itself pass")
	assert.Contains(t, j.summary, ".hotupdate.yaml: is changed, which decides nothing here")
	assert.Contains(t, j.summary, "accept.yaml: is changed, which decides nothing here")

	w.git("reset", "-q", "--hard", "HEAD^1")
	w.pullRequest(map[string]string{"accept.yaml": everything, ".hotupdate.yaml": config + "undecided: pass\n"})
	j = w.run(fake{}, nil, nil)
	assert.False(t, j.failed, j.log)
	assert.Contains(t, j.summary, ".hotupdate.yaml: is changed, which decides nothing here")
	w.pullRequest(map[string]string{"web.yaml": shoot("web", "m5.xlarge")})
	j = w.run(fake{}, nil, nil)
	assert.False(t, j.failed, "the next request has it: %s", j.log)
}

// TestLint: actionlint accepts the example of a workflow with this action, and the steps of the
// action as a workflow. Shellcheck accepts the scripts if it is installed.
func TestLint(t *testing.T) {
	t.Parallel()
	clone := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(clone, ".github/actions/plan"), os.DirFS(folder)))
	require.NoError(t, os.Mkdir(filepath.Join(clone, ".git"), 0o700))
	example := read(t, filepath.Join(root, "examples/editor/plan.yml"))
	local := regexp.MustCompile(`hotupdate/providerconfig/(\.github/actions/plan)@v[0-9.]+`).ReplaceAllString(example, "./$1")
	require.NotEqual(t, example, local)
	assert.Empty(t, lint(t, clone, local))
	assert.Contains(t, lint(t, clone, strings.Replace(local, "fail-on", "failon", 1)), "failon", "which the action does not have")
	steps := stepsAsWorkflow(t)
	assert.Empty(t, lint(t, clone, steps))
	assert.NotEmpty(t, lint(t, clone, strings.Replace(steps, "steps.version.outputs.source", "steps.versions.outputs.source", 1)))
}

// stepsAsWorkflow returns the steps of the action as a workflow with the same inputs, because
// actionlint cannot read the steps of actions.
func stepsAsWorkflow(t *testing.T) string {
	t.Helper()
	text := read(t, filepath.Join(folder, "action.yml"))
	_, steps, isThere := strings.Cut(text, "  using: composite\n")
	require.True(t, isThere)
	var inputs strings.Builder
	for name := range readDefinition(t).Inputs {
		inputs.WriteString("      " + name + ": {type: string}\n")
	}
	return "on:\n  workflow_call:\n    inputs:\n" + inputs.String() + "jobs:\n  a:\n    runs-on: ubuntu-24.04\n" +
		regexp.MustCompile(`(?m)^`).ReplaceAllString(strings.TrimSuffix(steps, "\n"), "  ") + "\n"
}

// lint returns the findings of actionlint about a workflow.
func lint(t *testing.T, clone, workflow string) string {
	t.Helper()
	file := filepath.Join(clone, ".github/workflows/plan.yml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(workflow), 0o600))
	command := exec.CommandContext(t.Context(), actionlint(t), "-no-color", file)
	command.Dir = clone
	out, err := command.CombinedOutput()
	if err != nil {
		require.NotEmpty(t, out, err)
	}
	return string(out)
}

// actionlint returns the path of the linter, which the go command builds.
func actionlint(t *testing.T) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "tool", "-modfile=.tools/actionlint/go.mod", "-n", "actionlint")
	command.Dir = root
	out, err := command.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
