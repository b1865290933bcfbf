package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/crdplugin"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
)

var update = flag.Bool("update", false, "write what the scripts compare instead of comparing it")

func TestMain(m *testing.M) {
	os.Exit(testscript.RunMain(seeded{m}, map[string]func() int{
		"hotupdate":         runAsCalled,
		"kubectl-hotupdate": runAsCalled,
		"sha256":            printSHA256,
		"eras":              serveEras,
		"answering":         answerAsPlugin,
	}))
}

func runAsCalled() int {
	defer writeMemory()
	defer writeAllocated()
	return run(
		os.Args[1:],
		streams{
			providers: extensions.All(), program: filepath.Base(os.Args[0]), in: os.Stdin, out: os.Stdout, err: os.Stderr, byGit: byGit(),
			gitPrefix: os.Getenv("GIT_PREFIX"), shownPath: os.Getenv("BASE"),
		},
	)
}

// inTest is held by the command that runs in the process of the tests, which has one working directory.
var inTest sync.Mutex

// runInTest runs the command in the process of the tests: to start a process costs more than most commands do. It is
// false for a command that needs a process of its own, since its standard input, its PATH or its folder for temporary
// files is the script's.
func runInTest(ts *testscript.TestScript, command string, args []string) (code int, hasRun bool) {
	temporary := "TMPDIR"
	if runtime.GOOS == "windows" {
		temporary = "TMP"
	}
	isUsual := ts.Getenv("PATH") == os.Getenv("PATH") && ts.Getenv(temporary) == filepath.Join(ts.Getenv("WORK"), ".tmp")
	if command != "hotupdate" || !isUsual || slices.Contains(args, "-") {
		return 0, false
	}
	inTest.Lock()
	defer inTest.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	return run(args, streams{
		providers: extensions.All(), program: command, in: strings.NewReader(""), out: ts.Stdout(), err: ts.Stderr(),
		byGit: ts.Getenv("GIT_DIFF_PATH_TOTAL") != "", gitPrefix: ts.Getenv("GIT_PREFIX"), shownPath: ts.Getenv("BASE"),
	}), true
}

// scripts are the scripts of a folder, which find no plugin and no settings of the user.
func scripts(t *testing.T, folder string) testscript.Params {
	t.Helper()
	t.Setenv("PATH", withoutPlugins(os.Getenv("PATH")))
	t.Setenv("HOME", "/no-home")          // as testscript sets it for processes
	absolute, err := filepath.Abs(folder) // the working directory changes
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                 absolute,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "edit": edit, "pad": pad, "encode": encode, "bombs": bombs, "zeros": zeros, "deep": deep, "tells": tells,
		},
	}
}

// seeded runs the tests with a fixed seed. A command that a script runs has flags of its own, and
// no seed.
type seeded struct{ tests *testing.M }

func (s seeded) Run() int { return fixedseed.Run(s.tests) }

// serveEras PROVIDER [released] is the program of an example extension for audit.
func serveEras() int {
	for _, p := range extensions.All() {
		if p.Name != os.Args[1] {
			continue
		}
		serve := p.Serve
		if len(os.Args) > 2 {
			serve = p.ServeReleased
		}
		if serve(os.Stdin, os.Stdout) == nil {
			return 0
		}
	}
	return 1
}

// answerAsPlugin answers like hotupdate-gardener and hotupdate-crd: each line of the input by a line of the file
// answers.jsonl.
func answerAsPlugin() int {
	answers, err := os.ReadFile("answers.jsonl")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	lines := bufio.NewReader(os.Stdin)
	var asked strings.Builder
	for answer := range strings.Lines(string(answers)) {
		question, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		asked.WriteString(question)
		fmt.Print(answer)
	}
	if err := os.WriteFile("questions.jsonl", []byte(asked.String()), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// withoutPlugins removes the folders of a PATH that have a hotupdate-gardener or hotupdate-crd: the scripts do not depend on
// what is installed.
func withoutPlugins(path string) string {
	var kept []string
	for _, folder := range filepath.SplitList(path) {
		ofGardener, _ := filepath.Glob(filepath.Join(folder, gardenerplugin.Command+"*"))
		ofCRDs, _ := filepath.Glob(filepath.Join(folder, crdplugin.Command+"*"))
		if len(ofGardener)+len(ofCRDs) == 0 {
			kept = append(kept, folder)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// printSHA256 replaces sha256sum, which not every system has.
func printSHA256() int {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	fmt.Printf("%x\n", sha256.Sum256(data))
	return 0
}

// TestScripts runs the command like a user. The manifests of the AWS example are $AWS/before.yaml
// and $AWS/after.yaml, those of a whole Worker and Shoot $POOLS/worker.yaml and $POOLS/shoot.yaml.
// $READBACK has Shoots of an API server. $ACTION is the action for pull requests. $HUGE is a number of bytes that is
// far more than a manifest can have.
func TestScripts(t *testing.T) {
	huge := 20 << 20
	if effort.All() {
		huge = 100 << 20
	}
	aws, err := filepath.Abs("../../../examples/aws/testdata")
	if err != nil {
		t.Fatal(err)
	}
	pools, err := filepath.Abs("internal/pool/testdata")
	if err != nil {
		t.Fatal(err)
	}
	readBack, err := filepath.Abs("testdata/readback")
	if err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs("../../../.github/actions/plan")
	if err != nil {
		t.Fatal(err)
	}
	params := scripts(t, "testdata/script")
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("AWS", aws)
		env.Setenv("POOLS", pools)
		env.Setenv("READBACK", readBack)
		env.Setenv("ACTION", action)
		env.Setenv("HUGE", strconv.Itoa(huge))
		return nil
	}
	testscript.Run(t, params)
}

// exits CODE COMMAND ARG... runs a command and checks its exit code exactly. The command of this package runs in the
// process of the tests, if nothing needs another one; exec always starts one, and gives it the environment of the script.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	code, hasRun := runInTest(ts, args[1], args[2:])
	var err error
	if !hasRun {
		err = ts.Exec(args[1], args[2:]...)
	}
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// tells FILE compares standard output with a file, without the places at which it finds something: the same is found in other files.
func tells(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: tells FILE")
	}
	place := regexp.MustCompile(`(?m)^  at(\n   )? .*\n`)
	without := func(text string) string { return place.ReplaceAllString(text, "") }
	if got, want := without(ts.ReadFile("stdout")), without(ts.ReadFile(args[0])); got != want {
		ts.Fatalf("stdout tells\n%s\nand %s\n%s", got, args[0], want)
	}
}

// edit FROM TO OLD NEW (\n in NEW begins a line) copies a file with one text replaced. The text must exist.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: edit FROM TO OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[2]) {
		ts.Fatalf("%s does not contain %q", args[0], args[2])
	}
	edited := strings.ReplaceAll(text, args[2], strings.ReplaceAll(args[3], `\n`, "\n"))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(edited), 0o600))
}

