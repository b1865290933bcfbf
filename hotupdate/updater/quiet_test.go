package updater_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

var blue = map[string]string{"team": "blue"}

// refusing has an API server refuse requests whose method and path fit.
func refusing(method, inPath string, code int, reason metav1.StatusReason) func(w *world) {
	return func(w *world) {
		w.refusesBy(func(r *http.Request) *refusal {
			if r.Method == method && strings.Contains(r.URL.Path, inPath) {
				return &refusal{code, reason}
			}
			return nil
		})
	}
}

// failing has the driver do something else than its work.
func failing(instead func(ctx context.Context) error) func(w *world) {
	return func(w *world) {
		w.instead = func(ctx context.Context, _ *machineupdate.UpdateMachineRequest) (error, bool) {
			return instead(ctx), true
		}
	}
}

// mended ends both kinds of faults.
func mended(w *world) {
	w.refusesBy(nil)
	w.doesInstead(nil)
}

// inMemory and inRecord are how many machines begin a pass in a minute, at most, once the fault has lasted for an hour:
// each waits for ten to fifteen minutes, or for fifteen to twenty-two.
const (
	machines = 30
	inMemory = machines / 10
	inRecord = machines / 15
	standing = 18 // requests a minute for all machines together: stored versions, and the secret
)

// lastingFault is a fault that lasts until it is mended.
type lastingFault struct {
	begin, mend func(w *world)
	isAdoption  bool                     // the machines have no record
	change      []func(*updater.Options) // of the Updater
	requests    int                      // a minute, at most
	heals       time.Duration            // how long the update takes at most, once it is mended
	told        map[string]int           // events by reason, at most; every other reason has none
	isIgnored   bool                     // a change of the class begins no pass
	tried       int                      // machines that are tried at once after a change of the class; 0 is all
}

const (
	failedEvent   = "HotUpdateFailed"
	unusableEvent = "HotUpdateClassUnusable"
)

