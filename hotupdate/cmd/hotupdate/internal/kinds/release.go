package kinds

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// table is what releases.json holds.
type table struct {
	Releases []string                 `json:"releases"`
	Members  map[Kind]map[string]span `json:"members"`
}

// span has the first and the last release of a member; an empty one equals that of the object that
// has the member.
type span struct{ First, Last string }

// releases is the whole file. It is parsed for the first manifest of a landscape whose release is known.
var releases = sync.OnceValue(func() (read table) {
	_ = json.Unmarshal([]byte(releasesFile), &read) // a test reads it
	return read
})

// place is where a value stands.
type place struct {
	kind Kind
	node *schemajson.Node // the description of the value; nil if it is not known
	// class is that of the member that the value is, or is in.
	class string
	path  string // in releases.json
	at    string // in the manifest
}

func (k Kind) root() place {
	p := place{kind: k}
	if own := schemas[k]; own != nil {
		p.node = own.document().Root
	}
	return p
}

// member returns the place of a member, or of an element with any name.
func (p place) member(name string) place {
	below := place{kind: p.kind, class: p.class, at: fieldpath.Join(p.at, name)}
	switch {
	case p.node == nil:
	case p.node.Elem != nil:
		below.node = p.node.Elem
		below.path = fieldpath.Elements(p.path)
	default:
		if field := p.node.Lookup(name); field != nil { // nil below a leaf
			below.node = field.Type
			below.class = field.Class
			below.path = strings.TrimPrefix(p.path+"."+name, ".")
		}
	}
	return below
}

// element returns the place of an element.
func (p place) element(i int) place {
	below := p.member("")
	below.at = fieldpath.At(p.at, i)
	return below
}

// InRelease returns a manifest as a release of Gardener, such as v1.140.2, reads it: without the members that the
// release does not have, for sure. Their paths are listed.
func (k Kind) InRelease(manifest *tree.Node, release string) (read *tree.Node, dropped []string) {
	return inRelease(k.root(), manifest, release, &dropped), dropped
}

func inRelease(at place, value *tree.Node, release string, dropped *[]string) *tree.Node {
	if value.Kind() != tree.Object && value.Kind() != tree.List {
		return value
	}
	index := -1
	return value.Mapped(func(name string, below *tree.Node) *tree.Node {
		index++
		there := at.member(name)
		if value.Kind() == tree.List {
			there = at.element(index)
		}
		if has, isKnown := there.has(release); isKnown && !has {
			*dropped = append(*dropped, there.at)
			return nil
		}
		return inRelease(there, below, release, dropped)
	})
}

// Lacks reports whether a release of Gardener does not have a member, for sure. The path has a name for each
// element of a list, too, which may be any.
func (k Kind) Lacks(path []string, release string) bool {
	at := k.root()
	for _, name := range path {
		at = at.member(name)
		if has, isKnown := at.has(release); isKnown && !has {
			return true
		}
	}
	return false
}

// Has reports whether a release of Gardener has a member, for sure. The path is written as for
// Lacks.
func (k Kind) Has(path []string, release string) bool {
	at := k.root()
	for _, name := range path {
		at = at.member(name)
		if has, isKnown := at.has(release); !isKnown || !has {
			return false
		}
	}
	return true
}

// has reports whether a release of Gardener that has the object above has the member. The answer is
// unknown for an unknown member, and for a release between two releases of the table if only one of
// them has the member.
func (p place) has(release string) (has, isKnown bool) {
	if p.node == nil {
		return false, false
	}
	all := releases()
	member := all.Members[p.kind][p.path]
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

// patched is the count of numbers in a release with a patch.
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
			number = math.MaxInt // greater than in any release
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
