package hotupdatelint

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkHashes reports calls that hash values of tagged types and ignore the struct tags. Tests are not checked: their hashes name no machines.
func (l *linter) checkHashes() {
	for _, file := range l.Files {
		if isTest(l.Pass, file) {
			continue
		}
		for _, declaration := range file.Decls {
			f := &flow{linter: l, written: map[types.Object]*encoded{}, writers: map[types.Object]ast.Expr{}, halves: map[types.Object]bool{}}
			f.follow(declaration)
			for n := range ast.Preorder(declaration) {
				if call, ok := n.(*ast.CallExpr); ok {
					f.checkCall(call)
				}
			}
		}
	}
}

func isTest(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.Position(file.Pos()).Filename, "_test.go")
}

// encoded is the text of a tagged value.
type encoded struct {
	typ types.Type
	by  string // the function that wrote it
}

// flow follows the texts of tagged values through the variables of one declaration. It ignores the order of statements.
type flow struct {
	*linter

	written map[types.Object]*encoded
	writers map[types.Object]ast.Expr // the destination of a json.Encoder
	halves  map[types.Object]bool     // results of functions that take a Schema, which obey the struct tags
}

// follow reads the assignments until no variable is added.
func (f *flow) follow(declaration ast.Decl) {
	for known := -1; known < len(f.written)+len(f.writers)+len(f.halves); {
		known = len(f.written) + len(f.writers) + len(f.halves)
		for n := range ast.Preorder(declaration) {
			switch n := n.(type) {
			case *ast.AssignStmt:
				f.assign(n.Lhs, n.Rhs)
			case *ast.ValueSpec:
				var names []ast.Expr
				for _, name := range n.Names {
					names = append(names, name)
				}
				f.assign(names, n.Values)
			case *ast.CallExpr:
				if into, text := f.writing(n); into != nil && text != nil {
					f.learn(into, text)
				}
			}
		}
	}
}

// assign records the variables of one assignment. The first of several results is the text.
func (f *flow) assign(to, from []ast.Expr) {
	if len(from) == 1 && len(to) > 1 {
		f.takeApart(to, from[0])
	}
	for i := range min(len(to), len(from)) {
		if text := f.text(from[i]); text != nil {
			f.learn(to[i], text)
		}
		if call, ok := ast.Unparen(from[i]).(*ast.CallExpr); ok && f.isNewEncoder(call) {
			if object := f.object(to[i]); object != nil {
				f.writers[object] = call.Args[0]
			}
		}
	}
}

// takeApart records the results of functions that take a Schema: the halves of Split, the normalised value of package hashstructure.
func (f *flow) takeApart(to []ast.Expr, from ast.Expr) {
	call, ok := ast.Unparen(from).(*ast.CallExpr)
	if !ok || f.callee(call) == nil || !takesSchema(f.callee(call)) {
		return
	}
	for _, half := range to {
		if object := f.object(half); object != nil {
			f.halves[object] = true
		}
	}
}

func (f *flow) learn(to ast.Expr, text *encoded) {
	if object := f.object(to); object != nil && f.written[object] == nil {
		f.written[object] = text
	}
}

// object returns the variable that an expression names or points to.
func (f *flow) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.TypesInfo.ObjectOf(e)
	case *ast.UnaryExpr:
		return f.object(e.X)
	case *ast.StarExpr:
		return f.object(e.X)
	case *ast.IndexExpr:
		return f.object(e.X)
	}
	return nil
}

// writing returns the destination to which a call writes a text.
func (f *flow) writing(call *ast.CallExpr) (into ast.Expr, text *encoded) {
	function := f.callee(call)
	if function == nil {
		return nil, nil
	}
	receiver := receiverOf(call)
	switch {
	case len(call.Args) == 0:
	case isIn(function, "encoding/json", "Encode") && receiver != nil && f.isTagged(call.Args[0]):
		return f.writerOf(receiver), &encoded{f.TypesInfo.TypeOf(call.Args[0]), "json.Encoder"}
	case isIn(function, "fmt", "Fprint", "Fprintf", "Fprintln"):
		return call.Args[0], f.printed(function, call.Args[1:])
	case isIn(function, "io", "WriteString", "Copy"):
		return call.Args[0], f.text(call.Args[1:]...)
	case receiver != nil && strings.HasPrefix(function.Name(), "Write"):
		return receiver, f.text(call.Args...)
	}
	return nil, nil
}

func (f *flow) writerOf(encoder ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(encoder).(*ast.CallExpr); ok && f.isNewEncoder(call) {
		return call.Args[0]
	}
	return f.writers[f.object(encoder)]
}

func (f *flow) isNewEncoder(call *ast.CallExpr) bool {
	return isIn(f.callee(call), "encoding/json", "NewEncoder") && len(call.Args) == 1
}

// text returns the tagged value behind the first text among expressions, nil if there is none.
func (f *flow) text(list ...ast.Expr) (found *encoded) {
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			if found != nil {
				return false
			}
			switch n := n.(type) {
			case *ast.Ident:
				found = f.written[f.TypesInfo.ObjectOf(n)]
			case *ast.CallExpr:
				found = f.result(n)
				return false
			case *ast.SelectorExpr, *ast.FuncLit:
				return false
			}
			return true
		})
	}
	return found
}

