package hotupdatelint

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkHashes reports calls that hash values of tagged types and ignore the struct tags. Tests are
// not checked: their hashes name no machines.
func (l *linter) checkHashes() {
	h := &hashes{linter: l, written: map[types.Object]*encoded{}, projected: map[types.Object]bool{}}
	for _, file := range l.Files {
		if l.isTest(file) {
			continue
		}
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.AssignStmt:
				h.assign(n)
			case *ast.CallExpr:
				h.checkCall(n)
			}
		}
	}
}

func (l *linter) isTest(file *ast.File) bool {
	return strings.HasSuffix(l.Fset.Position(file.Pos()).Filename, "_test.go")
}

// encoded is the encoded text of a tagged value.
type encoded struct {
	typ types.Type
	by  string // the function that wrote it
}

// hashes finds the hashes of a package. It reads each function from beginning to end.
type hashes struct {
	*linter

	written   map[types.Object]*encoded // variables that were assigned the text of a tagged value
	projected map[types.Object]bool     // results of functions that take a Schema, which obey the struct tags
}

// assign records the results of a call. The first one is the text.
func (h *hashes) assign(n *ast.AssignStmt) {
	call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
	if !ok || len(n.Rhs) > 1 {
		return
	}
	obeys := takesSchema(h.callee(call))
	for i, e := range n.Lhs {
		name, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		v := h.TypesInfo.ObjectOf(name)
		h.projected[v] = obeys
		if h.written[v] = nil; i == 0 {
			h.written[v] = h.text(call)
		}
	}
}

// text returns the tagged value of the first encoded text among expressions, nil if there is none.
// Results of other functions are not followed.
func (h *hashes) text(list ...ast.Expr) (found *encoded) {
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			if found != nil {
				return false
			}
			switch n := n.(type) {
			case *ast.Ident:
				found = h.written[h.TypesInfo.ObjectOf(n)]
			case *ast.CallExpr:
				if function := h.callee(n); isEncoder(function) {
					found = h.tagged(function, n.Args)
				}
				return h.TypesInfo.Types[n.Fun].IsType()
			}
			return true
		})
	}
	return found
}

// isEncoder reports whether a function encodes its arguments as text, in its first result.
func isEncoder(function *types.Func) bool {
	return isIn(function, "encoding/json", "Marshal", "MarshalIndent") ||
		isIn(function, "sigs.k8s.io/yaml", "Marshal") ||
		isIn(function, "fmt", "Sprint", "Sprintf", "Sprintln", "Append", "Appendf", "Appendln")
}

// tagged returns the first argument whose type has a field with a hotupdatable struct tag at any
// depth.
func (h *hashes) tagged(function *types.Func, arguments []ast.Expr) *encoded {
	for _, e := range arguments {
		name, _ := ast.Unparen(e).(*ast.Ident)
		typ := h.TypesInfo.TypeOf(e)
		if len(leaf.TaggedFields(h.program.Of(typ))) > 0 && (name == nil || !h.projected[h.TypesInfo.ObjectOf(name)]) {
			return &encoded{typ, function.Pkg().Name() + "." + function.Name()}
		}
	}
	return nil
}

func (h *hashes) checkCall(call *ast.CallExpr) {
	function := h.callee(call)
	isDeclared := function != nil && function.Pkg() != nil
	if !isDeclared || len(call.Args) == 0 || takesSchema(function) {
		return
	}
	if !isHashFunction(function) && !h.writesToHash(function, call) {
		return
	}
	hashed := h.tagged(function, call.Args)
	if hashed == nil {
		hashed = h.text(call.Args...)
	}
	if hashed != nil {
		h.report(target{node: call}, &fault.Error{
			Kind: fault.Declaration, Code: "direct-hash",
			Type: h.program.Of(behindPointers(hashed.typ)).String(),
			What: "is hashed by " + hashed.by +
				", which ignores its hotupdatable struct tags, so every hot update changes the hash",
			Hint: "use Schema.Hash, or package hash/hashstructure for sums that are compared with its own",
		})
	}
}

// isHashFunction reports whether a function of another package hashes its arguments.
func isHashFunction(function *types.Func) bool {
	path := function.Pkg().Path()
	name := function.Name()
	switch {
	case strings.HasPrefix(path, "hash/"), strings.HasPrefix(path, "crypto/"):
		return strings.Contains(strings.ToLower(name), "sum")
	case strings.HasPrefix(path, modulePath):
		return path == modulePath+"/hash"
	case strings.HasSuffix(strings.TrimSuffix(path, "/v2"), "/hashstructure"):
		return name == "Hash"
	}
	// of Kubernetes and Gardener
	return slices.Contains([]string{"DeepHashObject", "ComputeChecksum", "ComputeSHA256Hex"}, name)
}

// writesToHash reports whether a function of the standard library writes to a hash: its first
// argument, its receiver, or a value from which its receiver was created.
func (h *hashes) writesToHash(function *types.Func, call *ast.CallExpr) bool {
	operands := call.Args[:1]
	if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		operands = append(slices.Clip(operands), selector.X)
		if made, ok := ast.Unparen(selector.X).(*ast.CallExpr); ok {
			operands = append(operands, made.Args...)
		}
	}
	isStandard := slices.Contains([]string{"fmt", "encoding/json", "io"}, function.Pkg().Path())
	return isStandard && slices.ContainsFunc(operands, func(e ast.Expr) bool { return isHash(h.TypesInfo.TypeOf(e)) })
}

// takesSchema reports whether a function or method takes a Schema, and so obeys the struct tags.
func takesSchema(function *types.Func) bool {
	return function != nil && strings.Contains(function.String(), hotupdatePath+".Schema")
}

// isHash reports whether t is a hash.Hash: no other writer has the method BlockSize.
func isHash(t types.Type) bool {
	return t != nil && types.NewMethodSet(t).Lookup(nil, "BlockSize") != nil
}

func (l *linter) callee(call *ast.CallExpr) *types.Func {
	function, _ := typeutil.Callee(l.TypesInfo, call).(*types.Func)
	return function
}

func isIn(function *types.Func, path string, names ...string) bool {
	if function == nil || function.Pkg() == nil {
		return false
	}
	return function.Pkg().Path() == path && slices.Contains(names, function.Name())
}
