package updater_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// This file has a world in memory, in the time of testing/synctest: an API server without sockets, and a cloud. An
// Updater runs in it with the clients, caches, queues and leases that it has in production, for hours that take
// moments.

// values is a JSON object.
type values = map[string]any

// world is an API server and a cloud.
type world struct {
	*testing.T

	// refuse may answer a request. Nil answers none. It is called under the mutex.
	refuse func(r *http.Request) *refusal

	mutex    sync.Mutex
	objects  map[string]values // by path
	version  int
	told     []event // all, in their order
	watchers []*watcher
	counts   map[string]int // requests and calls by what they are
	reasons  map[string]int // new events by reason
	messages []string       // of new events

	// the cloud: it is called under its own mutex, which is not held during a call
	cloud   sync.Mutex
	live    map[string]map[string]string
	calls   map[string]int // by machine
	instead func(ctx context.Context, r *machineupdate.UpdateMachineRequest) (err error, is bool)
	updated map[string]time.Time // when a VM got its tags last
}

// refusal is an answer of a server that refuses.
type refusal struct {
	code   int
	reason metav1.StatusReason
}

// event is a change of an object of a collection.
type event struct {
	of      string
	version int
	line    []byte
}

// watcher is a watch of a collection.
type watcher struct {
	of     string
	events chan []byte
	done   <-chan struct{}
}

// machinesPath is the collection of Machines.
const machinesPath = "/apis/machine.sapcloud.io/v1alpha1/namespaces/" + namespace + "/machines"

// inWorld runs a test in a world of its own, in fake time.
func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(&world{
			T: t, objects: map[string]values{}, counts: map[string]int{}, reasons: map[string]int{},
			live: map[string]map[string]string{}, calls: map[string]int{}, updated: map[string]time.Time{},
		})
	})
}

// pathOf is the path of an object of MCM's API.
func pathOf(resource, name string) string {
	return "/apis/machine.sapcloud.io/v1alpha1/namespaces/" + namespace + "/" + resource + "/" + name
}

// put stores an object, and tells its watchers. The caller holds no mutex.
func (w *world) put(at string, object values) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.store(at, object)
}

func (w *world) store(at string, object values) {
	w.version++
	collection, name := cutLast(at)
	former, isKnown := w.objects[at]
	meta := object["metadata"].(values)
	meta["name"] = name
	meta["namespace"] = namespace
	meta["resourceVersion"] = strconv.Itoa(w.version)
	if meta["uid"] == nil {
		meta["uid"] = name + "-" + strconv.Itoa(w.version)
	}
	generation := 1.0
	if isKnown {
		generation, _ = former["metadata"].(values)["generation"].(float64)
		if !assert.ObjectsAreEqual(former["spec"], object["spec"]) {
			generation++
		}
	}
	meta["generation"] = generation
	object = copied(object)
	w.objects[at] = object
	what := "ADDED"
	if isKnown {
		what = "MODIFIED"
	}
	w.tell(collection, what, object)
}

// remove deletes an object.
func (w *world) remove(at string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	object, isKnown := w.objects[at]
	if !isKnown {
		return
	}
	w.version++
	object["metadata"].(values)["resourceVersion"] = strconv.Itoa(w.version)
	delete(w.objects, at)
	collection, _ := cutLast(at)
	w.tell(collection, "DELETED", object)
}

func (w *world) tell(collection, what string, object values) {
	line, err := json.Marshal(values{"type": what, "object": object})
	require.NoError(w, err)
	w.told = append(w.told, event{collection, w.version, line})
	for _, one := range w.watchers {
		if one.of == collection && !isOver(one.done) {
			one.events <- line
		}
	}
}

