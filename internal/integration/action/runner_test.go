package action_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// root is the main module, and folder the action in it.
const (
	root   = "../../.."
	folder = root + "/.github/actions/plan"
)

// definition is the part of action.yml that a runner executes.
type definition struct {
	Inputs map[string]struct {
		Default     string `json:"default"`
		Description string `json:"description"`
	} `json:"inputs"`
	Outputs map[string]struct {
		Description string `json:"description"`
		Value       string `json:"value"`
	} `json:"outputs"`
	Runs struct {
		Using string `json:"using"`
		Steps []step `json:"steps"`
	} `json:"runs"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type step struct {
	ID    string            `json:"id,omitempty"`
	If    string            `json:"if,omitempty"`
	Shell string            `json:"shell,omitempty"`
	Run   string            `json:"run,omitempty"`
	Uses  string            `json:"uses,omitempty"`
	With  map[string]any    `json:"with,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
}

func readDefinition(t *testing.T) (d definition) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, &d))
	return d
}

// job is one run of the action in a repository. If a step fails, the job fails, and runs only those
// further steps whose condition allows it, as in GitHub's runner.
type job struct {
	t          *testing.T
	definition definition
	values     map[string]string // the values of expressions, such as inputs.paths
	env        map[string]string // the environment of every step
	folder     string            // the clone
	temp       string
	cache      map[string]string // folders by key, which jobs share

	unsaved map[string]string // folders that the cache gets if the job passes
	path    []string          // the folders that steps add to PATH
	failed  bool
	ran     []string // the steps that ran
	log     string
	summary string
}

// run runs all steps.
func (j *job) run() {
	for _, s := range j.definition.Runs.Steps {
		if j.holds(s.If) {
			j.step(s)
		}
	}
	if !j.failed {
		maps.Copy(j.cache, j.unsaved)
	}
	j.summary = read(j.t, filepath.Join(j.temp, "summary"))
}

func (j *job) step(s step) {
	name, _, _ := strings.Cut(cmp.Or(s.Uses, firstScript.FindString(s.Run), "path"), "@")
	j.ran = append(j.ran, name)
	switch name {
	case "actions/cache":
		j.restore(s)
	case "actions/setup-go":
	default:
		require.Equal(j.t, "bash", s.Shell, "%s: only these actions have a stand-in", name)
		j.script(s)
	}
}

var firstScript = regexp.MustCompile(`\w+\.sh`)

// restore stands in for actions/cache. A folder is saved when a job ends without a failure.
func (j *job) restore(s step) {
	key := j.text(s.With["key"].(string))
	kept := j.text(s.With["path"].(string))
	if saved, ok := j.cache[key]; ok {
		require.NoError(j.t, os.CopyFS(kept, os.DirFS(saved)))
		j.values["steps.cache.outputs.cache-hit"] = "true"
		return
	}
	j.unsaved[key] = kept
}

// script runs a script as the runner does: bash with -e and pipefail.
func (j *job) script(s step) {
	output := filepath.Join(j.temp, "output-"+s.ID)
	paths := filepath.Join(j.temp, "paths")
	env := maps.Clone(j.env)
	maps.Copy(env, map[string]string{
		"GITHUB_ACTION_PATH": absolute(j.t, folder), "GITHUB_OUTPUT": output, "GITHUB_PATH": paths,
		"GITHUB_STEP_SUMMARY": filepath.Join(j.temp, "summary"),
		"PATH":                strings.Join(append(slices.Clone(j.path), j.env["PATH"]), ":"),
	})
	for name, value := range s.Env {
		env[name] = j.text(value)
	}
	command := exec.CommandContext(j.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	command.Dir = j.folder
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	var log bytes.Buffer
	command.Stdout = &log
	command.Stderr = &log
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		j.failed = true
		fmt.Fprintf(&log, "exit code %d\n", exit.ExitCode())
	default:
		require.NoError(j.t, err)
	}
	j.log += log.String()
	for line := range strings.Lines(read(j.t, output)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		j.values["steps."+s.ID+".outputs."+name] = value
	}
	j.path = strings.Fields(read(j.t, paths))
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// text replaces the expressions of a text.
func (j *job) text(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		return j.value(expression.FindStringSubmatch(found)[1])
	})
}

// value returns the value of an expression. An output that no step has set is empty.
func (j *job) value(name string) string {
	value, known := j.values[name]
	isOutput := strings.HasPrefix(name, "steps.")
	require.True(j.t, known || isOutput, "%s: is not known", name)
	return value
}

// holds evaluates a condition: comparisons and values, joined by &&. A condition without a status
// function, such as always(), is false after a failed step.
func (j *job) holds(condition string) bool {
	condition = strings.TrimSuffix(strings.TrimPrefix(condition, "${{ "), " }}")
	if !strings.Contains(condition, "()") && j.failed {
		return false
	}
	for term := range strings.SplitSeq(condition, " && ") {
		if !j.term(term) {
			return false
		}
	}
	return true
}

func (j *job) term(term string) bool {
	if name, literal, ok := strings.Cut(term, " == "); ok {
		return j.value(name) == strings.Trim(literal, "'")
	}
	if name, literal, ok := strings.Cut(term, " != "); ok {
		return j.value(name) != strings.Trim(literal, "'")
	}
	return term == "" || term == "!cancelled()" || j.value(term) != ""
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	require.NoError(t, err)
	return string(text)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}
