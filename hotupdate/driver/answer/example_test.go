package answer_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// answerError stands in for the error of an SDK.
type answerError struct {
	Code   string
	Answer *http.Response
}

func (e *answerError) Error() string { return e.Code }

// translated translates the errors of the SDK. This cloud also answers with status 498, and with a code.
func translated(err error) error {
	refused, ok := errors.AsType[*answerError](err)
	switch {
	case !ok:
		return err
	case refused.Code == "TooManyVolumes":
		return answer.Throttled(err, 0)
	}
	return answer.Response(err, refused.Answer, 498)
}

func ExampleResponse() {
	busy := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"33"}}}
	for _, err := range []error{
		nil,
		&answerError{"Busy", busy},
		&answerError{"TooManyVolumes", &http.Response{StatusCode: http.StatusBadRequest}},
		&answerError{"NotAllowed", &http.Response{StatusCode: http.StatusForbidden}},
	} {
		kind, after := machineupdate.DriverErrorOf(translated(err))
		fmt.Println(err, kind == machineupdate.ErrThrottled, after)
	}
	// Output:
	// <nil> false 0s
	// Busy true 33s
	// TooManyVolumes true 0s
	// NotAllowed false 0s
}

func ExampleThrottled() {
	err := answer.Throttled(errors.New("RequestLimitExceeded"), 5*time.Second)
	fmt.Println(err)
	fmt.Println(errors.Is(err, machineupdate.ErrThrottled))
	// Output:
	// the cloud throttles the driver: RequestLimitExceeded; again after 5s
	// true
}

func ExampleRetryAfter() {
	header := http.Header{}
	header.Set("Date", "Fri, 31 Dec 1999 23:59:29 GMT")
	header.Set("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT")
	fmt.Println(answer.RetryAfter(header))
	header.Set("Retry-After-Ms", "1500")
	fmt.Println(answer.RetryAfter(header))
	// Output:
	// 30s
	// 1.5s
}
