package pool

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// machines is how many machines the pool has now: none while its cluster is hibernated.
func (p *Pool) machines() Machines {
	if p.isHibernated() {
		return Machines{Known: true}
	}
	return p.Machines
}

// compareRest compares what is no trigger: number and place of the machines, and fields that no name depends on. A trigger that is written in
// another way, and is the same in effect, is listed as such.
func (c *Comparison) compareRest(old, updated *Pool) {
	if !slices.Equal(old.Zones, updated.Zones) {
		c.Changes = append(c.Changes, compareZones(old.Zones, updated.Zones))
	}
	changes, unknown := rest(fields().Pool, tree(old.all), tree(updated.all), func(at fieldpath.Path, before, after any) {
		switch path := at.String(); {
		case c.touches(triggerOf(path)), at[0].Name == configField, at[0].Name == "name":
		case path == "nodeAgentSecretName":
			if len(c.Changes) == 0 {
				c.Unjudged = append(c.Unjudged, path)
			}
		default:
			c.Changes = append(c.Changes, changeAt(at, before, after, SameMeaning, None))
		}
	})
	c.Changes, c.Unjudged = append(c.Changes, changes...), append(c.Unjudged, unknown...)
}

// touches reports whether there is a change at, above or below a path.
func (c *Comparison) touches(path string) bool {
	return slices.ContainsFunc(c.Changes, func(change Change) bool { return isBelow(change.Path, path) || isBelow(path, change.Path) })
}

// isBelow reports whether a path is another one, or leads on from it.
func isBelow(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// compareZones judges zones that differ.
func compareZones(old, updated []string) Change {
	before, after := listOf(old), listOf(updated)
	if len(old) < len(updated) && slices.Equal(old, updated[:len(old)]) {
		return changeAt(zonesPath, before, after, ZoneAppended, ComeOrGo)
	}
	return changeAt(zonesPath, before, after, ZonesChanged, Forbidden)
}

var zonesPath = fieldpath.Path{{Name: "zones"}}

func listOf(zones []string) any {
	if len(zones) == 0 {
		return absent{}
	}
	return zones
}
