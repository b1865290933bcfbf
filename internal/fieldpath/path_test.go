package fieldpath_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

func member(name string) fieldpath.Step {
	return fieldpath.Step{Kind: fieldpath.Member, Name: name}
}

func mapKey(name string) fieldpath.Step {
	return fieldpath.Step{Kind: fieldpath.MapKey, Name: name}
}

func listKey(name, value string, at int) fieldpath.Step {
	return fieldpath.Step{Kind: fieldpath.ListKey, Name: name, Value: value, At: at}
}

func element(value string, at int) fieldpath.Step {
	return fieldpath.Step{Kind: fieldpath.SetElem, Value: value, At: at}
}

func index(at int) fieldpath.Step { return fieldpath.Step{Kind: fieldpath.Index, At: at} }

func numbered(s fieldpath.Step, ordinal int32) fieldpath.Step {
	s.Ordinal = ordinal
	return s
}

func hidden(s fieldpath.Step) fieldpath.Step {
	s.Hidden = true
	return s
}

func TestPath(t *testing.T) {
	for _, tc := range []struct {
		path          fieldpath.Path
		text, pointer string
		reason        string
	}{
		{nil, "", "", "the root"},
		{fieldpath.Path{member("volume")}, "volume", "/volume", "a member"},
		{fieldpath.Path{member("volume"), member("iops")}, "volume.iops", "/volume/iops", "members are separated by dots"},
		{fieldpath.Path{member("tags"), member("vm"), mapKey("cost-center")}, "tags.vm[cost-center]", "/tags/vm/cost-center", "a map key"},
		{
			fieldpath.Path{member("dataVolumes"), listKey("name", "a", 3), member("iops")},
			"dataVolumes[name=a].iops",
			"/dataVolumes/3/iops", "a keyed list",
		},
		{fieldpath.Path{member("zones"), element("eu-1", 2)}, "zones[=eu-1]", "/zones/2", "a set"},
		{fieldpath.Path{member("args"), index(0), index(12)}, "args[0][12]", "/args/0/12", "lists of lists"},
		{fieldpath.Path{member("a.b"), member("c")}, `["a.b"].c`, "/a.b/c", "a dot in a name"},
		{fieldpath.Path{member("a"), member("b.c")}, `a["b.c"]`, "/a/b.c", "no dot before brackets"},
		{fieldpath.Path{member("a/b"), mapKey("c/d~e")}, "a/b[c/d~e]", "/a~1b/c~1d~0e", "slashes and tildes are escaped in pointers"},
		{fieldpath.Path{mapKey("~1")}, "[~1]", "/~01", "the tilde first"},
		{fieldpath.Path{mapKey("a.b")}, "[a.b]", "/a.b", "a dot needs no quotes in brackets"},
		{fieldpath.Path{mapKey("a]b")}, `["a]b"]`, "/a]b", "a bracket does"},
		{fieldpath.Path{mapKey("a[b")}, `["a[b"]`, "/a[b", "a bracket does"},
		{fieldpath.Path{mapKey(`a"b`)}, `["a\"b"]`, `/a"b`, "a quote does"},
		{fieldpath.Path{mapKey("a=b")}, `["a=b"]`, "/a=b", "an equals sign would look like a list key"},
		{fieldpath.Path{mapKey("")}, `[""]`, "/", "an empty key"},
		{fieldpath.Path{mapKey("a\nb\x00\x7f")}, `["a\nb\x00\x7f"]`, "/a\nb\x00\x7f", "control characters are made visible"},
		{
			fieldpath.Path{mapKey("\u202e\ufeff")},
			"[\"\\u202e\\ufeff\"]", "/\u202e\ufeff",
			"and so are marks that turn the writing direction",
		},
		{fieldpath.Path{mapKey("\xff")}, `["\xff"]`, "/\xff", "and bytes that are not UTF-8"},
		{
			fieldpath.Path{mapKey("\ufffd")},
			"[\"\ufffd\"]", "/\ufffd",
			"the replacement character is quoted: it may stand for something else",
		},
		{fieldpath.Path{mapKey("größe")}, "[größe]", "/größe", "letters need no quotes"},
		{fieldpath.Path{mapKey("a b")}, "[a b]", "/a b", "a space is printable"},
		{fieldpath.Path{member("l"), listKey("n.m", "x]", 1)}, `l[n.m="x]"]`, "/l/1", "the key's value is quoted on its own"},
		{fieldpath.Path{member("l"), listKey("n", "", 1)}, `l[n=""]`, "/l/1", "an empty key"},
		{fieldpath.Path{member("l"), numbered(listKey("n", "a", 4), 1), member("b")}, `l[n=a]#2.b`, "/l/4/b", "the second of a key"},
		{fieldpath.Path{member("l"), numbered(listKey("n", "a#2", 4), 11)}, `l[n=a#2]#12`, "/l/4", "a key may look like one"},
		{fieldpath.Path{member("l"), element("", 0)}, `l[=""]`, "/l/0", "an empty element"},
		{
			fieldpath.Path{member("m"), hidden(mapKey("secret")), member("a")},
			"m[(sensitive)].a", "/m",
			"a hidden key ends the pointer above it",
		},
		{
			fieldpath.Path{member("l"), hidden(listKey("name", "secret", 4)), member("a")},
			"l[name=(sensitive)].a", "/l/4/a",
			"a position gives nothing away",
		},
		{fieldpath.Path{member("l"), hidden(element("secret", 4))}, "l[=(sensitive)]", "/l/4", "a position gives nothing away"},
	} {
		assert.Equal(t, tc.text, tc.path.String(), tc.reason)
		assert.Equal(t, tc.pointer, tc.path.Pointer(), tc.reason)
	}
}
