package machineupdate_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// This file calls the code that is checked: the decision, the passes with their patches, the creation's record, the record's parser and
// tags.Rules.Plan. They are pure functions, so each question is asked once.

const modelConfirmAfter = time.Hour

// In the model a record was written just now, or longer than ConfirmAfter ago.
var (
	modelNow  = start
	modelThen = start.Add(-modelConfirmAfter)
)

// flow are the ways in which a naive flow differs from ours. The zero value is ours.
type flow struct {
	name string

	noMarker        bool // nothing is written before the call
	lastOperation   bool // an update under way is noted in LastOperation, not in the record
	forgetAttempted bool // the record has a marker, but not what was attempted
	keysOnly        bool // a key is owned whatever its value is
	blind           bool // writes carry no resourceVersion
	clearOnFailure  bool // a failure takes the marker back
	recordFound     bool // adopting an existing VM records the class's spec
	byContent       bool // a marker forces an update only if the applied spec is not the wanted one
	neverConfirm    bool // a success settles
	dropFormer      bool // a success forgets what was applied before
}

type (
	recordID uint16
	passID   uint32
	ownedID  uint16
)

// model is a flow with its budgets, and a cache of every question to the code that is checked.
type model struct {
	tb      testing.TB
	flow    flow
	changes uint8
	faults  uint8
	from    func(m *model) []world

	rules     tags.Rules
	classes   [2][]*machineupdate.Prepared // by revision and spec
	violation string

	records   interner[recordID]
	owned     []uint8    // by record: the values that stand in it, two bits for each key
	aged      []recordID // by record: the same record after ConfirmAfter; zero is not computed yet
	passes    []pass
	passIDs   map[pass]passID
	decisions map[question]answer
	states    interner[ownedID]
	plans     map[planned]request
	settled   map[packed]uint8 // closures that end well, with the passes that they need
	images    images
	watch     func(*world) // sees each step of a closure, if it is not nil
}

// pass is what a process has decided to do.
type pass struct {
	kind    kind
	confirm bool
	desired tagset
	silent  bool // no marker
	marker  recordID
	success recordID
	restore recordID
	owned   ownedID
}

type kind uint8

const (
	update kind = iota
	creation
	repair // initialization of a VM that exists
)

type question struct {
	record     recordID
	class      tagset
	kind       kind
	able       bool
	revision   uint8
	known      bool
	processing bool
	verify     bool
}

type answer struct {
	pass        passID // zero: nothing to do
	waits       bool
	unsupported bool
}

type planned struct {
	owned   ownedID
	desired tagset
	view    tagset
}

// interner numbers texts from 1 on.
type interner[ID ~uint16] struct {
	ids   map[string]ID
	texts []string
}

func (in *interner[ID]) id(text string) (id ID, isNew bool) {
	if id, ok := in.ids[text]; ok {
		return id, false
	}
	if in.ids == nil {
		in.ids, in.texts = map[string]ID{}, []string{""}
	}
	if len(in.texts) > 1<<16-1 {
		panic("too many texts for their numbers")
	}
	in.texts = append(in.texts, text)
	in.ids[text] = ID(len(in.texts) - 1)
	return in.ids[text], true
}

func newModel(tb testing.TB, f flow, changes, faults uint8) *model {
	tb.Helper()
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(tb, err)
	m := &model{
		tb: tb, flow: f, changes: changes, faults: faults, rules: rules, passes: make([]pass, 1), passIDs: map[pass]passID{},
		decisions: map[question]answer{}, plans: map[planned]request{}, settled: map[packed]uint8{}, owned: make([]uint8, 1), aged: make([]recordID, 1),
	}
	m.records.texts = []string{""}
	for revision := range m.classes {
		for _, s := range allTagsets {
			raw, err := json.Marshal(spec{Tags: s.tags()})
			require.NoError(tb, err)
			class := machineupdate.MachineClass{Name: "class", UID: "uid", ResourceVersion: "1", ProviderSpec: raw}
			driver := machineupdate.Driver{CanUpdate: true, Revision: strconv.Itoa(revision)}
			prepared, err := machineupdate.Prepare(class, schemaOf[spec](tb), driver)
			require.NoError(tb, err)
			m.classes[revision] = append(m.classes[revision], prepared)
		}
	}
	return m
}

var allTagsets = func() (all []tagset) {
	for s := range tagset(16) {
		all = append(all, s)
	}
	return all
}()

const mandatoryKey = "kubernetes.io/cluster/shoot"

var (
	keyNames   = [keys]string{"k", "l"}
	valueNames = [4]string{"", "1", "2", "x"}
)

// tags is a tagset as a map.
func (s tagset) tags() map[string]string {
	m := map[string]string{}
	for key, name := range keyNames {
		if value := s.get(key); value != 0 {
			m[name] = valueNames[value]
		}
	}
	return m
}

