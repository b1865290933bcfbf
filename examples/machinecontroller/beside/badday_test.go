package beside_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/beside"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// spoilt is a driver that does something else for one machine, as long as that returns true.
type spoilt struct {
	*beside.Provider

	machine string
	instead func(ctx context.Context) bool
	calls   atomic.Int32 // for the machine
}

func (s *spoilt) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if request.Machine == s.machine {
		if s.calls.Add(1); s.instead(ctx) {
			return nil
		}
	}
	return s.Provider.UpdateMachine(ctx, request)
}

func (s *spoilt) install(o *updater.Options) { o.Driver = s }

// TestPanic: a driver that panics, or that ends its goroutine, fails for one machine. An event, a
// metric and the log tell, the other machines are updated, and the bad one is not tried all the
// time. Once the driver is mended, it is updated as well.
func TestPanic(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(){
		"panic":  func() { panic("oh no") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var isMended atomic.Bool
			f := newFixture(t)
			f.putClass(class, `{"tags":{"owner":"bob"}}`)
			all := names(10)
			f.running(`{"tags":{"owner":"alice"}}`, all...)
			driver := &spoilt{Provider: f.provider, machine: all[0], instead: func(context.Context) bool {
				if !isMended.Load() {
					fail()
				}
				return false
			}}
			one := func(o *updater.Options) { o.Workers = 1 } // which a driver must not end
			p := f.start(driver.install, one)
			f.tagged(all[1:], map[string]string{"owner": "bob"})
			f.until("a metric tells", func() bool { return p.metric(t, "hot_update_reconciles_total", "Panicked") > 0 })
			f.until("the log tells", func() bool { return p.has("oh no") || p.has("did not return") })
			isTold := func(r request) bool {
				return r.Resource == "events" && strings.Contains(r.Body, "HotUpdateFailed") && strings.Contains(r.Body, all[0])
			}
			f.until("an event tells", func() bool { return len(p.log(isTold)) > 0 })
			time.Sleep(5 * time.Second)
			assert.LessOrEqual(t, driver.calls.Load(), int32(8))
			if name == "panic" {
				assert.True(t, p.has("TestPanic"), "the stack is logged")
				isMended.Store(true)
				f.tagged(all, map[string]string{"owner": "bob"})
				f.settled(len(all))
			}
		})
	}
}

// TestPanicElsewhere: a panic in another function of the adopter is an error of the machine as well.
func TestPanicElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, names(3)...)
	var calls atomic.Int32
	f.settings.Paused = func() bool {
		calls.Add(1)
		panic("oh no")
	}
	p := f.start()
	f.until("a metric tells", func() bool { return p.metric(t, "hot_update_reconciles_total", "Panicked") >= 3 })
	assert.True(t, p.has("TestPanicElsewhere"), "the stack is logged")
	time.Sleep(5 * time.Second)
	assert.LessOrEqual(t, calls.Load(), int32(2*3), "no machine spins")
}

// TestHungCall: a call of the driver ignores the end of its context. It keeps one worker and its
// machine, and a metric tells. When the lease is lost, the only replica competes again, and updates all
// other machines. The machine is updated once its call has returned.
func TestHungCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.CallTimeout = 2 * time.Second
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	all := names(10)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	var once sync.Once
	proceed := make(chan struct{})
	driver := &spoilt{Provider: f.provider, machine: all[0], instead: func(context.Context) bool {
		once.Do(func() { <-proceed })
		return false
	}}
	few := func(o *updater.Options) { o.Workers = 2 }
	p := f.start(driver.install, few)
	leads := func(p *process) bool { return p.metric(t, "hot_update_leads", "") == 1 }
	overdue := func(p *process) float64 { return p.metric(t, "hot_update_overdue_calls", "") }
	f.tagged(all[1:], map[string]string{"owner": "bob"})
	f.until("a metric tells", func() bool { return overdue(p) == 1 })

	f.stealLease()
	f.until("the term ends", func() bool { return !leads(p) })
	f.putClass(class, `{"tags":{"owner":"carol"}}`)
	f.until("it leads again", func() bool { return leads(p) })
	f.tagged(all[1:], map[string]string{"owner": "carol"})
	assert.Equal(t, []any{1.0, int32(1)}, []any{overdue(p), driver.calls.Load()})
	close(proceed)
	f.tagged(all, map[string]string{"owner": "carol"})
	f.settled(len(all))
	assert.Zero(t, overdue(p))
}

