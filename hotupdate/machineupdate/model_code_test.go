package machineupdate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// This file runs the checked code: the Executor, called as MCM calls it. Its functions give a list of answers, and then
// the answer ok. So a process is defined by its reads and answers, and each combination runs once.

const modelConfirmAfter = time.Hour

// In the model a record was written just now, longer than ConfirmAfter ago, or by a clock that is far ahead.
var (
	modelNow   = start
	modelThen  = start.Add(-modelConfirmAfter)
	modelAhead = start.Add(1000 * modelConfirmAfter)
)

// doing is the next step of a process.
type doing uint8

const (
	quiescent   doing = iota // nothing, until something changes
	waits                    // nothing yet
	writes                   // it writes the record
	calls                    // the driver reads and calls
	creates                  // CreateMachine
	initializes              // InitializeMachine
	reports                  // it writes the provider ID, and then the status
	stores                   // it stores the version of the class before a creation
)

// answer is the result of a step.
type answer uint8

const (
	ok            answer = iota
	okLate               // ok, and the process sleeps for ConfirmAfter
	failed               // with or without effect
	conflict             // another client wrote
	asks                 // the driver has something to write, and requests the marker
	unimplemented        // the driver cannot update
	answers
)

// possible has the possible answers beside ok.
var possible = [...][]answer{
	quiescent: nil, waits: nil, writes: {okLate, failed, conflict}, calls: {failed, unimplemented, asks}, creates: {okLate, failed},
	initializes: {okLate, failed}, reports: nil,
	stores: {okLate, failed},
}

// node is the state of a process. Processes with the same future are one node.
type node struct {
	does   doing
	record recordID // the record that it writes; during a call, the record that it has written
	asked  askedID  // the request to the driver
	marked bool     // the driver may write
	spec   tagset   // the spec of a created VM
	unread bool     // the class has infrastructure tags that no record has
	next   [answers]nodeID
}

// question has the reads of a process.
type question struct {
	record     recordID
	class      tagset
	classState classState
	doomed     bool
	does       doing // calls in the update flow; otherwise the missing step of creation: creates, initializes, or only reports
	able       bool
	revision   uint8
	epoch      uint8
	cold       bool
	known      bool
	paused     bool
	processing bool
	verify     bool
	stored     versions
}

// asked is a request to a driver, with the class of its decision, for each kind.
type asked struct {
	class     tagset
	cold      bool // the Schema says that nothing is Hot
	kinds     uint8
	desired   [resources]tagset
	applied   [resources]tagset
	attempted [resources]owned
}

// owned has the values of each key, as sets. Package tags takes a set of keys with values from the recorded specs.
type owned [keys]uint8

type (
	recordID uint32
	nodeID   uint32
	askedID  uint32
)

// interner numbers values from 1 on; the zero value is 0.
type interner[T comparable, ID ~uint16 | ~uint32] struct {
	ids    map[T]ID
	values []T
}

func (in *interner[T, ID]) id(value T) (id ID, isNew bool) {
	if in.ids == nil {
		var zero T
		in.ids = map[T]ID{zero: 0}
		in.values = []T{zero}
	}
	if id, ok := in.ids[value]; ok {
		return id, false
	}
	id = ID(len(in.values))
	if int(id) != len(in.values) {
		panic("too many values for their numbers")
	}
	in.ids[value] = id
	in.values = append(in.values, value)
	return id, true
}

// ask returns the first step of a process with these reads.
func (m *model) ask(q question) nodeID {
	id, known := m.questions[q]
	if !known {
		if id, known = m.askedSymmetric(q); !known {
			id = m.expand(q, nil)
		}
		m.questions[q] = id
	}
	return id
}

// expand returns the steps of the code after the answers, for all next answers.
func (m *model) expand(q question, given []answer) nodeID {
	r := &replay{m: m, q: q, given: given, now: modelNow, annotation: m.records.values[q.record], version: 1}
	end := m.reconcile(r)
	id, _ := m.nodes.id(end)
	for i, n := range slices.Backward(r.trail) {
		n.next[ok] = id
		given := append(slices.Clip(r.given), make([]answer, i)...)
		for _, a := range possible[n.does] {
			if a != asks || !n.marked {
				n.next[a] = m.expand(q, append(slices.Clip(given), a))
			}
		}
		id, _ = m.nodes.id(n)
	}
	return id
}

// replay is a run of the code with given answers, and ok after them.
type replay struct {
	m          *model
	q          question
	given      []answer
	asked      int    // number of answers so far
	trail      []node // steps after the given answers, with the answer ok
	now        time.Time
	annotation string // the record known to this process
	version    int    // its resourceVersion
}

// reconcile runs the flow for a machine.
func (m *model) reconcile(r *replay) node {
	if m.flow.reconcile != nil {
		return m.flow.reconcile(r)
	}
	return r.reconcile()
}

// answer returns the next answer for a step.
func (r *replay) answer(n node) answer {
	r.asked++
	if r.asked > len(r.given) {
		r.trail = append(r.trail, n)
		return ok
	}
	a := r.given[r.asked-1]
	if a == okLate {
		r.now = r.now.Add(modelConfirmAfter)
		return ok
	}
	return a
}

