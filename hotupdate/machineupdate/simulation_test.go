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
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// This file simulates one machine in longer runs than the model checker can look at, with more resources, kinds, keys and values, and
// with the real Executor. Disturbances happen inside the functions that the Executor calls: another leader may do a whole pass while the first one
// writes or calls.

// simSpec has infrastructure tags for each kind.
type simSpec struct {
	Image string    `json:"image,omitempty"`
	Tags  tags.Tags `json:"tags"            hotupdatable:"true"`
}

const (
	simConfirm = time.Hour
	simTimeout = 5 * time.Minute
)

// simResources are what the launch created.
var simResources = []struct {
	id   string
	kind tags.Kind
}{{"i-1", tags.VM}, {"eni-1", tags.Network}, {"vol-1", tags.Disk}, {"vol-2", tags.Disk}}

type simulation struct {
	t       *rapid.T
	schema  *hotupdate.Schema
	now     time.Time
	machine machineupdate.Seen
	cached  []machineupdate.Seen // older versions of it
	class   *machineupdate.Prepared
	classes []*machineupdate.Prepared // older versions
	live    map[string]map[string]string
	past    map[string][]map[string]string // since the last long pause
	late    []simCall
	history []machineupdate.Record // everything that was written
	excused map[string]bool        // resource/key that need not be repaired
	drifted map[string]bool
	nested  int
	passes  int
	able    bool
}

// simCall is a request that may still land.
type simCall struct {
	id   string
	plan tags.ResourcePlan
}

func TestSimulatedMachine(t *testing.T) {
	schema := schemaOf[simSpec](t)
	rapid.Check(t, func(t *rapid.T) {
		s := newSimulation(t, schema)
		t.Repeat(map[string]func(*rapid.T){
			"":          func(*rapid.T) {},
			"reconcile": func(*rapid.T) { s.reconcile() },
			"again":     func(*rapid.T) { s.reconcile() },
			"class":     func(*rapid.T) { s.changeClass() },
			"edit":      func(*rapid.T) { s.edit() },
			"land":      func(*rapid.T) { s.land() },
			"pause":     func(*rapid.T) { s.pause() },
			"write":     func(*rapid.T) { s.bump() },
			"learn":     func(*rapid.T) { s.able = true },
			"tamper":    func(*rapid.T) { s.tamper() },
		})
		s.settle()
	})
}

func newSimulation(t *rapid.T, schema *hotupdate.Schema) *simulation {
	s := &simulation{
		t: t, schema: schema, now: start, machine: machine(""), live: map[string]map[string]string{}, past: map[string][]map[string]string{},
		excused: map[string]bool{}, drifted: map[string]bool{}, able: rapid.Bool().Draw(t, "able"),
	}
	s.changeClass()
	wanted := s.wanted()
	for _, r := range simResources {
		s.live[r.id] = maps.Clone(wanted[r.id]) // made before hot updates were
		s.excuse()
	}
	return s
}

func (s *simulation) draw(n int, label string) int { return rapid.IntRange(0, n-1).Draw(s.t, label) }

func (s *simulation) changeClass() {
	config := simSpec{Image: "image-" + strconv.Itoa(s.draw(2, "image"))}
	for _, kind := range []*map[string]string{&config.Tags.VM, &config.Tags.Network, &config.Tags.Disk} {
		*kind = map[string]string{}
		for key := range 4 {
			if value := s.draw(4, "value"); value > 0 {
				(*kind)["key-"+strconv.Itoa(key)] = "v" + strconv.Itoa(value)
			}
		}
	}
	raw, err := json.Marshal(config)
	require.NoError(s.t, err)
	driver := machineupdate.Driver{CanUpdate: true, Revision: strconv.Itoa(s.draw(2, "revision"))}
	class, err := machineupdate.Prepare(machineupdate.MachineClass{Name: "c", UID: "u", ProviderSpec: raw}, s.schema, driver)
	require.NoError(s.t, err)
	s.classes, s.class = append(s.classes, s.class), class
}

// wanted is what the resources should carry, by ID.
func (s *simulation) wanted() map[string]map[string]string { return simProject(s.t, s.class.Hot()) }

func simProject(t require.TestingT, hot machineupdate.Hot) map[string]map[string]string {
	var config simSpec
	if hot != "" {
		require.NoError(t, json.Unmarshal(hot.JSON(), &config))
	}
	byKind := map[tags.Kind]map[string]string{tags.VM: config.Tags.VM, tags.Network: config.Tags.Network, tags.Disk: config.Tags.Disk}
	byID := map[string]map[string]string{}
	for _, r := range simResources {
		byID[r.id] = maps.Clone(byKind[r.kind])
		if byID[r.id] == nil {
			byID[r.id] = map[string]string{}
		}
		byID[r.id][mandatoryKey] = "1"
	}
	return byID
}

