package gardener_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
)

var indices = regexp.MustCompile(`\[[^\]]*\]`)

// isField reports whether the v1beta1 Shoot has a field at a path.
func isField(path string) bool {
	t := reflect.TypeFor[gardencorev1beta1.Shoot]()
	for name := range strings.SplitSeq(indices.ReplaceAllString(path, ""), ".") {
		t = element(t)
		if t.Kind() == reflect.Map || t == reflect.TypeFor[runtime.RawExtension]() {
			return true
		}
		if t.Kind() != reflect.Struct {
			return false
		}
		of, is := gardener.JSONFields(t)[name]
		if !is {
			return false
		}
		t = of
	}
	return true
}

// element returns the type behind pointers and lists.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// TestPaths: Gardener's names become those of the v1beta1 Shoot.
func TestPaths(t *testing.T) {
	for _, row := range []struct{ gardener, want string }{
		{"spec.region", "spec.region"},
		{"spec.kubernetes.clusterAutoScaler", "spec.kubernetes.clusterAutoscaler"},
		{"spec.kubernetes.kubelet.podPIDsLimit", "spec.kubernetes.kubelet.podPidsLimit"},
		{"spec.kubernetes.kubelet.evictionHard.nodefsAvailable", "spec.kubernetes.kubelet.evictionHard.nodeFSAvailable"},
		{
			"spec.provider.workers[12].machineControllerManagerSettings.maxEvictRetries",
			"spec.provider.workers[12].machineControllerManager.maxEvictRetries",
		},
		{"spec.provider.workers[0].autoscaler.scaleDownUnneededTime", "spec.provider.workers[0].clusterAutoscaler.scaleDownUnneededTime"},
		{"spec.maintenance.timeWindow.begin/end", "spec.maintenance.timeWindow"},
		{"spec.kubernetes.kubelet.featureGates.Any", "spec.kubernetes.kubelet.featureGates.Any"},
		{"metadata.annotations[gardener.cloud/operation]", "metadata.annotations[gardener.cloud/operation]"},
		{"metadata.labels", "metadata.labels"},
		{"spec.extensions[0].providerConfig.anything", "spec.extensions[0].providerConfig"},
		{"spec.noSuchField.x", "spec"},
		{"noSuchField", ""},
		{"", ""},
		{"spec.provider.workers[", "spec.provider.workers["},
	} {
		assert.Equal(t, row.want, gardener.PathOf(row.gardener), row.gardener)
		assert.Equal(t, row.want, gardener.PathOf(row.want), row.gardener)
	}
	for _, path := range []string{"spec..x", "[", "]", "spec[0][1]", "spec.dns.", ".", "\xff", "spec.provider.workers[0]]"} {
		assert.Equal(t, gardener.PathOf(path), gardener.PathOf(gardener.PathOf(path)), path)
	}
}

// TestFieldNames goes through the fields of Gardener's internal and v1beta1 types: a path by the names
// of the internal fields, as Gardener writes them, is translated into that of the v1beta1 field.
func TestFieldNames(t *testing.T) {
	different := 0
	eachField(t, reflect.TypeFor[core.ShootSpec](), reflect.TypeFor[gardencorev1beta1.ShootSpec](), "spec", "spec",
		func(internal, versioned string) {
			if internal != versioned {
				different++
			}
			assert.Equal(t, versioned, gardener.PathOf(internal))
		})
	assert.Greater(t, different, 2)
}

// eachField visits the fields that both types have, with their paths.
func eachField(
	t *testing.T, internal, versioned reflect.Type, internalPath, versionedPath string, visit func(internal, versioned string),
) {
	t.Helper()
	internal = element(internal)
	versioned = element(versioned)
	if internal.Kind() != reflect.Struct || internal == versioned {
		return
	}
	for f := range internal.Fields() {
		other, is := versioned.FieldByName(f.Name)
		name, _, _ := strings.Cut(other.Tag.Get("json"), ",")
		if !is || name == "" { // converted by hand, or inline
			continue
		}
		below := internalPath + "." + lowerFirst(f.Name)
		belowVersioned := versionedPath + "." + name
		visit(below, belowVersioned)
		index := ""
		if indirect(f.Type).Kind() == reflect.Slice {
			index = "[0]"
		}
		eachField(t, f.Type, other.Type, below+index, belowVersioned+index, visit)
	}
}

// lowerFirst writes a Go name as Gardener writes names in paths: DNS becomes dns, KubeAPIServer
// kubeAPIServer.
func lowerFirst(name string) string {
	upper := len(name) - len(strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if upper > 1 && upper < len(name) {
		upper--
	}
	return strings.ToLower(name[:upper]) + name[upper:]
}

// sources are the files of Gardener with messages about Shoots.
var sources = []string{
	"pkg/api/core/validation/shoot.go", "plugin/pkg/shoot/mutator/admission.go",
	"plugin/pkg/shoot/resourcereservation/admission.go", "plugin/pkg/shoot/validator/admission.go",
}

// TestNamesInMessages goes through the names that Gardener's code writes into paths. Those that no
// v1beta1 type has are known here: a new Gardener may have another one.
func TestNamesInMessages(t *testing.T) {
	known := map[string]string{
		"autoscaler":                       "clusterAutoscaler",
		"machineControllerManagerSettings": "machineControllerManager", // by its Go name
		"begin/end":                        "",
		"start/end":                        "",
	}
	names := map[string]bool{}
	collectNames(reflect.TypeFor[gardencorev1beta1.Shoot](), names, map[reflect.Type]bool{})
	missing := map[string]bool{}
	for _, file := range sources {
		for _, literal := range childNames(t, filepath.Join(sourceOfGardener(t), file)) {
			for name := range strings.SplitSeq(literal, ".") {
				if name != "" && !names[strings.ToLower(name)] {
					missing[name] = true
				}
			}
		}
	}
	for name := range missing {
		_, is := known[name]
		assert.True(t, is, "Gardener's messages have the name %q, which no field has: translate it", name)
	}
	for name := range known {
		assert.True(t, missing[name], "Gardener's messages no longer have the name %q", name)
	}
}

// collectNames collects the JSON names of a type and of all types below it, in lower case.
func collectNames(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	t = element(t)
	if t.Kind() == reflect.Map {
		t = element(t.Elem())
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for name, of := range gardener.JSONFields(t) {
		names[strings.ToLower(name)] = true
		collectNames(of, names, seen)
	}
}

// childNames returns the names that a file passes to field.NewPath and Path.Child.
func childNames(t *testing.T, file string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		function, is := call.Fun.(*ast.SelectorExpr)
		if !is || function.Sel.Name != "Child" && function.Sel.Name != "NewPath" {
			return true
		}
		for _, argument := range call.Args {
			if literal, is := argument.(*ast.BasicLit); is && literal.Kind == token.STRING {
				name, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				names = append(names, name)
			}
		}
		return true
	})
	require.NotEmpty(t, names)
	return names
}

// sourceOfGardener returns the folder of Gardener's module.
func sourceOfGardener(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gardener/gardener").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
