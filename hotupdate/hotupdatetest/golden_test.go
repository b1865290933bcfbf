package hotupdatetest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

// Releases of one type.

type before struct {
	Volume *beforeVolume `json:"volume,omitempty"`
	Zones  []string      `json:"zones,omitempty"`
	Token  string        `json:"token,omitempty"  hotupdatable:"false,sensitive"`
}

type beforeVolume struct {
	IOPS *int32             `json:"iops,omitempty"`
	Size *resource.Quantity `json:"size,omitempty"`
	Kind string             `json:"kind,omitempty"`
}

// renamedInGo differs in Go only: names, order, width.
type renamedInGo struct {
	Secret string   `json:"token,omitempty"  hotupdatable:"false,sensitive"`
	Disk   *disk    `json:"volume,omitempty"`
	Places []string `json:"zones,omitempty"`
}

type disk struct {
	Kind      string             `json:"kind,omitempty"`
	Operation *int64             `json:"iops,omitempty"`
	Size      *resource.Quantity `json:"size,omitempty"`
}

// withTags has a first hot field.
type withTags struct {
	before `json:",inline"`

	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// hotIOPS has a field that became hot.
type hotIOPS struct {
	Volume *struct {
		IOPS *int32             `json:"iops,omitempty" hotupdatable:"true"`
		Size *resource.Quantity `json:"size,omitempty"`
		Kind string             `json:"kind,omitempty"`
	} `json:"volume,omitempty"`
	Zones []string `json:"zones,omitempty"`
	Token string   `json:"token,omitempty"  hotupdatable:"false,sensitive"`
}

// evolved changed in many ways.
type evolved struct {
	Volume *struct {
		MaxIOPS *int32  `json:"maxIOPS,omitempty"`
		Size    *string `json:"size,omitempty"`
		Kind    *string `json:"kind,omitempty"    hotupdatable:"false,default=gp3"`
	} `json:"volume,omitempty"`
	Zones []string `json:"zones,omitempty"  hotupdatable:"false,set"`
}

// TestGoldenExplains: a difference is told by what it does to a fleet, and the file is written only if that is nothing, or if it was
// asked for.
func TestGoldenExplains(t *testing.T) {
	for _, tc := range []struct {
		name   string
		run    func(t rapid.TB, file string, options ...hotupdatetest.Option)
		want   []string
		grave  bool
		reason string
	}{
		{"same", hotupdatetest.Golden[before], nil, false, "nothing changed"},
		{
			"in Go only", hotupdatetest.Golden[renamedInGo],
			[]string{"- volume.iops: became int64, was int32: no hash changes", "run the test with -update"},
			false,
			"JSON names are the contract",
		},
		{
			"first hot field", hotupdatetest.Golden[withTags],
			[]string{"- tags: is new, map, hot: no hash changes"},
			false,
			"a new field that nobody set",
		},
		{"became hot", hotupdatetest.Golden[hotIOPS], []string{
			"- volume.iops: became hot, was immutable: every pool that sets it rolls unless an era of the old Schema stays; from now on a change of it is applied to running machines, it replaced machines",
			`- vector "volume.iops": has another hash: a pool like it rolls unless an era of the old Schema stays; look at volume.iops`,
			"undo the change; or, if it has to be, keep the old Schema in an era",
		}, true, "the example of the proposal"},
		{"evolved", hotupdatetest.Golden[evolved], []string{
			"- token: is gone, was string, immutable: the updated Schema refuses every configuration that names it; the hashes of the others stay",
			"- volume.iops: is gone, and looks like volume.maxIOPS now: the updated Schema refuses every configuration that names it; the hashes of the others stay; a rewrite to the new name rolls",
			"- volume.size: became string, was quantity: the updated Schema may refuse a configuration that names it; a pool that has it may roll unless an era of the old Schema stays",
			"- volume.kind: became a pointer, was a value: every pool that spells out its zero value rolls unless an era of the old Schema stays",
			`- volume.kind: has the default "gp3", had none: every pool that spells out the old or the new default rolls unless an era of the old Schema stays`,
			"- zones: became a set, was found by position: a pool that has elements there may roll unless an era of the old Schema stays",
			`- vector "volume.iops": is refused: hotupdate: volume.iops`,
			`- vector "token": is refused`,
		}, true, "everything at once"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "new", "golden.json")
			mustPass(t, func(t rapid.TB) {
				hotupdatetest.Golden[before](t, file, updating(t, "-update"))
			})
			written := read(t, file)
			verified := record(t, func(t rapid.TB) { tc.run(t, file) })
			for _, want := range tc.want {
				if !strings.Contains(verified.text(), want) {
					t.Errorf("%s: want %q in:\n%s", tc.reason, want, verified.text())
				}
			}
			if len(tc.want) == 0 && len(verified.errors) > 0 {
				t.Errorf("%s: %s", tc.reason, verified.text())
			}
			updated := record(t, func(t rapid.TB) {
				tc.run(t, file, updating(t, "-update"))
			})
			isKept := bytes.Equal(written, read(t, file))
			isRefused := len(updated.errors) > 0 && strings.Contains(updated.text(), "run with -update=roll")
			if tc.grave && (!isKept || !isRefused) {
				t.Errorf("%s: -update must refuse: %s", tc.reason, updated.text())
			}
			if !tc.grave && len(updated.errors) > 0 {
				t.Errorf("%s: -update must write: %s", tc.reason, updated.text())
			}
			mustPass(t, func(t rapid.TB) { tc.run(t, file, updating(t, "-update=roll")) })
			mustPass(t, func(t rapid.TB) { tc.run(t, file) })
		})
	}
}

