package structtag_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// optionTexts has a text of every option.
var optionTexts = map[string]string{
	"set": "set", "key": "key=a", "hotwhen": "hotwhen=a:b", "keyclass": "keyclass=true:a", "default": "default=a", "presence": "presence",
	"as": "as=dns", "sensitive": "sensitive",
}

// TestEveryOption: every option is known to all that this package says of a Tag: whether it has options, what an override
// leaves of them, and which exclude each other.
func TestEveryOption(t *testing.T) {
	t.Parallel()
	assert.ElementsMatch(t, structtag.OptionNames(), slices.Collect(maps.Keys(optionTexts)), "every option has a text here")
	var given []string
	for name, text := range optionTexts {
		tag, problems := structtag.ParseValue("false," + text)
		assert.Empty(t, problems, name)
		given = append(given, fieldsOf(tag)...)
		assert.NotEmpty(t, fieldsOf(tag), "%s: the option has a field of Tag, or else nothing knows it behind Parse", name)
		assert.True(t, tag.HasOptions(), "%s: or else an override of a single key takes the option, without an effect", name)
		assert.Equal(t, tag, structtag.Tag{Class: structtag.Hot}.Override(tag), "%s: or else an override with the option has no effect", name)
		without := tag
		without.Class = structtag.Hot
		assert.Equal(t, without, tag.Override(structtag.Tag{Class: structtag.Hot}),
			"%s: or else an override of the class alone drops the option", name)
		for other, otherText := range optionTexts {
			if other == name {
				continue
			}
			both, problems := structtag.ParseValue("false," + text + "," + otherText)
			assert.Equal(t, codes(problems), codes(both.Check()),
				"%s, %s: or else a loaded Schema may have options that no struct tag has", name, otherText)
		}
	}
	for field := range reflect.TypeFor[structtag.Tag]().Fields() {
		assert.True(t, field.Name == "Class" || slices.Contains(given, field.Name), "no option gives %s", field.Name)
	}
}

// TestEveryOptionIsTried: every option is in a seed of the fuzzing, and every field of Tag is drawn.
func TestEveryOptionIsTried(t *testing.T) {
	t.Parallel()
	allSeeds := strings.Join(seeds(), "\n")
	for _, text := range optionTexts {
		name, _, _ := strings.Cut(text, "=")
		assert.True(t, strings.Contains(allSeeds, ","+name), "no seed has the option %s", name)
	}
	var drawn []string
	for seed := range 200 {
		drawn = append(drawn, fieldsOf(genTag().Example(seed))...)
	}
	for field := range reflect.TypeFor[structtag.Tag]().Fields() {
		assert.True(t, field.Name == "Class" || slices.Contains(drawn, field.Name), "genTag never draws %s", field.Name)
	}
}

// fieldsOf are the names of the fields of a Tag that are not zero, apart from its class.
func fieldsOf(tag structtag.Tag) (names []string) {
	v := reflect.ValueOf(tag)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "Class" && !v.Field(i).IsZero() {
			names = append(names, name)
		}
	}
	return names
}
