package openstackdriver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	sdk "github.com/gophercloud/gophercloud/v2/openstack"

	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials: a password or an application credential.
const (
	AuthURL    = "authURL"
	DomainName = "domainName"
	TenantName = "tenantName"
	Username   = "username"
	Password   = "password"

	ApplicationCredentialID     = "applicationCredentialID"
	ApplicationCredentialName   = "applicationCredentialName"
	ApplicationCredentialSecret = "applicationCredentialSecret"

	CACert     = "caCert"
	ClientCert = "clientCert"
	ClientKey  = "clientKey"
	Insecure   = "insecure"
)

// The versions of the APIs. The first version of Nova's API shows whether a volume is deleted with
// its server. The first version of Cinder's API has ETags.
const (
	computeVersion = "2.3"
	storageVersion = "3.15"
)

// access makes the driver's clients of OpenStack.
type access struct {
	Config

	clients *login.Cache[clients]
}

// clients are the clients of Nova and Cinder in one region. They share a token of Keystone.
type clients struct {
	compute, storage *gophercloud.ServiceClient
}

func (a *access) connect(
	ctx context.Context, request *machineupdate.UpdateMachineRequest, class *openstack.ProviderSpec,
) (*machine, error) {
	m := &machine{class: class, name: request.Machine}
	if err := m.parse(request.ProviderID); err != nil {
		return nil, err
	}
	m.account = []string{login.Key(request.Secret, class.Spec.Region)}
	var err error
	m.clients, err = a.clients.Client(ctx, request.Secret, class.Spec.Region)
	return m, err
}

func valueOf(secret map[string][]byte, key string) string {
	return strings.TrimSpace(string(secret[key]))
}

// login gets a token of Keystone, which the clients renew by themselves. The clients make one
// attempt, because the kit repeats throttled calls.
func (a *access) login(ctx context.Context, secret map[string][]byte, region string) (*clients, error) {
	provider, err := sdk.NewClient(valueOf(secret, AuthURL))
	if err != nil {
		return nil, err
	}
	provider.HTTPClient.Transport = a.HTTP
	if a.HTTP == nil {
		provider.HTTPClient.Transport, err = transport(secret)
		if err != nil {
			return nil, err
		}
	}
	options := gophercloud.AuthOptions{IdentityEndpoint: valueOf(secret, AuthURL), AllowReauth: true}
	if id := valueOf(secret, ApplicationCredentialID); id != "" {
		options.ApplicationCredentialID = id
		options.ApplicationCredentialName = valueOf(secret, ApplicationCredentialName)
		options.ApplicationCredentialSecret = valueOf(secret, ApplicationCredentialSecret)
	} else {
		options.Username = valueOf(secret, Username)
		options.Password = valueOf(secret, Password)
		options.DomainName = valueOf(secret, DomainName)
		options.TenantName = valueOf(secret, TenantName)
	}
	err = sdk.Authenticate(ctx, provider, options)
	if err != nil {
		return nil, err
	}
	c := &clients{}
	endpoint := gophercloud.EndpointOpts{Region: region}
	var computeErr, storageErr error
	c.compute, computeErr = sdk.NewComputeV2(provider, endpoint)
	c.storage, storageErr = sdk.NewBlockStorageV3(provider, endpoint)
	c.compute.Microversion = computeVersion
	c.storage.Microversion = storageVersion
	return c, errors.Join(computeErr, storageErr)
}

// transport returns a transport that trusts the certificates in a secret.
func transport(secret map[string][]byte) (http.RoundTripper, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: valueOf(secret, Insecure) == "true"}
	if authorities := secret[CACert]; len(authorities) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(authorities) {
			return nil, errors.New("the secret's " + CACert + " holds no certificate")
		}
	}
	if certificate := secret[ClientCert]; len(certificate) > 0 {
		pair, err := tls.X509KeyPair(certificate, secret[ClientKey])
		if err != nil {
			return nil, errors.New("the secret's " + ClientCert + " and " + ClientKey + " are not a pair")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	own := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it always is one
	own.TLSClientConfig = config
	return own, nil
}

// statusRateLimited is the status with which some rate limiters in front of OpenStack answer.
const statusRateLimited = 498

// translated marks throttled calls and calls without an answer for the kit. It reads the SDK's own
// errors. The error for a token that could not be renewed does not wrap its cause. Nova and Cinder
// answer 409 while a server or a volume is in a state that admits no change, such as a task under
// way. They answer 412 if the metadata of a volume has changed since it was read.
func translated(_ *machine, err error) error {
	cause := original(err)
	if failed, ok := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); ok {
		cause = failed.ErrReauth
	}
	refused, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](cause)
	if !ok {
		kind, _ := machineupdate.DriverErrorOf(answer.Response(cause, nil))
		if kind == machineupdate.ErrUnavailable {
			return answer.Unavailable(err)
		}
		return err
	}
	switch refused.Actual {
	case http.StatusConflict: // a task of the server is under way
		return answer.Unavailable(err)
	case http.StatusPreconditionFailed:
		return driver.Outdated(err)
	}
	return answer.Status(err, refused.Actual, refused.ResponseHeader, statusRateLimited)
}

// original returns the error of the request itself. If the SDK has repeated the request with a new
// token, its error does not wrap the request's error.
func original(err error) error {
	if failed, ok := errors.AsType[*gophercloud.ErrErrorAfterReauthentication](err); ok {
		return failed.ErrOriginal
	}
	return err
}

// isNotFound reports whether OpenStack says that the resource does not exist. The page of a proxy
// with the same status is not JSON.
func isNotFound(err error) bool {
	refused, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](original(err))
	return ok && refused.Actual == http.StatusNotFound && json.Valid(refused.Body)
}
