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
	"github.com/hotupdate/providerconfig/examples/internal/login"
	"github.com/hotupdate/providerconfig/examples/internal/throttling"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials of a service account.
const (
	ServiceAccountJSON            = "serviceAccountJSON"
	AlternativeServiceAccountJSON = "serviceaccount.json"
)

// ServiceAccount returns the tokens of the service account in a secret. A driver that also serves
// workload identities has another function.
func ServiceAccount(ctx context.Context, secret map[string][]byte) (oauth2.TokenSource, error) {
	config, err := google.JWTConfigFromJSON(serviceAccountOf(secret), compute.CloudPlatformScope)
	if err != nil {
		return nil, errors.New("the secret holds no service account: " + ServiceAccountJSON + " cannot be read")
	}
	return config.TokenSource(ctx), nil
}

func serviceAccountOf(secret map[string][]byte) []byte {
	if account, ok := secret[ServiceAccountJSON]; ok {
		return account
	}
	return secret[AlternativeServiceAccountJSON]
}

// access is the access of a driver to Google Cloud.
type access struct {
	Config

	services *login.Cache[*compute.Service]
}

func (a *access) connect(
	ctx context.Context, request *machineupdate.UpdateMachineRequest, class *gcp.ProviderSpec,
) (*machine, error) {
	m := &machine{class: class, wait: a.Wait}
	if m.wait == nil {
		m.wait = sleep
	}
	if err := m.parse(request.ProviderID); err != nil {
		return nil, err
	}
	credentials := []string{string(serviceAccountOf(request.Secret))}
	m.account = append([]string{a.Endpoint, m.project}, credentials...)
	var err error
	m.service, err = a.services.Client(ctx, credentials, func(ctx context.Context) (*compute.Service, error) {
		return a.login(ctx, request.Secret)
	})
	return m, translated(err)
}

// login returns a client with a token, which it renews by itself. Neither is bound to one update.
func (a *access) login(ctx context.Context, secret map[string][]byte) (*compute.Service, error) {
	lasting := context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &http.Client{Transport: a.HTTP})
	from := a.Tokens
	if from == nil {
		from = ServiceAccount
	}
	tokens, err := from(lasting, secret)
	if err != nil {
		return nil, err
	}
	reused := oauth2.ReuseTokenSource(nil, tokens)
	_, err = reused.Token() // here, and not in the first call
	if err != nil {
		return nil, err
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
	for err == nil && operation.Status != "DONE" {
		operation, err = m.service.ZoneOperations.Wait(m.project, m.zone, operation.Name).Context(ctx).Do()
		if err == nil && operation.Status != "DONE" { // a server under load answers at once
			err = m.wait(ctx, time.Second)
		}
	}
	if err != nil {
		return translated(err)
	}
	return failureOf(operation)
}

// failureOf returns the error of an operation that has ended.
func failureOf(operation *compute.Operation) error {
	if operation.Error == nil {
		return nil
	}
	var texts []string
	for _, problem := range operation.Error.Errors {
		texts = append(texts, problem.Code+": "+problem.Message)
	}
	return errors.New("the operation failed: " + strings.Join(texts, "; "))
}

// throttled are the reasons of an answer with status 403 that says that there were too many calls.
// Other quotas, such as the quota of CPUs, have other reasons.
var throttled = []string{"rateLimitExceeded", "userRateLimitExceeded"}

// translated tells the kit of throttled calls, by the SDK's errors: errors of the API and errors
// of the server that issues tokens.
func translated(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		if refused.Response.StatusCode == http.StatusTooManyRequests {
			return throttling.Error(err, throttling.RetryAfter(refused.Response.Header))
		}
		return err
	}
	refused, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		return err
	}
	isThrottled := func(e googleapi.ErrorItem) bool { return slices.Contains(throttled, e.Reason) }
	if refused.Code == http.StatusTooManyRequests ||
		refused.Code == http.StatusForbidden && slices.ContainsFunc(refused.Errors, isThrottled) {
		return throttling.Error(err, throttling.RetryAfter(refused.Header))
	}
	return err
}

func isNotFound(err error) bool {
	refused, ok := errors.AsType[*googleapi.Error](err)
	return ok && refused.Code == http.StatusNotFound
}

func sleep(ctx context.Context, d time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timed.Done()
	return ctx.Err()
}
