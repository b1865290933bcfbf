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
			f := &flow{linter: l, written: map[types.Object]*encoded{}, halves: map[types.Object]bool{}}
			for n := range ast.Preorder(declaration) {
				f.visit(n)
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

// flow follows the texts of tagged values through the variables of one declaration, from its beginning to its end.
type flow struct {
	*linter

	written map[types.Object]*encoded
	halves  map[types.Object]bool // results of functions that take a Schema, which obey the struct tags
}

func (f *flow) visit(n ast.Node) {
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
		f.checkCall(n)
	}
}

// assign records the variables of one assignment. The first of several results is the text. All results of a function that takes a Schema
// obey it: the halves of Split, the projection of package hashstructure.
func (f *flow) assign(to, from []ast.Expr) {
	if len(from) == 1 && len(to) > 1 {
		call, ok := ast.Unparen(from[0]).(*ast.CallExpr)
		for _, half := range to {
			f.halves[f.object(half)] = ok && f.callee(call) != nil && takesSchema(f.callee(call))
		}
	}
	for i := range min(len(to), len(from)) {
		f.written[f.object(to[i])] = cmp.Or(f.text(from[i]), f.written[f.object(to[i])])
	}
	delete(f.written, nil)
	delete(f.halves, nil)
}

// object returns the variable that an expression names or points to.
func (f *flow) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.TypesInfo.ObjectOf(e)
	case *ast.UnaryExpr:
		return f.object(e.X)
	}
	return nil
}

// writing returns the destination to which a call writes a text.
func (f *flow) writing(call *ast.CallExpr, function *types.Func) (into ast.Expr, text *encoded) {
	receiver := receiverOf(call)
	switch {
	case len(call.Args) == 0:
	case isIn(function, "encoding/json", "Encode") && receiver != nil && f.isTagged(call.Args[0]):
		if encoder, ok := ast.Unparen(receiver).(*ast.CallExpr); ok && isIn(f.callee(encoder), "encoding/json", "NewEncoder") {
			return encoder.Args[0], &encoded{f.TypesInfo.TypeOf(call.Args[0]), "json.Encoder"}
		}
	case isIn(function, "fmt", "Fprint", "Fprintf", "Fprintln"):
		return call.Args[0], f.printed(function, call.Args[1:])
	case isIn(function, "io", "WriteString", "Copy"):
		return call.Args[0], f.text(call.Args[1:]...)
	case receiver != nil && strings.HasPrefix(function.Name(), "Write"):
		return receiver, f.text(call.Args...)
	}
	return nil, nil
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
	case strings.HasPrefix(function.Name(), "Marshal") && isEncoder(function.Pkg().Path()) || isIn(function, "fmt", "Sprint", "Sprintf", "Sprintln", "Append", "Appendf", "Appendln"):
		return f.printed(function, call.Args)
	case handsOn(function.Pkg().Path()):
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
	switch into, text := f.writing(call, function); {
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
