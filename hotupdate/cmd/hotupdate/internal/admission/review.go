package admission

import (
	"bytes"
	"encoding/json"
	"errors"

	kubejson "sigs.k8s.io/json"
)

// apiVersion and kind are the type of a review.
const (
	apiVersion = "admission.k8s.io/v1"
	kind       = "AdmissionReview"
)

// Request is the question of an API server about an object. It is the part of AdmissionRequest in
// k8s.io/api/admission/v1 that is needed.
type Request struct {
	UID         string           `json:"uid"`
	Kind        GroupVersionKind `json:"kind"`
	SubResource string           `json:"subResource"`
	Namespace   string           `json:"namespace"`
	Name        string           `json:"name"`
	Operation   string           `json:"operation"`
	DryRun      bool             `json:"dryRun"`
	Object      json.RawMessage  `json:"object"`
	OldObject   json.RawMessage  `json:"oldObject"`
}

// GroupVersionKind is the kind of the objects of a review, in the version that they have in it.
type GroupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// review is the envelope of a question.
type review struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Request    *Request `json:"request"`
}

// answered is the envelope of an answer.
type answered struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Response   response `json:"response"`
}

// response has the members of AdmissionResponse that are used.
type response struct {
	UID      string   `json:"uid"`
	Allowed  bool     `json:"allowed"`
	Status   *status  `json:"status,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// status is the reason of a refusal, as a client shows it.
type status struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Reason  string `json:"reason"`
	Code    int    `json:"code"`
}

// errNoReview is the problem of a body that is not a review.
var errNoReview = errors.New("must be an AdmissionReview of " + apiVersion + " with a request and its uid")

// ParseReview reads a review. Names of members are case-sensitive, as for an API server. The objects are not read.
func ParseReview(text []byte) (*Request, error) {
	var r review
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(text, &r); err != nil {
		return nil, errNoReview // the error may quote a value
	}
	isReview := r.APIVersion == apiVersion && r.Kind == kind
	if !isReview || r.Request == nil || r.Request.UID == "" {
		return nil, errNoReview
	}
	return r.Request, nil
}

// uidOf returns the uid of a review of which only the beginning is known; empty if it does not stand there. API servers
// write it as the first member of the request.
func uidOf(head []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(head))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return ""
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return ""
		}
		if name == "request" {
			return uidIn(decoder)
		}
		var value string
		if decoder.Decode(&value) != nil {
			return ""
		}
	}
	return ""
}

// uidIn returns the uid of the request that is next, if it is the first member.
func uidIn(decoder *json.Decoder) string {
	for _, want := range []json.Token{json.Delim('{'), "uid"} {
		if token, err := decoder.Token(); err != nil || token != want {
			return ""
		}
	}
	token, err := decoder.Token()
	uid, isText := token.(string)
	if err != nil || !isText {
		return ""
	}
	return uid
}