// excuse makes all live keys foreign.
func (s *simulation) excuse() {
	for id, live := range s.live {
		for key := range live {
			s.excused[id+"/"+key] = true
		}
	}
}

func (s *simulation) executor() *executor {
	return &executor{WriteMetadata: s.write, UpdateMachine: s.update, Now: func() time.Time { return s.now }}
}

func (s *simulation) settings() machineupdate.Settings {
	return machineupdate.Settings{ConfirmAfter: simConfirm, CallTimeout: simTimeout, RetryAfter: time.Nanosecond}
}

// reconcile is a leader that may see an old machine and an old class.
func (s *simulation) reconcile() {
	s.now = s.now.Add(time.Second) // time enough for a retry, and short beside everything else
	o := machineupdate.Observed{Machine: s.machine, Class: s.class, Settings: s.settings()}
	if len(s.cached) > 0 && s.draw(6, "stale machine") == 0 {
		o.Machine = s.cached[len(s.cached)-1]
	}
	if last := s.classes[len(s.classes)-1]; last != nil && s.draw(6, "stale class") == 0 {
		o.Class = last
	}
	s.executor().Reconcile(context.Background(), o)
}

var errSimulated = errors.New("simulated failure")

// meanwhile is what others do while a leader writes or calls.
func (s *simulation) meanwhile() {
	if s.nested > 0 || s.passes < 0 {
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
		s.land()
	}
}

