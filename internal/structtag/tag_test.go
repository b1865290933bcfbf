package structtag_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

func codes(problems fault.List) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Code)
	}
	return all
}

func TestParseNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		in     reflect.StructTag
		reason string
	}{
		{"json", `json:"hotupdatable,omitempty"`, "a JSON name is no key"},
		{"unquoted json", `json:hotupdatable`, "a malformed JSON name is still no key"},
		{"unquoted json near-miss", `json:hotUpdatable,omitempty`, "a malformed JSON name is still no key"},
		{"doc", `doc:"hotupdatable:true is wrong" json:"a"`, "text inside other values"},
		{"doc with quotes", `doc:"write hotupdatable:\"true\" here" json:"a"`, "an escaped quote does not end a value"},
		{"doc that ends with the key", `doc:"see hotupdatable:" json:"a"`, "a space follows, so the quotes are paired well"},
		{"prose", `whether the field is updatable at all`, "an English word is no key"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok, problems := structtag.Parse(test.in)
			assert.Empty(t, problems, test.reason)
			assert.False(t, ok, test.reason)
			assert.Zero(t, got, test.reason)
		})
	}
}

// faulty is a struct tag with problems. TestHintIsRight checks what their corrects say.
type faulty struct {
	name   string
	in     reflect.StructTag
	want   []string
	reason string
}

func (f faulty) run(t *testing.T) {
	t.Helper()
	_, ok, problems := structtag.Parse(f.in)
	assert.True(t, ok, f.reason)
	assert.Equal(t, f.want, codes(problems), f.reason)
	for _, p := range problems {
		assert.NotEmpty(t, p.Hint, f.reason)
		assert.Contains(t, p.What, "`", "what stands there is quoted")
		assert.True(t, strings.HasPrefix(p.What, "has "), "reads on from the field: %s", p.What)
		assert.Empty(t, p.Field, "the caller adds the field")
	}
}

