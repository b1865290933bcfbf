package hotupdate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// overridable has every kind of field that a path can lead to.
type overridable struct {
	metav1.TypeMeta `json:",inline"`
	shadowing       `json:",inline"`

	Any     any                   `json:"any"`
	Class   string                `json:"class"`
	Lists   [][]optionItem        `json:"lists"`
	Map     map[string]optionItem `json:"map"`
	Object  metav1.ObjectMeta     `json:"object"`
	Odd     string                `json:"odd.name"`
	Omitted optionItem            `json:"-"`
	Raw     *runtime.RawExtension `json:"raw"`
	Size    *resource.Quantity    `json:"size"`
	Structs []*optionItem         `json:"structs"`
}

type shadowing struct {
	Class optionItem `json:"class"`
	Given string     `json:"given"`
}

// overrideSyntaxRows are paths that are not well-formed.
func overrideSyntaxRows() []schemaErrorRow {
	rows := []schemaErrorRow{
		{
			"two bad paths", errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag("a..b", "true"), hotupdate.WithTag("", "true"))),
			[]problem{
				{Code: "invalid-path"}, {Code: "invalid-path", Path: "a..b"},
			},
			"all errors at once",
		},
		{
			"unknown classes", errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag("class", "hot"), hotupdate.WithTag("any", ""))),
			[]problem{
				{Code: "unknown-class", Path: "any"}, {Code: "unknown-class", Path: "class"},
			},
			"a class that does not exist would drop the field silently",
		},
	}
	for tag, code := range map[string]string{
		"maybe": "unknown-class", "set": "unknown-class", "false,sett": "unknown-option", "false,set=1": "malformed-option",
		"false,set,set": "duplicate-option", "false,set,key=a": "conflicting-options", `hotupdatable:"false,set"`: "malformed-tag",
	} {
		rows = append(
			rows,
			schemaErrorRow{
				"overriding structs " + tag, errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag("structs", tag))),
				atPath(code, "structs"), "it is read as a struct tag is",
			},
		)
	}
	rows = append(rows, schemaErrorRow{
		"class of all keys", errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag(`map["*"]`, "true"))),
		atPath("invalid-key-class", `map["*"]`), "the map itself has a class",
	})
	for path, reason := range map[string]string{ // package fieldpath tests which paths are well-formed
		"":                "the root has no class of its own",
		"structs[]":       "ends at an element",
		"structs[0].name": "an override is for all elements",
		"[`odd.name`]":    "back quotes",
	} {
		rows = append(
			rows,
			schemaErrorRow{
				"bad path " + path, errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag(path, "true"))), atPath("invalid-path", path),
				reason,
			},
		)
	}
	return rows
}

// TestOverrideOfOneElement: the class of a single element is refused with what works instead. A key of a map is written in quotes.
func TestOverrideOfOneElement(t *testing.T) {
	type config struct {
		Labels map[string]string `json:"labels,omitempty"`
		Deep   []struct {
			Taints map[string]string `json:"taints,omitempty"`
		} `json:"deep,omitempty"`
	}
	for path, field := range map[string]string{
		"labels[team]": "labels", "labels.team": "labels", "labels[a.b/c]": "labels",
		"deep[0]": "deep", "deep[name=a].taints": "deep", "deep[].taints[a]": "deep[].taints", "deep[].taints.a": "deep[].taints",
	} {
		_, err := hotupdate.SchemaOf[config](hotupdate.WithTag(path, "true"))
		problem, isTyped := errors.AsType[*fault.Error](err)
		require.True(t, isTyped, path)
		assert.Contains(t, problem.What, "names a single element", path)
		assert.Contains(t, problem.Hint, "override `"+field+"` or, if its elements are objects, ", path)
		if path == "labels[a.b/c]" {
			assert.Contains(t, problem.Hint, "write `labels[\"a.b/c\"]`")
		}
		assert.NotContains(t, problem.Hint, "other characters", path)
	}
}

