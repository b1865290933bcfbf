package gardener

import (
	"fmt"
	"time"

	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The facts that are assumed of a Shoot that a user has written.
const (
	assumedCreated   = "the old Shoot was created from its manifest by this version of Gardener"
	assumedScheduled = "the Shoot is scheduled to a seed"
	assumedSettled   = "the last operation succeeded, and no rotation or update is pending"
	assumedInPlace   = "the feature gate InPlaceNodeUpdates is enabled"

	assumedWindow         = "the maintenance window is from 22:00 to 23:00 UTC: Gardener draws one if there is none"
	assumedNothingApplied = "kubectl apply removes nothing, since the old Shoot does not have its annotation"
)

// window is assumed to be the maintenance window of a Shoot without one, also of a Shoot that was read from a cluster
// and whose window was left out: Gardener draws another one each time.
var window = core.MaintenanceTimeWindow{Begin: "220000+0000", End: "230000+0000"}

// assumedSeed is the name of the seed of a Shoot whose manifest has none.
const assumedSeed = "assumed-seed"

// settle gives a Shoot that was created from a manifest the state that a reconciled Shoot has, and
// returns what was assumed.
func settle(shoot *core.Shoot) []string {
	assumed := []string{assumedCreated, assumedSettled}
	if shoot.Spec.SeedName == nil {
		shoot.Spec.SeedName = new(assumedSeed)
		assumed = append(assumed, assumedScheduled)
	}
	shoot.ResourceVersion = "1"
	shoot.Finalizers = append(shoot.Finalizers, gardencorev1beta1.GardenerName)
	operation := &core.LastOperation{
		Type: core.LastOperationTypeReconcile, State: core.LastOperationStateSucceeded, Progress: 100,
		LastUpdateTime: metav1.NewTime(shoot.CreationTimestamp.Add(time.Hour)),
	}
	shoot.Status = core.ShootStatus{
		Gardener:           core.Gardener{Name: "gardenlet", Version: Version()},
		IsHibernated:       isHibernated(shoot),
		LastOperation:      operation,
		ObservedGeneration: shoot.Generation,
		SeedName:           shoot.Spec.SeedName,
		TechnicalID:        fmt.Sprintf("shoot--%s--%s", shoot.Namespace, shoot.Name),
		UID:                shoot.UID,
		Credentials:        &core.ShootCredentials{EncryptionAtRest: encryptionOf(shoot)},
	}
	return assumed
}

func isHibernated(shoot *core.Shoot) bool {
	h := shoot.Spec.Hibernation
	return h != nil && h.Enabled != nil && *h.Enabled
}

// encryptionOf returns the state of the encryption that a Shoot wants.
func encryptionOf(shoot *core.Shoot) *core.EncryptionAtRest {
	state := &core.EncryptionAtRest{}
	if server := shoot.Spec.Kubernetes.KubeAPIServer; server != nil && server.EncryptionConfig != nil {
		state.Resources = server.EncryptionConfig.Resources
		if server.EncryptionConfig.Provider.Type != nil {
			state.Provider.Type = *server.EncryptionConfig.Provider.Type
		}
	}
	return state
}
