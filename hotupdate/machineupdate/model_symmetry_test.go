package machineupdate_test

import "hash/maphash"

// The model is symmetric in its two keys, and in the two values of ours of each key. Of up to eight states that differ
// only in these names, the search visits one. TestModelIsSymmetric checks that the code is symmetric too.

const symmetries = 8

// renamed is a tagset under a symmetry: bits 0 and 1 exchange the values of the first and of the second key, bit 2 exchanges the keys.
var renamed = func() (table [symmetries][16]tagset) {
	for g := range table {
		for s := range tagset(16) {
			a := exchanged(s.get(0), g&1 != 0)
			b := exchanged(s.get(1), g&2 != 0)
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

// images caches records and nodes under each symmetry.
type images struct {
	records [symmetries][]recordID
	nodes   [symmetries][]nodeID
}

// canonical returns the representative of the symmetric states.
func (m *model) canonical(w *world) world {
	if m.bound > 0 {
		return m.image(w, 0) // a full record takes keys in their order
	}
	best := [symmetries]int{}
	least := ^uint32(0)
	n := 0
	for g := range symmetries {
		t := &renamed[g]
		key := uint32(t[w.class])<<12 | uint32(t[w.live[0]])<<8 | uint32(t[w.live[1]])<<4 | uint32(t[w.classes[0]])
		if key < least {
			least = key
			n = 0
		}
		if key == least {
			best[n] = g
			n++
		}
	}
	chosen := m.image(w, best[0])
	if n == 1 {
		return chosen
	}
	smallest := maphash.Comparable(m.seed, chosen)
	for _, g := range best[1:n] {
		image := m.image(w, g)
		if h := maphash.Comparable(m.seed, image); h < smallest {
			chosen = image
			smallest = h
		}
	}
	return chosen
}

func (m *model) image(w *world, g int) world {
	n := *w
	if n.late[0] > n.late[1] {
		n.late[0], n.late[1] = n.late[1], n.late[0]
	}
	if g == 0 {
		return n
	}
	t := &renamed[g]
	n.record = m.recordImage(w.record, g)
	n.class = t[w.class]
	n.stored = w.stored.image(t)
	for i := range n.records {
		n.records[i] = m.recordImage(w.records[i], g)
		n.classes[i] = t[w.classes[i]]
	}
	for r := range resources {
		n.live[r] = t[w.live[r]]
		n.old[r] = [2]tagset{t[w.old[r][0]], t[w.old[r][1]]}
		n.ancient[r] = keyImage(w.ancient[r], g)
		n.drifted[r] = keyImage(w.drifted[r], g)
	}
	for i, q := range w.late {
		n.late[i] = requestImage(q, g)
	}
	if n.late[0] > n.late[1] {
		n.late[0], n.late[1] = n.late[1], n.late[0]
	}
	for i := range w.process {
		n.process[i].at = m.nodeImage(w.process[i].at, g)
		n.process[i].pending = requestImage(w.process[i].pending, g)
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
		exchange := g&(1<<key) != 0
		to := key
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

// askedSymmetric returns the step of a process if a symmetric question was asked before.
func (m *model) askedSymmetric(q question) (id nodeID, known bool) {
	if m.bound > 0 {
		return 0, false
	}
	for g := 1; g < symmetries; g++ {
		if id, known := m.questions[m.questionImage(q, g)]; known {
			return m.nodeImage(id, inverse(g)), true
		}
	}
	return 0, false
}

// inverse is the symmetry that takes back another one. If keys are exchanged, the values of the other key are.
func inverse(g int) int {
	if g&4 == 0 {
		return g
	}
	return 4 | g&1<<1 | g&2>>1
}

func (m *model) questionImage(q question, g int) question {
	q.record = m.recordImage(q.record, g)
	q.class = renamed[g][q.class]
	q.stored = q.stored.image(&renamed[g])
	return q
}

func (m *model) recordImage(id recordID, g int) recordID {
	if id == 0 || g == 0 {
		return id
	}
	for len(m.images.records[g]) < len(m.records.values) {
		m.images.records[g] = append(m.images.records[g], 0)
	}
	if m.images.records[g][id] == 0 {
		image := m.intern(m.memoryImage(m.memories[id], g))
		m.images.records[g][id] = image
	}
	return m.images.records[g][id]
}

func (m *model) memoryImage(r memory, g int) memory {
	if s, ok := m.wanted[r.Wanted]; ok {
		r.Wanted = m.digests[renamed[g][s]]
	}
	for i, c := range r.contents {
		r.contents[i] = content{known: c.known, applied: renamed[g][c.applied], values: c.values.image(g)}
	}
	return r
}

func (o *owned) image(g int) (image owned) {
	for key := range keys {
		to := key
		if g&4 != 0 {
			to = 1 - key
		}
		for value := range uint8(alien) {
			if o[key]&(1<<value) != 0 {
				image[to] |= 1 << exchanged(value, g&(1<<key) != 0)
			}
		}
	}
	return image
}

func (m *model) nodeImage(id nodeID, g int) nodeID {
	if id == 0 || g == 0 {
		return id
	}
	for len(m.images.nodes[g]) < len(m.nodes.values) {
		m.images.nodes[g] = append(m.images.nodes[g], 0)
	}
	if m.images.nodes[g][id] == 0 {
		n := *m.node(id)
		n.record = m.recordImage(n.record, g)
		n.asked = m.askedImage(n.asked, g)
		n.spec = renamed[g][n.spec]
		for a := range n.next {
			n.next[a] = m.nodeImage(n.next[a], g)
		}
		image, _ := m.nodes.id(n)
		m.images.nodes[g][id] = image
	}
	return m.images.nodes[g][id]
}

func (m *model) askedImage(id askedID, g int) askedID {
	a := m.requests.values[id]
	a.class = renamed[g][a.class]
	for r := range resources {
		a.desired[r] = renamed[g][a.desired[r]]
		a.applied[r] = renamed[g][a.applied[r]]
		a.attempted[r] = a.attempted[r].image(g)
	}
	image, _ := m.requests.id(a)
	return image
}
