package cloud

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
)

// maxRequest is more than any request has.
const maxRequest = 16 << 20

// ServeHTTP answers one request.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action := cloudapi.Action(strings.TrimPrefix(r.URL.Path, "/"))
	body := newRequest(action)
	if body == nil || r.Method != http.MethodPost {
		refuse(w, &cloudapi.Error{Code: cloudapi.InvalidAction, Message: "no such action"})
		return
	}
	accessKey := r.Header.Get("Authorization")
	if !slices.Contains(c.config.AccessKeys, accessKey) {
		refuse(w, &cloudapi.Error{Code: cloudapi.AuthFailure, Message: "unknown access key"})
		return
	}
	// Read to the end: only then does the server notice that a client gives up.
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err == nil {
		err = json.Unmarshal(raw, body)
	}
	if err != nil {
		refuse(w, &cloudapi.Error{Code: cloudapi.InvalidParameterValue, Message: "the request cannot be read"})
		return
	}
	reply := c.handle(action, accessKey, body)
	switch {
	case reply.then != nil:
		reply.then()
		hangUp(w)
	case reply.silence == waits:
		c.exhaust(r)
		hangUp(w)
	case reply.silence == hangsUp:
		hangUp(w)
	case reply.err != nil:
		refuse(w, reply.err)
	default:
		answer(w, http.StatusOK, reply.response)
	}
}

// exhaust lets time pass until the client gives up.
func (c *Cloud) exhaust(r *http.Request) {
	patience, err := time.ParseDuration(r.Header.Get(cloudapi.TimeoutHeader))
	if err != nil {
		return
	}
	c.config.Clock.AdvanceTo(c.config.Clock.Now().Add(patience))
	<-r.Context().Done()
}

// reply is what the client gets to hear.
type reply struct {
	response any
	err      error
	silence  silence
	then     func()
}

// silence is how a request stays without an answer. The zero value is that it gets one.
type silence uint8

const (
	answers silence = iota
	hangsUp
	waits
)

// handle lets a request take effect, or go wrong.
func (c *Cloud) handle(action cloudapi.Action, accessKey string, body any) reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land()
	now := c.config.Clock.Now()
	reply, outcome := c.serve(now, action, accessKey, body)
	c.note(Request{At: now, AccessKey: accessKey, Action: action, Body: body, Outcome: outcome})
	return reply
}

func (c *Cloud) serve(now time.Time, action cloudapi.Action, accessKey string, body any) (reply, string) {
	if !c.bucketOf(action).take(now) {
		return refused(&cloudapi.Error{Code: cloudapi.RequestLimitExceeded, Message: "slow down"})
	}
	fault, ok := c.takeFault(action, accessKey, body)
	if !ok {
		response, err := c.perform(now, action, body)
		if err != nil {
			return refused(err)
		}
		return reply{response: response}, "ok"
	}
	switch fault.Effect {
	case Refused:
		r, outcome := refused(&cloudapi.Error{Code: fault.Code, Message: "injected"})
		r.then = fault.Then
		return r, outcome
	case AnswerLost:
		_, err := c.perform(now, action, body)
		outcome := "took effect, but the answer is lost"
		if err != nil {
			outcome = "refused with " + string(cloudapi.CodeOf(err)) + ", but the answer is lost"
		}
		return reply{silence: hangsUp, then: fault.Then}, outcome
	case LandsLate:
		c.late = append(c.late, late{at: now.Add(fault.Delay), action: action, body: body})
		slices.SortStableFunc(c.late, func(a, b late) int { return a.at.Compare(b.at) })
		return reply{silence: waits, then: fault.Then}, "no answer; it will take effect in " + fault.Delay.String()
	case NeverLands:
		return reply{silence: waits, then: fault.Then}, "no answer; it is lost"
	case Stale:
		response, err := c.describe(now.Add(-c.config.ReadLag-fault.Delay), action, body)
		if err != nil {
			return refused(err)
		}
		return reply{response: response, then: fault.Then}, "ok, but stale"
	}
	return refused(&cloudapi.Error{Code: cloudapi.InternalError, Message: "unknown effect " + fault.Effect.String()})
}

func refused(err error) (reply, string) { return reply{err: err}, string(cloudapi.CodeOf(err)) }

func (c *Cloud) bucketOf(action cloudapi.Action) *bucket {
	if action.Reads() {
		return &c.reads
	}
	return &c.writes
}

// perform lets a request take effect at a time.
func (c *Cloud) perform(at time.Time, action cloudapi.Action, body any) (any, error) {
	switch r := body.(type) {
	case *cloudapi.DescribeRequest:
		return c.describe(at.Add(-c.config.ReadLag), action, body)
	case *cloudapi.RunInstancesRequest:
		return c.runInstances(at, r)
	case *cloudapi.TerminateInstancesRequest:
		return c.terminateInstances(at, r)
	case *cloudapi.ModifyInstanceAttributeRequest:
		return c.modifyInstanceAttribute(at, r)
	case *cloudapi.TagsRequest:
		if action == cloudapi.CreateTags {
			return c.createTags(at, r)
		}
		return c.deleteTags(at, r)
	case *cloudapi.CreateResourceRequest:
		return c.createResource(at, action, r)
	case *cloudapi.AttachVolumeRequest:
		return c.attachVolume(at, r)
	case *cloudapi.AttachNetworkInterfaceRequest:
		return c.attachNetworkInterface(at, r)
	}
	return nil, &cloudapi.Error{Code: cloudapi.InvalidAction, Message: "no such action"}
}

// newRequest returns an empty request of an action, nil if there is no such action.
func newRequest(action cloudapi.Action) any {
	switch action {
	case cloudapi.DescribeInstances, cloudapi.DescribeTags:
		return new(cloudapi.DescribeRequest)
	case cloudapi.RunInstances:
		return new(cloudapi.RunInstancesRequest)
	case cloudapi.TerminateInstances:
		return new(cloudapi.TerminateInstancesRequest)
	case cloudapi.ModifyInstanceAttribute:
		return new(cloudapi.ModifyInstanceAttributeRequest)
	case cloudapi.CreateTags, cloudapi.DeleteTags:
		return new(cloudapi.TagsRequest)
	case cloudapi.CreateVolume, cloudapi.CreateNetworkInterface:
		return new(cloudapi.CreateResourceRequest)
	case cloudapi.AttachVolume:
		return new(cloudapi.AttachVolumeRequest)
	case cloudapi.AttachNetworkInterface:
		return new(cloudapi.AttachNetworkInterfaceRequest)
	}
	return nil
}

func refuse(w http.ResponseWriter, err error) {
	code := cloudapi.CodeOf(err)
	answer(w, code.Status(), err)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that is gone hears nothing; that is its own affair.
	_ = json.NewEncoder(w).Encode(body)
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusGatewayTimeout) // without a body this is no answer either
		return
	}
	_ = connection.Close()
}