// lastingFaults are the rows of the table in FLOW.md.
var lastingFaults = map[string]lastingFault{
	"record: conflict by a webhook": {
		begin:    refusing(http.MethodPatch, machinesPath, http.StatusConflict, metav1.StatusReasonConflict),
		requests: 2 * inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"record: forbidden": {
		begin:    refusing(http.MethodPatch, machinesPath, http.StatusForbidden, metav1.StatusReasonForbidden),
		requests: 2 * inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"record: invalid by a webhook": {
		begin:    refusing(http.MethodPatch, machinesPath, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid),
		requests: 2 * inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"record: annotations beyond 256 KiB": {
		begin: func(w *world) { w.crowd(10) }, mend: func(w *world) { w.crowd(validation.TotalAnnotationSizeLimitB) },
		requests: 2 * inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"record: annotations beyond 256 KiB, at the adoption": {
		begin: func(w *world) { w.crowd(100) }, mend: func(w *world) { w.crowd(validation.TotalAnnotationSizeLimitB) },
		isAdoption: true,
		requests:   2 * inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"record: internal error": {
		begin:    refusing(http.MethodPatch, machinesPath, http.StatusInternalServerError, metav1.StatusReasonInternalError),
		requests: 2 * inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"record of a driver that writes first": {
		begin:  refusing(http.MethodPatch, machinesPath, http.StatusForbidden, metav1.StatusReasonForbidden),
		change: []func(*updater.Options){writingFirst}, requests: inMemory, heals: 15 * time.Minute,
		told: map[string]int{failedEvent: machines},
	},
	"versions: forbidden": {
		begin: refusing(http.MethodGet, "/configmaps/", http.StatusForbidden, metav1.StatusReasonForbidden), isAdoption: true,
		requests: inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"versions: internal error": {
		begin: refusing(http.MethodGet, "/configmaps/", http.StatusInternalServerError, metav1.StatusReasonInternalError), isAdoption: true,
		requests: inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"versions: malformed": {
		begin: func(w *world) { w.putVersions("[{") }, mend: func(w *world) { w.putVersions("[]") }, isAdoption: true,
		requests: inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"driver: no VM": {
		begin:    failing(func(context.Context) error { return machineupdate.ErrNotFound }),
		requests: inMemory, heals: 15 * time.Minute,
	},
	"driver: ends its goroutine": {
		begin:    failing(func(context.Context) error { runtime.Goexit(); return nil }),
		requests: inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: machines},
	},
	"driver: error": {
		begin:    failing(func(context.Context) error { return errors.New("no") }),
		requests: 3 * inRecord, heals: 23 * time.Minute, told: map[string]int{failedEvent: 2 * machines},
	},
	"driver: panic": {
		begin:    failing(func(context.Context) error { panic("no") }),
		requests: 3 * inRecord, heals: 23 * time.Minute, told: map[string]int{failedEvent: 2 * machines},
	},
	"driver: a resource is missing": {
		begin:    func(w *world) { w.doesInstead((&withDisks{world: w, isMissing: true}).update) },
		requests: inMemory, heals: 15 * time.Minute, told: map[string]int{failedEvent: 2 * machines}, // the class changes once
	},
	"driver: throttled": {
		begin:    failing(func(context.Context) error { return machineupdate.ErrThrottled }),
		requests: 3 * inRecord, heals: 23 * time.Minute, told: map[string]int{failedEvent: 2 * machines},
	},
	"driver: pending": {
		begin:    failing(func(context.Context) error { return machineupdate.ErrPending }),
		requests: 2 * inRecord, heals: 23 * time.Minute,
	},
	"driver: refused for hours": {
		begin: failing(func(context.Context) error {
			return &machineupdate.RetryError{After: 6 * time.Hour, Err: errors.New("no")}
		}),
		requests: 0, heals: 6 * time.Hour, told: map[string]int{failedEvent: 2 * machines},
	},
	"driver: unimplemented": {
		begin:    failing(func(context.Context) error { return machineupdate.ErrUnimplemented }),
		requests: 0, heals: time.Hour + time.Minute, told: map[string]int{"HotUpdateUnsupported": 2}, // for each class content
		tried: 1,
	},
	"class: no secret": {
		begin: func(w *world) { w.remove(secretPath) }, mend: func(w *world) { w.putSecret("two") },
		requests: 12, heals: 20 * time.Second, told: map[string]int{unusableEvent: 1}, isIgnored: true,
	},
	"class: secret forbidden": {
		begin:    refusing(http.MethodGet, "/secrets/", http.StatusForbidden, metav1.StatusReasonForbidden),
		requests: 12, heals: 20 * time.Second, told: map[string]int{unusableEvent: 1}, isIgnored: true,
	},
	"class: unreadable": {
		begin: func(w *world) {
			w.change(pathOf("machineclasses", "class"), func(class values) { class["providerSpec"] = values{"tags": 1} })
		},
		mend:     func(w *world) { w.putClass("class", blue) },
		requests: 0, heals: 10 * time.Second, told: map[string]int{unusableEvent: 1}, isIgnored: true,
	},
	"class: missing": {
		begin: func(w *world) { w.remove(pathOf("machineclasses", "class")) }, mend: func(w *world) { w.putClass("class", blue) },
		requests: 0, heals: 10 * time.Second, told: map[string]int{unusableEvent: 1}, isIgnored: true,
	},
	"owner: missing": {
		begin: func(w *world) { w.ownedBy("nobody") }, mend: func(w *world) { w.ownedBy("") },
		requests: 0, heals: 10 * time.Second, told: map[string]int{unusableEvent: machines}, isIgnored: true,
	},
	"limiter": {
		begin: func(*world) {}, change: []func(*updater.Options){func(o *updater.Options) {
			o.Limiter = &machineupdate.Limiter{Every: 24 * time.Hour, Burst: 1}
		}},
		isAdoption: true, requests: 0, heals: -1, isIgnored: true,
	},
	"events: forbidden": {
		begin: func(w *world) {
			failing(func(context.Context) error { return errors.New("no") })(w)
			refusing(http.MethodPost, "/events", http.StatusForbidden, metav1.StatusReasonForbidden)(w)
		},
		requests: 3 * inRecord, heals: 23 * time.Minute,
	},
}

// secretPath is the secret of the classes.
const secretPath = "/api/v1/namespaces/" + namespace + "/secrets/cloud"

// writingFirst makes the driver one that writes its marker first.
func writingFirst(o *updater.Options) { o.Driver = writesFirst{o.Driver.(*world)} }

type writesFirst struct{ *world }

func (d writesFirst) Driver() machineupdate.Driver {
	driver := d.world.Driver()
	driver.ReadsFirst = false
	return driver
}

// putVersions stores versions of the class.
func (w *world) putVersions(text string) {
	w.put("/api/v1/namespaces/"+namespace+"/configmaps/"+storeName, values{
		"kind": "ConfigMap", "apiVersion": "v1", "metadata": values{}, "data": values{"class": text},
	})
}

// crowd gives each Machine an annotation of others that leaves so many bytes of the API server's limit, or none if the
// annotations that it has leave fewer.
func (w *world) crowd(left int) {
	const theirs = "example.com/notes"
	for i := range machines {
		w.change(pathOf("machines", fmt.Sprintf("m-%03d", i)), func(machine values) {
			metadata := machine["metadata"].(values)
			all, _ := metadata["annotations"].(values)
			if all == nil {
				all = values{}
				metadata["annotations"] = all
			}
			delete(all, theirs)
			size := len(theirs)
			for key, value := range all {
				size += len(key) + len(value.(string))
			}
			if length := validation.TotalAnnotationSizeLimitB - size - left; length > 0 {
				all[theirs] = strings.Repeat("n", length)
			}
		})
	}
}

// TestAnnotationsBeyondTheLimit: annotations of others leave no room for a longer record. The machine keeps its tags
// and its record, the event says what is too long, and once there is room, the machine is updated.
func TestAnnotationsBeyondTheLimit(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(machines, red)
		w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		w.crowd(10)
		record := w.recordOf(all[0])
		w.putClass("class", blue)
		time.Sleep(2 * time.Hour)
		assert.True(t, w.tagged(all, red), "nothing is sent without a marker")
		assert.Equal(t, record, w.recordOf(all[0]))
		assert.Len(t, w.saidOf("metadata.annotations: Too long:"), machines)
		w.crowd(1000)
		t.Logf("updated after %v", w.until("all are updated", 15*time.Minute+10*time.Second, func() bool { return w.tagged(all, blue) }))
		require.True(t, w.tagged(all, blue))
		w.until("all are settled", time.Hour, func() bool { return w.settled(all) })
		assert.True(t, w.settled(all))
	})
}

// ownedBy makes all Machines those of a MachineSet, or of none.
func (w *world) ownedBy(set string) {
	for i := range machines {
		w.change(pathOf("machines", fmt.Sprintf("m-%03d", i)), func(machine values) {
			delete(machine["metadata"].(values), "ownerReferences")
			if set != "" {
				machine["metadata"].(values)["ownerReferences"] = []any{values{
					"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineSet", "name": set, "uid": set, "controller": true,
				}}
			}
		})
	}
}

// requestsOf are the requests apart from those of leases and caches.
func requestsOf(counts map[string]int) (n int) {
	for what, count := range counts {
		isOther := strings.HasSuffix(what, "leases") || strings.HasPrefix(what, "WATCH") || strings.HasPrefix(what, "GET machine")
		if !isOther {
			n += count
		}
	}
	return n
}

// fast gives an Updater many queries, so that a fault shows its whole cost.
func fast(o *updater.Options) {
	o.Control.QPS = 1000
	o.Control.Burst = 2000
}

// TestLastingFaults: each fault that FLOW.md names lasts for hours on many machines. It becomes quiet, it is told a
// bounded number of times, a change of the class is tried at once during the longest wait, and once the fault is
// mended, the machines are updated within a known time.
func TestLastingFaults(t *testing.T) {
	for name, fault := range lastingFaults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(w *world) { fault.last(w) })
		})
	}
}

func (fault *lastingFault) last(w *world) {
	w.putClass("class", red)
	all := w.fleet(machines, red)
	if fault.isAdoption {
		fault.begin(w)
		w.putClass("class", blue)
	}
	w.start(append([]func(*updater.Options){fast}, fault.change...)...)
	if !fault.isAdoption {
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		fault.begin(w)
		if !fault.isIgnored || fault.heals < 0 {
			w.putClass("class", blue)
		}
	}
	time.Sleep(time.Hour)
	w.took()
	time.Sleep(10 * time.Minute)
	counts := w.took()
	w.Logf("in ten minutes: %v", counts)
	assert.LessOrEqual(w, requestsOf(counts), 10*(fault.requests+standing))
	if fault.isIgnored {
		assert.Zero(w, counts["POST events"]+counts["PATCH events"], "it was told before") // a repeated event is patched
	}

	if !fault.isIgnored {
		w.putClass("class", map[string]string{"team": "green"})
		time.Sleep(5 * time.Second)
		counts = w.took()
		w.Logf("after a change of the class: %v", counts)
		assert.GreaterOrEqual(
			w, max(counts["call"], counts["PATCH machines"], counts["GET configmaps"]), cmp.Or(fault.tried, machines),
			"it is tried at once",
		)
		time.Sleep(time.Hour)
	}
	w.mutex.Lock()
	for reason, n := range w.reasons {
		if reason != "HotUpdated" && reason != "HotUpdateConfirmed" {
			w.Logf("told: %s %d", reason, n)
			assert.LessOrEqual(w, n, fault.told[reason], reason)
		}
	}
	for reason := range fault.told {
		assert.Positive(w, w.reasons[reason], reason)
	}
	w.mutex.Unlock()
	if fault.heals < 0 {
		return
	}
	if fault.mend == nil {
		fault.mend = mended
	}
	fault.mend(w)
	want := map[string]string{"team": "green"}
	if fault.isIgnored {
		want = blue
		if w.tagsOfClass()["team"] == "red" {
			w.putClass("class", blue)
		}
	}
	took := w.until("all are updated", fault.heals+10*time.Second, func() bool { return w.tagged(all, want) })
	w.Logf("updated after %v", took)
	require.True(w, w.tagged(all, want))
}

// withDisks is a driver whose machines have a disk each, beside the VM.
type withDisks struct {
	*world

	disks     map[string]map[string]string // by machine
	isMissing bool                         // the cloud shows no disk
	writes    int                          // tags of a VM or of a disk
}

// update gives the VM the desired tags, and the disk if the cloud shows it.
func (d *withDisks) update(ctx context.Context, r *machineupdate.UpdateMachineRequest) (err error, is bool) {
	var desired providerSpec
	if err := json.Unmarshal([]byte(r.Parts[0].Desired), &desired); err != nil {
		return err, true
	}
	mark := sync.OnceValue(func() error { return r.BeforeWrite(ctx) })
	write := func(to map[string]map[string]string) error {
		d.cloud.Lock()
		isRight := maps.Equal(to[r.Machine], desired.Tags)
		d.cloud.Unlock()
		if isRight {
			return nil
		}
		if err := mark(); err != nil {
			return err
		}
		d.cloud.Lock()
		defer d.cloud.Unlock()
		d.writes++
		to[r.Machine] = desired.Tags
		return nil
	}
	if err := write(d.live); err != nil {
		return err, true
	}
	d.cloud.Lock()
	isMissing := d.isMissing
	d.cloud.Unlock()
	if isMissing {
		return &machineupdate.PartialError{
			Done:    []machineupdate.ResourceID{{Kind: "vm", ID: r.Machine}},
			NotDone: []machineupdate.ResourceID{{Kind: "disk", ID: "data of " + r.Machine}}, Err: errors.New("the cloud does not show it"),
		}, true
	}
	return write(d.disks), true
}

// TestMissingDisk: a disk of each of 300 machines is missing. The VMs are tagged at once and never again, an event of
// each machine names its disk once, and an hour later a minute has no more than a look at every tenth machine. A disk
// that appears is tagged within ConfirmAfter.
func TestMissingDisk(t *testing.T) {
	inWorld(t, func(w *world) {
		const fleet = 300
		d := &withDisks{world: w, disks: map[string]map[string]string{}}
		w.doesInstead(d.update)
		w.putClass("class", red)
		all := w.fleet(fleet, red)
		w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })

		w.cloud.Lock()
		d.isMissing = true
		d.writes = 0
		w.cloud.Unlock()
		w.putClass("class", blue)
		took := w.until("the VMs are tagged", time.Minute, func() bool { return w.tagged(all, blue) })
		t.Logf("the VMs are tagged after %v", took)
		require.LessOrEqual(t, took, 10*time.Second)
		time.Sleep(time.Hour)
		w.took()
		time.Sleep(10 * time.Minute)
		counts := w.took()
		t.Logf("in ten minutes: %v", counts)
		assert.LessOrEqual(t, counts["call"], 10*fleet/10)
		assert.Zero(t, counts["PATCH machines"])
		assert.LessOrEqual(t, requestsOf(counts), 10*(fleet/10+standing))
		w.cloud.Lock()
		assert.Equal(t, fleet, d.writes, "each VM is tagged once")
		w.cloud.Unlock()
		w.mutex.Lock()
		assert.Equal(t, fleet, w.reasons[failedEvent])
		w.mutex.Unlock()
		assert.Len(t, w.saidOf("but not disk data of m-000: the cloud does not show it"), 1)

		// a change of the class is tried at once, also during the longest wait
		w.putClass("class", map[string]string{"team": "green"})
		took = w.until("the VMs are tagged", time.Minute, func() bool { return w.tagged(all, map[string]string{"team": "green"}) })
		require.LessOrEqual(t, took, 10*time.Second)
		time.Sleep(time.Hour)
		w.cloud.Lock()
		assert.Equal(t, 2*fleet, d.writes)
		d.isMissing = false
		w.cloud.Unlock()
		isTagged := func() bool {
			w.cloud.Lock()
			defer w.cloud.Unlock()
			for _, name := range all {
				if d.disks[name]["team"] != "green" {
					return false
				}
			}
			return true
		}
		took = w.until("the disks are tagged", 15*time.Minute+10*time.Second, isTagged)
		t.Logf("the disks are tagged %v after they have appeared", took)
		require.True(t, isTagged())
		w.until("the fleet is settled", time.Hour, func() bool { return w.settled(all) })
		assert.True(t, w.settled(all))
		w.mutex.Lock()
		assert.Equal(t, 2*fleet, w.reasons[failedEvent], "it was told once for each content of the class")
		w.mutex.Unlock()
	})
}

