package awsmachines

import (
	"errors"

	"github.com/aws/smithy-go"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// codeOf maps error codes of the cloud to codes of MCM.
var codeOf = map[string]codes.Code{
	"InvalidInstanceID.NotFound": codes.NotFound,
	"AuthFailure":                codes.Unauthenticated,
	"InvalidParameterValue":      codes.InvalidArgument,
	"TagLimitExceeded":           codes.InvalidArgument,
}

// toStatus gives an error its code, by the code of EC2 or by the answer.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	kind, _ := machineupdate.DriverErrorOf(awsdriver.Translated(err))
	code := codes.Internal
	if kind == machineupdate.ErrThrottled {
		code = codes.ResourceExhausted
	} else if kind == machineupdate.ErrUnavailable {
		code = codes.Unavailable
	}
	if refusal, ok := errors.AsType[smithy.APIError](err); ok {
		if known, ok := codeOf[refusal.ErrorCode()]; ok {
			code = known
		}
	}
	return status.Error(code, err.Error())
}

func isNotFound(err error) bool {
	found, ok := status.FromError(err)
	return err != nil && ok && found.Code() == codes.NotFound
}
