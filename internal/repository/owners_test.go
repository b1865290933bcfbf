package repository_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// owners names for each rule the only place of the product that may know it, and a text by which a second one shows
// itself. The consequence of a second owner is that one of them is changed, and the other is not.
var owners = []struct{ rule, owner, sign string }{
	{"the prefix of errors", "hotupdate/fault", `"hotupdate: ["%]|"hotupdate: "`},
	{"trees of decoded numbers", "internal/jsonpatch", `\.UseNumber\(\)`},
	{"the lines of YAML", "hotupdate/cmd/hotupdate/internal/tree", `go\.yaml\.in/yaml`},
	{"the text of a path's step", "internal/fieldpath", `\+ ?"\[" ?\+ ?strconv|"%s\[%d\]\.?"|\+ ?"\[\]"`},
	{"the name of the struct tag", "internal/structtag", `"hotupdatable"`},
	{"the escapes of RFC 6901", "internal/fieldpath", `"~[01]"`},
	{"the text of a string in JSON", "internal/canonjson", `func AppendString\(`},
	{
		"the bounds of a quantity's text, without which the parser can run for minutes", "internal/leaf",
		`resource\.(Must)?Parse(Quantity)?\(`,
	},
	{"names of Gardener's node agent secrets", "hash", `"gardener-node-agent-`},
	{"the words of verdicts", "hotupdate/cmd/hotupdate/internal/verdict", `"(class-renamed|becomes-readable|machines-deleted)"`},
	{"how delays are spread", "internal/jitter", `"hash/fnv"`},
	{"the header Retry-After", "hotupdate/driver/answer", `"Retry-After`},
	{"the digests of credentials", "hotupdate/driver/internal/digest", `"%d %s", len\(`},
	{"the annotation of the record", "hotupdate/machineupdate", `"machine\.sapcloud\.io/hot-update"`},
}

// others show a sign and do not know the rule: the position is that in a Go slice of the caller.
var others = []string{"tags/rules.go"}

// leftOut are folders that may know what others own: examples retell it, package limit is compared with it, and a
// program that is copied into other modules cannot call this one.
var leftOut = []string{"examples", "internal/benchmarks/limit", "internal/extensions/record"}

// TestOneOwner: when two pieces of code know the same rule, one of them is wrong.
func TestOneOwner(t *testing.T) {
	signs := make([]*regexp.Regexp, len(owners))
	found := make([]bool, len(owners))
	for i, o := range owners {
		signs[i] = regexp.MustCompile(o.sign)
	}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		isHidden := path != root && strings.HasPrefix(entry.Name(), ".")
		isLeftOut := slices.Contains(leftOut, name) || entry.Name() == "testdata"
		if entry.IsDir() && (isHidden || isLeftOut) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text := withoutComments.ReplaceAllString(read(t, name), "")
		for i, o := range owners {
			isOwner := strings.HasPrefix(name, o.owner+"/")
			if hit := signs[i].FindString(text); hit != "" && !isOwner && !slices.Contains(others, name) {
				t.Errorf("%s knows %s (%s), which %s owns: call it", name, o.rule, hit, o.owner)
			}
			found[i] = found[i] || isOwner && signs[i].MatchString(text)
		}
		return nil
	}))
	for i, o := range owners {
		if !found[i] {
			t.Errorf("the owner of %s, %s, does not show the sign %s: the check proves nothing", o.rule, o.owner, o.sign)
		}
	}
}

var withoutComments = regexp.MustCompile(`(?m)^\s*//.*$|\t// .*$`)
