package awsdriver

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials.
const (
	AccessKeyID     = "accessKeyID"
	SecretAccessKey = "secretAccessKey"
)

// Client returns a client of Amazon EC2. Clients of updates have no retryer, because the kit paces and
// repeats their calls.
func (c Config) Client(region string, secret map[string][]byte, retryer aws.Retryer) *ec2.Client {
	options := ec2.Options{
		Region: region, Retryer: retryer,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: string(secret[AccessKeyID]), SecretAccessKey: string(secret[SecretAccessKey]),
			}, nil
		}),
	}
	if c.HTTP != nil {
		options.HTTPClient = c.HTTP
	}
	if c.Endpoint != "" {
		options.BaseEndpoint = &c.Endpoint
	}
	return ec2.New(options)
}

// access makes the driver's clients of EC2.
type access struct {
	Config

	clients *login.Cache[ec2.Client] // by credentials and region
}

func newAccess(config Config) *access {
	a := &access{Config: config}
	a.clients = login.New(func(_ context.Context, secret map[string][]byte, region string) (*ec2.Client, error) {
		return a.Client(region, secret, aws.NopRetryer{}), nil
	})
	return a
}

func (a *access) connect(
	ctx context.Context, request *machineupdate.UpdateMachineRequest, class *ProviderSpec,
) (*session, error) {
	id, err := InstanceID(request.ProviderID)
	if err != nil {
		return nil, err
	}
	client, err := a.clients.Client(ctx, request.Secret, class.Region)
	return &session{
		client: client, class: class, lane: request.Lane,
		providerID: request.ProviderID, instanceID: id,
		account:  []string{login.Key(request.Secret, class.Region)},
		cooldown: cmp.Or(a.VolumeCooldown, 6*time.Hour),
	}, err
}

// ProviderIDScheme is the prefix of provider IDs; region and instance follow.
const ProviderIDScheme = "aws:///"

// InstanceID returns the ID of the VM in a provider ID.
func InstanceID(providerID string) (string, error) {
	rest, ok := strings.CutPrefix(providerID, ProviderIDScheme)
	_, id, both := strings.Cut(rest, "/")
	if !ok || !both || id == "" {
		return "", errors.New("the provider ID is not one of this driver")
	}
	return id, nil
}

// throttling are EC2's error codes for too many calls.
var throttling = []string{
	"RequestLimitExceeded", "EC2ThrottledException", "RequestThrottled", "RequestThrottledException", "Throttling",
	"ThrottlingException",
}

// Translated marks the errors of throttled calls and of calls without an answer. It goes by EC2's
// error code or by the answer, and takes the delay that the answer names.
func Translated(err error) error {
	var response *http.Response
	if failed, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && failed.Response != nil {
		response = failed.Response.Response
	}
	told := answer.Response(err, response)
	refusal, isRefusal := errors.AsType[smithy.APIError](err)
	if !isRefusal || !slices.Contains(throttling, refusal.ErrorCode()) {
		return told
	}
	_, after := machineupdate.DriverErrorOf(told)
	return answer.Throttled(err, after)
}
