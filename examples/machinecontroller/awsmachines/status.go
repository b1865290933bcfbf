package awsmachines

import (
	"errors"

	"github.com/aws/smithy-go"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// codes maps error codes of the cloud to codes of machine-controller-manager.
var codes = map[string]driver.Code{
	"InvalidInstanceID.NotFound": driver.NotFound,
	"AuthFailure":                driver.Unauthenticated,
	"InvalidParameterValue":      driver.InvalidArgument,
	"TagLimitExceeded":           driver.InvalidArgument,
}

// toStatus gives an error its code, by the code of EC2 or by the answer.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	kind, _ := machineupdate.DriverErrorOf(awsdriver.Translated(err))
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
	return &driver.Status{Code: code, Cause: err}
}