// result returns the tagged value behind the text that is a call's first result.
func (f *flow) result(call *ast.CallExpr) *encoded {
	function := f.callee(call)
	switch {
	case f.TypesInfo.Types[call.Fun].IsType(), f.TypesInfo.Types[call.Fun].IsBuiltin():
		return f.text(call.Args...)
	case function == nil || function.Pkg() == nil:
		return nil
	case strings.HasPrefix(function.Name(), "Marshal") && isEncoder(function.Pkg().Path()) || isIn(function, "fmt", "Sprint", "Sprintf", "Sprintln", "Append", "Appendf", "Appendln"):
		return f.printed(function, call.Args)
	case handsOn(function.Pkg().Path()):
		if receiver := receiverOf(call); receiver != nil {
			return f.text(append([]ast.Expr{receiver}, call.Args...)...)
		}
		return f.text(call.Args...)
	}
	return nil
}

// printed returns the first tagged value, or text of one, among the arguments that a function prints.
func (f *flow) printed(function *types.Func, arguments []ast.Expr) *encoded {
	return cmp.Or(f.taggedIn(function, arguments), f.text(arguments...))
}

func (f *flow) taggedIn(function *types.Func, arguments []ast.Expr) *encoded {
	i := slices.IndexFunc(arguments, f.isTagged)
	if i < 0 {
		return nil
	}
	return &encoded{f.TypesInfo.TypeOf(arguments[i]), function.Pkg().Name() + "." + function.Name()}
}

func isEncoder(path string) bool {
	known := []string{"encoding/json", "encoding/gob", "encoding/xml", "sigs.k8s.io/json", "sigs.k8s.io/yaml", "github.com/json-iterator/go"}
	return slices.Contains(known, path) || strings.HasPrefix(path, "gopkg.in/yaml.") || strings.HasPrefix(path, "go.yaml.in/yaml/")
}

// handsOn reports whether functions of a package return their argument in another form.
func handsOn(path string) bool {
	return slices.Contains([]string{"bytes", "strings", "regexp", "slices", "encoding/hex", "encoding/base64", "strconv", "bufio"}, path)
}

// isTagged reports whether an expression's type has a field with a hotupdatable struct tag at any depth.
func (f *flow) isTagged(e ast.Expr) bool {
	typ := f.TypesInfo.TypeOf(e)
	if typ == nil || f.halves[f.object(e)] {
		return false
	}
	translated := f.program.Of(typ)
	known, ok := f.tagged[translated]
	if !ok {
		known = len(leaf.TaggedFields(translated)) > 0
		f.tagged[translated] = known
	}
	return known
}

func (f *flow) checkCall(call *ast.CallExpr) {
	function := f.callee(call)
	if function == nil || function.Pkg() == nil || takesSchema(function) {
		return
	}
	var hashed *encoded
	switch into, text := f.writing(call); {
	case text != nil && into != nil && isHash(f.TypesInfo.TypeOf(into)):
		hashed = text
	case isValueHash(function):
		hashed = f.taggedIn(function, call.Args)
	case isTextHash(function):
		hashed = f.text(call.Args...)
	}
	if hashed != nil {
		f.report(target{node: call}, &fault.Error{
			Kind: fault.Declaration, Code: "direct-hash",
			Type: f.program.Of(behindPointers(hashed.typ)).String(),
			What: "is hashed by way of " + hashed.by + ", which does not know its hotupdatable struct tags, so every hot update changes the hash",
			Hint: "use Schema.Hash, or package hash/hashstructure for sums that are compared with its own",
		})
	}
}

// isValueHash reports whether a function hashes a Go value by its own rules.
func isValueHash(function *types.Func) bool {
	path, name := strings.TrimSuffix(function.Pkg().Path(), "/v2"), function.Name()
	isHash := name == "DeepHashObject" || name == "ComputeChecksum" || name == "Hash" && strings.HasSuffix(path, "/hashstructure")
	return isHash && !strings.HasPrefix(path, modulePath)
}

// isTextHash reports whether a function hashes text: one of the standard library, or one named so.
func isTextHash(function *types.Func) bool {
	path, name := function.Pkg().Path(), strings.ToLower(function.Name())
	if path == modulePath+"/hash" {
		return true
	}
	if strings.HasPrefix(path, "hash/") || strings.HasPrefix(path, "crypto/") || strings.HasPrefix(path, "golang.org/x/crypto/") {
		return slices.ContainsFunc([]string{"sum", "checksum", "update", "bytes", "string"}, func(word string) bool { return strings.HasPrefix(name, word) })
	}
	words := []string{"hash", "checksum", "digest", "fingerprint", "sha1", "sha256", "sha512", "md5", "fnv"}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// takesSchema reports whether a function or method obeys the struct tags, as it takes a Schema.
func takesSchema(function *types.Func) bool {
	signature := function.Signature()
	given := slices.AppendSeq([]*types.Var{signature.Recv()}, signature.Params().Variables())
	return slices.ContainsFunc(given, func(v *types.Var) bool {
		return v != nil && isNamed(behindPointers(v.Type()), hotupdatePath, "Schema")
	})
}

func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}

// isHash reports whether t is a hash.Hash by its methods.
func isHash(t types.Type) bool {
	if t == nil {
		return false
	}
	methods := types.NewMethodSet(t)
	return methods.Lookup(nil, "Sum") != nil && methods.Lookup(nil, "BlockSize") != nil && methods.Lookup(nil, "Reset") != nil
}

func (l *linter) callee(call *ast.CallExpr) *types.Func {
	function, _ := typeutil.Callee(l.TypesInfo, call).(*types.Func)
	return function
}

func receiverOf(call *ast.CallExpr) ast.Expr {
	if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return selector.X
	}
	return nil
}

func isIn(function *types.Func, path string, names ...string) bool {
	return function != nil && function.Pkg() != nil && function.Pkg().Path() == path && slices.Contains(names, function.Name())
}