// pad FILE SIZE appends a comment until the file has the size in bytes.
func pad(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: pad FILE SIZE")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0]) + "#"
	text += strings.Repeat("x", size-len(text))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// encode FROM TO HOW writes a file with a byte-order mark (bom), with Windows' line ends (crlf) or
// in UTF-16 (utf16).
func encode(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: encode FROM TO HOW")
	}
	text := ts.ReadFile(args[0])
	switch args[2] {
	case "bom":
		text = "\ufeff" + text
	case "crlf":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "utf16":
		var wide []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			wide = binary.LittleEndian.AppendUint16(wide, unit)
		}
		text = string(wide)
	default:
		ts.Fatalf("no encoding %s", args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// bombs FILE writes a manifest of 1 MB whose aliases stand for 10 GB, with few of them.
func bombs(ts *testscript.TestScript, _ bool, args []string) {
	text := "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\na: &a " + strings.Repeat(
		"x", 1<<20,
	) + "\nb:\n" + strings.Repeat("- *a\n", 10_000)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// zeros FILE SIZE writes a file of zero bytes.
func zeros(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), nil, 0o600))
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// deep FILE LEVELS writes a Worker whose provider config is nested.
func deep(ts *testscript.TestScript, _ bool, args []string) {
	levels, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"kubernetes":{"version":"1.33"},"provider":{"type":"aws","workers":[{"name":"a","providerConfig":` +
		strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) + `}]}}}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func TestExitCodes(t *testing.T) {
	for v, want := range map[verdict.Verdict]int{
		verdict.None: 0, verdict.MachinesAdded: 9, verdict.HotUpdate: 10, verdict.InPlaceUpdate: 11,
		verdict.Roll: 12, verdict.Forbidden: 13, verdict.Indeterminate: 14, 99: 14,
		verdict.Added: 9, verdict.PoolRenamed: 15, verdict.Removed: 15, verdict.MachinesMayBeDeleted: 16,
		verdict.AllMachinesMayBeDeleted: 17, verdict.MachinesDeleted: 18,
	} {
		assert.Equal(t, want, exitCodeOf(v), v)
	}
	for _, v := range verdict.OfReleases() { // what an audit finds was 12 or 13, or nothing is sure
		want := map[string]int{"forbidden": 13, "roll": 12, "class-renamed": 12, "indeterminate": 14}[v.String()]
		assert.Equal(t, want, exitCodeOf(v), v)
	}
}

// TestErrorsOfHostileNames: names of files and flags are printed on the terminal, too.
func TestErrorsOfHostileNames(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"hash", "\x1b[31mred"}, {"plan", "--\x1b[31mred", "a", "b"}, {"audit", "--old", "\x1b[31mred", "--new", "a", "."},
	} {
		var out, errors bytes.Buffer
		run(args, streams{providers: extensions.All(), in: strings.NewReader(""), out: &out, err: &errors})
		assert.Contains(t, errors.String(), `\u001b[31mred`)
		assert.NotContains(t, errors.String(), "\x1b")
	}
}

// TestColor: colour is for text on a terminal only.
func TestColor(t *testing.T) {
	const (
		before = "../../../examples/aws/testdata/before.yaml"
		after  = "../../../examples/aws/testdata/after.yaml"
	)
	for _, test := range []struct {
		color  bool
		output string
		want   bool
	}{
		{false, "text", false}, {true, "text", true}, {true, "markdown", false}, {true, "json", false},
	} {
		var stdout, stderr bytes.Buffer
		code := run(
			[]string{"plan", "--output", test.output, before, after},
			streams{providers: extensions.All(), out: &stdout, err: &stderr, color: test.color},
		)
		assert.Equal(t, exitOK, code, stderr.String())
		assert.Equal(t, test.want, strings.Contains(stdout.String(), "\x1b["), "%+v", test)
	}
	var stdout, stderr bytes.Buffer
	run([]string{"plan", "--color", "never", before, after}, streams{providers: extensions.All(), out: &stdout, err: &stderr, color: true})
	assert.NotContains(t, stdout.String(), "\x1b[")
}

func TestStandardOutputFails(t *testing.T) {
	var stderr bytes.Buffer
	code := run(
		[]string{"hash", "../../../examples/aws/testdata/before.yaml"},
		streams{providers: extensions.All(), out: brokenPipe{}, err: &stderr},
	)
	assert.Equal(t, exitError, code)
	assert.NotEmpty(t, stderr.String())
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