// TestStrategyChanges: a pool that is updated in place from now on has the class of its deployment
// at once.
func TestStrategyChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.putClass("next", `{"tags":{"owner":"bob"}}`)
	f.pool("RollingUpdate")
	f.running(`{"tags":{"owner":"eve"}}`, "m-1")
	f.start()
	f.tagged([]string{"m-1"}, map[string]string{"owner": "alice"})
	f.settled(1)
	pool, err := f.client.MachineDeployments.Get(t.Context(), "pool", metav1.GetOptions{})
	require.NoError(t, err)
	pool.Spec.Strategy.Type = api.InPlaceUpdateStrategyType
	_, err = f.client.MachineDeployments.Update(t.Context(), pool, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
}

// restored is a transport in whose answer to one settling patch the resourceVersion is far ahead of
// all later ones, as those from before etcd was restored from a backup.
type restored struct {
	next http.RoundTripper
	done *atomic.Bool
}

func (r restored) RoundTrip(request *http.Request) (*http.Response, error) {
	isSettling := false
	if request.Method == http.MethodPatch {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		isSettling = !bytes.Contains(body, []byte(`\"state\"`))
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	answer, err := r.next.RoundTrip(request)
	isWritten := err == nil && answer.StatusCode == http.StatusOK
	if !isSettling || !isWritten || r.done.Swap(true) {
		return answer, err
	}
	defer func() { _ = answer.Body.Close() }()
	var machine unstructured.Unstructured
	if err := json.NewDecoder(answer.Body).Decode(&machine.Object); err != nil {
		return nil, err
	}
	machine.SetResourceVersion("9000000000")
	body, err := json.Marshal(machine.Object)
	changed := *answer
	changed.Body = io.NopCloser(bytes.NewReader(body))
	changed.ContentLength = int64(len(body))
	return &changed, err
}

// TestRestoredVersions: resourceVersions go back. A machine that was written before is looked at
// again although nothing writes it.
func TestRestoredVersions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, "m-1")
	var done atomic.Bool
	f.start(func(o *updater.Options) {
		o.Control.Wrap(func(next http.RoundTripper) http.RoundTripper { return restored{next, &done} })
	})
	f.settled(1)
	require.True(t, done.Load())
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
}

// TestClassReturnsWhilePruning: the entry of a class that is gone is removed. While that is under
// way the class is made again, and a creation uses the version that stands there. It stays.
func TestClassReturnsWhilePruning(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	version := []byte(`{"tags":{"owner":"alice"}}`)
	q := f.start()
	f.until("it leads", func() bool { return q.metric(t, "hot_update_leads", "") == 1 })
	q.stop() // its Creating goes on
	creating := func(machine string) {
		q.Creating(t.Context(), &metav1.ObjectMeta{Name: machine, Namespace: f.namespace}, &metav1.ObjectMeta{Name: class}, version)
	}
	creating("m-0")
	require.Contains(t, f.versions()[class], "alice")
	var writes atomic.Int32
	f.startAs(&process{refuse: func(r request) error {
		if r.Resource == "configmaps" && r.Verb == http.MethodPut && writes.Add(1) == 2 {
			f.putClass(class, string(version))
			f.create("m-1")
			creating("m-1")
		}
		return nil
	}})
	f.until("the entry was to be removed", func() bool { return writes.Load() >= 2 })
	time.Sleep(15 * time.Second) // longer than the time between two looks at versions to forget
	assert.Contains(t, f.versions()[class], "alice")
}