func isOver(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func cutLast(path string) (before, last string) {
	i := strings.LastIndex(path, "/")
	return path[:i], path[i+1:]
}

func copied(object values) (out values) {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

// change changes an object as a client does that reads it first.
func (w *world) change(at string, edit func(object values)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	object := copied(w.objects[at])
	edit(object)
	w.store(at, object)
}

// RoundTrip serves a request.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var sent values
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
		if len(body) > 0 {
			if err := json.Unmarshal(body, &sent); err != nil {
				return nil, err
			}
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.counts[whatOf(r)]++
	if w.refuse != nil {
		if refused := w.refuse(r); refused != nil {
			return respond(r, refused.code, statusOf(refused)), nil
		}
	}
	if r.URL.Query().Get("watch") != "" {
		return w.watch(r), nil
	}
	code, object := w.serve(r, sent)
	return respond(r, code, object), nil
}

// whatOf says what a request is, such as PATCH machines.
func whatOf(r *http.Request) string {
	resource, _, _ := strings.Cut(strings.TrimPrefix(afterNamespace(r.URL.Path), "/"), "/")
	verb := r.Method
	if r.URL.Query().Get("watch") != "" {
		verb = "WATCH"
	}
	return verb + " " + resource
}

func afterNamespace(path string) string {
	_, rest, _ := strings.Cut(path, "/namespaces/"+namespace)
	return rest
}

func statusOf(refused *refusal) values {
	return values{
		"kind": "Status", "apiVersion": "v1", "metadata": values{}, "status": "Failure", "code": refused.code,
		"reason": refused.reason, "message": "refused by the test: " + strconv.Itoa(refused.code),
	}
}

func respond(r *http.Request, code int, object any) *http.Response {
	body, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return &http.Response{
		StatusCode: code, Status: strconv.Itoa(code), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
}

var (
	notFound = &refusal{http.StatusNotFound, metav1.StatusReasonNotFound}
	conflict = &refusal{http.StatusConflict, metav1.StatusReasonConflict}
)

// serve answers a request under the mutex.
func (w *world) serve(r *http.Request, sent values) (code int, answer any) {
	at := strings.TrimSuffix(r.URL.Path, "/status")
	known, isKnown := w.objects[at]
	isCollection := isCollection(r.URL.Path)
	switch {
	case r.Method == http.MethodGet && isCollection:
		return http.StatusOK, w.list(at)
	case r.Method == http.MethodPost:
		return w.create(at, sent)
	case !isKnown:
		return notFound.code, statusOf(notFound)
	case r.Method == http.MethodGet:
		return http.StatusOK, known
	}
	next := sent
	if r.Method == http.MethodPatch {
		next = copied(known)
		merge(next, sent)
	}
	metadata, _ := sent["metadata"].(values)
	wanted, _ := metadata["resourceVersion"].(string)
	if wanted != "" && wanted != known["metadata"].(values)["resourceVersion"] {
		return conflict.code, statusOf(conflict)
	}
	if invalid := w.validate(next); invalid != nil {
		return int(invalid.Code), invalid
	}
	w.store(at, next)
	return http.StatusOK, w.objects[at]
}

// validate is the API server's validation of annotations, by its own code.
func (w *world) validate(object values) *metav1.Status {
	metadata, _ := object["metadata"].(values)
	all, _ := metadata["annotations"].(values)
	annotations := map[string]string{}
	for key, value := range all {
		annotations[key], _ = value.(string)
	}
	problems := validation.ValidateAnnotations(annotations, field.NewPath("metadata", "annotations"))
	if len(problems) == 0 {
		return nil
	}
	name, _ := metadata["name"].(string)
	status := apierrors.NewInvalid(schema.GroupKind{Group: "machine.sapcloud.io", Kind: "Machine"}, name, problems).Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return &status
}

// create serves a POST.
func (w *world) create(collection string, sent values) (code int, answer any) {
	if strings.HasSuffix(collection, "/events") {
		reason, _ := sent["reason"].(string)
		w.reasons[reason]++
		message, _ := sent["message"].(string)
		w.messages = append(w.messages, reason+": "+message)
	}
	name, _ := sent["metadata"].(values)["name"].(string)
	at := collection + "/" + name
	if _, isKnown := w.objects[at]; isKnown {
		exists := &refusal{http.StatusConflict, metav1.StatusReasonAlreadyExists}
		return exists.code, statusOf(exists)
	}
	w.store(at, sent)
	return http.StatusCreated, w.objects[at]
}

func isCollection(path string) bool {
	return strings.Count(strings.Trim(afterNamespace(path), "/"), "/") == 0
}

func (w *world) list(collection string) values {
	items := []values{}
	for _, at := range slices.Sorted(maps.Keys(w.objects)) {
		if of, _ := cutLast(at); of == collection {
			items = append(items, w.objects[at])
		}
	}
	return values{
		"kind": "List", "apiVersion": "machine.sapcloud.io/v1alpha1", "items": items,
		"metadata": values{"resourceVersion": strconv.Itoa(w.version)},
	}
}

// merge applies a JSON merge patch.
func merge(into, patch values) {
	for name, value := range patch {
		below, isObject := value.(values)
		present, isPresent := into[name].(values)
		switch {
		case value == nil:
			delete(into, name)
		case isObject && isPresent:
			merge(present, below)
		case isObject:
			made := values{}
			merge(made, below)
			into[name] = made
		default:
			into[name] = value
		}
	}
}

// watch serves a watch. It begins with what has changed since the version that was listed.
func (w *world) watch(r *http.Request) *http.Response {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		invalid := &refusal{http.StatusUnprocessableEntity, metav1.StatusReasonInvalid}
		return respond(r, invalid.code, statusOf(invalid))
	}
	one := &watcher{of: r.URL.Path, events: make(chan []byte, 1<<16), done: r.Context().Done()}
	listed, err := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	require.NoError(w, err)
	for _, earlier := range w.told {
		if earlier.of == one.of && earlier.version > listed {
			one.events <- earlier.line
		}
	}
	w.watchers = append(w.watchers, one)
	reader, writer := io.Pipe()
	go func() {
		defer func() { _ = writer.Close() }()
		for {
			select {
			case line := <-one.events:
				if _, err := writer.Write(append(line, '\n')); err != nil {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	}()
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200", Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: reader, ContentLength: -1,
	}
}

// putClass stores a class with tags, and its secret.
func (w *world) putClass(name string, tags map[string]string) {
	spec := values{"image": "a", "tags": tags}
	w.put(pathOf("machineclasses", name), values{
		"kind": "MachineClass", "apiVersion": "machine.sapcloud.io/v1alpha1", "metadata": values{}, "provider": "test",
		"providerSpec": spec, "secretRef": values{"name": "cloud", "namespace": namespace},
	})
	w.putSecret("one")
}

// putSecret stores the secret of the classes.
func (w *world) putSecret(token string) {
	w.put("/api/v1/namespaces/"+namespace+"/secrets/cloud", values{
		"kind": "Secret", "apiVersion": "v1", "metadata": values{}, "data": values{"token": []byte(token)},
	})
}

// runMachine stores a Machine of the class that runs, with a VM that has tags.
func (w *world) runMachine(name string, tags map[string]string) {
	w.put(pathOf("machines", name), values{
		"kind": "Machine", "apiVersion": "machine.sapcloud.io/v1alpha1", "metadata": values{"annotations": values{}},
		"spec":   values{"class": values{"name": "class"}, "providerID": "id-" + name},
		"status": values{"currentStatus": values{"phase": "Running"}},
	})
	w.cloud.Lock()
	defer w.cloud.Unlock()
	w.live[name] = maps.Clone(tags)
}

// fleet stores machines that run.
func (w *world) fleet(n int, tags map[string]string) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("m-%03d", i))
		w.runMachine(names[i], tags)
	}
	return names
}

// Driver describes the driver of the world: it reads first.
func (w *world) Driver() machineupdate.Driver {
	schema, err := hotupdate.SchemaOf[providerSpec]()
	require.NoError(w, err)
	return machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}, ReadsFirst: true}
}

