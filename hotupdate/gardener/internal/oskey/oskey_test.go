package oskey_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSignature: the linker does not compare the types of a linked function. Another signature would
// read foreign memory.
func TestSignature(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gardener/gardener").Output()
	require.NoError(t, err)
	folder := filepath.Join(strings.TrimSpace(string(out)), "pkg", "component", "extensions", "operatingsystemconfig")
	theirs := signature(t, filepath.Join(folder, "operatingsystemconfig.go"), "calculateKeyForValues")
	ours := signature(t, "oskey.go", "Of")
	assert.Equal(t, theirs, strings.ReplaceAll(ours, "operatingsystemconfig.", ""))
}

// signature returns the type of a function as it stands in a file.
func signature(t *testing.T, file, name string) string {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, 0)
	require.NoError(t, err)
	for _, declaration := range parsed.Decls {
		if f, is := declaration.(*ast.FuncDecl); is && f.Name.Name == name && f.Recv == nil {
			var text bytes.Buffer
			require.NoError(t, printer.Fprint(&text, files, f.Type))
			return text.String()
		}
	}
	t.Fatalf("%s has no function %s", file, name)
	return ""
}
