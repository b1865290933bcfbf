// Package aws links the released code of gardener-extension-provider-aws, which the command record
// calls.
package aws

import (
	_ "github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws/install"
	_ "github.com/gardener/gardener-extension-provider-aws/pkg/apis/aws/validation"
	_ "github.com/gardener/gardener-extension-provider-aws/pkg/controller/worker"
)
