package machineupdate_test

import "github.com/hotupdate/providerconfig/hotupdate/machineupdate"

// The model is symmetric in its two keys, and in the two values of ours of each key. Of up to eight states that differ only in these names, the
// search visits one.

const symmetries = 8

// renamed is a tagset under a symmetry: bits 0 and 1 exchange the values of the first and of the second key, bit 2 exchanges the keys.
var renamed = func() (table [symmetries][16]tagset) {
	for g := range table {
		for s := range tagset(16) {
			a, b := exchanged(s.get(0), g&1 != 0), exchanged(s.get(1), g&2 != 0)
			if g&4 != 0 {
				a, b = b, a
			}
			table[g][s] = tagset(0).with(0, a).with(1, b)
		}
	}
	return table
}()

func exchanged(value uint8, exchange bool) uint8 {
	if exchange && (value == 1 || value == 2) {
		return 3 - value
	}
	return value
}

// images caches records and passes under each symmetry.
type images struct {
	records [symmetries][]recordID
	passes  [symmetries][]passID
}

// canonical returns the representative of the symmetric states.
func (m *model) canonical(w *world) packed {
	best, least := [symmetries]int{}, ^uint32(0)
	n := 0
	for g := range symmetries {
		t := &renamed[g]
		key := uint32(t[w.class])<<12 | uint32(t[w.live[0]])<<8 | uint32(t[w.live[1]])<<4 | uint32(t[w.formerClass])
		if key < least {
			least, n = key, 0
		}
		if key == least {
			best[n], n = g, n+1
		}
	}
	var smallest packed
	for i, g := range best[:n] {
		image := *w
		if g != 0 {
			image = m.image(w, g)
		}
		if p := image.pack(); i == 0 || p.less(smallest) {
			smallest = p
		}
	}
	return smallest
}

func (p packed) less(q packed) bool {
	for i := range p {
		if p[i] != q[i] {
			return p[i] < q[i]
		}
	}
	return false
}

func (m *model) image(w *world, g int) world {
	t, n := &renamed[g], *w
	n.class, n.formerClass = t[w.class], t[w.formerClass]
	n.record, n.formerRecord = m.recordImage(w.record, g), m.recordImage(w.formerRecord, g)
	for r := range resources {
		n.live[r] = t[w.live[r]]
		n.old[r] = [2]tagset{t[w.old[r][0]], t[w.old[r][1]]}
		n.ancient[r], n.drifted[r] = keyImage(w.ancient[r], g), keyImage(w.drifted[r], g)
	}
	for i, q := range w.late {
		n.late[i] = requestImage(q, g)
	}
	for i := range w.process {
		n.process[i].pass = m.passImage(w.process[i].pass, g)
	}
	return n
}

func keyImage(set uint8, g int) uint8 {
	if g&4 != 0 {
		return set>>1 | set&1<<1
	}
	return set
}

func requestImage(q request, g int) request {
	if q&requestCreate != 0 {
		return q&^requestTags | request(renamed[g][q&15])
	}
	image := q &^ requestTags
	for key := range keys {
		exchange, to := g&(1<<key) != 0, key
		if g&4 != 0 {
			to = 1 - key
		}
		image = image.withSet(to, exchanged(q.set(key), exchange))
		for value := uint8(1); value <= alien; value++ {
			if q.removes(key)&(1<<(value-1)) != 0 {
				image = image.withRemoval(to, exchanged(value, exchange))
			}
		}
	}
	return image
}

func (m *model) recordImage(id recordID, g int) recordID {
	if id == 0 || g == 0 {
		return id
	}
	for len(m.images.records[g]) < len(m.records.texts) {
		m.images.records[g] = append(m.images.records[g], 0)
	}
	if m.images.records[g][id] == 0 {
		r := m.parse(id)
		if r.Applied != "" {
			r.Applied = m.hotImage(r.Applied, g)
		}
		for i, hot := range r.Attempted {
			r.Attempted[i] = m.hotImage(hot, g)
		}
		image := m.intern(r)
		m.images.records[g][id] = image
	}
	return m.images.records[g][id]
}

func (m *model) hotImage(hot machineupdate.Hot, g int) machineupdate.Hot {
	return m.classes[0][renamed[g][tagsetOf(m.tb, hot)]].Hot()
}

func (m *model) passImage(id passID, g int) passID {
	if id == 0 || g == 0 {
		return id
	}
	for len(m.images.passes[g]) < len(m.passes) {
		m.images.passes[g] = append(m.images.passes[g], 0)
	}
	if m.images.passes[g][id] == 0 {
		p := m.passes[id]
		p.desired = renamed[g][p.desired]
		p.marker, p.success, p.restore = m.recordImage(p.marker, g), m.recordImage(p.success, g), m.recordImage(p.restore, g)
		p.owned = m.ownedImage(p.owned, g)
		image := m.pass(p)
		m.images.passes[g][id] = image
	}
	return m.images.passes[g][id]
}

func (m *model) ownedImage(id ownedID, g int) ownedID {
	if id == 0 {
		return 0
	}
	hots := m.hotsOwned(id)
	for i, hot := range hots {
		if hot != "" {
			hots[i] = m.hotImage(hot, g)
		}
	}
	return m.internOwned(hots[0], hots[1:])
}