func TestParseKeyProblems(t *testing.T) {
	t.Parallel()
	var (
		malformed  = []string{"malformed-tag"}
		misspelled = []string{"misspelled-key"}
		twice      = []string{"duplicate-tag"}
	)
	for _, test := range []faulty{
		{"no quotes", `hotupdatable:true`, malformed, "the proposal's own spelling"},
		{"no quotes, last", `json:"tags" hotupdatable:true`, malformed, "behind a well-formed pair"},
		{"no quotes, first", `hotupdatable:true json:"tags"`, malformed, "before a well-formed pair"},
		{"no quotes, options", `hotupdatable:false,key=name`, malformed, "options are part of the value"},
		{"no quotes, comma behind", `hotupdatable:true, json:"a"`, malformed, "the comma is no option"},
		{
			"no quotes, pair behind comma", `hotupdatable:true,json:"a"`,
			[]string{"malformed-tag", "unknown-option"},
			"where the value ends is not known",
		},
		{"no quotes, quoted text", `hotupdatable:false,default='a b' json:"a"`, malformed, "a quoted space does not end the value"},
		{"space", `hotupdatable: "true"`, malformed, "reflect wants the quote right behind the colon"},
		{"space before colon", `hotupdatable :"true"`, malformed, "reflect wants the colon right behind the key"},
		{"equals", `hotupdatable="true"`, malformed, "as in an option"},
		{"colon equals", `hotupdatable:="true"`, malformed, "as in an assignment"},
		{"no mark", `hotupdatable "true"`, malformed, "a quote behind the key"},
		{"bare", `hotupdatable`, malformed, "no value"},
		{"bare, last", `json:"a" hotupdatable`, malformed, "no value"},
		{"bare, first", `hotupdatable json:"a"`, malformed, "the next pair is no value"},
		{"bare behind comma", `json:"a",hotupdatable`, malformed, "meant as one more pair"},
		{"colon only", `hotupdatable:`, malformed, "no value"},
		{"colon and pair", `hotupdatable: json:"a"`, []string{"malformed-tag", "unknown-class"}, "where the value ends is not known"},
		{"unterminated", `hotupdatable:"true`, malformed, "no closing quote"},
		{"unterminated, last", `json:"a" hotupdatable:"true`, malformed, "no closing quote"},
		{"single quotes", `hotupdatable:'true'`, malformed, "wrong quotes"},
		{"curly quotes", `hotupdatable:“true”`, malformed, "pasted from a document"},
		{"escaped quotes", `hotupdatable:\"true\"`, malformed, "pasted from an interpreted string"},
		{"json style", `"hotupdatable":"true"`, malformed, "the key is quoted"},
		{"wrong escape", `hotupdatable:"false,default=C:\d"`, malformed, "strconv.Unquote fails, so reflect sees nothing"},
		{"behind comma", `json:"a", hotupdatable:"true"`, malformed, "reflect stops at the comma"},
		{"comma in key", `json:"a",hotupdatable:"true"`, malformed, "reflect sees another key"},
		{"word in key", `json:"a",omitempty,hotupdatable:"true"`, malformed, "reflect sees another key"},
		{"behind tab", "json:\"a\"\thotupdatable:\"true\"", malformed, "reflect skips spaces only"},
		{"behind newline", "json:\"a\"\n  hotupdatable:\"true\"", malformed, "reflect skips spaces only"},
		{"behind junk", `json:a hotupdatable:"true"`, malformed, "reflect stops at the junk"},
		{"behind missing quote", `json:a" hotupdatable:"true"`, malformed, "the key looks quoted"},
		{"behind missing end quote", `json:"a hotupdatable:"true"`, malformed, "the key looks quoted, and all pairs well-formed"},
		{"behind missing end quote, options", `json:"a,omitempty hotupdatable:"false,key=name" yaml:"b"`, malformed, "the same"},
		{"behind unterminated", `json:"a hotupdatable:true`, malformed, "nothing is quoted in a value that never ends"},
		{"in a value behind junk", `json:a doc:"hotupdatable:true is wrong"`, malformed, "what is quoted is not known"},
		{"behind paired junk", `a" b:" hotupdatable:true " c`, malformed, "quotes are not paired as they look"},

		{"case", `hotUpdatable:"true"`, misspelled, "keys are case-sensitive"},
		{"upper case", `HOTUPDATABLE:"true"`, misspelled, "keys are case-sensitive"},
		{"hyphen", `hot-updatable:"true"`, misspelled, "spelling of prose"},
		{"underscore", `hot_updatable:"true"`, misspelled, "spelling of other languages"},
		{"e", `hotupdateable:"true"`, misspelled, "a common misspelling"},
		{"left out", `hotupdatble:"true"`, misspelled, "one letter is missing"},
		{"two errors", `hotupdtabel:"true"`, misspelled, "one letter is missing and two are swapped"},
		{"updatable", `updatable:"true"`, misspelled, "half the key"},
		{"updateable", `json:"a" updateable:"true"`, misspelled, "half the key, misspelled"},
		{"hotupdate", `hotupdate:"true"`, misspelled, "the package"},
		{"Hot_Update", `Hot_Update:"true"`, misspelled, "the package"},
		{"no quotes, misspelled", `hotUpdatable:true`, misspelled, "one problem, whose hint mends both"},
		{"bare, misspelled", `json:"a" hotupdateable`, misspelled, "no prose has this word"},
		{"bare updatable", `json:"a" updatable`, misspelled, "alone, it is no prose either"},
		{"updatable without quotes", `updatable=true`, misspelled, "a mark behind it"},
		{"invisible", "hot\u00adupdatable:\"true\"", misspelled, "a soft hyphen"},
		{"foreign letter", "h\u043etupdatable:\"true\"", misspelled, "a Cyrillic letter"},

		{"twice", `hotupdatable:"true" json:"a" hotupdatable:"false"`, twice, "reflect sees the first only"},
		{"twice the same", `hotupdatable:"true" hotupdatable:"true"`, twice, "still one too many"},
		{
			"twice, second malformed", `hotupdatable:"true" hotupdatable:false`,
			[]string{"malformed-tag", "duplicate-tag"},
			"all problems",
		},
		{
			"twice, second misspelled", `hotupdatable:"true" updatable:"true"`,
			[]string{"misspelled-key", "duplicate-tag"},
			"mending the key alone would give the key twice",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

func TestParseValueProblems(t *testing.T) {
	t.Parallel()
	only := func(c ...string) []string { return c }
	for _, test := range []faulty{
		{"ture", `hotupdatable:"ture"`, only("unknown-class"), "a typing error"},

		{"unknown", `hotupdatable:"true,sorted"`, only("unknown-option"), "no such option"},
		{"comma in text", `hotupdatable:"false,default=a,b"`, only("unknown-option"), "the text needs quotes"},

		{"empty option", `hotupdatable:"true,,set"`, only("malformed-option"), "a comma too many"},
		{"set with argument", `hotupdatable:"true,set=1"`, only("malformed-option"), "takes none"},
		{"presence with argument", `hotupdatable:"true,presence=true"`, only("malformed-option"), "takes none"},
		{"key without name", `hotupdatable:"true,key"`, only("malformed-option"), "needs a name"},
		{"hotwhen alone", `hotupdatable:"false,hotwhen"`, only("malformed-option"), "needs an argument"},
		{"as alone", `hotupdatable:"false,as"`, only("malformed-option"), "needs a kind"},
		{"as of another kind", `hotupdatable:"false,as=number"`, only("malformed-option"), "no such kind"},
		{"default alone", `hotupdatable:"false,default"`, only("malformed-option"), "needs a text"},
		{"sensitive with argument", `hotupdatable:"false,sensitive=values"`, only("malformed-option"), "keys is the only argument"},

		{"key twice", `hotupdatable:"true,key=a,key=b"`, only("duplicate-option"), "the second must not win silently"},
		{"sensitive twice", `hotupdatable:"true,sensitive,sensitive=keys"`, only("duplicate-option"), "two degrees of one option"},

		{
			"default and presence", `hotupdatable:"true,default='{}',presence"`, only("conflicting-options"),
			"absent means the default, so that nothing is left for presence to say",
		},
		{"keyclass alone", `hotupdatable:"false,keyclass"`, only("malformed-option"), "needs a class and a key"},
		{"keyclass without a class", `hotupdatable:"false,keyclass=a"`, only("malformed-option"), "needs a class"},
		{"keyclass of no class", `hotupdatable:"false,keyclass=hot:a"`, only("malformed-option"), "no such class"},
		{"keyclass with a comma", `hotupdatable:"false,keyclass=true:a,b"`, only("unknown-option"), "the key needs quotes"},
		{
			"keyclass twice for a key", `hotupdatable:"false,keyclass=true:a,keyclass=inplace:'a'"`, only("duplicate-option"),
			"the second must not win silently",
		},
		{
			"keyclass and hotwhen", `hotupdatable:"false,hotwhen=a:b,keyclass=true:a"`, only("conflicting-options"),
			"two ways to find the class of an element",
		},
		{"set and key", `hotupdatable:"true,set,key=a"`, only("conflicting-options"), "two ways to pair elements"},

		{
			"all at once", `hotupdatable:"ture,sett,set=1,key=a,key=a,,default='b"`,
			only(
				"unknown-class", "unknown-option", "malformed-option", "duplicate-option", "malformed-option", "malformed-option",
				"conflicting-options",
			), "no problem hides another; the duplicate adds no conflict",
		},
		{"no closing quote", `hotupdatable:"false,default='a,sett"`, only("malformed-option"), "where the text ends is not known"},
		{"value of a malformed pair", `hotupdatable:ture`, only("malformed-tag", "unknown-class"), "no problem hides another"},
		{"value of a misspelled key", `hotUpdatable:"true,sett"`, only("misspelled-key", "unknown-option"), "no problem hides another"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

// TestHintIsRight writes what a hint says in place of what stands there. It fails if the struct tag still has a problem, or says
// something else than what was meant.
func TestHintIsRight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want, reason string }{
		{`hotupdatable:true`, `hotupdatable:"true"`, "quotes"},
		{`hotupdatable: "false,set"`, `hotupdatable:"false,set"`, "no space"},
		{`hotupdatable: "false,default='a b'"`, `hotupdatable:"false,default='a b'"`, "the space does not end the value"},
		{`hotupdatable:'true'`, `hotupdatable:"true"`, "other quotes"},
		{`hotupdatable:\"true\"`, `hotupdatable:"true"`, "no backslashes"},
		{`hotupdatable:"true`, `hotupdatable:"true"`, "closing quote"},
		{`hotupdatable:false,key=name json:"a"`, `hotupdatable:"false,key=name"`, "options are kept"},
		{`hotupdatable:"false,default=C:\d"`, `hotupdatable:"false,default=C:\\d"`, "the backslash is meant"},
		{`json:"a", hotupdatable:"true"`, `hotupdatable:"true"`, "the pair, without what stands before it"},
		{"json:\"a\"\thotupdatable:\"true\"", `hotupdatable:"true"`, "as above"},
		{`json:"a hotupdatable:"false,set" yaml:"b"`, `hotupdatable:"false,set"`, "its own quotes are right"},
		{`HotUpdatable:"true,key=name"`, `hotupdatable:"true,key=name"`, "options are kept"},
		{`updatable:"true"`, `hotupdatable:"true"`, "half the key"},
		{`hotupdatable:"True"`, `hotupdatable:"true"`, "case"},
		{`hotupdatable:"in-place"`, `hotupdatable:"inplace"`, "hyphens do not count"},
		{`hotupdatable:"In Place"`, `hotupdatable:"inplace"`, "neither do spaces"},
		{`hotupdatable:" true"`, `hotupdatable:"true"`, "no space"},
		{`hotupdatable:"true, set"`, `hotupdatable:"true,set"`, "no space"},
		{`hotupdatable:"true,Set"`, `hotupdatable:"true,set"`, "case"},
		{`hotUpdatable:True,Set`, `hotupdatable:"true,set"`, "three problems, one hint"},
		{`hotupdatable`, `hotupdatable:"CLASS[,OPTION...]"`, "no class"},
	} {
		_, _, problems := structtag.Parse(reflect.StructTag(test.in))
		require.NotEmpty(t, problems, test.in)
		for _, p := range problems {
			assert.Contains(t, p.Hint, "write `"+test.want+"`", "%s: %s", test.in, test.reason)
		}
		_, ok, problems := structtag.Parse(reflect.StructTag(test.want))
		assert.True(
			t, ok && len(problems) == 0 || strings.Contains(test.want, "CLASS"), "%s: the hint has problems itself: %v", test.in, problems,
		)
	}
}

// TestHintIsNoGuess lists problems with more than one remedy: the hint must not decide for the user.
func TestHintIsNoGuess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, wrong, reason string }{
		{`hotupdatable:"true,set=false"`, "write `hotupdatable:", "would turn on what was meant to be off"},
		{`hotupdatable:"true,key=a,key=b"`, "write `hotupdatable:", "either may be right"},
		{`hotupdatable:"true,set,key=a"`, "write `hotupdatable:", "either may be right"},
		{`hotupdatable:"blue"`, "write `hotupdatable:", "no word is near"},
		{`hotupdatable:"yes"`, "write `hotupdatable:", "what it is to mean is not known"},
		{`hotupdatable:"false,default=it's"`, "write `hotupdatable:", "where the text ends is not known"},
		{`hotupdatable:"false,default=a,b"`, "write `hotupdatable:", "the comma may be too much"},
		{`hotupdatable:"false,default="`, "write `hotupdatable:", "the text is missing"},
		{`hotupdatable:"set"`, "write `hotupdatable:", "the class is missing"},
		{`hotupdatable:"ture"`, "write `hotupdatable:", "a typing error may have been meant as any class"},
		{`hotupdatable:"true,key= name"`, "write `hotupdatable:", "a JSON name may have a space in it"},
		{`hotupdatable:"true,set,set"`, "write `hotupdatable:", "one of them may have been meant otherwise"},
		{`hotupdatable:"true",hotupdatable:"true,set"`, "write `hotupdatable:\"true\" hotupdatable:", "would give the key twice"},
		{`json:a hotupdatable:"true"`, "json:\"a\" hotupdatable", "nobody knows what json:a means"},
	} {
		_, _, problems := structtag.Parse(reflect.StructTag(test.in))
		require.NotEmpty(t, problems, test.in)
		for _, p := range problems {
			assert.NotContains(t, p.Hint, test.wrong, "%s: %s", test.in, test.reason)
		}
	}
}

// TestMend has struct tags that are mended in the one way that was meant, and those that are left alone.
func TestMend(t *testing.T) {
	t.Parallel()
	const left = "" // left alone
	for _, test := range []struct{ in, want, reason string }{
		{`hotupdatable:true`, `hotupdatable:"true"`, "the proposal's own spelling"},
		{`json:"tags"   hotupdatable:true`, `json:"tags"   hotupdatable:"true"`, "columns stay"},
		{`json:"tags" hotupdatable:false,key=name yaml:"b"`, `json:"tags" hotupdatable:"false,key=name" yaml:"b"`, "all pairs stay"},
		{`hotupdatable:true json:"tags"`, `hotupdatable:"true" json:"tags"`, "reflect now sees the JSON name, too"},
		{`json:"a" hotupdatable: "true"`, `json:"a" hotupdatable:"true"`, "no space behind the colon"},
		{`hotupdatable:"true`, `hotupdatable:"true"`, "the closing quote"},
		{`hotupdatable:'true'`, `hotupdatable:"true"`, "other quotes"},
		{`hotUpdatable:"true,set"`, `hotupdatable:"true,set"`, "case"},
		{`hot_updatable:true`, `hotupdatable:"true"`, "an underscore and no quotes"},
		{`"hotupdatable":"true"`, `hotupdatable:"true"`, "as in JSON"},
		{`hotupdatable:"True"`, `hotupdatable:"true"`, "case"},
		{`hotupdatable:"in-place"`, `hotupdatable:"inplace"`, "a hyphen"},
		{`hotupdatable:" true,Set"`, `hotupdatable:"true,set"`, "a space and case"},
		{`json:"a", hotupdatable:"true",`, left, "the commas are not ours"},
		{`hotupdatable:true,json:"a"`, left, "where the value ends is not known"},
		{"json:\"a\"\thotupdatable:\"true\"", left, "the tab is not ours"},
		{`hotupdatable:'false,key=a b'`, left, "where the value ends is not known"},
		{`hotupdateable:true`, `hotupdatable:"true"`, "some dictionaries write it so"},
		{`json:"a" Hot-Updateable:"False"`, `json:"a" hotupdatable:"false"`, "in another case, too"},
		{`hotupdatabel:true`, left, "a typing error"},
		{`hotupdatable:"ture"`, left, "a typing error"},
		{`hotupdatable:"hot"`, `hotupdatable:"true"`, "the word of reports"},
		{`hotupdatable:"immutable,key=name"`, `hotupdatable:"false,key=name"`, "the word of reports"},
		{`json:"a" hotupdatable:ignored`, `json:"a" hotupdatable:"ignore"`, "the word of reports, without quotes"},
		{
			`hotupdatable:"false,keyclass=hot:a,keyclass=In-Place:b"`, `hotupdatable:"false,keyclass=true:a,keyclass=inplace:b"`,
			"classes of keys, too",
		},
		{`hotupdatable:"true,keyclass=blue:a"`, left, "no word is near"},
		{`hotupdatable:"false,key='name'"`, left, "the quotes may be part of the JSON name"},
		{`hotupdatable:"true,presence=true"`, left, "what the argument was to say is not known"},
		{`hotupdatable:"true,set,set,"`, left, "one of them may have been meant otherwise"},
		{`json:"a" hotupdatable:"true" hotupdatable:"true" yaml:"b"`, left, "either may go"},
		{`hotupdatable:"true"`, left, "nothing is wrong"},
		{`json:a`, left, "not our business"},
		{`hotupdatable`, left, "no class"},
		{`updatable:"true"`, left, "another word, perhaps of another program"},
		{`hotupdatable:"none"`, left, "a meaning, no typing error"},
		{`hotupdatable:"no"`, left, "a meaning, no typing error"},
		{`hotupdatable:"blue"`, left, "no word is near"},
		{`hotupdatable:"set"`, left, "no class"},
		{`hotupdatable:"true,set=name"`, left, "may have been meant as key=name"},
		{`hotupdatable:"true,set=false"`, left, "nobody knows"},
		{`hotupdatable:"false,default=a,b"`, left, "the comma may be too much"},
		{`hotupdatable:"false,default='a"`, left, "where the text ends is not known"},
		{`hotupdatable:"true,key=a,key=b"`, left, "either may be right"},
		{`hotupdatable:"true,set,key=a"`, left, "either may be right"},
		{`hotupdatable:"true" hotupdatable:"false"`, left, "either may be right"},
		{`hotupdatable:"true" hotUpdatable:"true"`, left, "mending one leaves two"},
		{`json:a hotupdatable:"true"`, left, "what json:a means is not ours to say"},
		{`hotupdatable:true json:a`, left, "reflect would not see the whole"},
	} {
		got, ok := structtag.Mend(reflect.StructTag(test.in))
		if test.want == left {
			test.want = test.in
		}
		assert.Equal(t, test.want, string(got), "%s: %s", test.in, test.reason)
		assert.Equal(t, test.want != test.in, ok, "%s: %s", test.in, test.reason)
	}
}

// TestMessages holds whole messages, to be read by people. Texts are not stable.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   reflect.StructTag
		want []string
	}{
		{`hotupdatable:true`, []string{"has malformed struct tag `hotupdatable:true`; write `hotupdatable:\"true\"`"}},
		{`json:"a", hotupdatable:"true"`, []string{
			"has struct tag `hotupdatable:\"true\"` behind malformed text, where reflect does not see it; " +
				"write `hotupdatable:\"true\"` behind key:\"value\" pairs, with spaces between them",
		}},
		{`updatable:"true"`, []string{"has misspelled struct tag `updatable:\"true\"`; write `hotupdatable:\"true\"`"}},
		{`hotupdatable:"ture,key=name"`, []string{
			"has unknown class `ture` in struct tag `hotupdatable:\"ture,key=name\"`; write one of `true`, `false`, `inplace` and `ignore` first",
		}},
		{`hotupdatable:"blue, set"`, []string{
			"has unknown class `blue` in struct tag `hotupdatable:\"blue, set\"`; write one of `true`, `false`, `inplace` and `ignore` first",
			"has unknown option ` set` in struct tag `hotupdatable:\"blue, set\"`; write one of `set`, `key`, `hotwhen`, `keyclass`, `default`, `presence`, `as`, `sensitive`, and 'quotes' around a text with a comma",
		}},
		{`hotupdatable:"set"`, []string{
			"has unknown class `set` in struct tag `hotupdatable:\"set\"`; write one of `true`, `false`, `inplace` and `ignore` first",
		}},
		{`hotupdatable:"hot"`, []string{
			"has unknown class `hot` in struct tag `hotupdatable:\"hot\"`; write `hotupdatable:\"true\"`: the class hot is written `true`",
		}},
		{`hotupdatable:"immutable,set=a"`, []string{
			"has unknown class `immutable` in struct tag `hotupdatable:\"immutable,set=a\"`; the class immutable is written `false`",
			"has malformed option `set=a` in struct tag `hotupdatable:\"immutable,set=a\"`; write `set` alone",
		}},
		{`hotupdatable:"false,default="`, []string{
			"has malformed option `default=` in struct tag `hotupdatable:\"false,default=\"`; " +
				"write `default=TEXT`; a text needs 'quotes' if it is empty, has a comma or a quote, or starts or ends with a space",
		}},
		{`hotupdatable:"false,key=a,set"`, []string{
			"has conflicting options `key=a` and `set` in struct tag `hotupdatable:\"false,key=a,set\"`; keep one of them",
		}},
		{`hotupdatable:"true" hotupdatable:"false"`, []string{
			"has more than one struct tag for hotupdatable: `hotupdatable:\"true\"` and `hotupdatable:\"false\"`; keep one of them",
		}},
	} {
		_, _, problems := structtag.Parse(test.in)
		var got []string
		for _, p := range problems {
			p.Field = "aws.WorkerConfig.Tags"
			got = append(got, strings.TrimPrefix(p.Error(), "hotupdate: field aws.WorkerConfig.Tags "))
		}
		assert.Equal(t, test.want, got)
	}
}

