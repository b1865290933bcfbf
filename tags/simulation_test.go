package tags_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// This file simulates a cloud, others who write to it, and the driver of one machine with its record: it records the attempt, reads, plans, calls,
// records the success, and confirms it when no request can be under way any more. Others write at any time, also between reading and calling.
//
// The properties are checked by the cloud, at the moment when a call lands, against what the driver had recorded when it planned.

// simRules are real rules with limits so small that they bind, and calls so small that they have to be cut.
func simRules(t *testing.T) map[string]tags.Rules {
	t.Helper()
	all := map[string]tags.Rules{}
	for _, row := range []struct {
		cloud tags.Cloud
		kind  tags.Kind
	}{{tags.AWS, tags.Disk}, {tags.Azure, tags.VM}, {tags.GCP, tags.VM}, {tags.GCP, tags.Network}, {tags.OpenStack, tags.VM}, {tags.AliCloud, tags.VM}} {
		rules, err := row.cloud.Rules(row.kind)
		if err != nil {
			t.Fatal(err)
		}
		rules.MaxTags = 8
		_, remove := rules.Calls()
		rules.Limit(min(rules.ResourcesPerCall, 2), 2, min(remove.Tags, 2))
		all[string(row.cloud)+" "+string(row.kind)] = rules
	}
	return all
}

func TestSimulatedCloud(t *testing.T) {
	all := simRules(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rules := all[name]
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := newWorld(t, rules)
				t.Repeat(map[string]func(*rapid.T){
					"":        w.checkForeign,
					"desire":  w.desire,
					"pass":    w.hurriedPass,
					"confirm": w.confirm,
					"write":   w.foreignWrite,
					"disturb": w.foreignDisturb,
					"land":    w.land,
				})
				w.settle(t)
			})
		})
	}
}

const (
	maxLag = 3 // changes that a read may miss

	csiVolume = "attached-csi"
	cniNIC    = "attached-cni"
)

// world is the cloud and the record of one machine.
type world struct {
	rules     tags.Rules
	resources map[string]*fakecloud.Resource
	created   []string
	delayed   []call

	mandatory map[string]string
	desired   map[string]string
	applied   map[string]string
	attempted []map[string]string
	succeeded bool // once since desired changed, but not confirmed

	foreign map[string]map[string]string // keys that only others use, by resource
}

func newWorld(t *rapid.T, rules tags.Rules) *world {
	w := &world{
		rules:     rules,
		created:   []string{"r1", "r2", "r3"},
		resources: map[string]*fakecloud.Resource{},
		foreign:   map[string]map[string]string{},
	}
	w.mandatory = map[string]string{mandatoryKey(rules): w.value("m")}
	if rules.IgnoresCase {
		w.mandatory["Name"] = w.value("machine-1")
	}
	for _, id := range w.created {
		w.resources[id] = &fakecloud.Resource{Rules: rules, Tags: maps.Clone(w.mandatory)}
		w.foreign[id] = map[string]string{}
	}
	// Attached resources carry the same keys and values that the plan sets and removes elsewhere.
	for _, id := range []string{csiVolume, cniNIC} {
		w.foreign[id] = map[string]string{"k1": w.value("v1"), "k2": w.value("v2"), "f1": w.value("x1")}
		w.resources[id] = &fakecloud.Resource{Rules: rules, Tags: maps.Clone(w.foreign[id])}
	}
	w.desire(t)
	return w
}

// mandatoryKey returns a key by which MCM would find the machine on this cloud.
func mandatoryKey(rules tags.Rules) string {
	for _, pattern := range rules.ClusterKeys {
		return strings.Trim(pattern, "*") + "shoot"
	}
	return "mcm-has-no-key-on-this-cloud"
}

// value is v, or nothing where keys have no values.
func (w *world) value(v string) string {
	if w.rules.KeysOnly {
		return ""
	}
	return v
}

// spell writes a key in one of the ways that are one key to the cloud.
func (w *world) spell(t *rapid.T, key string) string {
	if w.rules.IgnoresCase && rapid.Bool().Draw(t, "capitals") {
		return strings.ToUpper(key)
	}
	return key
}

