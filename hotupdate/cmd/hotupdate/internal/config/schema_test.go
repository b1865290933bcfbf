package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func readSchema(t require.TestingT) (root map[string]any) {
	require.NoError(t, json.Unmarshal(config.Schema(), &root))
	return root
}

// TestSchemaHasAPlace: the schema is the file that a release publishes, for the version of the format.
func TestSchemaHasAPlace(t *testing.T) {
	t.Parallel()
	name := fmt.Sprintf("config.v%d.schema.json", config.FormatVersion)
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(file), string(config.Schema()))
	root := readSchema(t)
	assert.Equal(t, "https://github.com/hotupdate/providerconfig/releases/latest/download/"+name, root["$id"])
	verdicts := root["properties"].(map[string]any)["failOn"].(map[string]any)["items"].(map[string]any)["enum"]
	assert.Equal(t, fmt.Sprint(config.Verdicts()), fmt.Sprint(verdicts), "the words of --fail-on")
}

// accepts reports whether a schema accepts a value. A keyword that it does not know is a failure.
func accepts(t require.TestingT, root map[string]any, schema any, value any) bool {
	if allowed, isBool := schema.(bool); isBool {
		return allowed
	}
	s := schema.(map[string]any)
	for keyword, argument := range s {
		if !holds(t, root, s, keyword, argument, value) {
			return false
		}
	}
	return true
}

func holds(t require.TestingT, root, s map[string]any, keyword string, argument, value any) bool {
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	text, isText := value.(string)
	switch keyword {
	case "$schema", "$id", "$defs", "title", "description", "properties":
		return true
	case "$ref":
		return accepts(t, root, root["$defs"].(map[string]any)[strings.TrimPrefix(argument.(string), "#/$defs/")], value)
	case "type":
		kinds := map[string]bool{
			"object": isObject, "array": isList, "string": isText, "boolean": reflect.TypeOf(value) == reflect.TypeFor[bool](),
		}
		return kinds[argument.(string)]
	case "const":
		return reflect.DeepEqual(argument, value)
	case "enum":
		return slices.ContainsFunc(argument.([]any), func(one any) bool { return reflect.DeepEqual(one, value) })
	case "anyOf":
		return slices.ContainsFunc(argument.([]any), func(one any) bool { return accepts(t, root, one, value) })
	case "pattern":
		return !isText || regexp.MustCompile(argument.(string)).MatchString(text)
	case "minLength":
		return !isText || len(text) >= int(argument.(float64))
	case "required":
		return !isObject || !slices.ContainsFunc(argument.([]any), func(name any) bool { _, there := object[name.(string)]; return !there })
	case "uniqueItems":
		for i, one := range list {
			if slices.ContainsFunc(list[:i], func(other any) bool { return reflect.DeepEqual(one, other) }) {
				return false
			}
		}
		return true
	case "items":
		return !isList || !slices.ContainsFunc(list, func(one any) bool { return !accepts(t, root, argument, one) })
	case "additionalProperties":
		described, _ := s["properties"].(map[string]any)
		for name, member := range object {
			of, isDescribed := described[name]
			if !isDescribed {
				of = argument
			}
			if !accepts(t, root, of, member) {
				return false
			}
		}
		return true
	}
	require.Fail(t, "the schema has a keyword that this test does not know", keyword)
	return false
}

// generator draws values of a schema, and now and then others.
type generator struct {
	t    *rapid.T
	root map[string]any
}

func (a generator) value(schema any) any {
	s, isObject := schema.(map[string]any)
	if !isObject || rapid.IntRange(0, 19).Draw(a.t, "spoil") == 0 {
		return rapid.SampledFrom(
			[]any{nil, true, false, 1.0, 2.0, "", "a", "roll", "pass", "v1.150.0", "server=", []any{}, []any{"a", "a"}, map[string]any{}},
		).Draw(a.t, "any")
	}
	switch {
	case s["$ref"] != nil:
		return a.value(a.root["$defs"].(map[string]any)[strings.TrimPrefix(s["$ref"].(string), "#/$defs/")])
	case s["const"] != nil:
		return s["const"]
	case s["enum"] != nil:
		return rapid.SampledFrom(s["enum"].([]any)).Draw(a.t, "word")
	case s["anyOf"] != nil:
		return a.value(rapid.SampledFrom(s["anyOf"].([]any)).Draw(a.t, "choice"))
	case s["pattern"] != nil:
		return rapid.StringMatching(s["pattern"].(string)).Draw(a.t, "text")
	case s["type"] == "boolean":
		return rapid.Bool().Draw(a.t, "bool")
	case s["type"] == "string":
		return rapid.SampledFrom([]string{"", "a", "b/c.yaml", "*.yaml"}).Draw(a.t, "text")
	case s["type"] == "array":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(a.t, "length") {
			list = append(list, a.value(s["items"]))
		}
		return list
	}
	return a.object(s)
}

func (a generator) object(s map[string]any) any {
	object := map[string]any{}
	described, _ := s["properties"].(map[string]any)
	names := []string{"aws", "InPlaceNodeUpdates"}
	for name := range described {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		of, isDescribed := described[name]
		if !isDescribed {
			of = s["additionalProperties"]
		}
		required, _ := s["required"].([]any)
		isRequired := slices.Contains(required, any(name))
		odds := rapid.IntRange(0, 15).Draw(a.t, name)
		isRare := of == false // a member that the schema refuses
		switch {
		case isRare && odds > 0, isRequired && odds == 0, !isRare && !isRequired && odds < 8:
			continue
		}
		object[name] = a.value(of)
	}
	return object
}

// control matches the characters that JSON takes in a string and YAML only takes as an escape.
var control = regexp.MustCompile(`[\x7f-\x84\x86-\x9f\x{feff}\x{fffe}\x{ffff}]`)

// TestSchemaAndParserAgree: on every value, written as JSON and so as YAML, the parser and the schema say the same.
// Only the syntax of globs and the rules of label selectors are not in the schema.
func TestSchemaAndParserAgree(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	valid := 0
	invalid := 0
	rapid.Check(t, func(t *rapid.T) {
		value := generator{t, root}.value(root)
		text, err := json.Marshal(value)
		require.NoError(t, err)
		text = control.ReplaceAllFunc(text, func(found []byte) []byte {
			r, _ := utf8.DecodeRune(found)
			return fmt.Appendf(nil, `\u%04x`, r)
		})
		_, err = config.Parse(text, "a.yaml")
		isSelector := func(problem *fault.Error) bool { return strings.Contains(problem.What, "is not a label selector") }
		if all := fault.All(err); err != nil && !slices.ContainsFunc(all, func(p *fault.Error) bool { return !isSelector(p) }) {
			err = nil
		}
		isValid := accepts(t, root, root, value)
		require.Equal(t, isValid, err == nil, "%s: %v", text, err)
		if isValid {
			valid++
		} else {
			invalid++
		}
	})
	assert.NotZero(t, valid)
	assert.NotZero(t, invalid)
}