func TestSensitivityString(t *testing.T) {
	t.Parallel()
	var zero structtag.Sensitivity
	assert.Equal(t, "shown", zero.String())
	assert.Equal(t, "sensitive", structtag.HideValues.String())
	assert.Equal(t, "sensitive=keys", structtag.HideKeys.String())
	assert.Equal(t, "Sensitivity(7)", structtag.Sensitivity(7).String())
}

// TestCheck: a Tag that no struct tag says has the problems that its text would have.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		tag  structtag.Tag
		want []string
	}{
		{"nothing", structtag.Tag{}, nil},
		{"a keyed list with a selector", structtag.Tag{Key: "a", HotWhen: &structtag.HotWhen{Name: "b"}}, nil},
		{"a quote in a key", structtag.Tag{Key: "it's"}, []string{"malformed-option"}},
		{"a space before a key", structtag.Tag{Key: " a"}, []string{"malformed-option"}},
		{"a selector without a name", structtag.Tag{HotWhen: &structtag.HotWhen{}}, []string{"malformed-option"}},
		{"a set with a key", structtag.Tag{Set: true, Key: "a"}, []string{"conflicting-options"}},
		{"classes of keys in a set", structtag.Tag{Set: true, Keys: []structtag.KeyClass{{Key: "a"}}}, []string{"conflicting-options"}},
		{"a default and presence", structtag.Tag{Default: new("x"), Presence: true}, []string{"conflicting-options"}},
	} {
		var got []string
		for _, problem := range test.tag.Check() {
			got = append(got, problem.Code)
		}
		assert.Equal(t, test.want, got, test.name)
	}
}

func TestSensitivityNamed(t *testing.T) {
	t.Parallel()
	for want := structtag.HideValues; want <= structtag.HideKeys; want++ {
		got, ok := structtag.SensitivityNamed(want.String())
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	got, ok := structtag.SensitivityNamed("")
	assert.True(t, ok)
	assert.Equal(t, structtag.Shown, got)
	for _, wrong := range []string{"shown", "keys", "Sensitive"} {
		_, ok := structtag.SensitivityNamed(wrong)
		assert.False(t, ok, wrong)
	}
}
