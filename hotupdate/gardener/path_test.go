package gardener_test

import (
	"reflect"
	"regexp"
	"strings"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/gardener"
)

var indices = regexp.MustCompile(`\[[^\]]*\]`)

// isField reports whether the v1beta1 Shoot has a field at a path.
func isField(path string) bool {
	t := reflect.TypeFor[gardencorev1beta1.Shoot]()
	for name := range strings.SplitSeq(indices.ReplaceAllString(path, ""), ".") {
		t = indirect(t)
		for t.Kind() == reflect.Slice {
			t = indirect(t.Elem())
		}
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
