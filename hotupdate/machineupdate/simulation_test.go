package machineupdate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/tags"
)

// This file simulates one machine on each cloud in longer runs than those of the model checker, with more resources, kinds, keys and values,
// and with the real Executor and planner. Disturbances happen inside the functions that the Executor calls: another leader may do a whole pass
// while the first one writes or calls.

// simSpec has infrastructure tags for each kind.
type simSpec struct {
	Image string    `json:"image,omitempty"`
	Tags  tags.Tags `json:"tags"            hotupdatable:"true"`
}

const (
	simConfirm = time.Hour
	simTimeout = 5 * time.Minute
)

type simulation struct {
	t       *rapid.T
	schema  *hotupdate.Schema
	cloud   *simCloud
	now     time.Time
	machine machineupdate.Seen
	cached  []machineupdate.Seen // older versions of it
	class   *machineupdate.Prepared
	classes []*machineupdate.Prepared // older versions
	written string                    // the newest record that was written
	history []string                  // all of them
	nested  int
	able    bool

	readsFirst bool
	bound      int // bytes of entries in a record, zero for no bound
}

func TestSimulatedMachine(t *testing.T) {
	schema := schemaOf[simSpec](t)
	for _, cloud := range simClouds {
		t.Run(string(cloud), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := newSimulation(t, schema, cloud)
				t.Repeat(map[string]func(*rapid.T){
					"":          func(*rapid.T) {},
					"reconcile": func(*rapid.T) { s.reconcile() },
					"again":     func(*rapid.T) { s.reconcile() },
					"class":     func(*rapid.T) { s.changeClass() },
					"edit":      func(*rapid.T) { s.edit() },
					"land":      func(*rapid.T) { s.cloud.landLate() },
					"pause":     func(*rapid.T) { s.pause() },
					"write":     func(*rapid.T) { s.bump() },
					"learn":     func(*rapid.T) { s.able = true },
					"tamper":    func(*rapid.T) { s.tamper() },
				})
				s.settle()
			})
		})
	}
}

func newSimulation(t *rapid.T, schema *hotupdate.Schema, cloud tags.Cloud) *simulation {
	s := &simulation{
		t: t, schema: schema, cloud: newSimCloud(t, cloud), now: start, machine: machine(""),
		able: rapid.Bool().Draw(t, "able"), readsFirst: rapid.Bool().Draw(t, "reads first"),
		bound: rapid.SampledFrom([]int{0, 0, 40, 90}).Draw(t, "bound"),
	}
	if s.cloud.tight {
		s.bound = 0 // else classes follow one another until the record has room, and one of them may have none
	}
	s.changeClass()
	for _, r := range s.cloud.resources {
		r.Tags = s.wanted(r) // made before hot updates
	}
	s.excuse()
	return s
}

func (s *simulation) draw(n int, label string) int { return rapid.IntRange(0, n-1).Draw(s.t, label) }

func (s *simulation) changeClass() {
	config := simSpec{Image: "image-" + strconv.Itoa(s.draw(2, "image"))}
	config.Tags = tags.Tags{VM: map[string]string{}, Network: map[string]string{}, Disk: map[string]string{}}
	for _, kind := range tags.Kinds() {
		for key := range 4 {
			if value := s.draw(4, "value"); value > 0 {
				config.Tags.Of(kind)[s.cloud.spelled("key-"+strconv.Itoa(key))] = s.value(kind, "v"+strconv.Itoa(value))
			}
		}
	}
	raw, err := json.Marshal(config)
	require.NoError(s.t, err)
	s.classes, s.class = append(s.classes, s.class), s.prepare(raw, s.draw(8, "kinds"))
}

