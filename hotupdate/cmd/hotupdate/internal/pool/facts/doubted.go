package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
)

// Doubt is a missing member whose name is similar to an unknown member of the manifest. The unknown
// member is probably a misspelling of it, so its value is not known.
type Doubt struct {
	// Path is the path of the missing member: in the pool, or in the manifest for a member above
	// the pools. Written is the path of the unknown member.
	Path, Written string
}

// Concerns reports whether a field is the missing member, or a part of it, or has it as a part.
func (d Doubt) Concerns(path string) bool {
	return isAtOrBelow(path, d.Path) || isAtOrBelow(d.Path, path)
}

// doubt sets the doubts of each pool: about its own members, and about members above the pools.
func (m *Manifest) doubt() {
	list := strings.Join(m.poolsAt(), ".") + "["
	for _, problem := range m.Unknown {
		rest, isOfPool := strings.CutPrefix(problem.Path, list)
		position, path, isBelow := strings.Cut(rest, "].")
		i, err := strconv.Atoi(position)
		isElement := isOfPool && err == nil && i < len(m.Pools)
		isOne := isElement && isBelow
		switch {
		case problem.Meant == "":
		case isOne:
			m.Pools[i].Doubted = append(m.Pools[i].Doubted, doubtOf(problem, path))
		default:
			m.Doubted = append(m.Doubted, doubtOf(problem, problem.Path))
		}
	}
	for i := range m.Pools {
		m.Pools[i].Doubted = slices.Concat(m.Pools[i].Doubted, m.Doubted)
	}
}

// doubtOf returns the doubt about a member at a path.
func doubtOf(problem kinds.Unknown, path string) Doubt {
	above := path[:strings.LastIndex(path, ".")+1]
	return Doubt{Path: above + problem.Meant, Written: path}
}
