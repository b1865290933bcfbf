package hotupdate_test

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/testdata/badtags"
)

// tagSyntaxRows are struct tags that reflect reads in another way than intended.
func tagSyntaxRows() []schemaErrorRow {
	malformed := func(typ string) []problem { return at("malformed-tag", "badtags."+typ, "Tags") }
	misspelled := at("misspelled-key", "config", "Tags")
	return []schemaErrorRow{
		{"no quotes", errorOf(hotupdate.SchemaOf[badtags.Unquoted]()), malformed("Unquoted"), "the proposal's own spelling: reflect sees no struct tag"},
		{
			"no quotes and no JSON name", errorOf(hotupdate.SchemaOf[badtags.UnquotedOnly]()),
			append(malformed("UnquotedOnly"), at("no-json-name", "badtags.UnquotedOnly", "Tags")...), "both are reported",
		},
		{"space behind the colon", errorOf(hotupdate.SchemaOf[badtags.Spaced]()), malformed("Spaced"), "reflect stops there"},
		{"no closing quote", errorOf(hotupdate.SchemaOf[badtags.Unclosed]()), malformed("Unclosed"), "reflect stops there"},
		{"single quotes", errorOf(hotupdate.SchemaOf[badtags.SingleQuoted]()), malformed("SingleQuoted"), "only double quotes count"},
		{"tab between struct tags", errorOf(hotupdate.SchemaOf[badtags.Tabbed]()), malformed("Tabbed"), "only spaces separate struct tags"},
		{
			"behind a malformed struct tag", errorOf(hotupdate.SchemaOf[badtags.Hidden]()),
			append(malformed("Hidden"), at("no-json-name", "badtags.Hidden", "Tags")...), "reflect reads neither of them",
		},
		{
			"no quotes and an unknown class", errorOf(hotupdate.SchemaOf[badtags.UnquotedUnknown]()),
			append(malformed("UnquotedUnknown"), at("unknown-class", "badtags.UnquotedUnknown", "Tags")...), "all errors at once",
		},
		{"key twice", errorOf(hotupdate.SchemaOf[badtags.Twice]()), at("duplicate-tag", "badtags.Twice", "Tags"), "reflect takes the first silently"},
		{"key twice with one value", errorOf(hotupdate.SchemaOf[badtags.TwiceAlike]()), at("duplicate-tag", "badtags.TwiceAlike", "Tags"), "one of them will be forgotten"},
		{"key in camel case", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotUpdatable:"true"`
		}]()), misspelled, "keys are case-sensitive"},
		{"key updatable", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" updatable:"true"`
		}]()), misspelled, "a word of the proposal"},
		{"key with an underscore", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hot_updatable:"true"`
		}]()), misspelled, "a near-miss"},
		{"key with a typing error", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdateable:"true"`
		}]()), misspelled, "a near-miss"},
		{"key and class misspelled", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotUpdatable:"yes"`
		}]()), slices.Concat(misspelled, at("unknown-class", "config", "Tags")), "both are reported"},
	}
}

// badTag is wrong in every field, and one level down.
type badTag struct {
	Name   string  `json:"name"   hotupdatable:"true"`
	Size   int     `json:"size"   hotupdatable:"ture"`
	Tags   string  `json:"tags"   hotupdatable:"yes,foo,foo"`
	Zone   string  `json:"zone"   hotupdatable:""`
	Volume *badSub `json:"volume"`
}

type badSub struct {
	Type string `json:"type" hotUpdatable:"true"`
}

// tagValueRows are values of the struct tag whose class is wrong.
func tagValueRows() []schemaErrorRow {
	unknown := at("unknown-class", "config", "Tags")
	return []schemaErrorRow{
		{"class ture", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"ture"`
		}]()), unknown, "a typing error is not silently immutable"},
		{"class yes", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"yes"`
		}]()), unknown, "YAML's spelling"},
		{"class in upper case", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"True"`
		}]()), unknown, "words are case-sensitive"},
		{"class hot", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"hot"`
		}]()), unknown, "prose is not the struct tag's word"},
		{"class ignored", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"ignored"`
		}]()), unknown, "the word is ignore"},
		{"class in-place", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"in-place"`
		}]()), unknown, "the word is inplace"},
		{"class with a space", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:"true "`
		}]()), unknown, "no space is trimmed"},
		{"no class", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:""`
		}]()), unknown, "an empty struct tag says nothing"},
		{"no class before options", errorOf(hotupdate.SchemaOf[struct {
			Tags []string `json:"tags" hotupdatable:"set"`
		}]()), unknown, "the class comes first"},
		{"several fields and types", errorOf(hotupdate.SchemaOf[badTag]()), slices.Concat(
			at("misspelled-key", "hotupdate_test.badSub", "Type"),
			at("unknown-class", "hotupdate_test.badTag", "Size", "Tags"),
			at("unknown-option", "hotupdate_test.badTag", "Tags"),
			at("unknown-class", "hotupdate_test.badTag", "Zone"),
		), "all errors of a type and of the types below come back joined, each once"},
	}
}
