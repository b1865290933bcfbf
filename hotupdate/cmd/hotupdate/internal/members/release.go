package members

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// whole is the whole file, with the releases that have a member. It is parsed for the first manifest of a landscape
// whose release is known.
var whole = sync.OnceValue(func() (read content) {
	_ = json.Unmarshal(file, &read) // a test reads it
	return read
})

// InRelease returns a manifest as a release of Gardener, such as v1.140.2, reads it: without the members that the
// release does not have, for sure. Their paths are listed.
func InRelease(t Type, manifest *tree.Node, release string) (read *tree.Node, dropped []string) {
	return inRelease(t, nil, manifest, release, &dropped), dropped
}

func inRelease(t Type, at *place, value *tree.Node, release string, dropped *[]string) *tree.Node {
	if value.Kind() != tree.Object && value.Kind() != tree.List {
		return value
	}
	index := -1
	return value.Mapped(func(name string, below *tree.Node) *tree.Node {
		index++
		if value.Kind() == tree.List {
			return inRelease(t.Elem(), &place{above: at, index: index}, below, release, dropped)
		}
		there := &place{at, name, -1}
		if has, isKnown := Has(t, name, release); isKnown && !has {
			*dropped = append(*dropped, there.String())
			return nil
		}
		typ, _ := t.member(name)
		return inRelease(typ, there, below, release, dropped)
	})
}

// Lacks reports whether a release of Gardener does not have a member below a type, for sure. The path has a name for
// each element of a list, too, which may be any.
func Lacks(t Type, path []string, release string) bool {
	for _, name := range path {
		if has, isKnown := Has(t, name, release); isKnown && !has {
			return true
		}
		t, _ = t.member(name)
	}
	return false
}

// Has reports whether a release of Gardener has a member of a type. It is not known for a release between two
// releases of the table of which one has the member, and for a member that is not in the table.
func Has(t Type, name, release string) (has, isKnown bool) {
	all := whole()
	member, isListed := all.Types[t][name]
	if !isListed {
		return false, false
	}
	lowest, highest := numbersOf(release)
	before := -1
	after := len(all.Releases)
	if member.First != "" {
		before = slices.Index(all.Releases, member.First) - 1
	}
	if member.Last != "" {
		after = slices.Index(all.Releases, member.Last) + 1
	}
	isBefore := before >= 0 && slices.Compare(highest, first(all.Releases[before])) <= 0
	isAfter := after < len(all.Releases) && slices.Compare(lowest, first(all.Releases[after])) >= 0
	hasBegun := before < 0 || slices.Compare(lowest, first(member.First)) >= 0
	goesOn := after >= len(all.Releases) || slices.Compare(highest, first(member.Last)) <= 0
	has = hasBegun && goesOn
	return has, has || isBefore || isAfter
}

// patched is the number of numbers of a release with a patch.
const patched = 3

func first(release string) []int {
	lowest, _ := numbersOf(release)
	return lowest
}

// numbersOf returns the numbers of a release. Without a patch, it may be any patch of its minor.
func numbersOf(release string) (lowest, highest []int) {
	for part := range strings.SplitSeq(strings.TrimPrefix(release, "v"), ".") {
		number, err := strconv.Atoi(part)
		if err != nil {
			number = math.MaxInt // more than any release
		}
		lowest = append(lowest, number)
	}
	highest = slices.Clone(lowest)
	for len(lowest) < patched {
		lowest = append(lowest, 0)
		highest = append(highest, math.MaxInt)
	}
	return lowest, highest
}