// TestGoldenKeepsVectors: a vector outlives the release that wrote it, with the hash that it had.
func TestGoldenKeepsVectors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	options := []hotupdatetest.Option{updating(t, "-update=roll"), hotupdatetest.WithValues("zones[]", "eu-1")}
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file, options...) })
	added := strings.Replace(string(read(t, file)), `"vectors": [`, `"vectors": [{"name": "mine", "config": {"zones":["b","a"]}},`, 1)
	if err := os.WriteFile(file, []byte(added), 0o600); err != nil {
		t.Fatal(err)
	}
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file, options...) })
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file, options[1]) })
	first := string(read(t, file))
	for _, want := range []string{`"name": "empty"`, `"name": "mine"`, `"document": {
        "zones": [
          "b",
          "a"
        ]
      }`, `"name": "volume.iops"`, `"name": "zones[]"`, `"eu-1"`, `"name": "token"`, `"sum": "v1:`} {
		if !strings.Contains(first, want) {
			t.Errorf("want %s in\n%s", want, first)
		}
	}
	mustPass(t, func(t rapid.TB) {
		hotupdatetest.Golden[withTags](t, file, updating(t, "-update"))
	})
	second := string(read(t, file))
	for _, want := range []string{`"name": "mine"`, `"name": "tags[]"`, `"eu-1"`} {
		if !strings.Contains(second, want) {
			t.Errorf("want %s in\n%s", want, second)
		}
	}
	r := record(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file) })
	if !strings.Contains(r.text(), "tags: is gone") {
		t.Errorf("a release that goes back: %s", r.text())
	}
}

// TestGoldenDropsRefusedVectors: a vector that the type refuses leaves the file with -update=roll.
func TestGoldenDropsRefusedVectors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	roll := updating(t, "-update=roll")
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[withTags](t, file, roll) })
	r := record(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file) })
	if want := `vector "tags[]": is refused`; !strings.Contains(r.text(), want) || !strings.Contains(string(read(t, file)), `"tags[]"`) {
		t.Errorf("want %q, got %q", want, r.text())
	}
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file, roll) })
	if strings.Contains(string(read(t, file)), `"tags[]"`) {
		t.Error("a vector that nobody can read stays")
	}
}