// overrideTargetRows are well-formed paths that lead nowhere, or twice to one place.
func overrideTargetRows() []schemaErrorRow {
	var rows []schemaErrorRow
	for path, reason := range map[string]string{
		"klass":                      "no such member",
		"Class":                      "a Go name, and another case",
		"/class":                     "no RFC 6901 pointer; the slash is part of a name",
		"object.nam":                 "no such member below",
		"class.name":                 "nothing stands below a string; the embedded class is shadowed",
		"class[].name":               "a string has no elements",
		"any.a":                      "free JSON has no fields",
		"any[].a":                    "free JSON has no fields",
		"raw.a":                      "free JSON has no fields",
		"raw.Raw":                    "a Go field of a type that marshals itself",
		"size.Format":                "a Go field of a type that marshals itself",
		"object.creationTimestamp.a": "a time is a text",
		"map.name":                   "the elements of a map need []",
		"map[][].name":               "the elements have no elements",
		"structs.name":               "the elements of a list need []",
		"lists[].name":               "one [] for each list",
		"Omitted":                    "not in JSON",
		"Omitted.name":               "not in JSON",
		"shadowing":                  "an embedded struct is no member",
		"shadowing.given":            "an embedded struct is no member",
		"TypeMeta.kind":              "an embedded struct is no member",
		"kind":                       "TypeMeta of the root is neither hashed nor compared",
		"apiVersion":                 "TypeMeta of the root is neither hashed nor compared",
		"odd.name":                   "one name with a dot, not two names",
		`[""]`:                       "an empty name",
	} {
		rows = append(
			rows,
			schemaErrorRow{
				"unknown path " + path, errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag(path, "true"))),
				atPath("unknown-path", path), reason,
			},
		)
	}
	return append(rows,
		schemaErrorRow{"one path twice", errorOf(hotupdate.SchemaOf[overridable](
			hotupdate.WithTag("class", "true"), hotupdate.WithTag("class", "inplace"),
		)), atPath("duplicate-path", "class"), "which one counts would be a guess"},
		schemaErrorRow{"one path twice with one class", errorOf(hotupdate.SchemaOf[overridable](
			hotupdate.WithTag("structs[].name", "true"), hotupdate.WithTag("structs[].name", "true"),
		)), atPath("duplicate-path", "structs[].name"), "one of them will be forgotten"},
		schemaErrorRow{"one path in two spellings", errorOf(hotupdate.SchemaOf[overridable](
			hotupdate.WithTag("map[].name", "true"), hotupdate.WithTag(`["map"][]["name"]`, "true"),
		)), atPath("duplicate-path", `["map"][]["name"]`), "they mean one field"},
		schemaErrorRow{"unknown path and struct tag", errorOf(hotupdate.SchemaOf[badSub](hotupdate.WithTag("typo", "true"))), []problem{
			{Code: "unknown-path", Path: "typo"}, {Code: "misspelled-key", Field: "hotupdate_test.badSub.Type"},
		}, "all errors at once"},
		schemaErrorRow{"override of a field without a JSON name", errorOf(hotupdate.SchemaOf[struct {
			Name string
		}](hotupdate.WithTag("Name", "true"))), []problem{
			{Code: "unknown-path", Path: "Name"}, {Code: "no-json-name", Field: "config.Name"},
		}, "overrides name fields as JSON does"},
	)
}

// overrideOptionRows are options that do not fit the field that an override gives them to.
func overrideOptionRows() (rows []schemaErrorRow) {
	for _, o := range []struct {
		path, tag string
		code      string
	}{
		{"class", "false,set", "misplaced-option"},
		{"lists[][].name", "false,key=name", "misplaced-option"},
		{"lists", "false,key=name", "misplaced-option"},
		{"structs", "false,hotwhen=on:true", "misplaced-option"},
		{"object", "false,presence", "misplaced-option"},
		{"any", "false,default=a", "invalid-default"},
		{"lists", "false,default='[]'", "misplaced-option"},
		{"size", "false,as=quantity", "misplaced-option"},
		{"structs", "false,key=nowhere", "invalid-key-field"},
		{"map", "true,hotwhen=on:true", "invalid-selector"},
		{"size", "false,default=big", "invalid-default"},
		{"given", "false,default=''", "invalid-default"},
	} {
		rows = append(
			rows,
			schemaErrorRow{
				"overriding " + o.path + " " + o.tag, errorOf(hotupdate.SchemaOf[overridable](hotupdate.WithTag(o.path, o.tag))),
				atPath(o.code, o.path), "the override is to blame",
			},
		)
	}
	return rows
}
