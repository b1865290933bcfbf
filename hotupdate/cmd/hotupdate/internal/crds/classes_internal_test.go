package crds

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzClasses: whatever the file with the classes holds, it is an error that names it, or one
// option for each path.
func FuzzClasses(f *testing.F) {
	for _, text := range []string{"tags: true\n'disks[].size': \"false,set\"", `{"a":false}`, "", "[1]", "a: {b: true}", "a: true\na: false", "a: true\n---\nb: true", "a: !!binary AA=="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		classes, err := readClasses("-", strings.NewReader(text))
		if err != nil {
			assert.Contains(t, err.Error(), "standard input")
			return
		}
		assert.NotNil(t, classes.object)
		assert.Len(t, classes.all, classes.object.Tree.Len())
	})
}