func (s tagset) String() string {
	var texts []string
	for key, name := range keyNames {
		if value := s.get(key); value != 0 {
			texts = append(texts, name+"="+valueNames[value])
		}
	}
	return "{" + strings.Join(texts, " ") + "}"
}

func tagsetOf(tb testing.TB, hot machineupdate.Hot) tagset {
	tb.Helper()
	var s spec
	require.NoError(tb, json.Unmarshal(hot.JSON(), &s))
	set := tagset(0)
	for key, name := range keyNames {
		if value, ok := s.Tags[name]; ok {
			set = set.with(key, uint8(slices.Index(valueNames[:], value)))
		}
	}
	return set
}

// record numbers an annotation. Records that no decision can tell apart have one number: the time counts in an unconfirmed record
// only, and there only whether ConfirmAfter is over, as a retry may come at any time; the order of attempts never does.
func (m *model) record(annotation string) recordID {
	if annotation == "" {
		return 0
	}
	r, err := machineupdate.ParseRecord(annotation)
	require.NoError(m.tb, err, "%s", annotation)
	return m.intern(r)
}

func (m *model) intern(r machineupdate.Record) recordID {
	if r.State != machineupdate.Unconfirmed || !r.Since.Equal(modelNow) {
		r.Since = modelThen
	}
	r.Retries = 0
	slices.Sort(r.Attempted)
	id, isNew := m.records.id(r.Annotation())
	if isNew {
		owned := uint8(0)
		for _, hot := range append([]machineupdate.Hot{r.Applied}, r.Attempted...) {
			set := tagsetOf(m.tb, hot)
			for key := range keys {
				if value := set.get(key); value != 0 {
					owned |= 1 << (2*key + int(value) - 1)
				}
			}
		}
		m.owned = append(m.owned, owned)
		m.aged = append(m.aged, 0)
	}
	return id
}

func (m *model) parse(id recordID) machineupdate.Record {
	r, err := machineupdate.ParseRecord(m.records.texts[id])
	require.NoError(m.tb, err)
	return r
}

// age is what becomes of a record when ConfirmAfter has passed.
func (m *model) age(id recordID) recordID {
	if id == 0 {
		return 0
	}
	if m.aged[id] == 0 {
		r := m.parse(id)
		r.Since = modelThen
		aged := m.intern(r)
		m.aged[id] = aged
	}
	return m.aged[id]
}

// owns reports whether the value of a key stands in a record.
func (m *model) owns(id recordID, key int, value uint8) bool {
	return value != alien && m.owned[id]&(1<<(2*key+int(value)-1)) != 0
}

// ask decides what a process that has read the question does.
func (m *model) ask(q question) answer {
	if a, ok := m.decisions[q]; ok {
		return a
	}
	o := machineupdate.Observed{
		Class:    m.classes[q.revision][q.class],
		Machine:  machineupdate.Seen{Name: "m", ResourceVersion: "1", Phase: "Running"},
		Settings: machineupdate.Settings{ConfirmAfter: modelConfirmAfter},
	}
	o.SetNow(modelNow)
	if q.verify {
		o.Settings.VerifyPeriod = time.Nanosecond
	}
	if q.known {
		o.Machine.ProviderID = "i-1"
	}
	if q.record != 0 {
		o.Machine.Annotations = map[string]string{machineupdate.AnnotationRecord: m.records.texts[q.record]}
	}
	a := answer{}
	if q.kind == update {
		a = m.decide(o, q)
	} else {
		c, err := machineupdate.BeginCreation(o)
		require.NoError(m.tb, err)
		a.pass = m.creation(c, q)
	}
	m.decisions[q] = a
	return a
}

func (m *model) decide(o machineupdate.Observed, q question) answer {
	if m.ignores(q) {
		return answer{}
	}
	d := machineupdate.Decide(o)
	if d.Err != nil {
		m.tb.Fatalf("no record of the model is wrong: %v", d.Err)
	}
	switch d.Action {
	case machineupdate.None, machineupdate.Unsupported:
		return answer{}
	case machineupdate.Wait:
		return answer{waits: true}
	case machineupdate.Update, machineupdate.Confirm:
	}
	if !q.able {
		return answer{unsupported: true}
	}
	p := pass{
		kind: update, confirm: d.Action == machineupdate.Confirm, desired: tagsetOf(m.tb, d.Pass.Request().Desired), restore: q.record,
		marker: m.recordOf(d.Pass.AboutToCall()), silent: m.flow.noMarker,
	}
	success := d.Pass.Succeeded("", modelNow)
	if p.confirm || m.flow.neverConfirm {
		success = d.Pass.Settled("", modelNow)
	}
	p.success = m.recordOf(success)
	p.owned = m.ownedBy(d.Pass.Request())
	if m.flow.dropFormer && !p.confirm {
		p.success = m.withoutFormer(p)
	}
	return answer{pass: m.pass(p)}
}

