package driver

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Unavailable marks the error of a call that the cloud failed to answer, so that the kit makes the
// call again: see [machineupdate.ErrUnavailable]. Status is the HTTP status of the answer, and 0 if
// there was none. These count:
//
//   - 408, 500, 502, 503 and 504, which say nothing about the request;
//   - the statuses in busy, with which this cloud answers while a resource admits no change for a
//     moment;
//   - without an answer a [*url.Error], which net/http returns for a broken connection.
//
// Any other error, and nil, is returned unchanged.
func Unavailable(err error, status int, busy ...int) error {
	if status == 0 {
		if _, ok := errors.AsType[*url.Error](err); !ok {
			return err
		}
		return &unavailable{err}
	}
	passing := []int{
		http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout,
	}
	if err == nil || !slices.Contains(append(passing, busy...), status) {
		return err
	}
	return &unavailable{err}
}

// unavailable is an error with a kind beside its own text. Joined with the kind, as fmt.Errorf does
// for two verbs %w, it would have none: see [machineupdate.DriverErrorOf].
type unavailable struct{ err error }

func (u *unavailable) Error() string        { return u.err.Error() }
func (u *unavailable) Unwrap() error        { return u.err }
func (u *unavailable) Is(target error) bool { return target == error(machineupdate.ErrUnavailable) }
