package managers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hotupdate/providerconfig/examples/clusterapi/extension"
	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// call is a call of a hook by Cluster API.
type call struct {
	hook    hook
	pool    string
	machine string
	message string // the message of the answer
	isDone  bool   // the answer is a success without a delay
}

// extensions stands between Cluster API and the extensions, and records the calls. Cluster API
// allows one extension for a hook, so each pool has its own behind the same address.
type extensions struct {
	url string
	ca  []byte // the certificate authority of the url

	byPool map[string]*replica
	mutex  sync.Mutex
	calls  []call
}

// serve starts the extensions, by the name of their pool.
func serve(t *testing.T, c client.Client, byPool map[string]*replica) *extensions {
	t.Helper()
	x := &extensions{byPool: byPool}
	for _, r := range byPool {
		r.client = c
		require.NoError(t, r.start(t.Context()))
	}
	server := httptest.NewTLSServer(x)
	t.Cleanup(server.Close)
	x.url = server.URL
	x.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return x
}

// of returns the extension for the machines with these labels. Machines of the control plane have
// no pool.
func (x *extensions) of(labels map[string]string) *replica {
	if r, exists := x.byPool[labels[clusterv1.MachineDeploymentNameLabel]]; exists {
		return r
	}
	return x.byPool[""]
}

// called returns the calls of a hook for a pool.
func (x *extensions) called(pool string, hook hook) (calls []call) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	for _, c := range x.calls {
		if c.pool == pool && c.hook == hook {
			calls = append(calls, c)
		}
	}
	return calls
}

// hook is a hook, as in its path.
type hook string

const (
	canUpdateMachine    hook = "canupdatemachine"
	canUpdateMachineSet hook = "canupdatemachineset"
	updateMachine       hook = "updatemachine"
)

// ServeHTTP passes a call on. A delay in the answer becomes shorter for an extension with a fast
// clock.
func (x *extensions) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	var asked struct {
		Desired struct{ Machine, MachineSet metav1.PartialObjectMetadata }
	}
	_ = json.Unmarshal(body, &asked) // discovery has no objects
	subject := asked.Desired.Machine
	if subject.Name == "" {
		subject = asked.Desired.MachineSet
	}
	r := x.of(subject.Labels)
	status, answer := r.post(request.Context(), request.URL.Path, body)
	delay, _ := answer["retryAfterSeconds"].(float64)
	if delay > 0 {
		answer["retryAfterSeconds"] = max(1, int(delay)/r.speed)
	}
	message, _ := answer["message"].(string)
	x.mutex.Lock()
	x.calls = append(x.calls, call{
		hook: hook(path.Base(path.Dir(request.URL.Path))), pool: subject.Labels[clusterv1.MachineDeploymentNameLabel],
		machine: subject.Name, message: message,
		isDone: answer["status"] == string(hooksv1.ResponseStatusSuccess) && delay == 0,
	})
	x.mutex.Unlock()
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// replica is an extension, as its own server and with its own cloud. It can crash and start again.
type replica struct {
	speed     int               // the factor by which its clock is faster than the real one
	machines  *hotupdate.Schema // nil for the Schema of the example
	refusals  int               // the number of first writes to the cloud that are throttled
	crashes   []string          // calls of the cloud; after each of them the extension crashes once
	cloud     world.Cloud
	client    client.Client
	epoch     time.Time // the start of its clock
	mutex     sync.Mutex
	extension *extension.Extension
	url       string
	transport *http.Transport
}

var errCrashed = errors.New("the process is gone")

// start starts a process of the extension. It ends with the context, or in a crash.
func (r *replica) start(ctx context.Context) (err error) {
	process, crash := context.WithCancel(ctx)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.epoch.IsZero() {
		r.epoch = time.Now()
	}
	r.extension, err = extension.New(extension.Config{
		Client:   connection{r.client, process},
		EC2:      &ec2{Cloud: &r.cloud, replica: r, process: process, crash: func() { crash(); _ = r.start(ctx) }},
		Machines: r.machines,
		Now:      func() time.Time { return r.epoch.Add(time.Since(r.epoch) * time.Duration(r.speed)) },
	})
	if err != nil {
		return err
	}
	r.url, r.transport, err = world.Serve(process, r.extension)
	return err
}

// connection is the API server as one process of the extension reaches it.
type connection struct {
	client.Client

	process context.Context
}

func (c connection) Patch(ctx context.Context, o client.Object, p client.Patch, options ...client.PatchOption) error {
	if c.process.Err() != nil {
		return errCrashed
	}
	return c.Client.Patch(ctx, o, p, options...)
}

// post makes a call. A process that is gone does not answer.
func (r *replica) post(ctx context.Context, path string, body []byte) (status int, answer map[string]any) {
	r.mutex.Lock()
	url := r.url
	transport := r.transport
	r.mutex.Unlock()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, bytes.NewReader(body))
	if err != nil {
		return http.StatusBadGateway, nil
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return http.StatusBadGateway, nil
	}
	defer func() { _ = response.Body.Close() }()
	_ = json.NewDecoder(response.Body).Decode(&answer) // without an answer, answer stays empty, and the call is no success
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.url != url {
		return http.StatusBadGateway, nil
	}
	return response.StatusCode, answer
}

// Reconcile adopts a machine.
func (r *replica) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	r.mutex.Lock()
	e := r.extension
	r.mutex.Unlock()
	result, err := e.Reconcile(ctx, request)
	result.RequeueAfter /= time.Duration(r.speed)
	return result, err
}

// ec2 is the cloud as one process of the extension reaches it.
type ec2 struct {
	*world.Cloud

	replica *replica
	process context.Context
	crash   func()
}

func (c *ec2) CreateTags(ctx context.Context, resources []string, set []tags.Tag) error {
	return c.call("CreateTags", func() error { return c.Cloud.CreateTags(ctx, resources, set) })
}

func (c *ec2) DeleteTags(ctx context.Context, resources []string, remove []tags.Tag) error {
	return c.call("DeleteTags", func() error { return c.Cloud.DeleteTags(ctx, resources, remove) })
}

// call makes a call, unless it is refused or the process is gone, and lets the process crash after
// it.
func (c *ec2) call(name string, do func() error) error {
	r := c.replica
	r.mutex.Lock()
	isRefused := r.refusals > 0
	if isRefused {
		r.refusals--
	}
	r.mutex.Unlock()
	switch {
	case c.process.Err() != nil:
		return errCrashed
	case isRefused:
		return machineupdate.ErrThrottled
	}
	err := do()
	r.mutex.Lock()
	i := slices.Index(r.crashes, name)
	if i >= 0 {
		r.crashes = slices.Delete(r.crashes, i, i+1)
	}
	r.mutex.Unlock()
	if i >= 0 {
		c.crash()
		return errCrashed
	}
	return err
}