func (w *world) identity(key string) string { return fakecloud.Identity(&w.rules, key) }

func (w *world) wants(key string) bool {
	for _, spec := range []map[string]string{w.desired, w.mandatory} {
		for wanted := range spec {
			if w.identity(wanted) == w.identity(key) {
				return true
			}
		}
	}
	return false
}

// desire changes the spec.
func (w *world) desire(t *rapid.T) {
	w.desired, w.succeeded = map[string]string{}, false
	for i := 1; i <= 5; i++ {
		if v := rapid.IntRange(0, 3).Draw(t, fmt.Sprintf("k%d", i)); v > 0 {
			w.desired[w.spell(t, fmt.Sprintf("k%d", i))] = w.value(fmt.Sprintf("v%d", v))
		}
	}
}

// fate is what becomes of a call.
type fate int

const (
	lands fate = iota
	landsButCrash
	isLost
	isDelayed
)

func (w *world) hurriedPass(t *rapid.T) {
	read := map[string]map[string]string{}
	versions := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(w.resources)) {
		r := w.resources[id]
		read[id], versions[id] = r.Read(rapid.IntRange(0, min(maxLag, len(r.Past))).Draw(t, "lag of "+id))
	}
	w.pass(t, read, versions, func() fate {
		switch rapid.IntRange(0, 9).Draw(t, "before the call") {
		case 0:
			w.foreignWrite(t)
		case 1:
			w.foreignDisturb(t)
		}
		return fate(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3}).Draw(t, "fate"))
	})
}

// calmPass is a pass when nothing lags and nothing fails.
func (w *world) calmPass(t *rapid.T) bool {
	read := map[string]map[string]string{}
	versions := map[string]int{}
	for id, r := range w.resources {
		read[id], versions[id] = r.Read(0)
	}
	return w.pass(t, read, versions, func() fate { return lands })
}

// confirm is the second pass after a success, when earlier requests have landed or died and reads have caught up.
func (w *world) confirm(t *rapid.T) {
	if !w.succeeded {
		return
	}
	w.flush(t)
	for _, r := range w.resources {
		r.Past = nil
	}
	if w.calmPass(t) {
		w.attempted, w.succeeded = nil, false
	}
}

// pass is UpdateMachine with the record around it.
func (w *world) pass(t *rapid.T, read map[string]map[string]string, versions map[string]int, next func() fate) bool {
	w.attempted = append(w.attempted, maps.Clone(w.desired))
	state := tags.State{Recorded: append([]map[string]string{w.applied}, w.attempted...), Desired: w.desired, Mandatory: w.mandatory}
	plans, err := w.rules.Plan(state, w.created, read)
	if err != nil {
		if problem, ok := errors.AsType[*fault.Error](err); !ok || problem.Code != "over-limit" {
			t.Fatalf("Plan: %v", err)
		}
		return false
	}
	for _, c := range w.calls(plans, read, versions) {
		c.owned = slices.Concat([]map[string]string{w.applied}, w.attempted)
		c.wanted = w.wants
		switch f := next(); f {
		case lands, landsButCrash:
			if err := w.execute(t, c); err != nil || f == landsButCrash {
				return false
			}
		case isLost:
			return false
		case isDelayed:
			desired, mandatory := w.desired, w.mandatory
			c.wanted = func(key string) bool {
				return (&world{rules: w.rules, desired: desired, mandatory: mandatory}).wants(key)
			}
			w.delayed = append(w.delayed, c)
			return false
		}
	}
	// Keys that were last-applied may still be live where the read did not show them, so they stay owned until a second pass confirms.
	w.attempted = append(w.attempted, w.applied)
	w.applied, w.succeeded = maps.Clone(w.desired), true
	return true
}

// call is one request to the cloud, with the record and the wishes of its sender.
type call struct {
	batch   tags.Batch
	replace map[string]string // everything, where the cloud replaces everything at once
	version int

	owned  []map[string]string
	wanted func(key string) bool
}

