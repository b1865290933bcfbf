package aliclouddriver

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	openapi "github.com/alibabacloud-go/darabonba-openapi/v2/client"
	openapiutil "github.com/alibabacloud-go/darabonba-openapi/v2/utils"
	ecs "github.com/alibabacloud-go/ecs-20140526/v7/client"
	"github.com/alibabacloud-go/tea/dara"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The keys under which a secret holds the credentials, and their former names.
const (
	AccessKeyID           = "accessKeyID"
	AccessKeySecret       = "accessKeySecret"
	FormerAccessKeyID     = "alicloudAccessKeyID"
	FormerAccessKeySecret = "alicloudAccessKeySecret"
)

// access makes the driver's clients of Alibaba Cloud.
type access struct {
	Config

	rules tags.Rules
}

// connect makes a client for each update, because the SDK's client is not safe for concurrent use.
// There is no login to share: each request is signed with the access key. The clients share
// connections through their transport.
func (a *access) connect(
	_ context.Context, request *machineupdate.UpdateMachineRequest, class *alicloud.ProviderSpec,
) (*machine, error) {
	m := &machine{class: class, name: request.Machine, cluster: a.rules.MandatoryIn(class.Tags)}
	if err := m.parse(request.ProviderID); err != nil {
		return nil, err
	}
	id := login.Value(request.Secret, FormerAccessKeyID, AccessKeyID)
	secret := login.Value(request.Secret, FormerAccessKeySecret, AccessKeySecret)
	if id == "" || secret == "" {
		return nil, errors.New("the secret has no " + AccessKeyID + " or no " + AccessKeySecret)
	}
	m.account = []string{login.Key(request.Secret, m.region)}
	for _, key := range slices.Sorted(maps.Keys(m.cluster)) {
		m.account = append(m.account, key, m.cluster[key])
	}
	var err error
	m.watch = &answer.Watch{Next: a.HTTP}
	m.client, err = a.client(m, id, secret)
	return m, err
}

// client returns a client of a region. Without options for retries it makes one attempt, because
// the kit repeats calls.
func (a *access) client(m *machine, id, secret string) (*ecs.Client, error) {
	config := &openapiutil.Config{RegionId: &m.region, AccessKeyId: &id, AccessKeySecret: &secret}
	if a.Endpoint != "" {
		config.Endpoint = &a.Endpoint
	}
	config.HttpClient = sender{m.watch}
	client, err := ecs.NewClient(config)
	if err != nil {
		return nil, err
	}
	// Otherwise errors have the SDK's former type, which lacks the delay of a throttled call. The
	// field of this name in ecs.Client itself has no effect.
	client.Client.DisableSDKError = new(true)
	return client, nil
}

// sender sends requests for the SDK.
type sender struct{ http.RoundTripper }

// Call sends a request.
func (s sender) Call(request *http.Request, _ *http.Transport) (*http.Response, error) {
	return s.RoundTrip(request)
}

// translated marks throttled calls and calls without an answer for the kit. It reads the SDK's own
// errors and the last answer. For some codes of throttling the SDK has a type with a delay in
// milliseconds; other codes are in another error, without a delay. A delay in a header is in
// neither.
func translated(m *machine, err error) error {
	if m == nil { // there was no request
		return err
	}
	throttled, ok := errors.AsType[*openapi.ThrottlingError](err)
	if ok && dara.Int64Value(throttled.RetryAfter) > 0 {
		return answer.Throttled(err, time.Duration(*throttled.RetryAfter)*time.Millisecond)
	}
	var refused dara.ResponseError
	if !errors.As(err, &refused) || !strings.HasPrefix(dara.StringValue(refused.GetCode()), "Throttling") {
		return m.watch.Told(err) // this also recognises the answer of a proxy, which is not JSON
	}
	told := m.watch.Told(err, dara.IntValue(refused.GetStatusCode()))
	if errors.Is(told, machineupdate.ErrThrottled) {
		return told
	}
	return answer.Throttled(err, 0) // the last answer may belong to another request
}