// reconcile is MCM's reconcile of a machine.
func (r *replay) reconcile() node {
	e := &machineupdate.Executor[*object]{Patch: r.patch, UpdateMachine: r.update, Now: func() time.Time { return r.now }}
	ctx := context.Background()
	if r.q.does == calls {
		return ended(e.Reconcile(ctx, r.machine(), r.observation()))
	}
	if r.q.does == reports {
		r.answer(node{does: reports})
		return node{}
	}
	if r.m.beside {
		return r.createBeside()
	}
	observed := r.observation()
	var class machineupdate.MachineClass
	if observed.Class != nil {
		class = observed.Class.Class()
	}
	creation, begun := e.BeginCreation(ctx, r.machine(), observed, class)
	if creation == nil {
		return ended(begun)
	}
	r.create(e, creation, begun.Machine)
	return node{}
}

// create is MCM's creation flow between the marker and the end. Nothing is sent after the creation's deadline.
func (r *replay) create(e *machineupdate.Executor[*object], creation *machineupdate.Creation, newest *object) {
	sends := node{does: creates, spec: r.q.class, unread: r.q.classState == unreadable || r.q.cold}
	if r.q.does == creates && (r.isOver(creation) || r.answer(sends) != ok) {
		return
	}
	sends.does = initializes
	if r.isOver(creation) || r.answer(sends) != ok {
		return
	}
	if r.q.does == creates {
		e.FinishCreation(context.Background(), creation, newest, "i-1")
	}
	r.answer(node{does: reports})
}

func (r *replay) isOver(creation *machineupdate.Creation) bool {
	return creation.Context(context.Background()).Err() != nil
}

func ended(result machineupdate.Result[*object]) node {
	if result.RequeueAfter > 0 {
		return node{does: waits}
	}
	return node{}
}

// machine returns the machine as the process has read it.
func (r *replay) machine() *object {
	read := r.object()
	if r.q.doomed {
		read.DeletionTimestamp = &metav1.Time{Time: modelThen}
	}
	read.Annotations = map[string]string{"machine.sapcloud.io/pause-hot-update": strconv.FormatBool(r.q.paused)}
	if r.annotation != "" {
		read.Annotations[machineupdate.AnnotationRecord] = r.annotation
	}
	return read
}

// observation returns the other reads of the process.
func (r *replay) observation() machineupdate.Observation {
	o := machineupdate.Observation{
		Class:    r.m.class(r.q),
		Settings: machineupdate.Settings{ConfirmAfter: modelConfirmAfter},
		Versions: r.versions,
	}
	if r.q.classState == unreadable {
		o.ClassError = errModel
	}
	if r.q.does == calls {
		o.Phase = "Running"
	}
	if r.q.known {
		o.ProviderID = "i-1"
	}
	if r.q.verify {
		o.Settings.VerifyPeriod = time.Nanosecond
	}
	return o
}

var errModel = errors.New("failed")

// patch is the API server.
func (r *replay) patch(_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*object, error) {
	patch := r.m.readPatch(data)
	annotation := patch.Metadata.Annotations[machineupdate.AnnotationRecord]
	if patch.Metadata.ResourceVersion != strconv.Itoa(r.version) {
		r.m.violation = "safety: a write carries another resourceVersion than that by which it was decided"
	}
	if r.m.flow.edit != nil && annotation != "" {
		record := r.m.remember(annotation)
		if !r.m.flow.edit(r, &record) {
			return r.object(), nil
		}
		annotation = r.m.annotation(&record)
	}
	return r.write(annotation)
}

// metadataPatch is a write to a Machine.
type metadataPatch struct {
	Metadata struct {
		ResourceVersion string
		Annotations     map[string]string
	}
}

func (m *model) readPatch(data []byte) metadataPatch {
	patch, known := m.patches[string(data)]
	if !known {
		require.NoError(m.tb, json.Unmarshal(data, &patch))
		m.patches[string(data)] = patch
	}
	return patch
}

// object returns the machine known to the process.
func (r *replay) object() *object {
	return &object{ObjectMeta: metav1.ObjectMeta{Name: "m", ResourceVersion: strconv.Itoa(r.version)}}
}

// write writes an annotation.
func (r *replay) write(annotation string) (*object, error) {
	//exhaustive:ignore
	switch r.answer(node{does: writes, record: r.m.record(annotation)}) {
	case ok:
		r.annotation = annotation
		r.version++
		return r.object(), nil
	case conflict:
		return nil, errConflict
	default:
		return nil, errModel
	}
}

// update is the driver.
func (r *replay) update(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	n := node{does: calls, record: r.m.record(r.annotation), asked: r.m.asked(r.q, request), marked: !r.m.reads}
	for {
		//exhaustive:ignore
		switch r.answer(n) {
		case ok:
			return nil
		case unimplemented:
			return machineupdate.ErrUnimplemented
		case asks:
			if err := request.BeforeWrite(ctx); err != nil {
				return err
			}
			n.marked = true
			n.record = r.m.record(r.annotation)
		default:
			return errModel
		}
	}
}