func (w *world) calls(plans []tags.ResourcePlan, read map[string]map[string]string, versions map[string]int) []call {
	var calls []call
	if w.rules.Guard == tags.GuardVersion {
		for _, plan := range plans {
			if len(plan.Set)+len(plan.Remove) > 0 {
				batch := tags.Batch{Resources: []string{plan.Resource}}
				calls = append(calls, call{batch: batch, replace: plan.Apply(read[plan.Resource]), version: versions[plan.Resource]})
			}
		}
		return calls
	}
	for _, batch := range w.rules.Batches(plans) {
		calls = append(calls, call{batch: batch})
	}
	return calls
}

// execute lets a call land.
func (w *world) execute(t *rapid.T, c call) error {
	var of []*fakecloud.Resource
	for _, id := range c.batch.Resources {
		if !slices.Contains(w.created, id) {
			t.Fatalf("a call touches %s, which others attached", id)
		}
		of = append(of, w.resources[id])
	}
	if err := w.send(t, c, of); err != nil {
		return err
	}
	for _, r := range of {
		before, _ := r.Read(1)
		w.checkSafety(t, before, r.Tags, c)
	}
	return nil
}

func (w *world) send(t *rapid.T, c call, of []*fakecloud.Resource) error {
	if c.replace != nil {
		return of[0].Replace(c.version, c.replace)
	}
	limit, removal := w.rules.Calls()
	if len(c.batch.Remove) > 0 {
		limit = removal
	}
	all := slices.Concat(c.batch.Set, c.batch.Remove)
	if len(c.batch.Resources) > max(limit.Resources, 1) || len(all) > limit.Tags {
		t.Fatalf("a call is too large: %v", c.batch)
	}
	for i, tag := range all {
		if i > 0 && all[i-1].Key == tag.Key {
			t.Fatalf("a call names a key twice: %v", c.batch)
		}
	}
	return fakecloud.Change(fakecloud.Call{Set: c.batch.Set, Remove: c.batch.Remove}, of...)
}

// checkSafety is the safety sentence: only desired or mandatory keys are written, and a key is removed only if it is neither and
// its live value is recorded.
//
// Where the cloud removes without a condition, a late removal may hit a value that was set after it was sent. That must be an owned value; the
// second pass sets it again.
func (w *world) checkSafety(t *rapid.T, before, after map[string]string, c call) {
	if w.rules.Guard == tags.Unguarded {
		c.owned = slices.Concat(c.owned, w.attempted)
	}
	for key, value := range after {
		if old, ok := before[key]; (!ok || old != value) && !c.wanted(key) {
			t.Fatalf("%s was written, but is neither desired nor mandatory", key)
		}
	}
	for key, value := range before {
		if _, ok := after[key]; ok {
			continue
		}
		if c.wanted(key) {
			t.Fatalf("%s was removed, but is desired or mandatory", key)
		}
		if !w.isRecorded(c.owned, key, value) {
			t.Fatalf("%s was removed with the value %q, which is not recorded", key, value)
		}
	}
}

func (w *world) isRecorded(record []map[string]string, key, value string) bool {
	for _, spec := range record {
		for recorded, v := range spec {
			if w.identity(recorded) == w.identity(key) && v == value {
				return true
			}
		}
	}
	return false
}

// foreignWrite writes a key that was never ours, on any resource.
func (w *world) foreignWrite(t *rapid.T) {
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(w.resources))).Draw(t, "resource")
	key := fmt.Sprintf("f%d", rapid.IntRange(1, 4).Draw(t, "f"))
	live := maps.Clone(w.resources[id].Tags)
	if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
		delete(live, key)
		delete(w.foreign[id], key)
	} else {
		live[key] = w.value(fmt.Sprintf("x%d", rapid.IntRange(1, 3).Draw(t, "x")))
		if len(live) > w.rules.MaxTags {
			return
		}
		w.foreign[id][key] = live[key]
	}
	w.resources[id].Write(live)
}

