package pool

import "slices"

// machines is how many machines the pool has now: none while its cluster is hibernated.
func (p *Pool) machines() Machines {
	if p.Hibernated {
		return Machines{Known: true}
	}
	return p.Machines
}

// compareRest compares what is no trigger: number and place of the machines, and fields that no name depends on.
func (c *Comparison) compareRest(old, updated *Pool) {
	changes, unknown := rest(updated.fields, old.all, updated.all)
	c.Changes, c.Unjudged = append(c.Changes, changes...), unknown
	if !slices.Equal(old.Zones, updated.Zones) {
		c.Changes = append(c.Changes, compareZones(old.Zones, updated.Zones))
	}
	c.ruleIf(Hibernated, !old.Hibernated && updated.Hibernated)
	c.ruleIf(WokenUp, old.Hibernated && !updated.Hibernated)
}

// compareZones judges zones that differ.
func compareZones(old, updated []string) Change {
	var before, after any
	if len(old) > 0 {
		before = old
	}
	if len(updated) > 0 {
		after = updated
	}
	if len(old) < len(updated) && slices.Equal(old, updated[:len(old)]) {
		return changeOf("zones", before, after, ZoneAppended, ComeOrGo)
	}
	return changeOf("zones", before, after, ZonesChanged, Forbidden)
}
