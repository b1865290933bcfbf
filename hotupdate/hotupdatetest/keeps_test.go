package hotupdatetest_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

type keptDisk struct {
	Name  string `json:"name"`
	Size  int    `json:"size,omitempty"`
	Cache string `json:"cache,omitempty"`
}

func inOrder(d *keptDisk) ([]string, error) {
	return []string{d.Name, strconv.Itoa(d.Size), d.Cache}, nil
}

func TestKeeps(t *testing.T) {
	exchanged := func(d *keptDisk) ([]string, error) { return []string{d.Name, d.Cache, strconv.Itoa(d.Size)}, nil }
	without := func(d *keptDisk) ([]string, error) { return []string{d.Name, strconv.Itoa(d.Size), ""}, nil }
	failing := func(*keptDisk) ([]string, error) { return nil, errors.New("strict") }
	for name, test := range map[string]struct {
		before, after func(*keptDisk) ([]string, error)
		want          string
	}{
		"the same":             {inOrder, inOrder, ""},
		"exchanged":            {inOrder, exchanged, "renamed"},
		"a field is left out":  {inOrder, without, "cache"},
		"the era is stricter":  {inOrder, failing, "strict"},
		"the release is so":    {failing, inOrder, ""},
		"both refuse the same": {failing, failing, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := record(t, func(t rapid.TB) { hotupdatetest.Keeps(t, test.before, test.after) }).text()
			if test.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, test.want)
		})
	}
}

// The list of the release, and the era that is to replace it: two values are exchanged.
func ExampleKeeps() {
	type WorkerConfig struct {
		Caching *string `json:"caching,omitempty"`
		Storage *string `json:"storage,omitempty"`
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	released := func(c *WorkerConfig) ([]string, error) { return []string{text(c.Caching), text(c.Storage)}, nil }
	era := func(c *WorkerConfig) ([]string, error) { return []string{text(c.Storage), text(c.Caching)}, nil }
	t := new(recorder) // in a test, its argument
	hotupdatetest.Keeps(t, released, era)
	fmt.Println(strings.Contains(t.text(), "a pool with this configuration is renamed"))
	// Output:
	// true
}
