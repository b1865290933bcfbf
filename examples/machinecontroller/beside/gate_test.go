package beside_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// TestGate: MCM's report that a node is ready is held back until the driver has applied the InPlace
// part, and nothing is applied to a node that can be scheduled. All other writes of nodes pass.
func TestGate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"kernel":"5"}`)
	f.putClass("next", `{"kernel":"6"}`)
	f.pool(api.InPlaceUpdateStrategyType)
	f.running(`{"kernel":"5"}`, "gated")
	p := f.start()
	f.settled(1)
	config := rest.CopyConfig(server.Config)
	config.Wrap(apiserver.AsKubernetes)
	config.Wrap(p.WrapTransport)
	client, err := typedcorev1.NewForConfig(config)
	require.NoError(t, err)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "gated"}}
	node, err = client.Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	require.NoError(t, err)
	report := func(reason string) error {
		node.Status.Conditions = []corev1.NodeCondition{{
			Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.Now(),
		}}
		written, err := client.Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
		if err == nil {
			node = written
		}
		return err
	}
	require.NoError(t, report("DrainSuccessful"))
	require.True(t, apierrors.IsConflict(report(inplace.ReadyForUpdate)), "the node can be scheduled")
	assert.Zero(t, f.cloud.Kernels)

	node.Spec.Unschedulable = true
	node, err = client.Nodes().Update(t.Context(), node, metav1.UpdateOptions{})
	require.NoError(t, err)
	tried := node.DeepCopy()
	tried.Status.Conditions[0].Reason = inplace.ReadyForUpdate
	_, err = client.Nodes().UpdateStatus(t.Context(), tried, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err, "a dry run reports nothing")
	assert.Zero(t, f.cloud.Kernels, "a dry run changes nothing")

	f.until("the report passes", func() bool { return report(inplace.ReadyForUpdate) == nil })
	assert.Equal(t, 1, f.cloud.Kernels)
	require.NoError(t, report(inplace.ReadyForUpdate), "it was reported before")
	for _, v := range f.cloud.Of("gated") {
		assert.Equal(t, "6", v.Kernel)
	}
	f.until("it is confirmed", func() bool { return p.metric(t, "hot_update_in_place", "Applied") == 1 })
	assert.Equal(t, 1, f.cloud.Kernels)
}

// nodes is the API server of the target cluster: it has one node, which is drained. It answers
// whatever it is asked.
type nodes struct {
	name string

	mutex  sync.Mutex
	passed []string // requests but for reads of the node, with their bodies
	reads  int
}

func (n *nodes) node(reason string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.name, UID: "uid"}, Spec: corev1.NodeSpec{Unschedulable: true},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
			Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.Unix(1, 0),
		}}},
	}
}

func (n *nodes) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	answer := &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/api/v1/nodes/"+n.name) {
		n.reads++
		body, err := json.Marshal(n.node(inplace.DrainSuccessful))
		answer.Body = io.NopCloser(bytes.NewReader(body))
		return answer, err
	}
	said := r.Method + " " + r.URL.Path + " "
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		said += string(body)
	}
	n.passed = append(n.passed, said)
	return answer, nil
}

// took returns the requests that have passed since the last time.
func (n *nodes) took() (passed []string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	passed = n.passed
	n.passed = nil
	return passed
}

// send sends a request through the gate of an updater, and returns the code of the answer.
func (n *nodes) send(t *testing.T, p *process, method, path, contentType string, body io.Reader) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://target"+path, body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", contentType)
	answer, err := p.WrapTransport(n).RoundTrip(r)
	require.NoError(t, err)
	defer func() { assert.NoError(t, answer.Body.Close()) }()
	return answer.StatusCode
}

// gated starts an updater with machines in a pool that is to be updated in place.
func gated(t *testing.T, machines ...string) (*fixture, *process) {
	t.Helper()
	f := newFixture(t)
	f.putClass(class, `{"kernel":"5"}`)
	f.putClass("next", `{"kernel":"6"}`)
	f.pool(api.InPlaceUpdateStrategyType)
	f.running(`{"kernel":"5"}`, machines...)
	p := f.start()
	f.settled(len(machines))
	return f, p
}

// TestGatePanics: a panic in a function of the adopter holds the report back, and does not end MCM.
func TestGatePanics(t *testing.T) {
	t.Parallel()
	var isMended atomic.Bool
	f := newFixture(t)
	f.settings.Paused = func() bool {
		if !isMended.Load() {
			panic("oh no")
		}
		return false
	}
	f.putClass(class, `{"kernel":"5"}`)
	f.putClass("next", `{"kernel":"6"}`)
	f.pool(api.InPlaceUpdateStrategyType)
	f.running(`{"kernel":"5"}`, "gated")
	p := f.start()
	target := &nodes{name: "gated"}
	body, err := json.Marshal(target.node(inplace.ReadyForUpdate))
	require.NoError(t, err)
	report := func() int {
		return target.send(t, p, http.MethodPut, "/api/v1/nodes/gated/status", "application/json", bytes.NewReader(body))
	}
	assert.Equal(t, http.StatusConflict, report())
	assert.Empty(t, target.took())
	isMended.Store(true)
	f.until("the report passes", func() bool { return report() == http.StatusOK })
	assert.Equal(t, 1, f.updated("gated"))
}

// updated returns how many of the machines have the InPlace part of the new class.
func (f *fixture) updated(machines ...string) (n int) {
	for _, machine := range machines {
		for _, v := range f.cloud.Of(machine) {
			if v.Kernel == "6" {
				n++
			}
		}
	}
	return n
}

// TestGateWithTwoMachines: several machines name one node. Those that are being deleted do not
// count, all others have to have the InPlace part, in whatever order a cache lists them.
func TestGateWithTwoMachines(t *testing.T) {
	t.Parallel()
	for name, leaving := range map[string]int{"one stays": 5, "all stay": 0, "none stays": 6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := names(6)
			f, p := gated(t, all...)
			for i, name := range all {
				machine := f.machine(name)
				machine.Labels[api.NodeLabelKey] = "shared"
				_, err := f.client.Machines.Update(t.Context(), machine, metav1.UpdateOptions{})
				require.NoError(t, err)
				if i < leaving {
					require.NoError(t, f.client.Machines.Delete(t.Context(), name, metav1.DeleteOptions{}))
				}
			}
			time.Sleep(time.Second) // the cache follows
			target := &nodes{name: "shared"}
			body, err := json.Marshal(target.node(inplace.ReadyForUpdate))
			require.NoError(t, err)
			report := func() int {
				return target.send(t, p, http.MethodPut, "/api/v1/nodes/shared/status", "application/json", bytes.NewReader(body))
			}
			if leaving == len(all) {
				assert.Equal(t, http.StatusConflict, report())
				assert.Empty(t, target.took())
				return
			}
			f.until("the report passes", func() bool { return report() == http.StatusOK })
			assert.Equal(t, len(all)-leaving, f.updated(all...), "the node is updated afterwards")
			assert.Equal(t, len(all)-leaving, f.cloud.Kernels)
		})
	}
}

// TestGateEncodings: in whatever form a client reports a node as ready, the report waits until the
// InPlace part is applied, and reaches the API server as it was sent. Other requests pass without a
// read, and a stream is not waited for.
func TestGateEncodings(t *testing.T) {
	t.Parallel()
	const node = "gated"
	f, p := gated(t, node)
	target := &nodes{name: node}
	ready := target.node(inplace.ReadyForUpdate)
	inJSON, err := json.Marshal(ready)
	require.NoError(t, err)
	var inProtobuf bytes.Buffer
	require.NoError(t, protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(runtime.Object(ready), &inProtobuf))
	status := `{"status":{"conditions":[{"type":"InPlaceUpdate","status":"True","reason":"ReadyForUpdate"}]}}`
	path := "/api/v1/nodes/" + node + "/status"
	reports := []struct{ method, path, contentType, body string }{
		{http.MethodPut, path, "application/json", string(inJSON)},
		{http.MethodPut, path + "?fieldManager=mcm", "application/vnd.kubernetes.protobuf", inProtobuf.String()},
		{http.MethodPut, "/proxied/by/somebody" + path, "application/json", string(inJSON)},
		{http.MethodPatch, path, "application/merge-patch+json", status},
		{http.MethodPatch, path, "application/strategic-merge-patch+json", status},
		{http.MethodPatch, path, "application/apply-patch+yaml", status},
		{
			http.MethodPatch, path, "application/apply-patch+yaml",
			"status:\n  conditions:\n  - type: InPlaceUpdate\n    reason: ReadyForUpdate\n",
		},
		{
			http.MethodPatch, path, "application/json-patch+json",
			`[{"op":"replace","path":"/status/conditions/3/reason","value":"ReadyForUpdate"}]`,
		},
	}
	pause := func(value string) {
		machine := f.machine(node)
		machine.Annotations["machine.sapcloud.io/pause-hot-update"] = value
		_, err := f.client.Machines.Update(t.Context(), machine, metav1.UpdateOptions{})
		require.NoError(t, err)
		time.Sleep(time.Second) // the cache follows
	}
	pause("true") // nothing is applied
	for _, r := range reports {
		code := target.send(t, p, r.method, r.path, r.contentType, strings.NewReader(r.body))
		assert.Equal(t, http.StatusConflict, code, "%s %s", r.contentType, r.body)
		assert.Empty(t, target.took(), "%s %s", r.contentType, r.body)
	}
	pause("false")
	for _, r := range reports {
		f.until("the report passes", func() bool {
			return target.send(t, p, r.method, r.path, r.contentType, strings.NewReader(r.body)) == http.StatusOK
		})
		asPath, _, _ := strings.Cut(r.path, "?")
		assert.Equal(t, []string{r.method + " " + asPath + " " + r.body}, target.took())
	}
	assert.Equal(t, 1, f.updated(node))
	assert.Equal(t, 1, f.cloud.Kernels)

	reads := target.reads
	pause("true")
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPut, "/api/v1/nodes/" + node, string(inJSON)}, // a status is not written by it
		{http.MethodPatch, "/api/v1/nodes/" + node, status},
		{http.MethodPost, "/api/v1/nodes/" + node + "/status", status},
		{http.MethodPut, "/api/v1/namespaces/n/pods/p/status", status},
		{http.MethodPut, "/apis/machine.sapcloud.io/v1alpha1/namespaces/n/machines/" + node + "/status", status},
		{http.MethodPatch, path, `{"status":{"conditions":[{"type":"InPlaceUpdate","reason":"DrainSuccessful"}]}}`},
		{http.MethodPatch, path, ``},
	} {
		code := target.send(t, p, r.method, r.path, "application/json", strings.NewReader(r.body))
		assert.Equal(t, http.StatusOK, code, r.path)
		assert.Equal(t, []string{r.method + " " + r.path + " " + r.body}, target.took())
	}
	assert.Equal(t, reads, target.reads, "without a read")

	// A request to the kubelet through the node's proxy may be a stream: its body ends after the answer.
	body, end := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://target/api/v1/nodes/"+node+"/proxy/status", body)
	require.NoError(t, err)
	var passed atomic.Bool
	_, err = p.WrapTransport(roundTripper(func(*http.Request) (*http.Response, error) { // which reads nothing
		passed.Store(true)
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, end.Close()
	})).RoundTrip(r)
	require.NoError(t, err)
	assert.True(t, passed.Load())
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
