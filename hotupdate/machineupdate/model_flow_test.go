package machineupdate_test

import (
	"hash/maphash"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/tags"
)

// This file has the caches of the model: every answer of the code, its records, and the plans of package tags.

// flow is a flow of MCM. The zero value is ours; the fields are the differences of a naive flow.
type flow struct {
	name          string
	reconcile     func(r *replay) node                                                 // in place of replay.reconcile
	edit          func(r *replay, record *memory) (written bool)                       // changes what is written
	plan          func(q request, state *tags.PlanInput, desired, view tagset) request // changes what a driver sends
	forgets       bool                                                                 // what was attempted is not handed to the driver
	blind         bool                                                                 // writes carry no resourceVersion
	lastOperation bool                                                                 // an update under way is noted in LastOperation
	store         func(stored versions, version tagset) versions                       // in place of adding the version
	recall        func(stored versions) versions                                       // changes what an adoption reads
	reads         bool                                                                 // the driver reads first
	beside        bool                                                                 // MCM is not modified
	// a new term updates a machine whose call has not returned
	joins bool
	// versions are forgotten while a machine without a record exists
	forgetsSoon bool
}

// maxPasses is the largest number of successful passes until a machine is at rest.
const maxPasses = 2

// model is a flow with its budgets and events, and a cache of every question to the code that is checked.
type model struct {
	tb        testing.TB
	flow      flow
	events    events
	changes   uint8
	faults    uint8
	maxPasses uint8 // largest number of successful passes until a machine is at rest
	bound     int   // number of entries in a record; zero for no bound
	beside    bool  // MCM is not modified: creations store the version of the class, and write no record
	reads     bool  // the driver reads first, and requests the marker when it has something to write
	from      func(m *model) []world
	rules     tags.Rules
	seed      maphash.Seed
	violation string

	classes   map[question]*machineupdate.PreparedClass
	questions map[question]nodeID
	nodes     interner[node, nodeID]
	requests  interner[asked, askedID]
	plans     map[planned]request
	lists     map[listed]bool
	records   interner[string, recordID]
	tagsets   map[string]tagset
	digests   [16]string // of hot parts
	wanted    map[string]tagset

	patches     map[string]metadataPatch
	annotations map[string]recordID
	memories    []memory   // by record
	aged        []recordID // by record: the same record after ConfirmAfter; zero is not computed yet
	images      images
	settled     closures
	watch       func(*world) // sees each step of a closure, if it is not nil
}

func newModel(tb testing.TB, f flow, from func(m *model) []world) *model {
	tb.Helper()
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(tb, err)
	seed := maphash.MakeSeed()
	m := &model{
		tb: tb, flow: f, from: from, reads: f.reads, beside: f.beside, maxPasses: maxPasses, rules: rules, seed: seed,
		settled: closures{space: newSpace(seed)}, memories: make([]memory, 1), aged: make([]recordID, 1),
		classes: map[question]*machineupdate.PreparedClass{}, questions: map[question]nodeID{}, plans: map[planned]request{},
		lists:       map[listed]bool{},
		annotations: map[string]recordID{}, patches: map[string]metadataPatch{}, tagsets: map[string]tagset{}, wanted: map[string]tagset{},
	}
	for _, s := range specs {
		r := record.Record{Header: record.Header{ProviderID: "i-1"}}
		m.digests[s] = r.Create("m", record.NewTarget(string(hotPart(s)), "", nil, nil, record.Limits{}), modelNow).Wanted
		m.wanted[m.digests[s]] = s
	}
	m.nodes.id(node{does: quiescent})
	m.requests.id(asked{})
	m.records.id("")
	return m
}

// ageNode returns the node of a process whose write comes after ConfirmAfter.
func (m *model) ageNode(id nodeID) nodeID {
	n := *m.node(id)
	n.record = m.age(n.record)
	aged, _ := m.nodes.id(n)
	return aged
}

func (m *model) node(id nodeID) *node { return &m.nodes.values[id] }

type planned struct {
	asked    askedID
	resource uint8
	view     tagset
}

// plan returns the request of a driver for a resource with this view.
func (m *model) plan(id askedID, r int, view tagset) request {
	key := planned{id, uint8(r), view}
	if q, ok := m.plans[key]; ok {
		return q
	}
	q := m.planWith(id, r, view, m.requests.values[id].attempted[r].specs())
	m.plans[key] = q
	return q
}

func (m *model) planWith(id askedID, r int, view tagset, attempted []map[string]string) request {
	a := m.requests.values[id]
	state := tags.PlanInput{
		Recorded: append(attempted, a.applied[r].tags()), Desired: a.desired[r].tags(), Mandatory: map[string]string{mandatoryKey: "1"},
	}
	live := view.tags()
	live[mandatoryKey] = "1"
	plans, err := m.rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": live})
	require.NoError(m.tb, err)
	q := m.encode(&plans[0])
	if m.flow.plan != nil {
		q = m.flow.plan(q, &state, a.desired[r], view)
	}
	return q
}

func (m *model) encode(plan *tags.ResourcePlan) request {
	q := request(0)
	for _, tag := range plan.Set {
		q = q.withSet(slices.Index(keyNames[:], tag.Key), uint8(slices.Index(valueNames[:], tag.Value)))
	}
	for _, tag := range plan.Remove {
		if tag.Key == mandatoryKey {
			m.violation = "safety: the mandatory key is removed"
			continue
		}
		q = q.withRemoval(slices.Index(keyNames[:], tag.Key), uint8(slices.Index(valueNames[:], tag.Value)))
	}
	return q
}
