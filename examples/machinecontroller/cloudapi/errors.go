package cloudapi

import (
	"errors"
	"net/http"
)

// Code is an error code of the API.
type Code string

// The error codes.
const (
	AuthFailure             Code = "AuthFailure"
	IdempotentTerminated    Code = "IdempotentInstanceTerminated"
	IncorrectInstanceState  Code = "IncorrectInstanceState"
	InternalError           Code = "InternalError"
	InvalidAction           Code = "InvalidAction"
	InvalidID               Code = "InvalidID"
	InvalidInstanceNotFound Code = "InvalidInstanceID.NotFound"
	InvalidParameterValue   Code = "InvalidParameterValue"
	RequestLimitExceeded    Code = "RequestLimitExceeded"
	TagLimitExceeded        Code = "TagLimitExceeded"
)

// Status returns the HTTP status that the code comes with.
func (c Code) Status() int {
	switch c {
	case AuthFailure:
		return http.StatusUnauthorized
	case InternalError:
		return http.StatusInternalServerError
	case RequestLimitExceeded:
		return http.StatusServiceUnavailable
	case IdempotentTerminated, IncorrectInstanceState, InvalidAction, InvalidID, InvalidInstanceNotFound, InvalidParameterValue, TagLimitExceeded:
	}
	return http.StatusBadRequest
}

// Error is an answer that refuses a request: nothing was changed.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// CodeOf returns the code with which the cloud refused a request, and nothing if it is another error.
func CodeOf(err error) Code {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}

// UnansweredError is a request to which there was no answer: it may have taken effect, or may still do so later.
type UnansweredError struct {
	Action Action
	Cause  error
}

// Error names the action.
func (e *UnansweredError) Error() string {
	return string(e.Action) + ": no answer, it may or may not have taken effect: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *UnansweredError) Unwrap() error { return e.Cause }
