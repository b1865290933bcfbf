// Package oskey calls the function by which gardenlet names the secret of a pool's node agent. The
// name is the part of Gardener in the names of the pool's machines: another name replaces the
// machines of a rolling pool.
//
// It owns the link to a private function of Gardener's. A test compares the function's signature in
// the source of the required version.
package oskey

import (
	_ "unsafe" // for go:linkname

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/gardener/gardener/pkg/component/extensions/operatingsystemconfig"
)

// Of returns the key of a pool's operating system config.
//
//go:linkname Of github.com/gardener/gardener/pkg/component/extensions/operatingsystemconfig.calculateKeyForValues
func Of(values *operatingsystemconfig.Values, worker *gardencorev1beta1.Worker) (string, error)
