package gcpdriver

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/compute/v1"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials of a service account.
const (
	ServiceAccountJSON            = "serviceAccountJSON"
	AlternativeServiceAccountJSON = "serviceaccount.json"
)

// ServiceAccount returns the tokens of the service account in a secret. A driver that also serves
// workload identities sets Tokens in its [Config].
func ServiceAccount(ctx context.Context, secret map[string][]byte) (oauth2.TokenSource, error) {
	account := login.Value(secret, ServiceAccountJSON, AlternativeServiceAccountJSON)
	config, err := google.JWTConfigFromJSON([]byte(account), compute.CloudPlatformScope)
	if err != nil {
		return nil, errors.New("the secret holds no service account: " + ServiceAccountJSON + " cannot be read")
	}
	return config.TokenSource(ctx), nil
}

// access makes the driver's clients of Google Cloud.
type access struct {
	Config

	services *login.Cache[compute.Service]
}

func (a *access) connect(
	ctx context.Context, request *machineupdate.UpdateMachineRequest, class *gcp.ProviderSpec,
) (*machine, error) {
	m := &machine{class: class, services: a.services, wait: a.Wait}
	if m.wait == nil {
		m.wait = sleep
	}
	if err := m.parse(request.ProviderID); err != nil {
		return nil, err
	}
	m.account = []string{login.Key(request.Secret, ""), m.project}
	var err error
	m.service, err = a.services.Client(ctx, request.Secret, "")
	return m, err
}

// login returns a client with a token. The client renews the token, also after the update has
// ended.
func (a *access) login(ctx context.Context, secret map[string][]byte, _ string) (*compute.Service, error) {
	without := context.WithoutCancel(ctx)
	watch := &answer.Watch{Next: a.HTTP} // the SDK's errors about tokens do not wrap the error of the connection
	forTokens := context.WithValue(without, oauth2.HTTPClient, &http.Client{Transport: watch, Timeout: login.Timeout})
	lasting := context.WithValue(without, oauth2.HTTPClient, &http.Client{Transport: a.HTTP})
	from := a.Tokens
	if from == nil {
		from = ServiceAccount
	}
	tokens, err := from(forTokens, secret)
	if err != nil {
		return nil, err
	}
	reused := oauth2.ReuseTokenSource(nil, tokens)
	_, err = reused.Token() // the first token is requested here, not in the first call
	if err != nil {
		return nil, watch.Told(err)
	}
	options := []option.ClientOption{option.WithHTTPClient(oauth2.NewClient(lasting, reused))}
	if a.Endpoint != "" {
		options = append(options, option.WithEndpoint(a.Endpoint))
	}
	return compute.NewService(ctx, options...)
}

// carryOut makes a write and waits until its operation is done.
func (m *machine) carryOut(
	ctx context.Context, send func(...googleapi.CallOption) (*compute.Operation, error),
) error {
	operation, err := send()
	for isFirst := true; err == nil && operation.Status != "DONE"; isFirst = false {
		if !isFirst {
			driver.Spend(ctx, operations, 1)
		}
		operation, err = m.waitFor(ctx, operation.Name)
		if err == nil && operation.Status != "DONE" { // a server under load answers before the operation is done
			err = m.wait(ctx, time.Second)
		}
	}
	if err != nil {
		return err
	}
	return failureOf(operation)
}

// waitFor waits for an operation for a while. If the request fails, it is repeated, and the write
// is not.
func (m *machine) waitFor(ctx context.Context, name string) (operation *compute.Operation, err error) {
	err = driver.Again(ctx, func(ctx context.Context) (err error) {
		operation, err = m.service.ZoneOperations.Wait(m.project, m.zone, name).Context(ctx).Do()
		return err
	})
	return operation, err
}

// operationError is the error of an operation that has failed.
type operationError struct {
	problems []*compute.OperationErrorErrors
}

func (e *operationError) Error() string {
	var texts []string
	for _, problem := range e.problems {
		texts = append(texts, problem.Code+": "+problem.Message)
	}
	return "the operation failed: " + strings.Join(texts, "; ")
}

// failureOf returns the error of an operation that has ended. Compute Engine also accepts
// operations that it then does not carry out, for lack of time or because of an error.
func failureOf(operation *compute.Operation) error {
	if operation.Error == nil {
		return nil
	}
	var codes []string
	for _, problem := range operation.Error.Errors {
		codes = append(codes, problem.Code)
	}
	err := &operationError{operation.Error.Errors}
	isTemporary := func(code string) bool { return code == "INTERNAL_ERROR" || code == "SERVICE_UNAVAILABLE" }
	switch {
	case slices.Contains(codes, "RATE_LIMIT_EXCEEDED"):
		return answer.Throttled(err, 0)
	case slices.ContainsFunc(codes, isTemporary):
		return answer.Unavailable(err)
	}
	return err
}

// replace makes a write on condition of a fingerprint, and waits until its operation is done.
func (m *machine) replace(
	ctx context.Context, send func(...googleapi.CallOption) (*compute.Operation, error),
) error {
	err := m.carryOut(ctx, send)
	if isOutdated(err) {
		return driver.Outdated(err)
	}
	return err
}

// isOutdated reports whether a write was refused because of its fingerprint. A violated constraint
// of an organization has the same status and reason, so the text decides: "Labels fingerprint
// either invalid or resource labels have changed".
func isOutdated(err error) bool {
	isOfFingerprint := func(text string) bool { return strings.Contains(strings.ToLower(text), "fingerprint") }
	if failed, ok := errors.AsType[*operationError](err); ok {
		return slices.ContainsFunc(failed.problems, func(e *compute.OperationErrorErrors) bool {
			return e.Code == "CONDITION_NOT_MET" && isOfFingerprint(e.Message)
		})
	}
	refused, ok := errors.AsType[*googleapi.Error](err)
	if !ok || refused.Code != http.StatusPreconditionFailed {
		return false
	}
	return slices.ContainsFunc(refused.Errors, func(e googleapi.ErrorItem) bool {
		return e.Reason == "conditionNotMet" && isOfFingerprint(e.Message)
	})
}

// throttled are the reasons of an answer with status 403 for too many calls. Other quotas, such as
// the quota of CPUs, have other reasons.
var throttled = []string{"rateLimitExceeded", "userRateLimitExceeded"}

// translated marks throttled calls and calls without an answer for the kit. It reads the SDK's
// errors of the API and of the server that issues tokens. It drops a client whose token was
// refused, because the client would use the token until it expires.
func translated(m *machine, err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return answer.Response(err, refused.Response)
	}
	refused, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		return answer.Response(err, nil)
	}
	isThrottled := func(e googleapi.ErrorItem) bool { return slices.Contains(throttled, e.Reason) }
	switch {
	case refused.Code == http.StatusUnauthorized:
		m.services.Forget(m.service)
	case refused.Code == http.StatusForbidden && slices.ContainsFunc(refused.Errors, isThrottled):
		return answer.Throttled(err, answer.RetryAfter(refused.Header))
	}
	return answer.Status(err, refused.Code, refused.Header)
}

// isNotFound reports whether Compute Engine says that the resource does not exist. The page of a
// proxy with the same status has no errors of the API.
func isNotFound(err error) bool {
	refused, ok := errors.AsType[*googleapi.Error](err)
	return ok && refused.Code == http.StatusNotFound && len(refused.Errors) > 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timed.Done()
	return ctx.Err()
}
