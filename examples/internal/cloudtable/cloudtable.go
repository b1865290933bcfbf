// Package cloudtable compares the guide's tables of clouds with the drivers that they describe. The
// tests of each driver check the lines of its cloud.
package cloudtable

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Row is the line of a cloud, as its driver gives it.
type Row struct {
	Cloud string
	// SDK is the path of a module of the cloud's SDK, and GoMod the file that has its version.
	SDK, GoMod string
	// Schema is the Schema of the provider spec.
	Schema *hotupdate.Schema
	// Calls returns the number of requests that read n machines, and of requests that change the value
	// of a tag on all resources of each.
	Calls func(n int) (reads, writes int)
	// Cannot names what the cloud cannot do.
	Cannot string
}

// Check compares a row with the line of its cloud in the guide. Guide is the path of the file.
func Check(t *testing.T, guide string, row *Row) {
	t.Helper()
	text, err := os.ReadFile(guide) //nolint:gosec // a file of the repository
	if err != nil {
		t.Fatal(err)
	}
	want := row.line(t)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| "+row.Cloud+" |") {
			if got := strings.TrimSpace(line); got != want {
				t.Errorf("%s says\n%s\ninstead of\n%s", guide, got, want)
			}
			return
		}
	}
	t.Errorf("%s does not have the line\n%s", guide, want)
}

// CheckRights compares the rights that the requests of a driver need with the line of its cloud in
// the guide's table of rights. RightsOf returns the rights that a request needs.
func CheckRights(t *testing.T, guide, cloud string, requests []string, rightsOf func(request string) []string) {
	t.Helper()
	var needed []string
	for _, request := range requests {
		rights := rightsOf(request)
		if len(rights) == 0 {
			t.Errorf("no right is known for the request %s", request)
		}
		for _, right := range rights {
			needed = append(needed, "`"+right+"`")
		}
	}
	slices.Sort(needed)
	want := fmt.Sprintf("| %s | %s |", cloud, strings.Join(slices.Compact(needed), ", "))
	text, err := os.ReadFile(guide) //nolint:gosec // a file of the repository
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains("\n"+string(text), "\n"+want) {
		t.Errorf("%s does not have the line\n%s", guide, want)
	}
}

func (r *Row) line(t *testing.T) string {
	t.Helper()
	alone, one := r.Calls(1)
	together, all := r.Calls(100)
	return fmt.Sprintf("| %s | %s | %s | read %d · %d, write %d · %d | %s |", r.Cloud, r.version(t),
		strings.Join(r.hot(t), ", "), alone, together, one, all, r.Cannot)
}

// version returns the name and the version of the SDK.
func (r *Row) version(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(r.GoMod)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(r.SDK) + ` (v\S+)`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no %s", r.GoMod, r.SDK)
	}
	parts := strings.Split(r.SDK, "/")
	return strings.Join(parts[max(len(parts)-2, 0):], "/") + " " + string(found[1])
}

// hot returns the fields that a driver applies: the outermost ones of the classes hot and in-place.
func (r *Row) hot(t *testing.T) []string {
	t.Helper()
	text, err := json.Marshal(r.Schema)
	if err != nil {
		t.Fatal(err)
	}
	var exported struct{ Root kind }
	if err := json.Unmarshal(text, &exported); err != nil {
		t.Fatal(err)
	}
	return exported.Root.hot("")
}

// kind has the members of a type in an exported Schema that hot reads.
type kind struct {
	Fields []struct {
		Name, Class string
		Type        kind
	}
	Elem *kind
}

func (k *kind) hot(path string) (paths []string) {
	if k.Elem != nil {
		return k.Elem.hot(path + "[]")
	}
	for i := range k.Fields {
		here := strings.TrimPrefix(path+"."+k.Fields[i].Name, ".")
		switch k.Fields[i].Class {
		case hotupdate.Hot.String():
			paths = append(paths, "`"+here+"`")
		case hotupdate.InPlace.String():
			paths = append(paths, "`"+here+"` (in place)")
		default:
			paths = append(paths, k.Fields[i].Type.hot(here)...)
		}
	}
	return paths
}