// tagsOfClass are the tags of the class.
func (w *world) tagsOfClass() values {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.objects[pathOf("machineclasses", "class")]["providerSpec"].(values)["tags"].(values)
}

// TestRefusedRecords: the API server refuses the records of 300 machines, which is what one webhook does. An hour later
// this costs as few requests as that of any other fault.
func TestRefusedRecords(t *testing.T) {
	for code, reason := range map[int]metav1.StatusReason{
		http.StatusConflict: metav1.StatusReasonConflict, http.StatusForbidden: metav1.StatusReasonForbidden,
		http.StatusUnprocessableEntity: metav1.StatusReasonInvalid, http.StatusInternalServerError: metav1.StatusReasonInternalError,
	} {
		t.Run(string(reason), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.putClass("class", red)
				all := w.fleet(300, red)
				w.start()
				w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
				refusing(http.MethodPatch, machinesPath, code, reason)(w)
				w.putClass("class", blue)
				time.Sleep(time.Hour)
				w.took()
				time.Sleep(10 * time.Minute)
				counts := w.took()
				t.Log(counts)
				assert.LessOrEqual(t, requestsOf(counts), 10*(2*300/10+standing))
				w.putClass("class", map[string]string{"team": "green"})
				mended(w)
				t.Log(w.until("all are updated", 20*time.Second, func() bool { return w.tagged(all, map[string]string{"team": "green"}) }))
			})
		})
	}
}

