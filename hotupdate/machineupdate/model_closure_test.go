package machineupdate_test

import "fmt"

// This file judges a state by its fair closure: from now on class, driver and lease holder do not change, late requests
// die (a state in which they land is judged on its own), caches and reads do not lag, nothing fails, and other clients
// edit nothing. Then the machine must come to rest with the wanted infrastructure tags.

func (m *model) judge(w *world) string {
	if w.ability != capable || w.phase == phaseDoomed || w.cold {
		return "" // nothing is promised
	}
	c := *w
	holder := c.holder()
	c.process[1-holder] = process{}
	c.late = [2]request{}
	c.faults = 0
	c.changes = 0
	c.paused = false
	if c.classState == unreadable {
		c.classState = readable
	}
	m.normalize(&c)
	return m.close(c, holder)
}

type visit struct {
	at     world
	passes uint8
}

// closures are states whose closures end well, with the passes that they need.
type closures struct {
	space *space
	left  []uint8
}

func (c *closures) passes(w *world) (left uint8, known bool) {
	at, known := c.space.find(w, c.space.hash(w))
	if known {
		left = c.left[c.space.table[at].index()]
	}
	return left, known
}

func (c *closures) add(w *world, left uint8) {
	index, isNew := c.space.add(w, c.space.hash(w))
	if isNew {
		c.left = append(c.left, left)
	}
	c.left[index] = left
}

// close follows the only path of the closure.
func (m *model) close(c world, holder int) string {
	var path []visit
	passes := uint8(0)
	for range 100 {
		at := m.canonical(&c)
		if left, ok := m.settled.passes(&at); ok {
			passes += left
			return m.closed(&c, path, passes)
		}
		path = append(path, visit{at, passes})
		if m.watch != nil {
			m.watch(&c)
		} else {
			c = at // of symmetric states one, as in the search
		}
		if c.process[holder].at == 0 && c.phase == phaseRunning {
			//exhaustive:ignore
			switch next := m.ask(m.question(&c, c.record, c.class)); m.node(next).does {
			case quiescent:
				if violation := m.rest(c, holder); violation != "" {
					return violation
				}
				return m.closed(&c, path, passes)
			case waits:
				c, _ = m.later(&c)
				m.normalize(&c)
			default:
				passes++
				c.process[holder] = process{at: next, current: true}
			}
			continue
		}
		c = m.proceed(c, holder)
		if m.violation != "" {
			return m.takeViolation()
		}
	}
	return "liveness: the machine does not come to rest: " + m.describe(&c)
}

// closed checks and stores the number of passes on a path.
func (m *model) closed(c *world, path []visit, passes uint8) string {
	if passes > m.maxPasses {
		return fmt.Sprintf("liveness: %d passes are needed to come to rest: %s", passes, m.describe(c))
	}
	for _, v := range path {
		m.settled.add(&v.at, passes-v.passes)
	}
	return ""
}

// proceed returns the next step of a process without disturbances.
func (m *model) proceed(c world, holder int) world {
	var after *world
	s := run{m, &c, func(next *world, _ event) {
		if after == nil {
			n := *next
			after = &n
		}
	}}
	s.step(holder)
	return *after
}

// rest judges a machine with nothing left to do. Foreign edits after the last pass are drift, which a verification repairs.
func (m *model) rest(c world, holder int) string {
	wrong, drift := m.wrong(&c)
	switch {
	case wrong == "":
		return ""
	case !drift:
		return "liveness: " + wrong + " in the end: " + m.describe(&c)
	}
	q := m.question(&c, c.record, c.class)
	q.verify = true
	c.drifted = [resources]uint8{}
	c.process[holder] = process{at: m.ask(q), current: true}
	if !m.isBusy(c.process[holder].at) {
		return "liveness: a verification does nothing: " + m.describe(&c)
	}
	return m.close(c, holder)
}

// wrong describes the differences from the wanted state, and reports whether all are drift.
func (m *model) wrong(c *world) (wrong string, drift bool) {
	drift = true
	for r := range 1 + int(c.revision) {
		for key := range keys {
			want := c.class.get(key)
			live := c.live[r].get(key)
			mayStay := live == alien || c.ancient[r]&(1<<key) != 0
			if live == want || want == 0 && mayStay {
				continue
			}
			wrong = fmt.Sprintf("resource %d has %q for %s, wanted %q", r+1, valueNames[live], keyNames[key], valueNames[want])
			drift = drift && c.drifted[r]&(1<<key) != 0
		}
	}
	return wrong, drift
}
