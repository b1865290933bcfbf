package awsdriver

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The keys under which a secret holds the credentials.
const (
	AccessKeyID     = "accessKeyID"
	SecretAccessKey = "secretAccessKey"
)

// client returns a client of Amazon EC2. Updates make one attempt, because the kit paces and
// repeats their calls.
func (d *Driver) client(region string, secret map[string][]byte, retryer aws.Retryer) *ec2.Client {
	options := ec2.Options{
		Region: region, HTTPClient: d.HTTP, Retryer: retryer,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: string(secret[AccessKeyID]), SecretAccessKey: string(secret[SecretAccessKey]),
			}, nil
		}),
	}
	if d.Endpoint != "" {
		options.BaseEndpoint = &d.Endpoint
	}
	return ec2.New(options)
}

// retryer repeats throttled and unanswered calls of a creation or deletion until the context ends.
// The SDK's own retryer gives up after three attempts. With unlimited attempts, it still gives up
// when its rate limiter has no tokens left: then the first call of a throttled creation would use
// all tokens, and its later calls would never be made.
func (d *Driver) retryer() aws.Retryer {
	standard := retry.NewStandard(func(o *retry.StandardOptions) {
		o.RateLimiter = ratelimit.None
		o.MaxBackoff = d.MaxBackoff
	})
	return retry.AddWithMaxAttempts(standard, 0) // 0 is unlimited
}

// codes maps error codes of the cloud to codes of machine-controller-manager.
var codes = map[string]driver.Code{
	"InvalidInstanceID.NotFound": driver.NotFound,
	"RequestLimitExceeded":       driver.ResourceExhausted,
	"EC2ThrottledException":      driver.ResourceExhausted,
	"RequestThrottled":           driver.ResourceExhausted,
	"RequestThrottledException":  driver.ResourceExhausted,
	"Throttling":                 driver.ResourceExhausted,
	"ThrottlingException":        driver.ResourceExhausted,
	"AuthFailure":                driver.Unauthenticated,
	"InvalidParameterValue":      driver.InvalidArgument,
	"TagLimitExceeded":           driver.InvalidArgument,
}

// toStatus gives an error its code, by the code of EC2 or by the answer. The kit makes a throttled call and
// one without an answer again, after the delay that the answer names.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	var response *http.Response
	if failed, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && failed.Response != nil {
		response = failed.Response.Response
	}
	kind, after := machineupdate.DriverErrorOf(answer.Response(err, response))
	code := driver.Internal
	refusal, isRefusal := errors.AsType[smithy.APIError](err)
	switch {
	case isRefusal && codes[refusal.ErrorCode()] != "":
		code = codes[refusal.ErrorCode()]
	case kind == machineupdate.ErrThrottled:
		code = driver.ResourceExhausted
	case kind == machineupdate.ErrUnavailable:
		code = driver.Unavailable
	}
	status := &driver.Status{Code: code, Cause: err}
	if code == driver.ResourceExhausted && after > 0 {
		return &machineupdate.RetryError{After: after, Err: status}
	}
	return status
}