// TestFlappingNodes: a fault of the record lasts, and the status of every machine changes all the time. Each change is
// an event, and makes a new version, which undoes no wait. A conflict by a webhook looks like an ordinary one.
func TestFlappingNodes(t *testing.T) {
	for _, code := range []int{http.StatusConflict, http.StatusInternalServerError} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(w *world) {
				w.putClass("class", red)
				all := w.fleet(10, red)
				w.start(fast)
				w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
				reason := map[int]metav1.StatusReason{409: metav1.StatusReasonConflict, 500: metav1.StatusReasonInternalError}[code]
				refusing(http.MethodPatch, machinesPath, code, reason)(w)
				w.putClass("class", blue)
				flap := func(times int) {
					for i := range times {
						for _, name := range all {
							w.change(pathOf("machines", name), func(machine values) {
								machine["status"].(values)["beat"] = i
								phase := []string{"Running", "Unknown"}[i/10%2] // as MCM writes it
								machine["status"].(values)["currentStatus"] = values{"phase": phase}
							})
						}
						time.Sleep(3 * time.Second)
					}
				}
				flap(20 * 60)
				w.took()
				flap(20 * 10)
				counts := w.took()
				t.Log(counts)
				assert.LessOrEqual(t, counts["PATCH machines"], 10)
				assert.LessOrEqual(t, counts["call"], 10)
				mended(w)
				t.Log(w.until("all are updated", 15*time.Minute, func() bool { return w.tagged(all, blue) }))
			})
		})
	}
}

