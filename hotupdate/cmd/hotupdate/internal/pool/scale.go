package pool

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// machines is how many machines the pool has now: none while its cluster is hibernated.
func (p *Pool) machines() Machines {
	if p.isHibernated() {
		return Machines{Known: true}
	}
	return p.Machines
}

// compareRest compares what is no trigger: number and place of the machines, and fields that no name depends on.
func (c *Comparison) compareRest(old, updated *Pool) {
	changes, unknown := rest(updated.fields, tree(old.all), tree(updated.all))
	c.Changes, c.Unjudged = append(c.Changes, changes...), unknown
	if !slices.Equal(old.Zones, updated.Zones) {
		c.Changes = append(c.Changes, compareZones(old.Zones, updated.Zones))
	}
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
