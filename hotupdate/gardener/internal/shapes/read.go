package shapes

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Shapes are the shapes of the values of one kind by their paths, such as
// spec.provider.workers[].labels{}: [] stands for the elements of a list, {} for those of a map, and the
// empty path for the whole object.
type Shapes map[string]Shape

// Shape says how values are written in JSON.
type Shape struct {
	Kind     string // as in an exported Schema
	Bits     int    // the width of numbers
	Nullable bool   // the field or element is a pointer
	Optional bool   // the field may be left out
}

// Sources returns the folder with the sources of a package.
type Sources func(importPath string) (dir string, err error)

// The packages with the manifests.
const (
	core       = "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensions = "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	meta       = "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// roots are the kinds that the command reads. Early releases have no NamespacedCloudProfile. Objects of
// other kinds have metadata.
func roots() []named {
	return []named{
		{core, "Shoot"},
		{core, "CloudProfile"},
		{core, "NamespacedCloudProfile"},
		{extensions, "Worker"},
		{meta, "ObjectMeta"},
	}
}

// named is a named Go type.
type named struct{ pkg, name string }

// What stands in a path for the elements of lists and maps.
const (
	ofList = "[]"
	ofMap  = "{}"
)

// The kinds of values in an exported Schema that are not the names of basic types.
const (
	object  = "object"
	list    = "list"
	mapping = "map"
	free    = "json"
)

// leaves are the types whose JSON is not that of their Go type. Other types with a marshaler are free JSON.
var leaves = map[named]string{
	{meta, "Duration"}: "duration", {meta, "Time"}: "metaTime", {meta, "MicroTime"}: "microTime",
	{"k8s.io/apimachinery/pkg/api/resource", "Quantity"}:   "quantity",
	{"k8s.io/apimachinery/pkg/util/intstr", "IntOrString"}: "intOrString",
	{"k8s.io/apimachinery/pkg/runtime", "RawExtension"}:    free,

	{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON"}:      free,
	{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1", "JSON"}: free,
}

// Read reads the shapes of all kinds by their names.
func Read(sources Sources) (map[string]Shapes, error) {
	r := reader{sources: sources, packages: map[string]*source{}}
	kinds := map[string]Shapes{}
	for _, root := range roots() {
		if _, isThere := r.load(root.pkg).types[root.name]; isThere {
			r.shapes = Shapes{}
			r.named(root, "", Shape{})
			kinds[root.name] = r.shapes
		}
	}
	return kinds, errors.Join(r.problems...)
}

// reader reads the types of a release.
type reader struct {
	sources  Sources
	packages map[string]*source
	shapes   Shapes
	open     []named // the types around the current one
	problems []error
}

// source is a parsed package.
type source struct {
	types    map[string]place
	marshals map[string]bool // the types with a marshaler
}

// place is a type with the file that declares it.
type place struct {
	expr ast.Expr
	file *ast.File
}

func (r *reader) fail(format string, values ...any) {
	r.problems = append(r.problems, fmt.Errorf(format, values...))
}

// load parses a package once.
func (r *reader) load(pkg string) *source {
	if known := r.packages[pkg]; known != nil {
		return known
	}
	loaded := &source{types: map[string]place{}, marshals: map[string]bool{}}
	r.packages[pkg] = loaded
	dir, err := r.sources(pkg)
	if err != nil {
		r.fail("%s: %w", pkg, err)
		return loaded
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		r.fail("%s: %w", pkg, err)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			r.parse(loaded, name)
		}
	}
	return loaded
}

func (r *reader) parse(into *source, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		r.fail("%w", err)
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		r.fail("%w", err)
		return
	}
	for _, declaration := range file.Decls {
		switch one := declaration.(type) {
		case *ast.GenDecl:
			into.declare(one, file)
		case *ast.FuncDecl:
			into.note(one)
		}
	}
}

// declare adds the types of a declaration.
func (s *source) declare(all *ast.GenDecl, file *ast.File) {
	for _, spec := range all.Specs {
		if one, isType := spec.(*ast.TypeSpec); isType {
			s.types[one.Name.Name] = place{one.Type, file}
		}
	}
}

// note notes a method by which a type reads itself.
func (s *source) note(method *ast.FuncDecl) {
	if method.Name.Name != "UnmarshalJSON" || method.Recv == nil {
		return
	}
	receiver := method.Recv.List[0].Type
	if pointer, isPointer := receiver.(*ast.StarExpr); isPointer {
		receiver = pointer.X
	}
	if name, isIdent := receiver.(*ast.Ident); isIdent {
		s.marshals[name.Name] = true
	}
}

// named adds the shapes of a named Go type at a path.
func (r *reader) named(of named, path string, shape Shape) {
	if kind := leaves[of]; kind != "" {
		shape.Kind = kind
		r.shapes[path] = shape
		return
	}
	loaded := r.load(of.pkg)
	found, isKnown := loaded.types[of.name]
	if !isKnown {
		r.fail("%s has no type %s", of.pkg, of.name)
		return
	}
	if loaded.marshals[of.name] {
		shape.Kind = free
		r.shapes[path] = shape
		return
	}
	structure, isStruct := found.expr.(*ast.StructType)
	switch {
	case !isStruct:
		r.value(of.pkg, found.file, found.expr, path, shape)
	case slices.Contains(r.open, of):
		r.fail("%s: type %s contains itself", of.pkg, of.name)
	default:
		shape.Kind = object
		r.shapes[path] = shape
		r.open = append(r.open, of)
		r.members(of.pkg, found.file, structure, path)
		r.open = r.open[:len(r.open)-1]
	}
}

// members adds the members of a struct.
func (r *reader) members(pkg string, file *ast.File, structure *ast.StructType, above string) {
	for _, field := range structure.Fields.List {
		tag := ""
		if field.Tag != nil {
			tag, _ = strconv.Unquote(field.Tag.Value) // the parser has read it
		}
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (len(field.Names) == 0 || strings.Contains(options, "inline")):
			r.embedded(pkg, file, field.Type, above)
		case name == "":
			r.fail("%s: field %s has no name in JSON", pkg, field.Names[0])
		default:
			isOptional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			r.value(pkg, file, field.Type, strings.TrimPrefix(above+"."+name, "."), Shape{Optional: isOptional})
		}
	}
}