// asked numbers a request.
func (m *model) asked(q question, request *machineupdate.UpdateMachineRequest) askedID {
	a := asked{class: q.class, kinds: uint8(len(request.Parts)), cold: q.cold}
	var lists [resources][]byte
	for r, part := range request.Parts {
		require.Equal(m.tb, kindNames[r], part.Kind)
		a.desired[r] = m.tagset(part.Desired.JSON())
		a.applied[r] = m.tagset(part.Applied.JSON())
		for _, hot := range part.Attempted {
			if m.flow.forgets {
				break
			}
			set := m.tagset(hot.JSON())
			a.attempted[r].add(set)
			lists[r] = append(lists[r], byte(set))
		}
	}
	id, _ := m.requests.id(a)
	for r := range request.Parts {
		m.checkList(id, r, lists[r])
	}
	return id
}

// listed is a request with the tagsets that were attempted, in the order of the record.
type listed struct {
	asked    askedID
	resource uint8
	list     string
}

// checkList checks that only the values in a list of attempted tagsets count, whatever is in the cloud.
func (m *model) checkList(id askedID, r int, list []byte) {
	key := listed{id, uint8(r), string(list)}
	if m.lists[key] {
		return
	}
	m.lists[key] = true
	var specs []map[string]string
	for _, set := range list {
		specs = append(specs, tagset(set).tags())
	}
	for view := range tagset(16) {
		require.Equal(m.tb, m.plan(id, r, view), m.planWith(id, r, view, specs))
	}
}

func (o *owned) add(s tagset) {
	for key := range keys {
		o[key] |= 1 << s.get(key) &^ 1
	}
}

// specs are specs that have all of the values.
func (o *owned) specs() (held []map[string]string) {
	for value := uint8(1); value < alien; value++ {
		spec := map[string]string{}
		for key, name := range keyNames {
			if o[key]&(1<<value) != 0 {
				spec[name] = valueNames[value]
			}
		}
		held = append(held, spec)
	}
	return held
}

// class returns a prepared class of the process: nil if it cannot be read.
func (m *model) class(q question) *machineupdate.PreparedClass {
	key := question{class: q.class, classState: q.classState, revision: q.revision, able: q.able, epoch: q.epoch, cold: q.cold}
	prepared, ok := m.classes[key]
	if !ok {
		prepared = m.prepare(q)
		m.classes[key] = prepared
	}
	if prepared != nil {
		prepared.Restart() // every run is that of another process
	}
	return prepared
}

func (m *model) prepare(q question) *machineupdate.PreparedClass {
	var template string
	classes := map[string]machineupdate.MachineClass{
		"class": {Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: providerSpec(q.class)},
	}
	if q.classState == replaced {
		template = "class"
		classes["own"] = machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "own", DeletionTimestamp: &metav1.Time{}}, ProviderSpec: providerSpec(0),
		}
	}
	own := slices.Max(slices.Collect(maps.Keys(classes)))
	class := classes[cmp.Or(template, own)]
	if q.classState == unreadable {
		class.ProviderSpec = []byte(`{"tags":1}`)
	}
	driver := machineupdate.Driver{Epoch: strconv.Itoa(int(q.epoch)), ReadsFirst: m.reads}
	if q.able {
		driver.Kinds = kindNames[:1+q.revision]
	}
	schema := schemaOf[spec](m.tb)
	if q.cold {
		schema = schemaOf[coldSpec](m.tb)
	}
	prepared, err := machineupdate.PrepareBounded(class, schema, driver, m.bound*entryCost)
	require.Equal(m.tb, q.classState == unreadable, err != nil, "%v", err)
	return prepared
}

// coldSpec is a spec of a release by which infrastructure tags are not Hot.
type coldSpec struct {
	Tags map[string]string `json:"tags,omitempty"`
}

// entryCost is the size of an entry in a record's bound: its pointer, its value, and 8 bytes.
const entryCost = len("/tags/k") + len("null") + 8

// hotPart is a provider spec with infrastructure tags, and its hot part.
func hotPart(s tagset) []byte {
	raw, err := json.Marshal(spec{Tags: s.tags()})
	if err != nil {
		panic(err)
	}
	return raw
}

// providerSpec is that of a class with the tags. An empty one would be unusable.
func providerSpec(s tagset) []byte {
	raw, err := json.Marshal(map[string]any{"image": "", "tags": s.tags()})
	if err != nil {
		panic(err)
	}
	return raw
}

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

func (m *model) tagset(document []byte) tagset {
	if set, known := m.tagsets[string(document)]; known {
		return set
	}
	var s spec
	require.NoError(m.tb, json.Unmarshal(document, &s))
	set := tagset(0)
	for key, name := range keyNames {
		if value, ok := s.Tags[name]; ok {
			set = set.with(key, uint8(slices.Index(valueNames[:], value)))
		}
	}
	m.tagsets[string(document)] = set
	return set
}

const mandatoryKey = "kubernetes.io/cluster/shoot"

var (
	keyNames   = [keys]string{"k", "l"}
	valueNames = [4]string{"", "1", "2", "x"}
)