// UpdateMachine gives a VM the desired tags.
func (w *world) UpdateMachine(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
	w.mutex.Lock()
	w.counts["call"]++
	w.mutex.Unlock()
	w.cloud.Lock()
	w.calls[r.Machine]++
	instead := w.instead
	live := w.live[r.Machine]
	w.cloud.Unlock()
	if instead != nil {
		if err, is := instead(ctx, r); is {
			return err
		}
	}
	var desired providerSpec
	if err := json.Unmarshal([]byte(r.Parts[0].Desired), &desired); err != nil {
		return err
	}
	if maps.Equal(live, desired.Tags) {
		return nil
	}
	if err := r.BeforeWrite(ctx); err != nil {
		return err
	}
	w.cloud.Lock()
	defer w.cloud.Unlock()
	w.live[r.Machine] = desired.Tags
	w.updated[r.Machine] = time.Now()
	return nil
}

// refusesBy changes what the server refuses.
func (w *world) refusesBy(refuse func(r *http.Request) *refusal) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.refuse = refuse
}

// doesInstead changes what the driver does.
func (w *world) doesInstead(instead func(ctx context.Context, r *machineupdate.UpdateMachineRequest) (error, bool)) {
	w.cloud.Lock()
	defer w.cloud.Unlock()
	w.instead = instead
}

