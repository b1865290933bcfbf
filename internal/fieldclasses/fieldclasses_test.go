package fieldclasses_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TestRows: every row has a path, a class, a reason for people and a source, and no two rows of a kind have one path.
func TestRows(t *testing.T) {
	for _, kind := range fieldclasses.All() {
		assert.Regexp(t, `^[a-zA-Z0-9./-]+ v[0-9.]+$`, kind.Source, kind.Kind)
		seen := map[string]bool{}
		for _, row := range kind.Rows {
			at := kind.Kind + " " + row.Path
			assert.False(t, seen[row.Path], at)
			seen[row.Path] = true
			_, ok := fieldpath.ParsePattern(row.Path)
			assert.True(t, ok, at)
			_, problems := structtag.ParseValue(row.Tag())
			assert.Empty(t, problems, at)
			for _, reason := range []string{row.Reason, row.OneSided} {
				assert.NotRegexp(t, regexp.MustCompile(`\.$`), reason, at)
			}
			assert.NotEmpty(t, row.Reason, at)
			assert.NotEmpty(t, row.Source, at)
		}
	}
}

// TestTags: what only custom resources have is compared like an immutable field.
func TestTags(t *testing.T) {
	for class, want := range map[fieldclasses.Class]string{
		fieldclasses.Roll: "false,set", fieldclasses.Hot: "true,set", fieldclasses.InPlace: "inplace,set",
		fieldclasses.NoEffect: "ignore,set", fieldclasses.Undecided: "false,set", fieldclasses.Refused: "false,set",
	} {
		assert.Equal(t, want, fieldclasses.Row{Class: class, Options: "set"}.Tag())
	}
}

// TestOf: a kind is found by its group too.
func TestOf(t *testing.T) {
	pool, ok := fieldclasses.Of("karpenter.sh", "NodePool")
	assert.True(t, ok)
	assert.NotEmpty(t, pool.Rows)
	_, ok = fieldclasses.Of("example.org", "NodePool")
	assert.False(t, ok)
}

// TestEveryFieldHasARow: every field of the released CRD in whose code the rows of a kind were read has a row, or one
// above it has. No row is for a field that no version has. TestRecordedFields of examples/karpenter compares the lists
// with the CRDs.
func TestEveryFieldHasARow(t *testing.T) {
	for _, kind := range fieldclasses.All() {
		lines := linesOf(t, kind.Kind+".txt")
		assert.Contains(t, lines[0], " in "+kind.Source+", ", "the fields are those of another release")
		used := map[string]bool{}
		for _, line := range lines[1:] {
			_, path, _ := strings.Cut(line, " ")
			hasRow := false
			for _, row := range kind.Rows {
				if isAtOrBelow(path, row.Path) {
					hasRow = true
					used[row.Path] = true
				}
			}
			assert.True(t, hasRow, "%s: %s has no row", kind.Kind, line)
		}
		for _, row := range kind.Rows {
			assert.True(t, used[row.Path], "%s: no version has the field %s", kind.Kind, row.Path)
		}
	}
}

func isAtOrBelow(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	isEnd := rest == "" || strings.ContainsAny(rest[:1], ".[")
	return ok && isEnd
}

// TestEveryKindHasARemoval: what the removal of an object does was read for each kind that has rows. A kind that is not built in has none.
func TestEveryKindHasARemoval(t *testing.T) {
	for _, kind := range fieldclasses.All() {
		assert.NotEmpty(t, fieldclasses.RemovalOf(kind.Group, kind.Kind), kind.Kind)
	}
	assert.Equal(t, fieldclasses.WhileUnused, fieldclasses.RemovalOf("karpenter.azure.com", "AKSNodeClass"))
	assert.Empty(t, fieldclasses.RemovalOf("example.org", "NodePool"))
}

// TestRecordedHashes: a field that a node class hashes replaces nodes, and one that it does not hash does not. What the
// released types hash was asked of them and recorded, since module proxies do not serve their modules.
// examples/karpenter/drifted asks EC2NodeClass and NodePool themselves.
func TestRecordedHashes(t *testing.T) {
	for _, name := range []string{"AKSNodeClass", "GCENodeClass"} {
		i := slices.IndexFunc(fieldclasses.All(), func(kind fieldclasses.Kind) bool { return kind.Kind == name })
		kind := fieldclasses.All()[i]
		recorded := linesOf(t, name+".hash.txt")
		assert.Contains(t, recorded[0], " in "+kind.Source+": ", "the hashes are those of another release")
		var fields []string
		for _, line := range recorded[1:] {
			field, answer, _ := cutLast(line)
			fields = append(fields, field)
			_, path, _ := strings.Cut(field, " ")
			class := classAt(kind, path)
			switch answer {
			case "hashed":
				assert.Contains(t, []fieldclasses.Class{fieldclasses.Roll, fieldclasses.Undecided}, class, line)
			case "ignored":
				assert.NotEqual(t, fieldclasses.Roll, class, line)
			default:
				assert.Fail(t, "no answer", line)
			}
		}
		assert.ElementsMatch(t, linesOf(t, name+".txt")[1:], fields)
	}
}

func cutLast(line string) (before, after string, found bool) {
	at := strings.LastIndex(line, " ")
	return line[:max(at, 0)], line[at+1:], at >= 0
}

// classAt is the class of the row of a field, or of the nearest one above it.
func classAt(kind fieldclasses.Kind, path string) (class fieldclasses.Class) {
	longest := 0
	for _, row := range kind.Rows {
		if isAtOrBelow(path, row.Path) && len(row.Path) > longest {
			longest = len(row.Path)
			class = row.Class
		}
	}
	return class
}

func linesOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