// ignores reports whether a naive flow takes no notice of the record.
func (m *model) ignores(q question) bool {
	if q.record == 0 || !m.flow.byContent && !m.flow.lastOperation {
		return false
	}
	r := m.parse(q.record)
	if r.State == machineupdate.Settled || r.Applied == "" || tagsetOf(m.tb, r.Applied) != q.class {
		return false
	}
	return m.flow.byContent && r.State == machineupdate.Calling || m.flow.lastOperation && !q.processing
}

func (m *model) withoutFormer(p pass) recordID {
	r, marker := m.parse(p.success), m.parse(p.marker)
	r.Attempted = slices.DeleteFunc(r.Attempted, func(hot machineupdate.Hot) bool { return !slices.Contains(marker.Attempted, hot) })
	return m.intern(r)
}

func (m *model) recordOf(patch machineupdate.Patch) recordID {
	id := m.record(patch.Set[machineupdate.AnnotationRecord])
	if m.flow.forgetAttempted {
		r := m.parse(id)
		r.Attempted = nil
		return m.intern(r)
	}
	return id
}

func (m *model) creation(c *machineupdate.Creation, q question) passID {
	p := pass{
		kind: q.kind, desired: q.class, restore: q.record, silent: m.flow.noMarker,
		marker: m.recordOf(c.AboutToCall()), success: m.recordOf(c.Created("i-1", "", modelNow)),
	}
	return m.pass(p)
}

func (m *model) pass(p pass) passID {
	if id, ok := m.passIDs[p]; ok {
		return id
	}
	id := passID(len(m.passes))
	if id >= 1<<20 {
		panic("too many passes for their numbers")
	}
	m.passes = append(m.passes, p)
	m.passIDs[p] = id
	return id
}

// ownedBy numbers what a request says is recorded.
func (m *model) ownedBy(request *machineupdate.UpdateMachineRequest) ownedID {
	attempted := slices.Clone(request.Attempted)
	if m.flow.forgetAttempted {
		attempted = nil
	}
	return m.internOwned(request.Applied, attempted)
}

func (m *model) internOwned(applied machineupdate.Hot, attempted []machineupdate.Hot) ownedID {
	slices.Sort(attempted)
	texts := []string{string(applied)}
	for _, hot := range attempted {
		texts = append(texts, string(hot))
	}
	id, _ := m.states.id(strings.Join(texts, "\n"))
	return id
}

// hotsOwned are the applied hot part and the attempted ones.
func (m *model) hotsOwned(id ownedID) []machineupdate.Hot {
	var hots []machineupdate.Hot
	for text := range strings.SplitSeq(m.states.texts[id], "\n") {
		hots = append(hots, machineupdate.Hot(text))
	}
	return hots
}

// plan is the request that a driver sends about a resource with the view that it has of it.
func (m *model) plan(p *pass, view tagset) request {
	key := planned{p.owned, p.desired, view}
	if q, ok := m.plans[key]; ok {
		return q
	}
	state := tags.State{Desired: p.desired.tags(), Mandatory: map[string]string{mandatoryKey: "1"}}
	for i, hot := range m.hotsOwned(p.owned) {
		recorded := tagsetOf(m.tb, hot).tags()
		if i == 0 {
			state.Applied = recorded
		} else {
			state.Attempted = append(state.Attempted, recorded)
		}
	}
	live := view.tags()
	live[mandatoryKey] = "1"
	plans, err := m.rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": live})
	require.NoError(m.tb, err)
	q := m.encode(&plans[0])
	if m.flow.keysOnly {
		q = ownedByKey(q, &state, p.desired, view)
	}
	m.plans[key] = q
	return q
}

func (m *model) encode(plan *tags.ResourcePlan) request {
	q := request(0)
	for _, tag := range plan.Set {
		q = q.withSet(slices.Index(keyNames[:], tag.Key), uint8(slices.Index(valueNames[:], tag.Value)))
	}
	for _, tag := range plan.Remove {
		if tag.Key == mandatoryKey {
			m.violation = "the mandatory key is removed"
			continue
		}
		q = q.withRemoval(slices.Index(keyNames[:], tag.Key), uint8(slices.Index(valueNames[:], tag.Value)))
	}
	return q
}

// ownedByKey removes recorded keys that are not wanted whatever their value is.
func ownedByKey(q request, state *tags.State, desired, view tagset) request {
	for key, name := range keyNames {
		recorded := slices.ContainsFunc(append(state.Attempted, state.Applied), func(spec map[string]string) bool {
			_, ok := spec[name]
			return ok
		})
		if recorded && desired.get(key) == 0 && view.get(key) != 0 {
			q = q.withRemoval(key, view.get(key))
		}
	}
	return q
}