// foreignDisturb deletes one of our keys or gives it another value.
//
// It gives no other value where the cloud removes without a condition: between read and call the value would be lost, as documented.
func (w *world) foreignDisturb(t *rapid.T) {
	r := w.resources[rapid.SampledFrom(w.created).Draw(t, "resource")]
	live := maps.Clone(r.Tags)
	key, _ := fakecloud.Find(&w.rules, live, w.spell(t, fmt.Sprintf("k%d", rapid.IntRange(1, 5).Draw(t, "k"))))
	if rapid.IntRange(0, 9).Draw(t, "mandatory") == 0 {
		key = mandatoryKey(w.rules)
	}
	if w.rules.Guard == tags.Unguarded || w.rules.KeysOnly || rapid.Bool().Draw(t, "delete") {
		delete(live, key)
	} else if live[key] = fmt.Sprintf("x%d", rapid.IntRange(1, 3).Draw(t, "x")); len(live) > w.rules.MaxTags {
		return
	}
	r.Write(live)
}

// land lets one delayed call land, or die.
func (w *world) land(t *rapid.T) {
	if len(w.delayed) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.delayed)-1).Draw(t, "call")
	c := w.delayed[i]
	w.delayed = slices.Delete(w.delayed, i, i+1)
	if rapid.IntRange(0, 3).Draw(t, "dies") > 0 {
		_ = w.execute(t, c) // its sender does not learn the result
	}
}

func (w *world) flush(t *rapid.T) {
	for len(w.delayed) > 0 {
		w.land(t)
	}
}

// checkForeign is the boundary condition: keys that others wrote are there, and attached resources carry nothing else.
func (w *world) checkForeign(t *rapid.T) {
	for id, foreign := range w.foreign {
		live := w.resources[id].Tags
		for key, value := range foreign {
			if v, ok := live[key]; !ok || v != value {
				t.Fatalf("%s: foreign key %s was touched", id, key)
			}
		}
		if !slices.Contains(w.created, id) && !maps.Equal(live, foreign) {
			t.Fatalf("%s is not ours, but was touched", id)
		}
	}
}

// isForeign reports whether an infrastructure tag that is not wanted is somebody else's: by its key, or by its value, as others
// never use ours.
func isForeign(key, value string) bool {
	return strings.HasPrefix(key, "f") || strings.HasPrefix(value, "x")
}

// expected is what a resource must carry when nothing moves.
func (w *world) expected(live map[string]string) map[string]string {
	want := map[string]string{}
	for key, value := range live {
		if !w.wants(key) && isForeign(key, value) {
			want[w.identity(key)] = value
		}
	}
	for _, spec := range []map[string]string{w.desired, w.mandatory} {
		for key, value := range spec {
			want[w.identity(key)] = value
		}
	}
	return want
}

func (w *world) fitsIn(read map[string]map[string]string) bool {
	for _, id := range w.created {
		if len(w.expected(read[id])) > w.rules.MaxTags {
			return false
		}
	}
	return true
}

// settle ends all disturbances: after two successful passes each resource has foreign, mandatory and desired keys, and the next plan is empty.
func (w *world) settle(t *rapid.T) {
	w.flush(t)
	before := map[string]map[string]string{}
	for id, r := range w.resources {
		before[id] = r.Tags
	}
	if !w.fitsIn(before) {
		w.desired = map[string]string{} // foreign and mandatory keys alone always fit
		if !w.fitsIn(before) {
			return
		}
	}
	for range 2 {
		if !w.calmPass(t) {
			t.Fatalf("a pass fails though nothing moves")
		}
	}
	w.attempted = nil
	for _, id := range w.created {
		got := map[string]string{}
		for key, value := range w.resources[id].Tags {
			got[w.identity(key)] = value
		}
		if want := w.expected(before[id]); !maps.Equal(got, want) {
			t.Fatalf("%s settles at %v, want foreign, mandatory and desired %v", id, got, want)
		}
	}
	w.checkIdempotent(t)
}

func (w *world) checkIdempotent(t *rapid.T) {
	live := map[string]map[string]string{}
	for id, r := range w.resources {
		live[id] = r.Tags
	}
	state := tags.State{Recorded: []map[string]string{w.applied}, Desired: w.desired, Mandatory: w.mandatory}
	plans, err := w.rules.Plan(state, w.created, live)
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range plans {
		if len(plan.Set)+len(plan.Remove)+len(plan.Takeover) > 0 {
			t.Fatalf("planning again gives %v", plan)
		}
	}
}
