package admission

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// headSize is the size of the beginning of a review, which has its uid.
const headSize = 4 << 10

// maxDrained bounds what is read of a review that is too large, so that its sender gets the answer.
const maxDrained = 16 << 20

// budgetOf returns the time for an answer. An API server says how long it waits: timeout=3s.
func budgetOf(timeout string) time.Duration {
	waits, err := time.ParseDuration(timeout)
	isUsable := err == nil && waits > 0
	if !isUsable || waits > maxTimeout {
		waits = 3 * time.Second
	}
	return waits - waits/10
}

// review answers one review.
func (s *Server) review(w http.ResponseWriter, r *http.Request) {
	started := s.now()
	s.metrics.change(func() { s.metrics.running++ })
	defer func() {
		s.metrics.change(func() { s.metrics.running-- })
		s.metrics.took(s.now().Sub(started))
	}()
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		s.malformed(w, http.StatusUnsupportedMediaType, "the media type must be application/json")
		return
	}
	budget := budgetOf(r.URL.Query().Get("timeout"))
	ctx, cancel := context.WithTimeout(r.Context(), budget)
	defer cancel()
	body := bufio.NewReaderSize(r.Body, headSize)
	isPlaced := acquire(ctx, s.reading, budget/2)
	// A client that sends nothing keeps its place only for a part of the time. The call fails for
	// connections without deadlines, which servers do not have.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(budget / 4))
	if !isPlaced {
		head, _ := body.Peek(headSize)
		s.unread(w, head, Busy, "too many changes are made at once")
		return
	}
	defer func() { <-s.reading }()
	text, err := s.read(body, r.ContentLength)
	switch {
	case err != nil:
		s.malformed(w, http.StatusBadRequest, "the review ends early")
		return
	case len(text) > s.MaxReview:
		_, _ = io.CopyN(io.Discard, body, maxDrained) // a client that left needs no answer
		why := fmt.Sprintf("the review has more than %d bytes", s.MaxReview)
		s.unread(w, text[:min(headSize, len(text))], TooLarge, why)
		return
	}
	request, err := ParseReview(text)
	if err != nil {
		s.malformed(w, http.StatusBadRequest, err.Error())
		return
	}
	s.write(w, request.UID, s.answer(ctx, request))
}

// acquire takes a place. It reports whether there was one in time.
func acquire(ctx context.Context, places chan struct{}, wait time.Duration) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case places <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// read reads a review, and one byte more than it may have.
func (s *Server) read(body io.Reader, length int64) ([]byte, error) {
	var text bytes.Buffer
	if isKnown := length > 0 && length <= int64(s.MaxReview); isKnown {
		text.Grow(int(length) + bytes.MinRead)
	}
	_, err := text.ReadFrom(io.LimitReader(body, int64(s.MaxReview)+1))
	return text.Bytes(), err
}

// answer judges a request and answers it.
func (s *Server) answer(ctx context.Context, request *Request) response {
	isUpdate := request.Operation == "UPDATE" && request.SubResource == ""
	if !isUpdate || isDeleted(request.Object) {
		return response{Allowed: true}
	}
	started := s.now()
	log := s.Log.With("uid", request.UID, "kind", request.Kind.Kind, "namespace", request.Namespace,
		"name", request.Name, "dryRun", request.DryRun)
	judged, reason, err := s.judge(ctx, request)
	if err == nil && judged.Contrary != "" {
		s.metrics.change(func() { s.metrics.contrary++ })
		log.Error("the API server has admitted what it refuses by the rules here", "rule", judged.Contrary)
		reason = Contrary
		err = errors.New("by the rules that hotupdate knows, Gardener refuses the change, which it has not done")
	}
	if err != nil {
		s.metrics.change(func() { s.metrics.notJudged[reason]++ })
		log.Warn("not judged", "reason", reason, "problem", err.Error(), "duration", s.now().Sub(started).String())
		warning := notJudged(err.Error())
		return s.confirmed(request, s.RefusesUnjudged, []string{warning})
	}
	s.metrics.change(func() { s.metrics.judged[judged.Verdict]++ })
	answer := s.confirmed(request, judged.IsStopped, judged.Warnings)
	log.Info("judged", "verdict", judged.Verdict, "warnings", len(judged.Warnings), "refused", !answer.Allowed,
		"duration", s.now().Sub(started).String())
	return answer
}

