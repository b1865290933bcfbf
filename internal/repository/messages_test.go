package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// clausePackages have messages of one grammar: errors, reasons of steps, and events. A message is a
// clause in lower case without a full stop.
var clausePackages = []string{
	"hotupdate/machineupdate", "hotupdate/machineupdate/internal/record", "hotupdate/inplace", "hotupdate/updater",
	"hotupdate/driver", "hotupdate/driver/internal/share", "hotupdate/driver/login", "tags", "hash", "hash/hashstructure",
}

// clauseArguments are the functions that take messages, with the places of these.
var clauseArguments = map[string][]place{
	"misuse":           {{-2, "what"}, {-1, "hint"}},
	"unusable":         {{0, "what"}, {1, "hint"}},
	"tell":             {{0, "what"}, {1, "hint"}},
	"unusableVersions": {{0, "what"}, {1, "hint"}},
	"invalidLimit":     {{1, "what"}, {2, "hint"}},
	"require":          {{2, "what"}, {3, "hint"}},
	"become":           {{1, "why"}},
	"again":            {{1, "why"}},
	"write":            {{1, "why"}},
	"backToCandidate":  {{0, "why"}},
	"forbidden":        {{1, "why"}},
	"unusableAnswer":   {{1, "what"}},
}

type place struct {
	argument int // counted from the end if negative
	role     string
}

// message is a text of a message, or the beginning of one that is put together.
type message struct {
	at, role, text string
	ends           bool // the text is also the end
}

// commands are the words with which a hint begins: it says what to do.
var commands = strings.Fields("add begin call change choose correct declare do give leave make name pass prepare reconcile reduce refuse " +
	"remove replace return set use wait write")

// TestMessagesAreClauses: reasons, hints and texts of errors and events have one grammar.
func TestMessagesAreClauses(t *testing.T) {
	t.Parallel()
	var all []message
	for _, dir := range clausePackages {
		all = append(all, messagesOf(t, dir)...)
	}
	for _, m := range all {
		for _, problem := range problemsOf(m) {
			t.Errorf("%s: the %s %q %s", m.at, m.role, m.text, problem)
		}
	}
	roles := map[string]int{}
	for _, m := range all {
		roles[m.role]++
	}
	for _, role := range []string{"what", "hint", "why"} {
		require.Greater(t, roles[role], 20, "the test no longer finds each %s", role)
	}
}

// TestReasonsAreWords: a reason is a label of metrics and a word of events, and FLOW.md has them all.
func TestReasonsAreWords(t *testing.T) {
	t.Parallel()
	flow := read(t, "hotupdate/machineupdate/FLOW.md")
	words := regexp.MustCompile(`^([A-Z][a-z]+){1,3}$`)
	reasons := 0
	for _, name := range []string{"decision.go", "ending.go"} {
		for _, c := range constantsOf(t, "hotupdate/machineupdate/"+name, "Reason", "action", "ending") {
			require.Regexp(t, words, c.value)
			if c.of == "Reason" {
				reasons++
				require.Contains(t, flow, c.value, "FLOW.md does not have the reason")
			}
		}
	}
	require.Greater(t, reasons, 10)
}

type constant struct{ of, value string }

// constantsOf returns the constants of string types in a file.
func constantsOf(t *testing.T, path string, types ...string) (constants []constant) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, read(t, path), parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !slices.Contains(types, nameOf(spec.Type)) {
			return true
		}
		for _, value := range spec.Values {
			text, _ := leftmost(value)
			constants = append(constants, constant{nameOf(spec.Type), text})
		}
		return true
	})
	return constants
}

// TestOtherMessagesAreFound: the grammar of TestMessagesAreClauses refuses other forms of messages.
func TestOtherMessagesAreFound(t *testing.T) {
	t.Parallel()
	for text, role := range map[string]string{
		"Is empty": "what", "is empty.": "what", " is empty": "what", "nothing has to be done": "hint", "want fewer keys": "hint",
	} {
		require.NotEmpty(t, problemsOf(message{text: text, role: role, ends: true}), text)
	}
	for text, role := range map[string]string{
		"is empty": "what", "is no longer selected": "why", "set it": "hint", `"tags" overlaps`: "what",
	} {
		require.Empty(t, problemsOf(message{text: text, role: role, ends: true}), text)
	}
}

func problemsOf(m message) (problems []string) {
	first, _ := utf8.DecodeRuneInString(m.text)
	word, _, _ := strings.Cut(strings.TrimRight(m.text, " "), " ")
	isName := word == strings.ToUpper(word) && len(word) > 1 // such as MCM
	if unicode.IsSpace(first) || unicode.IsUpper(first) && !isName {
		problems = append(problems, "does not begin in lower case")
	}
	if m.ends && strings.HasSuffix(m.text, ".") {
		problems = append(problems, "ends with a full stop")
	}
	if m.role == "hint" && !slices.Contains(commands, strings.TrimRight(word, ",;:")) {
		problems = append(problems, "does not begin with a command")
	}
	return problems
}

// messagesOf finds the messages in the source of a package.
func messagesOf(t *testing.T, dir string) (messages []message) {
	t.Helper()
	files := token.NewFileSet()
	entries, err := os.ReadDir(filepath.Join(root, dir))
	require.NoError(t, err)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, filepath.Join(root, dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		add := func(role string, e ast.Expr) {
			if text, ends := leftmost(e); text != "" {
				position := files.Position(e.Pos())
				at := filepath.Join(dir, filepath.Base(position.Filename)) + ":" + strconv.Itoa(position.Line)
				messages = append(messages, message{at, role, text, ends})
			}
		}
		ast.Inspect(file, func(n ast.Node) bool { addMessages(n, add); return true })
	}
	return messages
}

func addMessages(n ast.Node, add func(role string, e ast.Expr)) {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"What", "Hint", "Why"}, key.Name) {
			add(strings.ToLower(key.Name), n.Value)
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) && slices.Contains([]string{"what", "hint", "Hint", "why", "detail"}, name.Name) {
				add(strings.ToLower(name.Name), n.Values[i])
			}
		}
	case *ast.CompositeLit:
		if name, ok := n.Type.(*ast.Ident); ok && name.Name == "report" && len(n.Elts) == 3 {
			add("event", n.Elts[2])
		}
	case *ast.CallExpr:
		for _, p := range clauseArguments[nameOf(n.Fun)] {
			i := p.argument
			if i < 0 {
				i += len(n.Args)
			}
			if i >= 0 && i < len(n.Args) {
				add(p.role, n.Args[i])
			}
		}
	}
}

func nameOf(function ast.Expr) string {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// leftmost returns the literal with which an expression begins, and whether it is the whole.
func leftmost(e ast.Expr) (text string, ends bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ = strconv.Unquote(e.Value)
		return text, true
	case *ast.BinaryExpr:
		text, _ = leftmost(e.X)
		return text, false
	case *ast.CallExpr:
		if nameOf(e.Fun) == "Sprintf" {
			text, _ = leftmost(e.Args[0])
			return text, false
		}
	}
	return "", false
}