// loud and quiet are one type to a Schema, which does not know what a type writes that marshals itself.
type (
	loud struct {
		Name upper `json:"name"`
	}
	quiet struct {
		Name lower `json:"name"`
	}
	upper struct{ text string }
	lower struct{ text string }
)

func (u upper) MarshalText() ([]byte, error)     { return []byte(strings.ToUpper(u.text)), nil }
func (u *upper) UnmarshalText(text []byte) error { u.text = string(text); return nil }
func (l lower) MarshalText() ([]byte, error)     { return []byte(strings.ToLower(l.text)), nil }
func (l *lower) UnmarshalText(text []byte) error { l.text = string(text); return nil }

// TestKubernetes134773VendoredTypeMarshalsOtherwise: a vendored type that writes something else rolls every pool that sets it, and no
// Schema shows it; the vectors do.
func TestKubernetes134773VendoredTypeMarshalsOtherwise(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	mustPass(t, func(t rapid.TB) {
		hotupdatetest.Golden[loud](t, file, updating(t, "-update"))
	})
	for _, options := range [][]hotupdatetest.Option{nil, {updating(t, "-update")}} {
		r := record(t, func(t rapid.TB) { hotupdatetest.Golden[quiet](t, file, options...) })
		for _, want := range []string{`vector "name": has another hash`, "look at name", `was {"name":"A"}`, `is  {"name":"a"}`} {
			if !strings.Contains(r.text(), want) {
				t.Errorf("want %q in %s", want, r.text())
			}
		}
	}
}

// hiddenLoud and hiddenQuiet are sensitive.
type (
	hiddenLoud struct {
		Name upper `json:"name" hotupdatable:"false,sensitive"`
	}
	hiddenQuiet struct {
		Name lower `json:"name" hotupdatable:"false,sensitive"`
	}
)

// TestGoldenHidesSecrets: neither the file nor the explanation holds the values of sensitive fields that the tester gave.
func TestGoldenHidesSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	mustPass(t, func(t rapid.TB) {
		hotupdatetest.Golden[hiddenLoud](t, file, updating(t, "-update"), hotupdatetest.WithValues("name", upper{"hunter2"}))
	})
	if text := string(read(t, file)); strings.Contains(strings.ToLower(text), "hunter2") {
		t.Errorf("a secret is in the file:\n%s", text)
	}
	r := record(t, func(t rapid.TB) { hotupdatetest.Golden[hiddenQuiet](t, file) })
	if !strings.Contains(r.text(), `vector "name": has another hash`) || strings.Contains(strings.ToLower(r.text()), `"name":"a"`) {
		t.Errorf("want a difference without values, got %s", r.text())
	}
}

// TestGoldenFilesThatAreNone: a file that is missing, or was edited, is told as such.
func TestGoldenFilesThatAreNone(t *testing.T) {
	good := filepath.Join(t.TempDir(), "golden.json")
	mustPass(t, func(t rapid.TB) {
		hotupdatetest.Golden[before](t, good, updating(t, "-update"))
	})
	content := string(read(t, good))
	for _, tc := range []struct {
		name, content, want, reason string
	}{
		{"missing", "", "does not exist; run the test with -update", "the first run"},
		{"no JSON", "x", "is not a golden file", "somebody else's file"},
		{"unknown member", `{"a":1}`, "is not a golden file", "somebody else's file"},
		{
			"version", strings.Replace(content, `"formatVersion": 1,`, `"formatVersion": 2,`, 1),
			"has formatVersion 2, but this release reads 1", "a later release wrote it",
		},
		{"vector lost", withoutVector(t, content, "zones[]"), "is equivalent, but incomplete", "somebody deleted a vector"},
		{"sum edited", strings.Replace(content, `"sum": "v1:`, `"sum": "v1:0`, 1), "is not a golden file", "a sum has 64 digits"},
		{"other sum", withSum(content), "has another hash", "somebody edited a sum"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "golden.json")
			if tc.content != "" {
				if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := record(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file) })
			if !strings.Contains(r.text(), tc.want) {
				t.Errorf("%s: want %q in %s", tc.reason, tc.want, r.text())
			}
		})
	}
}

