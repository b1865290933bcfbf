package ec2test

import (
	"encoding/xml"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxRequest is larger than any request.
const maxRequest = 1 << 20

// credential matches the access key in a signature of version 4. The signature itself is not
// checked.
var credential = regexp.MustCompile(`Credential=([^/,]+)/`)

// ServeHTTP answers one request of EC2's Query protocol: a POST of a form with the parameter
// Action, signed with version 4.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	if err := r.ParseForm(); err != nil { // reads to the end: only then does the server notice that a client gives up
		refuse(w, invalid("the request cannot be read"))
		return
	}
	accessKey := credential.FindStringSubmatch(r.Header.Get("Authorization"))
	if accessKey == nil || !slices.Contains(c.config.AccessKeys, accessKey[1]) {
		refuse(w, &Error{Code: "AuthFailure", Message: "unknown access key"})
		return
	}
	reply := c.handle(accessKey[1], r)
	switch {
	case reply.silence == waits:
		<-r.Context().Done()
	case reply.silence == hangsUp:
		hangUp(w)
	case reply.err != nil:
		refuse(w, reply.err)
	default:
		answer(w, http.StatusOK, r.PostForm.Get("Action")+"Response", reply.response)
	}
}

// reply is the answer to the client.
type reply struct {
	response fields
	err      error
	silence  silence
}

// silence is the way in which a request gets no answer. Zero means that it gets one.
type silence uint8

const (
	answers silence = iota
	hangsUp
	waits
)

// handle applies a request, or a fault.
func (c *Cloud) handle(accessKey string, r *http.Request) reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	action := r.PostForm.Get("Action")
	reply, outcome := c.serve(time.Now(), action, parametersOf(r.PostForm))
	c.observe(Request{AccessKey: accessKey, Action: action, Parameters: r.PostForm, Outcome: outcome})
	return reply
}

func (c *Cloud) observe(r Request) {
	if c.config.Observe != nil {
		c.config.Observe(r)
	}
}

// Reads reports whether an action changes nothing.
func Reads(action string) bool { return strings.HasPrefix(action, "Describe") }

func (c *Cloud) serve(now time.Time, action string, p parameters) (reply, string) {
	limit := c.writes
	if Reads(action) {
		limit = c.reads
	}
	if limit != nil && !limit.AllowN(now, 1) {
		return refused(&Error{Code: "RequestLimitExceeded", Message: "slow down"})
	}
	fault, ok := c.takeFault(action, p)
	if !ok {
		response, err := c.perform(now.Add(-c.config.ReadLag), action, p)
		if err != nil {
			return refused(err)
		}
		return reply{response: response}, "ok"
	}
	return c.fail(now, fault, action, p)
}

// fail applies a fault to a request.
func (c *Cloud) fail(now time.Time, fault Fault, action string, p parameters) (reply, string) {
	switch fault.Effect {
	case Refused:
		return refused(&Error{Code: fault.Code, Message: "injected"})
	case AnswerLost:
		if _, err := c.perform(now.Add(-c.config.ReadLag), action, p); err != nil {
			return reply{silence: hangsUp}, "refused with " + CodeOf(err) + ", but the answer is lost"
		}
		return reply{silence: hangsUp}, "took effect, but the answer is lost"
	case LandsLate:
		late := &late{action: action, parameters: p}
		c.late = append(c.late, late)
		time.AfterFunc(fault.Delay, func() { c.land(late) })
		return reply{silence: waits}, "no answer; it will take effect in " + fault.Delay.String()
	case NeverLands:
		return reply{silence: waits}, "no answer; it is lost"
	case Stale, FailsLater:
		response, err := c.perform(now.Add(-c.config.ReadLag-fault.Delay), action, p)
		if err != nil {
			return refused(err)
		}
		if volume := c.present()[p["VolumeId"]]; fault.Effect == FailsLater {
			volume.modified.fails = true
			c.write(volume)
		}
		return reply{response: response}, "ok, but " + string(fault.Effect)
	}
	return refused(&Error{Code: "InternalError", Message: "unknown effect " + string(fault.Effect)})
}

// late is a request that takes effect later.
type late struct {
	action     string
	parameters parameters
}

// LandNow applies all late requests now.
func (c *Cloud) LandNow() {
	c.mu.Lock()
	waiting := slices.Clone(c.late)
	c.mu.Unlock()
	for _, l := range waiting {
		c.land(l)
	}
}

// land applies a late request once.
func (c *Cloud) land(l *late) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.late, l)
	if at < 0 {
		return
	}
	c.late = slices.Delete(c.late, at, at+1)
	outcome := "took effect after its caller had stopped waiting"
	if _, err := c.perform(time.Now(), l.action, l.parameters); err != nil {
		outcome = "refused after its caller had stopped waiting: " + CodeOf(err)
	}
	form := map[string][]string{}
	for name, value := range l.parameters {
		form[name] = []string{value}
	}
	c.observe(Request{Action: l.action, Parameters: form, Outcome: outcome})
}

func refused(err error) (reply, string) { return reply{err: err}, CodeOf(err) }

// CodeOf returns the code with which the cloud refuses a request.
func CodeOf(err error) string {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Code
	}
	return "InternalError"
}

// refuse answers with an error. Clients decide by the status whether to repeat the request.
func refuse(w http.ResponseWriter, err error) {
	refusal := &Error{Code: CodeOf(err), Message: err.Error()}
	status := http.StatusBadRequest
	_ = errors.As(err, &refusal)
	switch refusal.Code {
	case "AuthFailure":
		status = http.StatusUnauthorized
	case "InternalError":
		status = http.StatusInternalServerError
	case "RequestLimitExceeded":
		status = http.StatusServiceUnavailable
	}
	answer(w, status, "Response", fields{
		"Errors": fields{"Error": fields{"Code": refusal.Code, "Message": refusal.Message}}, "RequestID": requestID,
	})
}

// requestID is the ID of every request.
const requestID = "00000000-0000-0000-0000-000000000000"

func answer(w http.ResponseWriter, status int, root string, body fields) {
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.WriteHeader(status)
	// An error means that the client is gone.
	_ = xml.NewEncoder(w).EncodeElement(body, element(root))
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusGatewayTimeout) // without a body, which clients treat like no answer
		return
	}
	_ = connection.Close()
}
