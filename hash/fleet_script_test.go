package hash_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// simScript plays a history and keeps the checker's reports.
type simScript struct {
	*simulation

	t   require.TestingT
	err error
}

func (s *simScript) look() { s.err = errors.Join(s.err, s.check()) }

func (s *simScript) release(change func(next *simRelease)) {
	s.simulation.release(s.t, change)
	s.look()
}

func (s *simScript) each(edit func(*simPool)) {
	for i := range s.pools {
		edit(&s.pools[i])
	}
	s.look()
}

func (s *simScript) rollBack()  { s.simulation.rollBack(); s.look() }
func (s *simScript) rollOut()   { s.simulation.rollOut(); s.look() }
func (s *simScript) alternate() { s.simulation.alternate(); s.look() }

// newSimScript has pools of all kinds that run 1.31 to 1.33, in an era of raw bytes and, from 1.32 on, a canonical one.
func newSimScript(t require.TestingT) *simScript {
	shape := simShape{generation: 1}
	s := &simScript{t: t, simulation: newSimulation(t, &simRelease{
		generation: 1, oldest: 30, newest: 33,
		eras: []simEra{{name: "raw", shape: shape}, {name: "canonical", kind: simCanonical, from: 32, shape: shape}},
	})}
	full := simConfig{}
	for _, f := range simKnown(1) {
		full = full.with(f, 0)
	}
	for _, strategy := range strategies() {
		for minor := 31; minor <= 33; minor++ {
			for _, config := range []simConfig{nil, {}, {"tier": 1}, full} {
				s.add(simPool{strategy: strategy, minor: minor, config: config})
			}
		}
	}
	s.look()
	return s
}

// inEra changes one era of the next release.
func inEra(i int, change func(simEra) simEra) func(*simRelease) {
	return func(next *simRelease) { next.eras[i] = change(next.eras[i]) }
}

// behind adds a last era that differs from the one before.
func behind(from int, change func(simEra) simEra) func(*simRelease) {
	return func(next *simRelease) {
		e := change(next.last())
		e.name = "from " + strconv.Itoa(from)
		e.from = from
		next.eras = append(next.eras, e)
	}
}

func supportingOneMore(next *simRelease) { next.newest++ }

func class(owner string, class hotupdate.Class) func(simEra) simEra {
	return func(e simEra) simEra { return e.reclassified(owner, class) }
}

func withDefault(e simEra) simEra {
	e.shape.tier = true
	return e
}

// growing adds the fields of a generation to the Go type and to the Schemas of these eras.
func growing(t require.TestingT, generation int, eras ...int) func(*simRelease) {
	return func(next *simRelease) {
		next.generation = max(next.generation, generation)
		for _, i := range eras {
			next.eras[i] = next.eras[i].grown(t, generation)
		}
	}
}

func setting(path string) func(*simPool) {
	return func(p *simPool) {
		i := slices.IndexFunc(simFields, func(f simField) bool { return f.path == path })
		p.config = p.config.with(simFields[i], 1)
	}
}

func updating(minor int) func(*simPool) { return func(p *simPool) { p.minor = minor } }

func retiring(next *simRelease) { next.eras = next.eras[1:] }

// stripping hashes a config without the members that the Schema does not have.
func stripping(member string) simDefect {
	return func(data simData) simData {
		return func(raw []byte, pool simPool) ([]string, error) {
			var members map[string]json.RawMessage
			_ = json.Unmarshal(raw, &members)
			delete(members, member)
			stripped, _ := json.Marshal(members)
			return data(stripped, pool)
		}
	}
}

// counting hashes a number that only the process has.
func counting() simDefect {
	starts := 0
	return func(data simData) simData {
		starts++
		start := strconv.Itoa(starts)
		return func(raw []byte, pool simPool) ([]string, error) {
			strings, err := data(raw, pool)
			return append(strings, start), err
		}
	}
}

// leaking hashes the raw bytes beside their meaning.
func leaking(data simData) simData {
	return func(raw []byte, pool simPool) ([]string, error) {
		strings, err := data(raw, pool)
		return append(strings, string(raw)), err
	}
}

func withDefect(defect simDefect) func(simEra) simEra {
	return func(e simEra) simEra {
		e.defect = defect
		return e
	}
}