func withoutVector(t *testing.T, content, name string) string {
	t.Helper()
	var g map[string]any
	if err := json.Unmarshal([]byte(content), &g); err != nil {
		t.Fatal(err)
	}
	var others []any
	for _, v := range g["vectors"].([]any) {
		if v.(map[string]any)["name"] != name {
			others = append(others, v)
		}
	}
	g["vectors"] = others
	written, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// withSum turns one digit of the first sum.
func withSum(content string) string {
	at := strings.Index(content, `"sum": "v1:`) + len(`"sum": "v1:`)
	digit := byte('0')
	if content[at] == digit {
		digit = '1'
	}
	return content[:at] + string(digit) + content[at+1:]
}

// TestGoldenOfTypesThatContainThemselves: a Schema that cannot be loaded is compared as a whole.
func TestGoldenOfTypesThatContainThemselves(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	mustPass(t, func(t rapid.TB) {
		hotupdatetest.Golden[everything](t, file, updating(t, "-update"))
	})
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[everything](t, file) })
	r := record(t, func(t rapid.TB) { hotupdatetest.Golden[aws.WorkerConfig](t, file) })
	if !strings.Contains(r.text(), "the type contains itself") {
		t.Errorf("want a difference, got %s", r.text())
	}
}

// Two releases of a type that contains itself, which differ in Go only.
type (
	chain struct {
		Name string `json:"name,omitempty"`
		Next *chain `json:"next,omitempty"`
	}
	renamedChain struct {
		Further *renamedChain `json:"next,omitempty"`
		Label   string        `json:"name,omitempty"`
	}
)

// TestGoldenOfTypesThatContainThemselvesAndAreRenamed: names in Go change no hash, so the file may be written anew.
func TestGoldenOfTypesThatContainThemselvesAndAreRenamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	update := updating(t, "-update")
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[chain](t, file, update) })
	r := record(t, func(t rapid.TB) { hotupdatetest.Golden[renamedChain](t, file) })
	if !strings.Contains(r.text(), "is equivalent") {
		t.Errorf("want no difference, got %s", r.text())
	}
	mustPass(t, func(t rapid.TB) { hotupdatetest.Golden[renamedChain](t, file, update) })
}

// TestGoldenOfKeysThatNobodyCanGuess: a map of which no key can be made has no vector.
func TestGoldenOfKeysThatNobodyCanGuess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.json")
	mustPass(t, func(t rapid.TB) {
		hotupdatetest.Golden[struct {
			Zones map[unread]string `json:"zones"`
			Name  string            `json:"name"`
		}](t, file, updating(t, "-update"))
	})
	if text := string(read(t, file)); strings.Contains(text, `"name": "zones[]"`) || strings.Count(text, `"name": "name"`) < 2 {
		t.Errorf("want a vector for the name alone:\n%s", text)
	}
}

// TestUpdateFlag: the flag reads nothing but its words, and the last one counts.
func TestUpdateFlag(t *testing.T) {
	for _, tc := range []struct {
		arguments string
		written   bool
		want      string
	}{
		{"-update=false", false, "does not exist"},
		{"-update -update=false", false, "does not exist"},
		{"-update", true, ""},
		{"-update=true", true, ""},
		{"-update=roll", true, ""},
		{"-update=yes", false, "write -update or -update=roll"},
	} {
		file := filepath.Join(t.TempDir(), "golden.json")
		r := record(t, func(t rapid.TB) { hotupdatetest.Golden[before](t, file, updating(t, strings.Fields(tc.arguments)...)) })
		if _, err := os.Stat(file); (err == nil) != tc.written || !strings.Contains(r.text(), tc.want) || tc.written != (r.text() == "") {
			t.Errorf("%s: got %v, %s", tc.arguments, err, r.text())
		}
	}
}

func mustPass(t *testing.T, run func(t rapid.TB)) {
	t.Helper()
	if r := record(t, run); len(r.errors) > 0 {
		t.Errorf("%s", r.text())
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