// isDeleted reports whether an object is deleted already. Whatever else changes decides nothing.
func isDeleted(text []byte) bool {
	if !bytes.Contains(text, []byte(`"deletionTimestamp"`)) { // saves reading each member of most objects
		return false
	}
	o, err := readObject(text)
	return err == nil && o.Metadata.DeletedAt != ""
}

// judge judges a request while its context lasts. The reason says why it is not judged.
func (s *Server) judge(ctx context.Context, request *Request) (*Judgement, Reason, error) {
	deadline, _ := ctx.Deadline()
	if !acquire(ctx, s.judging, time.Until(deadline)) {
		return nil, Busy, errors.New("too many changes are made at once")
	}
	type result struct {
		judged *Judgement
		reason Reason
		err    error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-s.judging }() // even if nobody waits any more
		defer func() {
			if recover() != nil { // its text may contain values
				s.Log.Error("defect", "uid", request.UID, "stack", string(debug.Stack()))
				done <- result{reason: Failed, err: errors.New("hotupdate has failed; please report it")}
			}
		}()
		judged, err := s.Judge(ctx, request.OldObject, request.Object)
		done <- result{judged, Unread, err}
	}()
	late := errors.New("comparing the objects takes too long")
	select {
	case got := <-done:
		if got.err != nil && ctx.Err() != nil {
			return nil, TooLong, late
		}
		return got.judged, got.reason, got.err
	case <-ctx.Done():
		return nil, TooLong, late
	}
}

// notJudged is the warning about a change that is not judged.
func notJudged(why string) string {
	first, _, _ := strings.Cut(why, "\n")
	return plaintext.Shorten("not judged by hotupdate: "+first, MaxWarning, plaintext.ASCII)
}

// MaxWarning is the length of a warning, in characters, above which API servers may cut it off. Source:
// AdmissionResponse in k8s.io/api/admission/v1.
const MaxWarning = 256

// confirmed answers a request with warnings. A change that is stopped is refused, unless a person has confirmed it.
func (s *Server) confirmed(request *Request, isStopped bool, warnings []string) response { //nolint:revive // the answer
	if !isStopped {
		return response{Allowed: true, Warnings: warnings}
	}
	digest, isConfirmed, err := digestOf(request)
	switch {
	case err != nil:
		return s.refused(warnings, "")
	case isConfirmed:
		s.metrics.change(func() { s.metrics.confirmed++ })
		return response{Allowed: true, Warnings: warnings}
	}
	return s.refused(warnings, "; to make exactly this change, annotate the object with "+Confirmation+"="+digest)
}

// maxInRefusal bounds the warnings that a refusal repeats.
const maxInRefusal = 3

// refused refuses a change, and says why and how to confirm it.
func (s *Server) refused(warnings []string, confirm string) response {
	s.metrics.change(func() { s.metrics.refused++ })
	why := strings.Join(warnings[:min(len(warnings), maxInRefusal)], "; ")
	if why == "" {
		why = "the change needs a confirmation"
	}
	return response{Status: &status{
		Status: "Failure", Message: why + confirm, Reason: "Forbidden", Code: http.StatusForbidden,
	}}
}

// unread answers a review of which only the beginning was read.
func (s *Server) unread(w http.ResponseWriter, head []byte, reason Reason, why string) {
	uid := uidOf(head)
	if uid == "" {
		s.malformed(w, http.StatusServiceUnavailable, why)
		return
	}
	s.metrics.change(func() { s.metrics.notJudged[reason]++ })
	s.Log.Warn("not judged", "uid", uid, "reason", reason)
	warnings := []string{notJudged(why)}
	if s.RefusesUnjudged {
		s.write(w, uid, s.refused(warnings, ""))
		return
	}
	s.write(w, uid, response{Allowed: true, Warnings: warnings})
}

// malformed answers a body that is not a review with an error, which the API server handles by the
// failurePolicy of the webhook.
func (s *Server) malformed(w http.ResponseWriter, code int, why string) {
	s.metrics.change(func() { s.metrics.notJudged[Malformed]++ })
	s.Log.Warn("not judged", "reason", Malformed, "problem", why)
	http.Error(w, why, code)
}

func (s *Server) write(w http.ResponseWriter, uid string, r response) {
	r.UID = uid
	text, err := json.Marshal(answered{apiVersion, kind, r})
	if err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // a client that left needs no answer
}