// prepare reads a class for a driver that covers some kinds.
func (s *simulation) prepare(raw []byte, kinds int) *machineupdate.Prepared {
	driver := machineupdate.Driver{Revision: "r", ReadsFirst: s.readsFirst}
	for i, kind := range tags.Kinds() {
		if kinds&(1<<i) == 0 {
			driver.Kinds = append(driver.Kinds, string(kind))
		}
	}
	if driver.Kinds == nil {
		driver.Kinds = []string{string(tags.VM)}
	}
	class, err := machineupdate.PrepareBounded(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c", UID: "u"}, ProviderSpec: raw}, s.schema, driver, s.bound)
	require.NoError(s.t, err)
	return class
}

func (s *simulation) value(kind tags.Kind, value string) string {
	if rules, _ := s.cloud.cloud.Rules(kind); rules.KeysOnly {
		return ""
	}
	return value
}

// mandatory returns the keys by which MCM finds the machine, and another that users must not set where the cloud ignores case.
func (s *simulation) mandatory(r *simResource) map[string]string {
	mandatory := map[string]string{s.cloud.clusterKey(r): s.value(r.Kind, "1")}
	if r.Rules.IgnoresCase {
		mandatory["Name"] = s.value(r.Kind, "1")
	}
	return mandatory
}

// wanted returns the wanted tags of a resource.
func (s *simulation) wanted(r *simResource) map[string]string {
	return r.Rules.Effective(nil, s.project(s.class.Hot(), r), s.mandatory(r))
}

// project returns a resource's tags in a hot part.
func (s *simulation) project(hot machineupdate.Hot, r *simResource) map[string]string {
	var config simSpec
	require.NoError(s.t, json.Unmarshal(hot.JSON(), &config))
	return config.Tags.Of(r.Kind)
}

// excuse makes all live keys foreign.
func (s *simulation) excuse() {
	for _, r := range s.cloud.resources {
		for key := range r.Tags {
			r.excused[s.cloud.identity(key)] = true
		}
	}
}

func (s *simulation) executor() *executor {
	return &executor{WriteMetadata: s.write, UpdateMachine: s.update, Now: func() time.Time { return s.now }}
}

func (s *simulation) settings() machineupdate.Settings {
	return machineupdate.Settings{ConfirmAfter: simConfirm, CallTimeout: simTimeout, RetryAfter: time.Nanosecond}
}

// reconcile is a reconcile of a leader that may read an old machine and an old class.
func (s *simulation) reconcile() {
	s.sleep(time.Second) // enough for a retry, and short compared with everything else
	o := machineupdate.Observed{Machine: s.machine, Class: s.class, Settings: s.settings()}
	if len(s.cached) > 0 && s.draw(6, "stale machine") == 0 {
		o.Machine = s.cached[len(s.cached)-1-s.draw(min(3, len(s.cached)), "how stale")]
	}
	if s.draw(6, "stale class") == 0 {
		if old := s.classes[len(s.classes)-1-s.draw(min(3, len(s.classes)), "how stale")]; old != nil {
			o.Class = old
		}
	}
	if o.Class != nil {
		o.Class.Restart() // the driver may be another one, which can update
	}
	s.executor().Reconcile(context.Background(), o)
}

// sleep lets time pass. After that the cloud allows more calls.
func (s *simulation) sleep(d time.Duration) {
	if before := s.now; s.now.Add(d).Truncate(time.Minute).After(before) {
		s.cloud.allowance = simAllowance
	}
	s.now = s.now.Add(d)
}

var (
	errSimulated = errors.New("simulated failure")
	errThrottled = errors.New("throttled")
)

// meanwhile has the disturbances while a leader writes or calls.
func (s *simulation) meanwhile() {
	if s.nested > 0 || s.cloud.calm {
		return
	}
	s.nested++
	defer func() { s.nested-- }()
	switch s.draw(20, "meanwhile") {
	case 0:
		s.reconcile()
	case 1:
		s.changeClass()
		s.reconcile()
	case 2:
		s.edit()
	case 3:
		s.bump()
	case 4:
		s.pause()
	case 5:
		s.cloud.landLate()
	}
}

// write is the API server. It may fail, or succeed without an answer.
func (s *simulation) write(_ context.Context, patch machineupdate.Patch) (string, error) {
	s.meanwhile()
	fate := 9
	if !s.cloud.calm {
		fate = s.draw(10, "write")
	}
	if fate == 0 {
		return "", errSimulated
	}
	if patch.ResourceVersion != s.machine.ResourceVersion {
		return "", errConflict
	}
	annotations := patch.Apply(s.machine.Annotations)
	s.bump()
	s.machine.Annotations = annotations
	// An unreadable record is a tampered one that was restored, as the driver cannot update.
	if text := annotations[machineupdate.AnnotationRecord]; isReadable(text) {
		s.written, s.history = text, append(s.history, text)
		if s.able {
			s.own(text)
		}
	}
	if fate == 1 {
		return "", errSimulated
	}
	return s.machine.ResourceVersion, nil
}

func isReadable(annotation string) bool {
	_, err := record.Parse(annotation)
	return err == nil
}

// own ends the excuse of keys whose live value is recorded.
func (s *simulation) own(annotation string) {
	for _, r := range s.cloud.resources {
		for key, value := range r.Tags {
			if s.recorded(annotation, r, key, value) {
				delete(r.excused, s.cloud.identity(key))
			}
		}
	}
}

// recorded reports whether a record has a value as ours. It reads the annotation with its own code.
func (s *simulation) recorded(annotation string, r *simResource, key, value string) bool {
	var w wireRecord
	require.NoError(s.t, json.Unmarshal([]byte(annotation), &w))
	at := slices.IndexFunc(w.Parts, func(c wireContent) bool { return c.Kinds == nil || slices.Contains(c.Kinds, string(r.Kind)) })
	return slices.ContainsFunc(append(w.Parts[at].Attempted, w.Parts[at].Applied), func(hot json.RawMessage) bool {
		for recorded, v := range s.project(machineupdate.Hot(hot), r) {
			if s.cloud.identity(recorded) == s.cloud.identity(key) && v == value {
				return true
			}
		}
		return false
	})
}

// bump is an unrelated write to the machine.
func (s *simulation) bump() {
	s.cached = append(s.cached, s.machine)
	version, err := strconv.Atoi(s.machine.ResourceVersion)
	require.NoError(s.t, err)
	s.machine.ResourceVersion = strconv.Itoa(version + 1)
}

// update is the driver: it reads, plans and calls for one kind after the other.
func (s *simulation) update(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if !s.able {
		return machineupdate.ErrUnimplemented
	}
	until := s.now.Add(simTimeout)
	var done machineupdate.PartialError
	for i := range request.Parts {
		of := s.cloud.of(request.Parts[i].Kind)
		missed := of
		if len(of) > 0 && done.Err == nil {
			missed, done.Err = s.bring(ctx, of, &request.Parts[i], request.BeforeWrite, until)
		}
		for _, r := range of {
			if name := (machineupdate.Resource{Kind: string(r.Kind), ID: r.ID}); slices.Contains(missed, r) {
				done.NotDone = append(done.NotDone, name)
			} else {
				done.Done = append(done.Done, name)
			}
		}
	}
	if done.Err != nil {
		return &done
	}
	return nil
}

// bring sets the desired tags of the resources of a kind, and returns those of which it does not know that they have them. Somebody else
// has attached another resource with the same tags.
func (s *simulation) bring(
	ctx context.Context, of []*simResource, part *machineupdate.Part, beforeWrite func(context.Context) error, until time.Time,
) (missed []*simResource, err error) {
	s.meanwhile()
	state := tags.State{Recorded: []map[string]string{s.project(part.Applied, of[0])}, Desired: s.project(part.Desired, of[0]), Mandatory: s.mandatory(of[0])}
	for _, attempted := range part.Attempted {
		state.Recorded = append(state.Recorded, s.project(attempted, of[0]))
	}
	var ids []string
	live, versions := map[string]map[string]string{"attached": state.Recorded[0]}, map[string]int{}
	for _, r := range of {
		ids = append(ids, r.ID)
		live[r.ID], versions[r.ID] = s.cloud.read(r)
		if versions[r.ID] == r.Version {
			clear(r.drifted) // this pass must repair them
		}
	}
	plans, err := of[0].Rules.Plan(state, ids, live)
	if problem, ok := errors.AsType[*fault.Error](err); ok && problem.Code == "over-limit" {
		return of, err
	}
	require.NoError(s.t, err)
	calls := s.cloud.calls(of, plans, live, versions)
	if len(calls) == 0 {
		return nil, nil
	}
	if err := beforeWrite(ctx); err != nil {
		return of, err
	}
	wanted, owned := of[0].Rules.Effective(nil, state.Desired, state.Mandatory), s.owner(of[0], s.written)
	for i, call := range calls {
		call.wanted, call.owned = wanted, owned
		if err := s.send(call, until); err != nil {
			for _, call := range calls[i:] {
				missed = append(missed, call.on...)
			}
			return missed, err
		}
	}
	return nil, nil
}

// owner reports whether a value is ours in a marker. If removals have no condition, a late one may remove a value that was set after it was sent.
// That value must have been ours at some time.
func (s *simulation) owner(r *simResource, marker string) func(key, value string) bool {
	return func(key, value string) bool {
		return s.recorded(marker, r, key, value) || r.Rules.Guard == tags.Unguarded && slices.ContainsFunc(s.history, func(past string) bool {
			return s.recorded(past, r, key, value)
		})
	}
}

// send sends a request, and again while it is throttled, until CallTimeout.
func (s *simulation) send(call simCall, until time.Time) error {
	for {
		s.meanwhile()
		if !s.now.Before(until) {
			return context.DeadlineExceeded
		}
		if err := s.cloud.send(call); !errors.Is(err, errThrottled) {
			return err
		}
		s.sleep(20 * time.Second)
	}
}

// pause lasts longer than late requests and the lag of reads.
func (s *simulation) pause() {
	s.cloud.catchUp()
	s.sleep(simConfirm)
}

// edit sets or deletes a key on behalf of another client, with foreign values. If removals have no condition, it sets only foreign keys: the
// documentation says that another value would be lost.
func (s *simulation) edit() {
	r := s.cloud.resources[s.draw(len(s.cloud.resources), "resource")]
	live := maps.Clone(r.Tags)
	key, ok := s.cloud.find(live, rapid.SampledFrom([]string{"key-0", "key-1", "key-2", "key-3", "key-4", "key-5", s.cloud.clusterKey(r)}).Draw(s.t, "key"))
	switch s.draw(3, "edit") {
	case 0:
		delete(live, key)
	case 1:
		if !ok && r.Rules.KeysOnly || r.Rules.Guard == tags.Unguarded {
			return
		}
		live[key] = s.value(r.Kind, "x"+strconv.Itoa(s.draw(2, "x")))
	default:
		live["foreign-"+strconv.Itoa(s.draw(3, "foreign"))] = s.value(r.Kind, "x0")
	}
	if len(live) > r.Rules.MaxTags {
		return
	}
	r.Write(live)
	s.cloud.changed(r)
	r.drifted[s.cloud.identity(key)] = true
}

// tamper makes the record unreadable, or replaces it by that of another VM. All live keys become foreign.
func (s *simulation) tamper() {
	text, ok := s.machine.Annotations[machineupdate.AnnotationRecord]
	if !ok {
		return
	}
	s.cloud.catchUp()
	s.bump()
	s.machine.Annotations = maps.Clone(s.machine.Annotations)
	s.machine.Annotations[machineupdate.AnnotationRecord] = rapid.SampledFrom([]string{
		"", "{}", text[:len(text)/2], strings.Replace(text, `"v":1`, `"v":2`, 1), strings.Replace(text, "i-1", "i-2", 1),
	}).Draw(s.t, "tampered")
	s.cached = nil // a leader that still has the record gets a conflict
	s.excuse()
}

// settle ends all disturbances. Then two passes are enough.
func (s *simulation) settle() {
	s.able, s.class = true, s.prepare(s.class.Class().ProviderSpec, 0)
	s.cloud.catchUp()
	s.cloud.calm = true
	if !s.fits() {
		s.class = s.prepare([]byte(`{"tags":{}}`), 0)
	}
	if !s.fits() {
		return // mandatory keys and those of others are too many
	}
	s.rest(s.settings())
	if wrong, drift := s.wrong(); wrong != "" && drift {
		settings := s.settings()
		settings.VerifyPeriod = simConfirm
		s.sleep(simConfirm)
		s.rest(settings)
	}
	wrong, _ := s.wrong()
	require.Empty(s.t, wrong)
}

// fits reports whether the limit leaves room for the keys of others, mandatory and desired ones.
func (s *simulation) fits() bool {
	return !slices.ContainsFunc(s.cloud.resources, func(r *simResource) bool {
		wanted := s.wanted(r)
		all := len(wanted)
		for key, value := range r.Tags {
			if _, ok := s.cloud.find(wanted, key); !ok && (s.isForeign(key, value) || r.excused[s.cloud.identity(key)]) {
				all++
			}
		}
		return all > r.Rules.MaxTags
	})
}

func (s *simulation) rest(settings machineupdate.Settings) {
	passes := 0
	for {
		if s.class != nil {
			s.class.Restart()
		}
		result := s.executor().Reconcile(context.Background(), machineupdate.Observed{Machine: s.machine, Class: s.class, Settings: settings})
		//exhaustive:ignore
		switch machineupdate.EndingOf(result) {
		case machineupdate.Updated, machineupdate.Confirmed:
			passes++
			require.True(s.t, passes <= maxPasses || s.bound > 0 && passes < 100, "%d passes", passes)
		case machineupdate.NotCalled:
			if machineupdate.DecisionOf(result).Action == machineupdate.None {
				return
			}
			require.Equal(s.t, machineupdate.Wait, machineupdate.DecisionOf(result).Action)
			s.pause()
		default:
			s.t.Fatalf("%v though nothing disturbs: %v", machineupdate.EndingOf(result), result.Err)
		}
	}
}

// wrong describes the differences from the wanted state, and reports whether all are drift.
func (s *simulation) wrong() (wrong string, drift bool) {
	drift = true
	note := func(r *simResource, key, text string) {
		wrong += fmt.Sprintf("%s: %s %s\n", r.ID, key, text)
		drift = drift && r.drifted[s.cloud.identity(key)]
	}
	for _, r := range s.cloud.resources {
		wanted := s.wanted(r)
		for key, value := range wanted {
			if spelling, ok := s.cloud.find(r.Tags, key); !ok || r.Tags[spelling] != value {
				note(r, key, "is not as wanted")
			}
		}
		for key, value := range r.Tags {
			if _, ok := s.cloud.find(wanted, key); !ok && !s.isForeign(key, value) && !r.excused[s.cloud.identity(key)] {
				note(r, key, "is left over")
			}
		}
	}
	return wrong, drift
}

// isForeign reports whether another client wrote an infrastructure tag.
func (s *simulation) isForeign(key, value string) bool {
	return strings.HasPrefix(value, "x") || strings.HasPrefix(key, "foreign-")
}
