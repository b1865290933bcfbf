package updater

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// WrapTransport wraps the transport of MCM's client of the target cluster: rest.Config.Wrap takes
// it. MCM drains a node and reports it as ready for its update in one reconcile. Until the driver
// has applied the InPlace part of the new class, the transport answers that report with a conflict,
// which MCM repeats. It sends every other request.
//
// It needs MCM's StartControllers in place of app.Run, which makes its clients itself. Use it only
// if the driver has a lane that is InPlace. Without it, such a part is reported, and never applied.
func (u *Updater) WrapTransport(next http.RoundTripper) http.RoundTripper { return &gate{u, next} }

type gate struct {
	*Updater

	next http.RoundTripper
}

// RoundTrip sends a request, unless the request reports a node as ready before its machine is.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	name, isStatus := nodeOfStatus(r)
	if !isStatus || r.Body == nil {
		return g.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close() // it was read
	if err != nil {
		return nil, err
	}
	sent := r.Clone(r.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	if reportsReady(body) {
		if err := g.opened(r, name); err != nil {
			return refusal(r, name, err), nil
		}
	}
	return g.next.RoundTrip(sent)
}

// nodeOfStatus returns the node whose status a request writes. A dry run writes none. A longer path
// leads to a kubelet behind the node's proxy, and its body may be a stream.
func nodeOfStatus(r *http.Request) (name string, ok bool) {
	_, path, found := strings.Cut(r.URL.Path, "/api/v1/nodes/")
	name, isStatus := strings.CutSuffix(path, "/status")
	isWrite := r.Method == http.MethodPut || r.Method == http.MethodPatch
	isOfNode := found && isStatus && !strings.Contains(name, "/")
	isDryRun := r.URL.Query().Has("dryRun")
	return name, isWrite && isOfNode && !isDryRun
}

// reportsReady reports whether a status or patch may say that the node is ready. All encodings that
// clients of nodes use contain the word unescaped. A JSON patch may contain no other word of the
// condition.
func reportsReady(body []byte) bool { return bytes.Contains(body, []byte(inplace.ReadyForUpdate)) }

// reasonOf returns the condition of a node that reports its update in place.
func reasonOf(node *corev1.Node) (found corev1.NodeCondition) {
	for _, condition := range node.Status.Conditions {
		if condition.Type == inplace.ConditionType {
			found = condition
		}
	}
	return found
}

// opened calls open. After a panic the report is held back; the panic must not end MCM.
func (g *gate) opened(r *http.Request, name string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			problem := machineupdate.NewPanicError(value)
			klog.FromContext(r.Context()).Error(problem, "gate of a node", "node", name, "stack", problem.Stack)
			err = problem
		}
	}()
	return g.open(r, name)
}

// open returns nil if every machine of a node has the InPlace part or is not updated in place. Machines
// that are being deleted do not count. Where nodes are named by their addresses, two machines have one
// node while one machine replaces the other.
func (g *gate) open(r *http.Request, name string) error {
	node, err := g.node(r.Context(), r)
	if err != nil {
		return err
	}
	if reasonOf(node).Reason == inplace.ReadyForUpdate {
		return nil // it was reported before
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if !g.cache.sync(ctx) {
		return errors.New("the machines are not known yet")
	}
	var problems []error
	for _, machine := range g.cache.allMachines() {
		isLeaving := machine.GetDeletionTimestamp() != nil ||
			text(machine, "status", "currentStatus", "phase") == "Terminating"
		if machine.GetLabels()["node"] == name && !isLeaving {
			problems = append(problems, g.apply(r, machine))
		}
	}
	if len(problems) == 0 {
		return errors.New("no machine has the node")
	}
	return errors.Join(problems...)
}

// apply applies the InPlace part to a machine.
func (g *gate) apply(r *http.Request, machine *object) error {
	if g.claims.outlasts(machine.GetName()) {
		return errors.New("a call of the driver from an earlier term has not returned")
	}
	observed, of := g.observe(r.Context(), machine)
	if observed.ClassError == nil && !of.inPlace {
		return nil
	}
	read := func(ctx context.Context) (machineupdate.DrainedNode, error) {
		node, err := g.node(ctx, r)
		if err != nil {
			return machineupdate.DrainedNode{}, err
		}
		condition := reasonOf(node)
		isDrained := node.Spec.Unschedulable && condition.Reason == inplace.DrainSuccessful
		drained := condition.LastTransitionTime.Time
		return machineupdate.DrainedNode{UID: node.UID, Drained: drained, Unschedulable: isDrained}, nil
	}
	result, ready := g.executor.ApplyInPlace(r.Context(), machine, observed, read)
	g.noteWrite(machine, result.Machine)
	g.log(r.Context(), machine, result.Err)
	if ready {
		return nil
	}
	return errors.Join(errors.New("the InPlace part of class "+of.wanted+" is not applied yet"), result.Err)
}

// node reads the node by the transport of MCM's client, with the credentials of its request.
func (g *gate) node(ctx context.Context, r *http.Request) (*corev1.Node, error) {
	read := r.Clone(ctx)
	read.Method = http.MethodGet
	read.Body = nil
	read.GetBody = nil
	read.ContentLength = 0
	read.URL.Path = strings.TrimSuffix(r.URL.Path, "/status")
	read.URL.RawPath = ""
	read.URL.RawQuery = ""
	read.Header.Del("Content-Type")
	read.Header.Set("Accept", "application/json")
	answer, err := g.next.RoundTrip(read)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("reading the node: %s", answer.Status)
	}
	if err != nil {
		return nil, err
	}
	node := &corev1.Node{}
	return node, json.Unmarshal(body, node)
}

// refusal is the answer to a report that is held back. MCM repeats the report after a few seconds.
func refusal(r *http.Request, node string, cause error) *http.Response {
	status := apierrors.NewConflict(corev1.Resource("nodes"), node, cause).Status()
	status.Kind = "Status"
	status.APIVersion = "v1"
	body, _ := json.Marshal(status) // a status is JSON
	return &http.Response{
		Status: "409 Conflict", StatusCode: http.StatusConflict, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
}
