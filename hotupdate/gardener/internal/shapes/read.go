package shapes

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Types are the types of one release by name: under each member its type.
type Types map[string]map[string]string

// Sources returns the folder with the sources of a package.
type Sources func(importPath string) (dir string, err error)

// The packages with the manifests.
const (
	core       = "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensions = "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	meta       = "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// roots are the manifests. Early releases have no NamespacedCloudProfile.
func roots() []named {
	return []named{{core, "Shoot"}, {core, "CloudProfile"}, {core, "NamespacedCloudProfile"}, {extensions, "Worker"}}
}

// named is a named Go type.
type named struct{ pkg, name string }

// leaves are the types whose JSON is not that of their Go type.
var leaves = map[named]string{
	{core, "MachineImageFlavor"}: "{}[]string",
	{meta, "Duration"}:           "duration", {meta, "Time"}: "time", {meta, "ObjectMeta"}: objectMeta,
	{"k8s.io/apimachinery/pkg/api/resource", "Quantity"}:                      "quantity",
	{"k8s.io/apimachinery/pkg/util/intstr", "IntOrString"}:                    "intOrString",
	{"k8s.io/apimachinery/pkg/runtime", "RawExtension"}:                       "any",
	{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON"}:      "any",
	{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1", "JSON"}: "any",
}

const objectMeta = "ObjectMeta"

// metadata are the members of the metadata, of which people write some as the API server does not.
func metadata() map[string]string {
	all := map[string]string{
		"annotations": "{}string", "labels": "{}string", "finalizers": "[]string", "managedFields": "any",
		"ownerReferences": "any", "generation": "int", "deletionGracePeriodSeconds": "int",
	}
	for _, name := range []string{
		"creationTimestamp", "deletionTimestamp", "generateName", "name", "namespace", "resourceVersion", "selfLink",
		"uid",
	} {
		all[name] = "string"
	}
	return all
}

// parts are the types of which the command reads some members, and knows no other one: status, and the
// CloudProfile.
var parts = map[string][]string{
	"CloudProfile":       {"apiVersion", "kind", "spec", "status"},
	"CloudProfileStatus": {},
	"CloudProfileSpec": {
		"controlPlane", "kubernetes", "limits", "machineCapabilities", "machineImages", "machineTypes", "regions",
		"volumeTypes",
	},
	"NamespacedCloudProfile":       {"apiVersion", "kind", "status"},
	"NamespacedCloudProfileStatus": {"cloudProfileSpec"},
	"CloudProfileControlPlane":     {"allowZonePinning"},
	"KubernetesSettings":           {"versions"},
	"ExpirableVersion":             {"expirationDate", "lifecycle", "version"},
	"LifecycleStage":               {"classification", "startTime"},
	"Limits":                       {"maxNodesTotal"},
	"CapabilityDefinition":         {},
	"MachineImage":                 {"name", "versions"},
	"MachineImageVersion": {
		"architectures", "capabilityFlavors", "cri", "expirationDate", "inPlaceUpdates", "lifecycle", "version",
	},
	"InPlaceUpdates":           {"minVersionForUpdate", "supported"},
	"MachineType":              {"architecture", "capabilities", "cpu", "memory", "name", "storage", "usable"},
	"MachineTypeStorage":       {"minSize", "type"},
	"Region":                   {"name", "zones"},
	"AvailabilityZone":         {"name", "unavailableMachineTypes", "unavailableVolumeTypes"},
	"VolumeType":               {"minSize", "name", "usable"},
	"ShootStatus":              {"credentials", "inPlaceUpdates"},
	"ShootCredentials":         {"rotation"},
	"ShootCredentialsRotation": {"certificateAuthorities", "serviceAccountKey"},
	"CARotation":               {"lastInitiationTime", "pendingWorkersRollouts", "phase"},
	"ServiceAccountKeyRotation": {
		"lastInitiationTime", "pendingWorkersRollouts", "phase",
	},
	"PendingWorkersRollout": {"lastInitiationTime", "name"},
	"InPlaceUpdatesStatus":  {"pendingWorkerUpdates"},
	"PendingWorkerUpdates":  {"autoInPlaceUpdate", "manualInPlaceUpdate"},
	"WorkerStatus":          {},
}

// others is the name under which a type has all members that are not listed.
const others = "*"

// Read reads the types of the manifests, and of all that they contain.
func Read(sources Sources) (Types, error) {
	r := reader{
		sources:  sources,
		packages: map[string]*source{},
		types:    Types{objectMeta: metadata()},
		owners:   map[string]named{},
	}
	for _, root := range roots() {
		if _, isThere := r.load(root.pkg).types[root.name]; isThere {
			r.typeOf(root)
		}
	}
	return r.types, errors.Join(r.problems...)
}

// reader reads the types of a release.
type reader struct {
	sources  Sources
	packages map[string]*source
	types    Types
	owners   map[string]named // the Go types by their names in the table
	problems []error
}

// source is a parsed package.
type source struct {
	types map[string]place
}

// place is a type with the file that declares it.
type place struct {
	expr ast.Expr
	file *ast.File
}

func (r *reader) fail(format string, values ...any) string {
	r.problems = append(r.problems, fmt.Errorf(format, values...))
	return "any"
}

// load parses a package once.
func (r *reader) load(pkg string) *source {
	if known := r.packages[pkg]; known != nil {
		return known
	}
	loaded := &source{types: map[string]place{}}
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
		all, isGeneral := declaration.(*ast.GenDecl)
		if !isGeneral || all.Tok != token.TYPE {
			continue
		}
		for _, spec := range all.Specs {
			if one, isType := spec.(*ast.TypeSpec); isType {
				into.types[one.Name.Name] = place{one.Type, file}
			}
		}
	}
}

// typeOf returns the type of a named Go type in the table.
func (r *reader) typeOf(of named) string {
	if leaf := leaves[of]; leaf != "" {
		return leaf
	}
	found, isKnown := r.load(of.pkg).types[of.name]
	if !isKnown {
		return r.fail("%s has no type %s", of.pkg, of.name)
	}
	object, isStruct := found.expr.(*ast.StructType)
	if !isStruct {
		return r.expression(of.pkg, found.file, found.expr)
	}
	name := nameOf(of)
	if owner, isRead := r.owners[name]; isRead {
		if owner != of {
			r.fail("%v and %v have one name in the table", owner, of)
		}
		return name
	}
	r.owners[name] = of
	members := map[string]string{}
	r.types[name] = members
	selected, isPart := parts[name]
	r.members(members, of.pkg, found.file, object, func(member string) bool {
		return !isPart || slices.Contains(selected, member)
	})
	if isPart {
		members[others] = "any"
	}
	return name
}

// renamed are the names in earlier releases of types that have other names today.
var renamed = map[string]string{
	"KubeAPIServerLogging": "APIServerLogging", "KubeAPIServerRequests": "APIServerRequests",
	"ShootCARotation": "CARotation", "ShootServiceAccountKeyRotation": "ServiceAccountKeyRotation",
}

// nameOf returns the name of a Go type in the table, which has a type of each package.
func nameOf(of named) string {
	if name := renamed[of.name]; name != "" {
		return name
	}
	switch {
	case of == named{core, "Worker"}:
		return "ShootWorker"
	case of == named{core, "MachineImage"}, of.pkg != extensions, strings.HasPrefix(of.name, "Worker"):
		return of.name
	}
	return "Extension" + of.name
}

// members adds the members of a struct that are wanted.
func (r *reader) members(
	to map[string]string,
	pkg string,
	file *ast.File,
	object *ast.StructType,
	wants func(string) bool,
) {
	for _, field := range object.Fields.List {
		tag := ""
		if field.Tag != nil {
			tag, _ = strconv.Unquote(field.Tag.Value) // the parser has read it
		}
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (len(field.Names) == 0 || strings.Contains(options, "inline")):
			r.embedded(to, pkg, file, field.Type, wants)
		case name == "":
			r.fail("%s: field %s has no name in JSON", pkg, field.Names[0])
		case wants(name):
			to[name] = r.expression(pkg, file, field.Type)
		}
	}
}

// embedded adds the members of an embedded struct.
func (r *reader) embedded(to map[string]string, pkg string, file *ast.File, expr ast.Expr, wants func(string) bool) {
	if pointer, isPointer := expr.(*ast.StarExpr); isPointer {
		expr = pointer.X
	}
	of, isNamed := r.resolve(pkg, file, expr)
	found, isKnown := r.load(of.pkg).types[of.name]
	object, isStruct := found.expr.(*ast.StructType)
	if !isNamed || !isKnown || !isStruct {
		r.fail("%s: an embedded type is not a struct", pkg)
		return
	}
	r.members(to, of.pkg, found.file, object, wants)
}

// basics are the types of JSON values of Go's basic types.
var basics = map[string]string{
	"string": "string", "bool": "bool", "int": "int", "int8": "int", "int16": "int", "int32": "int", "int64": "int",
	"uint8": "int", "uint16": "int", "uint32": "int", "uint64": "int", "float32": "number", "float64": "number",
}

// expression returns the type of a Go type expression in the table.
func (r *reader) expression(pkg string, file *ast.File, expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return r.expression(pkg, file, t.X)
	case *ast.ArrayType:
		if name, isIdent := t.Elt.(*ast.Ident); isIdent && name.Name == "byte" {
			return "string"
		}
		return "[]" + r.expression(pkg, file, t.Elt)
	case *ast.MapType:
		return "{}" + r.expression(pkg, file, t.Value)
	case *ast.Ident:
		if basic := basics[t.Name]; basic != "" {
			return basic
		}
	}
	of, isNamed := r.resolve(pkg, file, expr)
	if !isNamed {
		return r.fail("%s: has an unknown expression %T", pkg, expr)
	}
	return r.typeOf(of)
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

// Names returns the names of the types, sorted.
func (t Types) Names() []string { return slices.Sorted(maps.Keys(t)) }
