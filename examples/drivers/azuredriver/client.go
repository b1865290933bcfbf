package azuredriver

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v4"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials, and their former names.
const (
	SubscriptionID = "subscriptionID"
	TenantID       = "tenantID"
	ClientID       = "clientID"
	ClientSecretID = "clientSecret"

	FormerSubscriptionID = "azureSubscriptionId"
	FormerTenantID       = "azureTenantId"
	FormerClientID       = "azureClientId"
	FormerClientSecretID = "azureClientSecret"
)

// ClientSecret returns the credential of a client with a secret. A driver that also serves workload
// identities sets Credential in its [Config].
func ClientSecret(secret map[string][]byte, options policy.ClientOptions) (azcore.TokenCredential, error) {
	return azidentity.NewClientSecretCredential(
		login.Value(secret, TenantID, FormerTenantID), login.Value(secret, ClientID, FormerClientID),
		login.Value(secret, ClientSecretID, FormerClientSecretID),
		&azidentity.ClientSecretCredentialOptions{ClientOptions: options},
	)
}

// access makes the driver's clients of Azure.
type access struct {
	Config

	clients *login.Cache[clients]
}

// clients are the clients of the resource providers. They share a credential, which keeps and
// renews its token.
type clients struct {
	login *logins
	vms   *armcompute.VirtualMachinesClient
	cards *armnetwork.InterfacesClient
	disks *armcompute.DisksClient
	tags  *armresources.TagsClient
}

func (a *access) connect(
	ctx context.Context, request *machineupdate.UpdateMachineRequest, class *azure.ProviderSpec,
) (*machine, error) {
	m := &machine{class: class}
	if err := m.parse(request.ProviderID); err != nil {
		return nil, err
	}
	instance := ""
	if class.CloudConfiguration != nil {
		instance = strings.ToLower(class.CloudConfiguration.Name)
	}
	m.account = []string{login.Key(request.Secret, instance), strings.ToLower(class.ResourceGroup)}
	var err error
	m.clients, err = a.clients.Client(ctx, request.Secret, instance)
	return m, err
}

// cloudOf returns the configuration of an instance of Azure. As in the released driver, an unknown
// name means the public cloud.
func cloudOf(instance string) cloud.Configuration {
	switch instance {
	case "azuregovernment":
		return cloud.AzureGovernment
	case "azurechina":
		return cloud.AzureChina
	}
	return cloud.AzurePublic
}

// login gets a token and makes the clients. The credential keeps the token and renews it. The
// clients make one attempt, because the kit repeats throttled calls.
func (a *access) login(ctx context.Context, secret map[string][]byte, instance string) (*clients, error) {
	options := arm.ClientOptions{
		DisableRPRegistration: true, // the registration would send further requests
		ClientOptions: policy.ClientOptions{
			Cloud: cloudOf(instance), Transport: a.HTTP, Retry: policy.RetryOptions{MaxRetries: -1},
		},
	}
	from := a.Credential
	if from == nil {
		from = ClientSecret
	}
	c := clients{login: &logins{Watch: answer.Watch{Next: tripper{a.HTTP}}}}
	forTokens := options.ClientOptions
	forTokens.Transport = c.login
	credential, err := from(secret, forTokens)
	if err != nil {
		return nil, err
	}
	// Each client makes this request in its first call.
	scope := options.Cloud.Services[cloud.ResourceManager].Audience + "/.default"
	asked := policy.TokenRequestOptions{EnableCAE: true, Scopes: []string{scope}}
	if _, err = credential.GetToken(ctx, asked); err != nil {
		return nil, c.login.Told(err)
	}
	c.login.isIn.Store(true)
	subscription := login.Value(secret, SubscriptionID, FormerSubscriptionID)
	var errs [4]error
	c.vms, errs[0] = armcompute.NewVirtualMachinesClient(subscription, credential, &options)
	c.cards, errs[1] = armnetwork.NewInterfacesClient(subscription, credential, &options)
	c.disks, errs[2] = armcompute.NewDisksClient(subscription, credential, &options)
	c.tags, errs[3] = armresources.NewTagsClient(subscription, credential, &options)
	return &c, errors.Join(errs[:]...)
}

// logins sends the requests for tokens. The SDK's errors about these requests wrap neither the
// answer nor the error of the connection. If a request for metadata is throttled, the SDK sends
// further requests at once. Until the first token is there, logins answers them like the throttled
// one, and the kit waits.
type logins struct {
	answer.Watch

	isIn    atomic.Bool // a token was issued
	refused atomic.Pointer[http.Response]
}

// Do implements [policy.Transporter].
func (l *logins) Do(request *http.Request) (*http.Response, error) {
	if refused := l.refused.Load(); refused != nil && !l.isIn.Load() {
		again := *refused
		again.Request = request
		return &again, nil
	}
	response, err := l.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusTooManyRequests {
		l.refused.Store(&http.Response{
			Status: response.Status, StatusCode: response.StatusCode, Header: response.Header, Body: http.NoBody,
		})
	}
	return response, err
}

// tripper sends requests as the SDK does.
type tripper struct{ policy.Transporter }

func (t tripper) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.Transporter == nil {
		return http.DefaultTransport.RoundTrip(request)
	}
	return t.Do(request)
}

// otherOperation is the code of a refusal while another change of the resource is under way. After
// a write of tags, a network interface may be in the state Updating for minutes.
const otherOperation = "AnotherOperationInProgress"

// translated marks throttled calls and calls without an answer for the kit. It reads the SDK's
// errors of the resource providers and of the server that issues tokens.
func translated(m *machine, err error) error {
	if refused, ok := errors.AsType[*azcore.ResponseError](err); ok {
		if refused.ErrorCode == otherOperation {
			return answer.Unavailable(err)
		}
		return answer.Response(err, refused.RawResponse)
	}
	_, isOfLogin := errors.AsType[*azidentity.AuthenticationFailedError](err)
	if isOfLogin && m != nil && m.clients != nil { // the renewal of a token failed
		return m.login.Told(err)
	}
	return answer.Response(err, nil)
}