// TestPruningHeals: what is beyond its bound, or no list at all, is removed like everything else.
func TestPruningHeals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.putClass("broken", `{"tags":{"owner":"alice"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, "m-1")
	f.start()
	f.settled(1)
	long := `{"tags":{"gone":"` + strings.Repeat("x", 300<<10) + `"}}`
	stored := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.GroupVersion.String(), "kind": "ConfigMap",
		"metadata": map[string]any{"name": "machine-controller-hot-update-versions"},
		"data": map[string]any{
			class: "[" + long + `,{"tags":{"owner":"alice"}}]`, "broken": "[{", "gone": "[" + long + "]",
		},
	}}
	_, err := f.of("configmaps").Create(t.Context(), stored, metav1.CreateOptions{})
	require.NoError(t, err)
	f.until("only what is needed is left", func() bool {
		left := f.versions()
		return len(left) == 1 && left[class] == `[{"tags":{"owner":"alice"}}]`
	})
}

// TestManyWorkers: five hundred workers adopt a fleet with the queries that MCM has by default. They delay no creation,
// since creations have queries of their own, and they read a secret once for all.
func TestManyWorkers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, names(500)...)
	p := f.start(func(o *updater.Options) {
		o.Workers = 500
		o.Control.QPS = 20
		o.Control.Burst = 30
	})
	isSecret := func(r request) bool { return r.Resource == "secrets" }
	f.until("the adoption is under way", func() bool {
		patches, _ := p.patches()
		return patches > 50
	})
	for i := range 5 {
		version := fmt.Appendf(nil, `{"tags":{"owner":"carol","n":"%d"}}`, i)
		p.Creating(t.Context(), &metav1.ObjectMeta{Name: "m", Namespace: f.namespace}, &metav1.ObjectMeta{Name: class}, version)
	}
	queries := p.log(func(r request) bool { return strings.HasSuffix(r.Agent, "hot-updater-creating") })
	assert.NotEmpty(t, queries)
	assert.Less(t, len(queries), 50, "nothing but the creations")
	assert.Less(t, len(p.log(isSecret)), 20)
}

// TestRotatedSecret: the credentials are rotated while a fleet is updated, and the old ones are refused from then on. Every machine is
// updated with the new ones.
func TestRotatedSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	all := names(40)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	valid := &rotating{Provider: f.provider}
	valid.token.Store("one")
	p := f.start(func(o *updater.Options) { o.Driver = valid })
	f.settled(len(all))
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.until("some machines are updated", func() bool {
		sets, _, _ := f.cloud.Calls()
		return sets > 2
	})
	valid.token.Store("two")
	secret, err := f.client.Secrets.Get(t.Context(), secretName, metav1.GetOptions{})
	require.NoError(t, err)
	secret.Data = map[string][]byte{"token": []byte("two")}
	_, err = f.client.Secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.tagged(all, map[string]string{"owner": "bob"})
	f.settled(len(all))
	isTold := func(r request) bool { return r.Resource == "events" && strings.Contains(r.Body, "HotUpdateFailed") }
	if valid.refused.Load() > 0 {
		f.until("refusals are told", func() bool { return len(p.log(isTold)) > 0 })
	}
}

// rotating is a driver that refuses all tokens but one.
type rotating struct {
	*beside.Provider

	token   atomic.Value // a string
	refused atomic.Int32
}

func (r *rotating) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if string(request.Secret["token"]) != r.token.Load().(string) {
		r.refused.Add(1)
		return errors.New("the token is not valid")
	}
	return r.Provider.UpdateMachine(ctx, request)
}

// TestTwoNamespaces: a process runs an updater for each of two namespaces, with machines, classes and secrets of the same names. Neither
// touches what is the other's.
func TestTwoNamespaces(t *testing.T) {
	t.Parallel()
	one := newFixture(t)
	other := newFixtureIn(t, "two-namespaces-other")
	for _, f := range []*fixture{one, other} {
		f.provider = one.provider
		f.cloud = one.cloud
		f.putClass(class, `{"tags":{"owner":"`+f.namespace+`"}}`)
	}
	one.running(`{"tags":{"owner":"alice"}}`, "m-1")
	other.running(`{"tags":{"owner":"eve"}}`, "m-2")
	p := one.start()
	q := other.start()
	one.tagged([]string{"m-1"}, map[string]string{"owner": one.namespace})
	one.tagged([]string{"m-2"}, map[string]string{"owner": other.namespace})
	one.settled(1)
	other.settled(1)
	for _, of := range []*process{p, q} {
		assert.Equal(t, 1.0, of.metric(t, "hot_update_leads", ""))
		registry := prometheus.NewPedanticRegistry()
		require.NoError(t, prometheus.WrapRegistererWith(prometheus.Labels{"namespace": "1"}, registry).Register(p))
		require.NoError(t, prometheus.WrapRegistererWith(prometheus.Labels{"namespace": "2"}, registry).Register(q))
		_, err := registry.Gather()
		require.NoError(t, err)
	}
	p.Creating(
		t.Context(), &metav1.ObjectMeta{Name: "m-3", Namespace: one.namespace}, &metav1.ObjectMeta{Name: class},
		[]byte(`{"tags":{"a":"1"}}`),
	)
	assert.Contains(t, one.versions()[class], `"a"`)
	assert.Empty(t, other.versions())
}

// laned is a driver with one more lane that is Hot, which it cannot update at first.
type laned struct {
	*beside.Provider

	isAble    atomic.Bool
	mutex     sync.Mutex
	attempted []machineupdate.HotSpec // of that lane's last update
}

func (l *laned) Driver() machineupdate.Driver {
	driver := l.Provider.Driver()
	driver.Lanes = append(driver.Lanes, machineupdate.Lane{Name: "owner", Kinds: driver.Kinds, Paths: []string{"/tags/owner"}})
	return driver
}

func (l *laned) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	switch {
	case request.Lane != "owner":
		return l.Provider.UpdateMachine(ctx, request)
	case !l.isAble.Load():
		return machineupdate.ErrUnimplemented
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if attempted := request.Parts[0].Attempted; len(attempted) > 1 {
		l.attempted = attempted
	}
	return request.BeforeWrite(ctx)
}

// TestVersionsOfLanes: a machine has a record in one lane, and none in the other, which the driver cannot update yet. The versions stay
// until it can: then they are adopted there as well.
func TestVersionsOfLanes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	driver := &laned{Provider: f.provider}
	f.putClass(class, `{"tags":{"owner":"bob","team":"red"}}`)
	f.running(`{"tags":{"team":"red"}}`, "m-1")
	p := f.start(func(o *updater.Options) { o.Driver = driver })
	for _, version := range []string{`{"tags":{"owner":"alice"}}`, `{"tags":{"owner":"bob","team":"red"}}`} {
		p.Creating(t.Context(), &metav1.ObjectMeta{Name: "m-1", Namespace: f.namespace}, &metav1.ObjectMeta{Name: class}, []byte(version))
	}
	f.settled(1)
	time.Sleep(12 * time.Second) // longer than the time between two looks at versions to forget
	assert.Contains(t, f.versions()[class], "alice")
	driver.isAble.Store(true)
	f.putClass(class, `{"tags":{"owner":"carol","team":"red"}}`) // the driver is asked again
	f.until("the lane is adopted", func() bool {
		return f.machine("m-1").Annotations[machineupdate.AnnotationRecord+"-owner"] != ""
	})
	driver.mutex.Lock()
	assert.Contains(t, driver.attempted, machineupdate.HotSpec(`{"tags":{"owner":"alice"}}`))
	driver.mutex.Unlock()
	f.until("its versions are forgotten", func() bool { return !strings.Contains(f.versions()[class], "alice") })
}

// TestClassIsToldOnce: what keeps all machines of a class from being updated is an event of the class, not one of each
// machine, until the reason changes or has passed.
func TestClassIsToldOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	all := names(10)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	p := f.start()
	f.settled(len(all))
	told := func(text string) (classes, machines int) {
		of := func(kind string) int {
			return len(p.log(func(r request) bool {
				isEvent := r.Verb == http.MethodPost && r.Resource == "events"
				isAbout := strings.Contains(r.Body, text) && strings.Contains(r.Body, `"kind":"`+kind+`"`)
				return isEvent && isAbout && strings.Contains(r.Body, "HotUpdateClassUnusable")
			}))
		}
		return of("MachineClass"), of("Machine")
	}
	isRepeated := func(r request) bool { // the recorder counts an event that is recorded again
		return r.Verb == http.MethodPatch && r.Resource == "events" && strings.HasPrefix(r.Name, class+".")
	}
	check := func(text string) {
		f.until("the class tells", func() bool {
			classes, _ := told(text)
			return classes > 0
		})
		time.Sleep(2 * time.Second)
		classes, machines := told(text)
		assert.Equal(t, []int{1, 0}, []int{classes, machines}, text)
		assert.Empty(t, p.log(isRepeated), text)
	}
	f.putClass(class, `{"tags":["bob"]}`)
	check("tags: ")
	f.putClass(class, `{"tags":{"owner":"bob"},"kernel":1}`)
	check("kernel")
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.tagged(all, map[string]string{"owner": "bob"})
	require.NoError(t, f.client.Secrets.Delete(t.Context(), secretName, metav1.DeleteOptions{}))
	time.Sleep(6 * time.Second) // longer than what was read of it is used
	f.putClass(class, `{"tags":{"owner":"carol"}}`)
	check("the secret")
}
