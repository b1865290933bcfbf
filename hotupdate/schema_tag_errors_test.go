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
		{
			"no quotes", errorOf(hotupdate.SchemaOf[badtags.Unquoted]()), malformed("Unquoted"),
			"the proposal's own spelling: reflect sees no struct tag",
		},
		{
			"no quotes and no JSON name", errorOf(hotupdate.SchemaOf[badtags.UnquotedOnly]()),
			append(malformed("UnquotedOnly"), at("no-json-name", "badtags.UnquotedOnly", "Tags")...), "both are reported",
		},
		{
			"behind a malformed struct tag", errorOf(hotupdate.SchemaOf[badtags.Hidden]()),
			append(malformed("Hidden"), at("no-json-name", "badtags.Hidden", "Tags")...), "reflect reads neither of them",
		},
		{
			"key twice", errorOf(hotupdate.SchemaOf[badtags.Twice]()), at("duplicate-tag", "badtags.Twice", "Tags"),
			"reflect takes the first silently",
		},
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
		{"no class", errorOf(hotupdate.SchemaOf[struct {
			Tags string `json:"tags" hotupdatable:""`
		}]()), unknown, "an empty struct tag says nothing"},
		{"options", errorOf(hotupdate.SchemaOf[struct {
			A []string    `json:"a" hotupdatable:"true,set=yes"`
			B *optionItem `json:"b" hotupdatable:"false,presence,presence"`
			C *string     `json:"c" hotupdatable:"false,default=a,presence"`
		}]()), slices.Concat(
			at("malformed-option", "config", "A"), at("duplicate-option", "config", "B"), at("conflicting-options", "config", "C"),
		), "package structtag tests each of them"},
		{"several fields and types", errorOf(hotupdate.SchemaOf[badTag]()), slices.Concat(
			at("misspelled-key", "hotupdate_test.badSub", "Type"),
			at("unknown-class", "hotupdate_test.badTag", "Size", "Tags"),
			at("unknown-option", "hotupdate_test.badTag", "Tags"),
			at("unknown-class", "hotupdate_test.badTag", "Zone"),
		), "all errors of a type and of the types below come back joined, each once"},
	}
}
