package sarif_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	sarif "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

// TestSARIF: the output of plan is valid SARIF 2.1.0. It covers results of every level, with and
// without a location, files with unusual names, notifications, and an output without results.
func TestSARIF(t *testing.T) {
	t.Parallel()
	plan := command(t)
	schema := published(t)
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const strange = `a:b c/100% "ü".yaml`
	for side, machineType := range map[string]string{"old": "m5.large", "new": "m5.xlarge"} {
		write(side+".yaml", shoot("web", pool("cpu", machineType, 3)))
		write(side+"/"+strange, shoot("strange", pool("cpu", machineType, 3)))
		write(side+"/scaled.yaml", shoot("scaled", pool("cpu", "m5.large", len(machineType))))
	}
	write("old/gone.yaml", shoot("gone", pool("cpu", "m5.large", 1)))
	write("old/pools.yaml", shoot("pools", pool("a", "m5.large", 1)+pool("b", "m6.large", 2)))
	write("new/pools.yaml", shoot("pools", pool("c", "m5.large", 1)+pool("d", "m7.large", 5)))
	write("profile.yaml", "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {name: other}\n")
	write("warns.yaml", strings.Replace(shoot("web", pool("cpu", "m5.xlarge", 3)), "spec:", "spec:\n  cloudProfile: {name: aws}", 1))
	aws := filepath.Join(root, "examples/aws/testdata")
	for _, test := range []struct {
		name     string
		args     []string
		stdin    string
		results  int
		located  int
		levels   []string
		fileURIs []string
	}{
		{"nothing changed", []string{"old.yaml", "old.yaml"}, "", 0, 0, nil, nil},
		{"a file", []string{"old.yaml", "new.yaml"}, "", 1, 1, []string{"error"}, []string{"new.yaml"}},
		{
			"absolute",
			[]string{filepath.Join(folder, "old.yaml"), filepath.Join(folder, "new.yaml")},
			"", 1, 1,
			[]string{"error"},
			[]string{"file://" + folder + "/new.yaml"},
		},
		{"standard input", []string{"old.yaml", "-"}, "new.yaml", 1, 0, []string{"error"}, nil},
		{
			"folders",
			[]string{"old", "new"},
			"", 6, 6,
			[]string{"error", "warning"},
			[]string{"old/gone.yaml", "new/scaled.yaml", "new/pools.yaml", "new/a:b%20c/100%25%20%22%C3%BC%22.yaml"},
		},
		{"a warning", []string{"--cloudprofile", "profile.yaml", "warns.yaml", "warns.yaml"}, "", 0, 0, []string{"notified warning"}, nil},
		{
			"running machines",
			[]string{"--extension", "adopted", absolute(t, aws, "before.yaml"), absolute(t, aws, "after.yaml")},
			"", -1,
			-1,
			[]string{"note"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := run(t, plan, folder, test.stdin, test.args...)
			assert.NoError(t, validate(t, schema, log), "%s", log)
			got := read(t, log)
			if test.results >= 0 {
				assert.Equal(t, test.results, len(got.levels)-strings.Count(strings.Join(got.levels, " "), "notified"))
				assert.Len(t, got.uris, test.located)
			}
			for _, level := range test.levels {
				assert.Contains(t, got.levels, level)
			}
			for _, uri := range test.fileURIs {
				assert.Contains(t, got.uris, uri)
			}
		})
	}
}

// TestSchemaRefuses: the schema and its validator refuse texts that are not SARIF.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := published(t)
	const good = `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a", "informationUri": "https://a.b"}},
		"results": [{"ruleId": "roll", "level": "error", "message": {"text": "a"}, "locations": [{"physicalLocation":
		{"artifactLocation": {"uri": "a.yaml"}, "region": {"startLine": 1}}}]}]}]}`
	require.NoError(t, validate(t, schema, []byte(good)))
	for _, edit := range [][2]string{
		{`"2.1.0"`, `"2.2"`},
		{`"startLine": 1`, `"startLine": 0`},
		{`"level"`, `"gravity"`},
		{`"error"`, `"fatal"`},
		{`{"text": "a"}`, `{}`},
		{`"a.yaml"`, `"100%"`},
		{`"https://a.b"`, `"a"`},
		{`"name": "a", `, ``},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		require.NotEqual(t, good, bad)
		assert.Error(t, validate(t, schema, []byte(bad)), edit[1])
	}
}

// log has the members of a log that a test checks.
type log struct{ levels, uris []string }

// read reads a log with the types of go-sarif.
func read(t *testing.T, text []byte) (l log) {
	t.Helper()
	report, err := sarif.FromBytes(text)
	require.NoError(t, err)
	require.Len(t, report.Runs, 1)
	for _, result := range report.Runs[0].Results {
		l.levels = append(l.levels, result.Level)
		for _, location := range result.Locations {
			l.uris = append(l.uris, *location.PhysicalLocation.ArtifactLocation.URI)
		}
	}
	for _, notification := range report.Runs[0].Invocations[0].ToolExecutionNotifications {
		l.levels = append(l.levels, "notified "+notification.Level)
	}
	return l
}

// published returns the schema that OASIS has published. The source of go-sarif has it as a
// constant. The library's own validation is not used, because it drops unknown members.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif")
	folder, err := list.Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(folder)), "schema.go"), nil, 0)
	require.NoError(t, err)
	literal, isLiteral := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
	require.True(t, isLiteral)
	text, err := strconv.Unquote(literal.Value)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	const id = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	require.NoError(t, compiler.AddResource(id, document))
	schema, err := compiler.Compile(id)
	require.NoError(t, err)
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err, string(text))
	return schema.Validate(document)
}

// command builds the command.
func command(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "hotupdate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./hotupdate/cmd/hotupdate")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// run returns the output of plan in a folder. A file of the folder is its standard input.
func run(t *testing.T, program, folder, stdin string, args ...string) []byte {
	t.Helper()
	plan := exec.CommandContext(t.Context(), program, append([]string{"plan", "--output", "sarif"}, args...)...)
	plan.Dir = folder
	plan.Stderr = os.Stderr
	if stdin != "" {
		file, err := os.Open(filepath.Join(folder, stdin))
		require.NoError(t, err)
		plan.Stdin = file
		t.Cleanup(func() { _ = file.Close() })
	}
	out, err := plan.Output()
	require.NoError(t, err)
	require.True(t, json.Valid(out))
	return out
}

func absolute(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(parts...))
	require.NoError(t, err)
	return path
}

// shoot is a Shoot with pools.
func shoot(name, pools string) string {
	return "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: " + name + ", namespace: garden-dev}\nspec:\n" +
		"  kubernetes: {version: 1.33.2}\n  provider:\n    type: aws\n    workers:\n" + pools
}

// pool is a pool of machines of a type, as an item of a Shoot.
func pool(name, machineType string, maximum int) string {
	return "    - {name: " + name + ", minimum: 1, maximum: " + strconv.Itoa(maximum) + ", machine: {type: " + machineType + "}}\n"
}
