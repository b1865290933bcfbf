package updater_test

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root   = "../.."
	module = "github.com/hotupdate/providerconfig"
)

// TestAdopter: the main function of a driver compiles in a module that gets both modules of this
// repository from a proxy, in the versions that their go.mod files name: no replace reaches it. It
// adds at most 8 lines. Its process ends by a signal, as before.
func TestAdopter(t *testing.T) {
	t.Parallel()
	version := required(t)
	proxy := t.TempDir()
	folder := t.TempDir()
	publish(t, proxy, module, version, root)
	publish(t, proxy, module+"/hotupdate/updater", version, ".")
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/adopter")))
	require.NoError(t, filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if source, ok := strings.CutSuffix(name, ".txt"); ok && err == nil {
			return os.Rename(name, source)
		}
		return err
	}))
	mod := "module example.test/adopter\n\ngo 1.26\n\n"
	mod += "require " + module + " " + version + "\n\nrequire " + module + "/hotupdate/updater " + version + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(mod), 0o600))
	binary := build(t, proxy, folder)
	expectFewLines(t, folder)
	expectEndsBySignal(t, binary)
}

// TestGuide: the guide shows the code of the adopter that TestAdopter builds.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile(root + "/examples/DRIVER.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(guide), "\n## Today: beside an unmodified machine-controller-manager\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	main, err := os.ReadFile("testdata/adopter/main.go.txt")
	require.NoError(t, err)
	driver, err := os.ReadFile("testdata/adopter/driver.go.txt")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 2)
	for _, block := range blocks {
		assert.Contains(t, string(main)+string(driver), block[1])
	}
}

// required is the version of the main module that this one requires: adopters get it.
func required(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^\t` + module + ` (v\d+\.\d+\.\d+)$`).FindSubmatch(text)
	require.NotNil(t, found, "a release, not a pseudo-version: adopters could not get it")
	require.NotEqual(t, "v0.0.0", string(found[1]))
	return string(found[1])
}

// publish writes a version of a module into the folder of a proxy: what git has of it, without
// nested modules.
func publish(t *testing.T, proxy, module, version, folder string) {
	t.Helper()
	to := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	require.NoError(t, os.MkdirAll(to, 0o700))
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	require.NoError(t, err)
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(0, 0).UTC()})
	require.NoError(t, err)
	for name, text := range map[string][]byte{".mod": mod, ".info": info} {
		require.NoError(t, os.WriteFile(filepath.Join(to, version+name), text, 0o600))
	}
	archive, err := os.Create(filepath.Join(to, version+".zip"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, archive.Close()) }()
	files := zip.NewWriter(archive)
	for _, name := range tracked(t, folder) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		written, err := files.Create(module + "@" + version + "/" + name)
		require.NoError(t, err)
		_, err = written.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, files.Close())
}

// tracked returns the files of the module in a folder.
func tracked(t *testing.T, folder string) (names []string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	list.Dir = folder
	out, err := list.Output()
	require.NoError(t, err)
	all := strings.Fields(string(out))
	nested := map[string]bool{}
	for _, name := range all {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			nested[path.Dir(name)] = true
		}
	}
	for _, name := range all {
		isNested := false
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			isNested = isNested || nested[at]
		}
		if !isNested {
			names = append(names, name)
		}
	}
	return names
}

// build builds the adopter's binary with a module cache of its own, so that nothing of this
// repository is found elsewhere. What others publish comes from the cache of this machine, or from
// its proxy.
func build(t *testing.T, proxy, folder string) string {
	t.Helper()
	env, err := exec.Command("go", "env", "-json", "GOMODCACHE", "GOPROXY").Output()
	require.NoError(t, err)
	var of struct{ GOMODCACHE, GOPROXY string }
	require.NoError(t, json.Unmarshal(env, &of))
	binary := filepath.Join(t.TempDir(), "adopter")
	// -trimpath: the compiler's cache then serves the next run, whatever the name of the folder.
	compile := exec.Command("go", "build", "-trimpath", "-mod=mod", "-modcacherw", "-o", binary, ".")
	compile.Dir = folder
	compile.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GONOSUMDB=*", "GOMODCACHE="+t.TempDir(),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(of.GOMODCACHE, "cache", "download")+","+of.GOPROXY)
	out, err := compile.CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// expectFewLines counts the lines that the main function adds, without imports and the handling of
// errors, and the call in CreateMachine.
func expectFewLines(t *testing.T, folder string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(folder, "main.go"))
	require.NoError(t, err)
	_, added, _ := strings.Cut(string(source), "// begin\n")
	added, _, ok := strings.Cut(added, "// end\n")
	require.True(t, ok)
	lines := 2 // in CreateMachine and in InitializeMachine
	for line := range strings.Lines(added) {
		if strings.TrimSpace(line) != "must(err)" {
			lines++
		}
	}
	assert.LessOrEqual(t, lines, 8)
	assert.Greater(t, lines, 4)
}

// expectEndsBySignal runs the binary with an API server that does not answer.
func expectEndsBySignal(t *testing.T, binary string) {
	t.Helper()
	process := exec.Command(binary, kubeconfig(t, 1))
	out, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "MCM runs\n", line)
	require.NoError(t, process.Process.Signal(syscall.SIGTERM))
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // the signal is its error
		close(ended)
	}()
	select {
	case <-ended:
		status, ok := process.ProcessState.Sys().(syscall.WaitStatus)
		assert.True(t, ok && status.Signaled() && status.Signal() == syscall.SIGTERM, "%v", process.ProcessState)
	case <-time.After(30 * time.Second):
		require.NoError(t, process.Process.Kill())
		t.Fatal("the process does not end")
	}
}
