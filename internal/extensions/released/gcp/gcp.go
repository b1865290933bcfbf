// Package gcp links the released code of gardener-extension-provider-gcp, which the command record
// calls.
package gcp

import (
	_ "github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/install"
	_ "github.com/gardener/gardener-extension-provider-gcp/pkg/apis/gcp/validation"
	_ "github.com/gardener/gardener-extension-provider-gcp/pkg/controller/worker"
)