// TestOrdinaryConflicts: other programs write a machine between its read and the write of its record, a few times. The
// update is made as soon as the cache has caught up.
func TestOrdinaryConflicts(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		w.fleet(1, red)
		w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled([]string{"m-000"}) })
		left := 5
		w.refusesBy(func(r *http.Request) *refusal {
			if r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, machinesPath) && left > 0 {
				left--
				machine := copied(w.objects[pathOf("machines", "m-000")])
				machine["status"].(values)["beat"] = left
				w.store(pathOf("machines", "m-000"), machine)
			}
			return nil
		})
		w.putClass("class", blue)
		time.Sleep(time.Second)
		assert.True(t, w.tagged([]string{"m-000"}, blue))
		w.mutex.Lock()
		defer w.mutex.Unlock()
		assert.Zero(t, left)
		assert.Zero(t, w.reasons[failedEvent])
	})
}

// TestRotatedSecretDuringTheLongestWait: a secret has no event. It ends the wait within a minute.
func TestRotatedSecretDuringTheLongestWait(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(20, red)
		w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		failing(func(context.Context) error { return machineupdate.ErrNotFound })(w)
		w.putClass("class", blue)
		time.Sleep(2 * time.Hour)
		mended(w)
		w.putSecret("two")
		t.Log(w.until("all are updated", time.Minute+6*time.Second, func() bool { return w.tagged(all, blue) }))
	})
}

