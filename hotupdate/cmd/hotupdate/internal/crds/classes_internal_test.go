package crds

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// FuzzClasses: whatever the file with the classes holds, it is an error that names it, or one
// option for each path.
func FuzzClasses(f *testing.F) {
	for _, text := range []string{
		"tags: true\n'disks[].size': \"false,set\"", `{"a":false}`, "", "[1]", "a: {b: true}", "a: true\na: false", "a: true\n---\nb: true",
		"a: !!binary AA==", "kinds: {A.b: {removed: none}}", "kinds: {A.b: {removed: no}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		classes, err := readClasses("-", strings.NewReader(text))
		if err != nil {
			assert.Contains(t, err.Error(), "standard input")
			return
		}
		assert.NotNil(t, classes.object)
		paths := classes.object.Tree.Len()
		if kinds := classes.object.Tree.At(kindsMember); kinds.Kind() == tree.Object {
			paths--
			for _, kind := range kinds.Members() {
				paths += kind.At(fieldsMember).Len()
			}
		}
		assert.Len(t, classes.all, paths)
	})
}