// write is the API server. It may fail, or succeed without an answer.
func (s *simulation) write(_ context.Context, patch machineupdate.Patch) (string, error) {
	s.meanwhile()
	fate := 9
	if s.passes >= 0 {
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
	if r, err := machineupdate.ParseRecord(annotations[machineupdate.AnnotationRecord]); err == nil {
		s.history = append(s.history, r)
		if s.able {
			s.own(&r)
		}
	}
	if fate == 1 {
		return "", errSimulated
	}
	return s.machine.ResourceVersion, nil
}

// own ends the excuse of keys whose live value is recorded.
func (s *simulation) own(r *machineupdate.Record) {
	for _, hot := range append(slices.Clone(r.Attempted), r.Applied) {
		for id, recorded := range simProject(s.t, hot) {
			for key, value := range recorded {
				if s.live[id][key] == value {
					delete(s.excused, id+"/"+key)
				}
			}
		}
	}
}

// bump is a write to the machine that concerns something else.
func (s *simulation) bump() {
	s.cached = append(s.cached, s.machine)
	version, err := strconv.Atoi(s.machine.ResourceVersion)
	require.NoError(s.t, err)
	s.machine.ResourceVersion = strconv.Itoa(version + 1)
}

// update is the driver: it reads, plans and calls for one resource after the other.
func (s *simulation) update(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
	if !s.able {
		return machineupdate.ErrUnimplemented
	}
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(s.t, err)
	began := s.now
	var done machineupdate.PartialError
	for i, r := range simResources {
		s.meanwhile()
		if s.now.Sub(began) >= simTimeout {
			return context.DeadlineExceeded
		}
		plans, err := rules.Plan(s.state(request, r.id), []string{r.id}, map[string]map[string]string{r.id: s.read(r.id)})
		require.NoError(s.t, err)
		s.checkSafety(request, &plans[0])
		if err := s.send(simCall{r.id, plans[0]}); err != nil {
			for _, missed := range simResources[i:] {
				done.NotDone = append(done.NotDone, machineupdate.Resource{Kind: missed.kind.String(), ID: missed.id})
			}
			done.Err = err
			return &done
		}
		done.Done = append(done.Done, machineupdate.Resource{Kind: r.kind.String(), ID: r.id})
	}
	return nil
}

func (s *simulation) state(request *machineupdate.UpdateMachineRequest, id string) tags.State {
	project := func(hot machineupdate.Hot) map[string]string {
		projected := simProject(s.t, hot)[id]
		delete(projected, mandatoryKey)
		return projected
	}
	state := tags.State{Applied: project(request.Applied), Desired: project(request.Desired), Mandatory: map[string]string{mandatoryKey: "1"}}
	for _, attempted := range request.Attempted {
		state.Attempted = append(state.Attempted, project(attempted))
	}
	return state
}

// read shows the present, or one of the states since the last long pause.
func (s *simulation) read(id string) map[string]string {
	past := s.past[id]
	if s.passes >= 0 && len(past) > 0 && s.draw(4, "lag") == 0 {
		return past[s.draw(len(past), "how much")]
	}
	for key := range s.live[id] {
		delete(s.drifted, id+"/"+key)
	}
	for key := range s.drifted {
		if strings.HasPrefix(key, id+"/") {
			delete(s.drifted, key)
		}
	}
	return s.live[id]
}

// checkSafety is the safety sentence.
func (s *simulation) checkSafety(request *machineupdate.UpdateMachineRequest, plan *tags.ResourcePlan) {
	wanted := simProject(s.t, request.Desired)[plan.Resource]
	for _, tag := range plan.Set {
		require.Equal(s.t, wanted[tag.Key], tag.Value, "%s is set on %s", tag.Key, plan.Resource)
	}
	for _, tag := range plan.Remove {
		require.NotContains(s.t, wanted, tag.Key)
		require.True(s.t, slices.ContainsFunc(s.history, func(r machineupdate.Record) bool {
			return r.Applied == request.Applied && slices.Equal(r.Attempted, request.Attempted) &&
				slices.ContainsFunc(append(slices.Clone(r.Attempted), r.Applied), func(hot machineupdate.Hot) bool {
					return simProject(s.t, hot)[plan.Resource][tag.Key] == tag.Value
				})
		}), "%s is removed from %s, but no record that was written says that it is ours", tag.Key, plan.Resource)
	}
}

// send lets a request land, be lost, or land later, with or without an answer.
func (s *simulation) send(c simCall) error {
	if c.plan.Empty() {
		return nil
	}
	fate := 9
	if s.passes >= 0 {
		fate = s.draw(10, "call")
	}
	switch fate {
	case 0:
		return errSimulated
	case 1:
		s.late = append(s.late, c)
		return errSimulated
	case 2:
		s.execute(c)
		return errSimulated
	}
	s.execute(c)
	return nil
}

func (s *simulation) execute(c simCall) { s.change(c.id, c.plan.Apply(s.live[c.id])) }

func (s *simulation) change(id string, live map[string]string) {
	for key := range s.live[id] {
		if live[key] != s.live[id][key] {
			delete(s.excused, id+"/"+key)
		}
	}
	s.past[id] = append(s.past[id], s.live[id])
	s.live[id] = live
}

// land lets a late request land or die.
func (s *simulation) land() {
	if len(s.late) == 0 {
		return
	}
	i := s.draw(len(s.late), "late request")
	c := s.late[i]
	s.late = slices.Delete(s.late, i, i+1)
	switch s.draw(4, "fate") {
	case 0:
	case 1:
		c.plan.Set = nil
		s.execute(c)
	case 2:
		c.plan.Remove = nil
		s.execute(c)
	default:
		s.execute(c)
	}
}

// pause lasts longer than late requests and the lag of reads.
func (s *simulation) pause() {
	for len(s.late) > 0 {
		s.land()
	}
	clear(s.past)
	s.now = s.now.Add(simConfirm)
}

// edit sets or deletes a key, as others may, with values of their own.
func (s *simulation) edit() {
	r := simResources[s.draw(len(simResources), "resource")]
	key := "key-" + strconv.Itoa(s.draw(6, "key"))
	live := maps.Clone(s.live[r.id])
	if s.draw(2, "delete") == 0 {
		delete(live, key)
	} else {
		live[key] = "x" + strconv.Itoa(s.draw(2, "x"))
	}
	s.change(r.id, live)
	s.drifted[r.id+"/"+key] = true
}

// tamper makes the record unreadable, or that of another VM. All live keys become foreign.
func (s *simulation) tamper() {
	text, ok := s.machine.Annotations[machineupdate.AnnotationRecord]
	if !ok {
		return
	}
	for len(s.late) > 0 {
		s.land()
	}
	clear(s.past)
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
	s.able = true
	for len(s.late) > 0 {
		s.land()
	}
	s.passes = -1 // no more disturbances
	s.rest(s.settings())
	if wrong, drift := s.wrong(); wrong != "" && drift {
		settings := s.settings()
		settings.VerifyPeriod = simConfirm
		s.now = s.now.Add(simConfirm)
		s.rest(settings)
	}
	wrong, _ := s.wrong()
	require.Empty(s.t, wrong)
}

func (s *simulation) rest(settings machineupdate.Settings) {
	passes := 0
	for {
		result := s.executor().Reconcile(context.Background(), machineupdate.Observed{Machine: s.machine, Class: s.class, Settings: settings})
		//exhaustive:ignore
		switch machineupdate.EndingOf(result) {
		case machineupdate.Updated, machineupdate.Confirmed:
			passes++
			require.LessOrEqual(s.t, passes, maxPasses)
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

// wrong says what is not as it should be, and whether all of that is drift.
func (s *simulation) wrong() (wrong string, drift bool) {
	drift = true
	wanted := s.wanted()
	note := func(id, key, text string) {
		wrong += fmt.Sprintf("%s: %s %s\n", id, key, text)
		drift = drift && s.drifted[id+"/"+key]
	}
	for _, r := range simResources {
		for key, value := range wanted[r.id] {
			if s.live[r.id][key] != value {
				note(r.id, key, "is not as wanted")
			}
		}
		for key, value := range s.live[r.id] {
			if _, ok := wanted[r.id][key]; !ok && !strings.HasPrefix(value, "x") && !s.excused[r.id+"/"+key] {
				note(r.id, key, "is left over")
			}
		}
	}
	return wrong, drift
}