// embedded adds the members of an embedded struct.
func (r *reader) embedded(pkg string, file *ast.File, expr ast.Expr, above string) {
	if pointer, isPointer := expr.(*ast.StarExpr); isPointer {
		expr = pointer.X
	}
	of, isNamed := r.resolve(pkg, file, expr)
	found, isKnown := r.load(of.pkg).types[of.name]
	structure, isStruct := found.expr.(*ast.StructType)
	if !isNamed || !isKnown || !isStruct {
		r.fail("%s: an embedded type is not a struct", pkg)
		return
	}
	r.members(of.pkg, found.file, structure, above)
}

// basics are the shapes of Go's basic types.
var basics = map[string]Shape{
	"string": {Kind: "string"}, "bool": {Kind: "bool"}, "any": {Kind: free},
	"int": {Kind: "int", Bits: 64}, "int8": {Kind: "int", Bits: 8}, "int16": {Kind: "int", Bits: 16},
	"int32": {Kind: "int", Bits: 32}, "int64": {Kind: "int", Bits: 64}, "uint8": {Kind: "uint", Bits: 8},
	"uint16": {Kind: "uint", Bits: 16}, "uint32": {Kind: "uint", Bits: 32}, "uint64": {Kind: "uint", Bits: 64},
	"float32": {Kind: "float", Bits: 32}, "float64": {Kind: "float", Bits: 64},
}

// value adds the shapes of a Go type expression at a path. Of the shape, the kind and the width are not known yet.
func (r *reader) value(pkg string, file *ast.File, expr ast.Expr, path string, shape Shape) {
	switch t := expr.(type) {
	case *ast.StarExpr:
		shape.Nullable = true
		r.value(pkg, file, t.X, path, shape)
		return
	case *ast.ArrayType:
		r.list(pkg, file, t.Elt, path, shape)
		return
	case *ast.MapType:
		shape.Kind = mapping
		r.shapes[path] = shape
		r.value(pkg, file, t.Value, path+ofMap, Shape{})
		return
	case *ast.Ident:
		if basic, isBasic := basics[t.Name]; isBasic {
			shape.Kind = basic.Kind
			shape.Bits = basic.Bits
			r.shapes[path] = shape
			return
		}
	}
	of, isNamed := r.resolve(pkg, file, expr)
	if !isNamed {
		r.fail("%s: has an unknown expression %T", pkg, expr)
		return
	}
	r.named(of, path, shape)
}

// list adds the shapes of a slice.
func (r *reader) list(pkg string, file *ast.File, elem ast.Expr, path string, shape Shape) {
	shape.Kind = list
	if name, isIdent := elem.(*ast.Ident); isIdent && name.Name == "byte" {
		shape.Kind = "bytes"
		r.shapes[path] = shape
		return
	}
	r.shapes[path] = shape
	r.value(pkg, file, elem, path+ofList, Shape{})
}

// resolve returns the named type of an expression.
func (r *reader) resolve(pkg string, file *ast.File, expr ast.Expr) (of named, isNamed bool) {
	switch t := expr.(type) {
	case *ast.Ident:
		return named{pkg, t.Name}, true
	case *ast.SelectorExpr:
		alias, isIdent := t.X.(*ast.Ident)
		if isIdent {
			return named{importOf(file, alias.Name), t.Sel.Name}, true
		}
	}
	return named{}, false
}

// importOf returns the path of an imported package by its name in a file.
func importOf(file *ast.File, name string) string {
	for _, one := range file.Imports {
		importPath, _ := strconv.Unquote(one.Path.Value) // the parser has read it
		own := path.Base(importPath)
		if one.Name != nil {
			own = one.Name.Name
		}
		if own == name {
			return importPath
		}
	}
	return ""
}
