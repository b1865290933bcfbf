package structtag_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TestRoundTrip formats a generated Tag in every way that the grammar allows, among other pairs, and reads it back.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := genTag().Draw(t, "tag")
		options := rapid.Permutation(options(t, want)).Draw(t, "options")
		value := strings.Join(append([]string{classWord(want.Class)}, options...), ",")
		others := rapid.SampledFrom([]string{``, `json:"hotupdatable" `, `doc:"hotupdatable:true, updatable" `, `xml:"\"a" yaml:"-"   `})
		tag := others.Draw(t, "before") + `hotupdatable:` + strconv.Quote(value) + " " + others.Draw(t, "after")

		got, ok, problems := structtag.Parse(reflect.StructTag(tag))
		if !ok || len(problems) > 0 {
			t.Fatalf("%s: ok %v, problems %v", tag, ok, problems.Err())
		}
		byKey := func(a, b structtag.KeyClass) int { return strings.Compare(a.Key, b.Key) }
		slices.SortFunc(want.Keys, byKey)
		slices.SortFunc(got.Keys, byKey)
		assert.Equal(t, want, got, tag)
		assert.Empty(t, got.Check(), "what a struct tag says is sound without its text")
		for _, k := range got.Keys {
			again, problems := structtag.ParseValue("false," + k.Option())
			assert.Empty(t, problems)
			assert.Equal(t, []structtag.KeyClass{k}, again.Keys)
		}
	})
}

// TestFaultyNeverSilent breaks a well-formed struct tag in one place and expects a problem.
func TestFaultyNeverSilent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := genTag().Draw(t, "tag")
		value := strings.Join(append([]string{classWord(want.Class)}, options(t, want)...), ",")
		quoted := strconv.Quote(value)
		tag := rapid.SampledFrom([]string{
			`hotupdatable:` + value, `hotupdatable: ` + quoted, `hotupdatable=` + quoted, `hotupdatable:` + quoted[:len(quoted)-1],
			`json:"a", hotupdatable:` + quoted, `json:"a hotupdatable:` + quoted, `json:a" hotupdatable:` + quoted,
			`json:a hotupdatable:` + quoted, "json:\"a\"\thotupdatable:" + quoted, `"hotupdatable":` + quoted,
			`hotUpdatable:` + quoted, `updatable:` + quoted, `hot-update=` + value,
			`hotupdatable:` + strconv.Quote(value+","), `hotupdatable:` + strconv.Quote(value+", sensitive"),
			`hotupdatable:` + strconv.Quote(value+",sett"), `hotupdatable:` + strconv.Quote(" "+value),
			`hotupdatable:` + quoted + ` json:"a" hotupdatable:"true"`,
		}).Draw(t, "faulty")

		_, ok, problems := structtag.Parse(reflect.StructTag(tag))
		if !ok || len(problems) == 0 {
			t.Fatalf("%s: ok %v, no problems", tag, ok)
		}
	})
}

func genTag() *rapid.Generator[structtag.Tag] {
	return rapid.Custom(func(t *rapid.T) structtag.Tag {
		tag := structtag.Tag{
			Class:     structtag.Class(rapid.IntRange(0, 3).Draw(t, "class")),
			Sensitive: structtag.Sensitivity(rapid.IntRange(0, 2).Draw(t, "sensitive")),
			As:        structtag.Meaning(rapid.IntRange(0, 6).Draw(t, "as")),
		}
		name := rapid.StringMatching(`[a-zA-Z0-9_$./@-][a-zA-Z0-9_$./@= -]{0,6}[a-zA-Z0-9_]`)
		shape := rapid.IntRange(0, 6).Draw(t, "shape")
		if rapid.Bool().Draw(t, "defaulted") {
			text := genText().Draw(t, "default")
			tag.Default = &text
		} else {
			tag.Presence = rapid.Bool().Draw(t, "presence")
		}
		switch shape {
		case 0:
			tag.Set = true
		case 1:
			for _, key := range rapid.SliceOfNDistinct(genText(), 1, 3, rapid.ID[string]).Draw(t, "keys") {
				tag.Keys = append(tag.Keys, structtag.KeyClass{Key: key, Class: structtag.Class(rapid.IntRange(0, 3).Draw(t, "key class"))})
			}
		case 3:
			tag.Key = name.Draw(t, "key")
		case 4:
			tag.Key = name.Draw(t, "key")
			tag.HotWhen = &structtag.HotWhen{Name: name.Draw(t, "name"), Value: genText().Draw(t, "value")}
		case 5:
			tag.HotWhen = &structtag.HotWhen{Name: name.Draw(t, "name"), Value: genText().Draw(t, "value")}
		}
		return tag
	})
}

func genText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[a,' ="\\:]{0,6}`))
}

func options(t *rapid.T, tag structtag.Tag) []string {
	var all []string
	add := func(when bool, option string) {
		if when {
			all = append(all, option)
		}
	}
	add(tag.Set, "set")
	add(tag.Presence, "presence")
	add(tag.As != structtag.Undeclared, "as="+tag.As.String())
	add(tag.Key != "", "key="+tag.Key)
	add(tag.Sensitive == structtag.HideValues, "sensitive")
	add(tag.Sensitive == structtag.HideKeys, "sensitive=keys")
	if tag.Default != nil {
		all = append(all, "default="+formatText(t, *tag.Default))
	}
	for _, k := range tag.Keys {
		all = append(all, "keyclass="+classWord(k.Class)+":"+formatText(t, k.Key))
	}
	if tag.HotWhen != nil {
		all = append(all, "hotwhen="+tag.HotWhen.Name+":"+formatText(t, tag.HotWhen.Value))
	}
	return all
}

// formatText quotes a text where it must, and sometimes where it need not.
func formatText(t *rapid.T, text string) string {
	must := text == "" || strings.ContainsAny(text, "',") || strings.TrimSpace(text) != text
	if must || rapid.Bool().Draw(t, "quoted") {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return text
}

func classWord(c structtag.Class) string {
	words := []string{"true", "false", "inplace", "ignore"}
	return words[slices.IndexFunc(words, func(w string) bool { p, ok := structtag.ParseClass(w); return ok && p == c })]
}
