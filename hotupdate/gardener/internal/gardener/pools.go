package gardener

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	v1beta1helper "github.com/gardener/gardener/pkg/api/core/v1beta1/helper"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/gardener/gardener/pkg/component/extensions/operatingsystemconfig"
	gardenerutils "github.com/gardener/gardener/pkg/utils/gardener"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/oskey"
)

// identity is what Gardener's part in the names of a pool's machines depends on.
type identity struct {
	key  string
	hash string // of a pool that is updated in place, else empty
}

// identityOf returns the identity of a pool as gardenlet computes it from a stored Shoot.
func identityOf(shoot *gardencorev1beta1.Shoot, worker *gardencorev1beta1.Worker) (id identity, err error) {
	version, err := semver.NewVersion(shoot.Spec.Kubernetes.Version)
	if err != nil {
		return id, fmt.Errorf("pool %q: %w", worker.Name, err)
	}
	values := &operatingsystemconfig.Values{KubernetesVersion: version}
	values.KubeletConfig = shoot.Spec.Kubernetes.Kubelet
	values.KubeProxyConfig = shoot.Spec.Kubernetes.KubeProxy
	values.NodeLocalDNSEnabled = v1beta1helper.IsNodeLocalDNSEnabled(shoot.Spec.SystemComponents)
	if shoot.Status.Credentials != nil {
		values.CredentialsRotationStatus = shoot.Status.Credentials.Rotation
	}
	if id.key, err = oskey.Of(values, worker); err != nil {
		return id, fmt.Errorf("pool %q: %w", worker.Name, err)
	}
	if !v1beta1helper.IsUpdateStrategyInPlace(worker.UpdateStrategy) {
		return id, nil
	}
	effective, err := v1beta1helper.CalculateEffectiveKubernetesVersion(version, worker.Kubernetes)
	if err != nil {
		return id, fmt.Errorf("pool %q: %w", worker.Name, err)
	}
	kubelet := v1beta1helper.CalculateEffectiveKubeletConfiguration(shoot.Spec.Kubernetes.Kubelet, worker.Kubernetes)
	image := ""
	if worker.Machine.Image != nil && worker.Machine.Image.Version != nil {
		image = *worker.Machine.Image.Version
	}
	id.hash, err = gardenerutils.CalculateWorkerPoolHashForInPlaceUpdate(
		worker.Name, new(effective.String()), kubelet, image, shoot.Status.Credentials)
	if err != nil {
		return id, fmt.Errorf("pool %q: %w", worker.Name, err)
	}
	return id, nil
}

// NamesOf returns what Gardener's part in the names of the machines of a stored Shoot's pools depends on, as a text
// that is equal for two Shoots exactly if the parts are.
func NamesOf(shoot *gardencorev1beta1.Shoot) (string, error) {
	var text strings.Builder
	for i := range shoot.Spec.Provider.Workers {
		id, err := identityOf(shoot, &shoot.Spec.Provider.Workers[i])
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&text, id.key, id.hash)
	}
	return text.String(), nil
}

// poolsOf compares the pools of two stored Shoots; old is nil if the other one is created.
func poolsOf(
	old, updated *gardencorev1beta1.Shoot, unknown map[string]reason,
) (pools []gardenerplugin.Pool, err error) {
	before := map[string]*gardencorev1beta1.Worker{}
	if old != nil {
		for i := range old.Spec.Provider.Workers {
			before[old.Spec.Provider.Workers[i].Name] = &old.Spec.Provider.Workers[i]
		}
	}
	for i := range updated.Spec.Provider.Workers {
		worker := &updated.Spec.Provider.Workers[i]
		pool, err := poolOf(old, updated, before[worker.Name], worker, unknown[worker.Name])
		if err != nil {
			return nil, err
		}
		delete(before, worker.Name)
		pools = append(pools, pool)
	}
	if old == nil {
		return pools, nil
	}
	for i := range old.Spec.Provider.Workers {
		worker := &old.Spec.Provider.Workers[i]
		if before[worker.Name] == nil {
			continue
		}
		removed, err := identityOf(old, worker)
		if err != nil {
			return nil, err
		}
		pools = append(pools, gardenerplugin.Pool{
			Name: worker.Name, State: gardenerplugin.Removed, Change: gardenerplugin.NoChange,
			Strategy: strategyOf(worker), OldKey: removed.key, OldHash: removed.hash,
		})
	}
	return pools, nil
}

// poolOf compares a pool of two stored Shoots; the old worker is nil if the pool is new. The reason
// says why the old image is not known, if it matters and is not.
func poolOf(old, updated *gardencorev1beta1.Shoot, before, after *gardencorev1beta1.Worker, unknown reason) (
	_ gardenerplugin.Pool, err error,
) {
	pool := changing{gardenerplugin.Pool{
		Name: after.Name, State: gardenerplugin.Added, Change: gardenerplugin.NoChange, Strategy: strategyOf(after),
	}}
	identityAfter, err := identityOf(updated, after)
	if err != nil {
		return pool.Pool, err
	}
	pool.NewKey = identityAfter.key
	pool.NewHash = identityAfter.hash
	if before == nil {
		return pool.Pool, nil
	}
	pool.State = gardenerplugin.Kept
	identityBefore, err := identityOf(old, before)
	if err != nil {
		return pool.Pool, err
	}
	pool.OldKey = identityBefore.key
	pool.OldHash = identityBefore.hash
	if isUnknown(before.Machine.Image) != isUnknown(after.Machine.Image) {
		unknown = imageOfProfile
	}
	pool.Change = identityBefore.changeTo(identityAfter)
	if unknown != "" {
		sameImage := after.DeepCopy()
		sameImage.Machine.Image = before.Machine.Image
		if err := pool.undecide(old, updated, before, sameImage, unknown); err != nil {
			return pool.Pool, err
		}
		after = sameImage
	}
	if first, second, isAssumed := sameReservations(old, updated, before, after); isAssumed {
		err = pool.undecide(old, updated, first, second, typeOfProfile)
	}
	return pool.Pool, err
}

// changing is a pool whose change is found out.
type changing struct{ gardenerplugin.Pool }

// undecide sets the change that does not depend on what is not known, which is the same in both workers. If there is
// none, and the pool changes, the change is undecided.
func (c *changing) undecide(old, updated *gardencorev1beta1.Shoot, before, after *gardencorev1beta1.Worker,
	unknown reason,
) error {
	first, err := identityOf(old, before)
	if err != nil {
		return err
	}
	second, err := identityOf(updated, after)
	if err != nil {
		return err
	}
	if c.Change = first.changeTo(second); c.Change == gardenerplugin.NoChange {
		c.Change = gardenerplugin.Undecided
		c.Because = string(unknown)
	}
	return nil
}

// changeTo returns what another identity does to a pool.
func (id identity) changeTo(other identity) gardenerplugin.Change {
	switch {
	case id == other:
		return gardenerplugin.NoChange
	case id.key != other.key:
		return gardenerplugin.Roll
	}
	return gardenerplugin.InPlace
}

func strategyOf(worker *gardencorev1beta1.Worker) string {
	if worker.UpdateStrategy == nil {
		return string(gardencorev1beta1.AutoRollingUpdate)
	}
	return string(*worker.UpdateStrategy)
}
