package azuredriver

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v4"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/internal/login"
	"github.com/hotupdate/providerconfig/examples/internal/throttling"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials. Each has a former name.
const (
	SubscriptionID = "subscriptionID"
	TenantID       = "tenantID"
	ClientID       = "clientID"
	ClientSecretID = "clientSecret"
)

var former = map[string]string{
	SubscriptionID: "azureSubscriptionId", TenantID: "azureTenantId", ClientID: "azureClientId",
	ClientSecretID: "azureClientSecret",
}

// valueOf returns a value of a secret.
func valueOf(secret map[string][]byte, key string) string {
	value, ok := secret[key]
	if !ok {
		value = secret[former[key]]
	}
	return strings.TrimSpace(string(value))
}

// ClientSecret returns the credential of a client with a secret. A driver that also serves workload
// identities has another function.
func ClientSecret(secret map[string][]byte, options policy.ClientOptions) (azcore.TokenCredential, error) {
	return azidentity.NewClientSecretCredential(
		valueOf(secret, TenantID), valueOf(secret, ClientID), valueOf(secret, ClientSecretID),
		&azidentity.ClientSecretCredentialOptions{ClientOptions: options},
	)
}

// access is the access of a driver to Azure.
type access struct {
	Config

	clients *login.Cache[*clients]
}

// clients are the clients of the resource providers. They share a credential, which keeps its token.
type clients struct {
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
	credentials := []string{nameOf(class.CloudConfiguration)}
	for _, key := range []string{SubscriptionID, TenantID, ClientID, ClientSecretID} {
		credentials = append(credentials, valueOf(request.Secret, key))
	}
	m.account = append([]string{strings.ToLower(class.ResourceGroup)}, credentials...)
	var err error
	m.clients, err = a.clients.Client(ctx, credentials, func(ctx context.Context) (*clients, error) {
		return a.login(ctx, request.Secret, class.CloudConfiguration)
	})
	return m, translated(err)
}

func nameOf(configuration *azure.CloudConfiguration) string {
	if configuration == nil {
		return ""
	}
	return strings.ToLower(configuration.Name)
}

// cloudOf returns an instance of Azure. As in the released driver, an unknown name is the public one.
func cloudOf(configuration *azure.CloudConfiguration) cloud.Configuration {
	switch nameOf(configuration) {
	case "azuregovernment":
		return cloud.AzureGovernment
	case "azurechina":
		return cloud.AzureChina
	}
	return cloud.AzurePublic
}

// login gets a token, which the credential keeps and renews, and makes clients. They make one attempt,
// because the kit repeats throttled calls.
func (a *access) login(
	ctx context.Context, secret map[string][]byte, configuration *azure.CloudConfiguration,
) (*clients, error) {
	options := arm.ClientOptions{
		DisableRPRegistration: true, // it would send further requests
		ClientOptions: policy.ClientOptions{
			Cloud: cloudOf(configuration), Transport: a.HTTP, Retry: policy.RetryOptions{MaxRetries: -1},
		},
	}
	from := a.Credential
	if from == nil {
		from = ClientSecret
	}
	credential, err := from(secret, options.ClientOptions)
	if err != nil {
		return nil, err
	}
	// The clients make the same request, each in its first call.
	scope := options.Cloud.Services[cloud.ResourceManager].Audience + "/.default"
	asked := policy.TokenRequestOptions{EnableCAE: true, Scopes: []string{scope}}
	if _, err = credential.GetToken(ctx, asked); err != nil {
		return nil, err
	}
	subscription := valueOf(secret, SubscriptionID)
	var c clients
	var errs [4]error
	c.vms, errs[0] = armcompute.NewVirtualMachinesClient(subscription, credential, &options)
	c.cards, errs[1] = armnetwork.NewInterfacesClient(subscription, credential, &options)
	c.disks, errs[2] = armcompute.NewDisksClient(subscription, credential, &options)
	c.tags, errs[3] = armresources.NewTagsClient(subscription, credential, &options)
	return &c, errors.Join(errs[:]...)
}

// translated tells the kit of throttled calls, by the SDK's errors: errors of the resource providers
// and of the server that issues tokens.
func translated(err error) error {
	var answer *http.Response
	status := 0
	if refused, ok := errors.AsType[*azcore.ResponseError](err); ok {
		status = refused.StatusCode
		answer = refused.RawResponse
	} else if refused, ok := errors.AsType[*azidentity.AuthenticationFailedError](err); ok &&
		refused.RawResponse != nil {
		status = refused.RawResponse.StatusCode
		answer = refused.RawResponse
	}
	switch {
	case status != http.StatusTooManyRequests:
		return err
	case answer == nil:
		return throttling.Error(err, 0)
	}
	return throttling.Error(err, delayIn(answer.Header))
}

// delayIn returns the delay that Azure names. Some of its services do so in milliseconds.
func delayIn(header http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if milliseconds, err := strconv.ParseUint(header.Get(name), 10, 31); err == nil {
			return time.Duration(milliseconds) * time.Millisecond
		}
	}
	return throttling.RetryAfter(header)
}
