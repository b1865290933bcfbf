package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bin is the folder of the installed command.
var bin = filepath.Join(os.TempDir(), "hotupdatelint-test-"+strconv.Itoa(os.Getpid()))

func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(bin); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// install puts the command into a folder, as the README says, once for all tests.
var install = sync.OnceValue(func() error {
	command := exec.Command("go", "install", "./hotupdate/cmd/hotupdatelint")
	command.Dir = "../../.."
	command.Env = append(os.Environ(), "GOBIN="+bin)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// installed returns an environment whose PATH has the folder of the command.
func installed(t *testing.T) []string {
	t.Helper()
	require.NoError(t, install())
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	return []string{"PATH=" + path, "GOWORK=off", "GOFLAGS=", "GOPROXY=off"}
}

// TestScripts runs the command as a user does, on its own and as a part of go vet.
func TestScripts(t *testing.T) {
	env := installed(t)
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} { // the home folder of a script is empty
		out, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			return nil
		},
	})
}

// TestGuideCommands runs the commands of the guide in a module with one mistake: the first corrects it, the second finds nothing.
func TestGuideCommands(t *testing.T) {
	guide, err := os.ReadFile("../../../examples/README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```sh\ngo install .*?/hotupdatelint@latest\n(.*?)\n(.*?)\n```").FindSubmatch(guide)
	require.NotNil(t, shown)
	env := append(os.Environ(), installed(t)...)
	module := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.test/config\n\ngo 1.26\n"), 0o600))
	source := "package config\n\ntype Config struct {\n\tTags map[string]string `json:\"tags\" hotupdatable:%s`\n}\n"
	file := filepath.Join(module, "config.go")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(source, "%s", "true", 1)), 0o600))
	for _, line := range shown[1:] {
		command := exec.Command("sh", "-c", string(line))
		command.Dir = module
		command.Env = env
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
	}
	corrected, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(source, "%s", `"true"`, 1), string(corrected))
}