// start runs an Updater until the test ends.
func (w *world) start(change ...func(*updater.Options)) *updater.Updater {
	w.Helper()
	options := updater.Options{
		Control: &rest.Config{
			Host: "https://api", Transport: w, ContentConfig: rest.ContentConfig{ContentType: "application/json"},
		},
		Namespace: namespace, Driver: w,
	}
	for _, do := range change {
		do(&options)
	}
	u, err := updater.New(options)
	require.NoError(w, err)
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() {
		u.Run(ctx)
		close(ended)
	}()
	w.Cleanup(func() {
		cancel()
		<-ended
		time.Sleep(24 * time.Hour) // events that wait are sent
	})
	return u
}

// tagged reports whether the VMs have exactly these tags.
func (w *world) tagged(names []string, tags map[string]string) bool {
	w.cloud.Lock()
	defer w.cloud.Unlock()
	return !slices.ContainsFunc(names, func(name string) bool { return !maps.Equal(w.live[name], tags) })
}

// until lets time pass until a condition holds, and returns how long that took.
func (w *world) until(what string, limit time.Duration, holds func() bool) time.Duration {
	w.Helper()
	begin := time.Now()
	for !holds() {
		if time.Since(begin) > limit {
			require.Fail(w, what, "not within %v", limit)
		}
		time.Sleep(time.Second)
	}
	return time.Since(begin)
}

// settled reports whether all records are settled for the class's tags.
func (w *world) settled(names []string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return !slices.ContainsFunc(names, func(name string) bool {
		var record struct {
			V     int
			State string
		}
		_ = json.Unmarshal([]byte(w.record(name)), &record)
		return record.V != 1 || record.State != ""
	})
}

// record returns the record of a machine. The caller holds the mutex.
func (w *world) record(name string) string {
	annotations, _ := w.objects[pathOf("machines", name)]["metadata"].(values)["annotations"].(values)
	text, _ := annotations[machineupdate.AnnotationRecord].(string)
	return text
}

// recordOf returns the record of a machine.
func (w *world) recordOf(name string) string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.record(name)
}

// took returns what was counted since the last time.
func (w *world) took() map[string]int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	counts := w.counts
	w.counts = map[string]int{}
	return counts
}

// metric returns the sum of a metric's samples.
func metric(t *testing.T, u *updater.Updater, name string) (sum float64) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(u)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, sample := range family.GetMetric() {
			if family.GetName() == name {
				sum += sample.GetGauge().GetValue() + sample.GetCounter().GetValue()
			}
		}
	}
	return sum
}