// TestNewTermDuringTheLongestWait: whoever becomes the leader begins with the short delay, not all machines at once.
func TestNewTermDuringTheLongestWait(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(60, red)
		u := w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		refusing(http.MethodPatch, machinesPath, http.StatusForbidden, metav1.StatusReasonForbidden)(w)
		w.putClass("class", blue)
		time.Sleep(2 * time.Hour)
		mended(w)
		w.stealLease()
		w.until("the term ends", time.Minute, func() bool { return metric(t, u, "hot_update_leads") == 0 })
		w.until("the next term begins", time.Minute, func() bool { return metric(t, u, "hot_update_leads") == 1 })
		assert.False(t, w.tagged(all[:1], blue))
		took := w.until("all are updated", 8*time.Second, func() bool { return w.tagged(all, blue) })
		t.Log(took)
		assert.Greater(t, took, 4*time.Second)
		times := map[int64]bool{}
		w.cloud.Lock()
		defer w.cloud.Unlock()
		for _, name := range all {
			times[w.updated[name].UnixMilli()] = true
		}
		assert.Greater(t, len(times), len(all)/2, "they do not come together")
	})
}

// stealLease gives the lease to somebody who does not renew it.
func (w *world) stealLease() {
	w.change("/apis/coordination.k8s.io/v1/namespaces/"+namespace+"/leases/machine-controller-hot-update", func(lease values) {
		lease["spec"].(values)["holderIdentity"] = "thief"
		lease["spec"].(values)["renewTime"] = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	})
}
