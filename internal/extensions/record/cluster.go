//go:build ignore

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	extensionscontroller "github.com/gardener/gardener/extensions/pkg/controller"
	"github.com/gardener/gardener/extensions/pkg/controller/worker/genericactuator"
	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const technicalID = "shoot--p--s"

// factsOfShoots are the facts of a Shoot that Gardener hashes.
func factsOfShoots() map[string][]string {
	rotations := []string{
		`null`, `{}`, `{"lastInitiationTime":"2026-01-02T03:04:05Z"}`, `{"lastInitiationTime":"2026-02-02T03:04:05Z"}`,
		`{"lastInitiationTime":"2026-01-02T03:04:05Z","pendingWorkersRollouts":[{"name":"p",
			"lastInitiationTime":"2025-01-02T03:04:05Z"}]}`,
		`{"lastInitiationTime":"2026-01-02T03:04:05Z","pendingWorkersRollouts":[{"name":"q"}]}`,
	}
	return map[string][]string{
		"certificateAuthorities": rotations, "serviceAccountKey": rotations,
		"nodeLocalDNS": {`true`, `false`}, "kubeProxyMode": {`"IPTables"`, `"IPVS"`}, "cri": {`null`, `"containerd"`},
	}
}

// withShoots adds the facts of Shoots to those of an infrastructure.
func withShoots(facts map[string][]string) map[string][]string {
	for name, texts := range factsOfShoots() {
		facts[name] = texts
	}
	return facts
}

func rawExtension(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }

func (a asked) fact(name string, to any) {
	if err := json.Unmarshal(a.facts[name], to); err != nil {
		panic(fmt.Sprintf("fact %s: %v", name, err))
	}
}

// worker returns a Worker with the pool.
func (a asked) worker(provider, infrastructure, status string) *extensionsv1alpha1.Worker {
	w := &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Name: "worker", Namespace: technicalID}}
	w.Spec.Type = provider
	w.Spec.Region = "region"
	w.Spec.SecretRef = corev1.SecretReference{Name: "secret", Namespace: technicalID}
	w.Spec.InfrastructureProviderStatus = rawExtension(infrastructure)
	w.Spec.SSHPublicKey = []byte("key")
	w.Spec.Pools = []extensionsv1alpha1.WorkerPool{a.WorkerPool}
	if status != "" {
		w.Status.ProviderStatus = rawExtension(status)
	}
	return w
}

// cluster returns a cluster with a CloudProfile and a Shoot.
func (a asked) cluster(profile string) *extensionscontroller.Cluster {
	c := &extensionscontroller.Cluster{
		CloudProfile: &gardencorev1beta1.CloudProfile{},
		Shoot:        &gardencorev1beta1.Shoot{},
	}
	c.CloudProfile.Spec.ProviderConfig = rawExtension(profile)
	for _, name := range []string{"m1", "m2"} {
		c.CloudProfile.Spec.MachineTypes = append(
			c.CloudProfile.Spec.MachineTypes,
			gardencorev1beta1.MachineType{Name: name},
		)
	}
	s := c.Shoot
	s.Name = "s"
	s.Namespace = "garden-p"
	s.Spec.Region = "region"
	s.Spec.Kubernetes.Version = "1.36.0"
	s.Spec.Networking = &gardencorev1beta1.Networking{}
	s.Status.TechnicalID = technicalID
	var cri *gardencorev1beta1.CRIName
	a.fact("cri", &cri)
	w := gardencorev1beta1.Worker{Name: a.Name}
	if cri != nil {
		w.CRI = &gardencorev1beta1.CRI{Name: *cri}
	}
	s.Spec.Provider.Workers = []gardencorev1beta1.Worker{w}
	rotation := &gardencorev1beta1.ShootCredentialsRotation{}
	a.fact("certificateAuthorities", &rotation.CertificateAuthorities)
	a.fact("serviceAccountKey", &rotation.ServiceAccountKey)
	s.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: rotation}
	s.Spec.SystemComponents = &gardencorev1beta1.SystemComponents{NodeLocalDNS: &gardencorev1beta1.NodeLocalDNS{}}
	a.fact("nodeLocalDNS", &s.Spec.SystemComponents.NodeLocalDNS.Enabled)
	s.Spec.Kubernetes.KubeProxy = &gardencorev1beta1.KubeProxyConfig{Enabled: ptrTo(true)}
	a.fact("kubeProxyMode", &s.Spec.Kubernetes.KubeProxy.Mode)
	return c
}

// classes returns the names of the MachineClasses of a Worker.
func classes(delegate genericactuator.WorkerDelegate, err error) (names []string, _ error) {
	if err != nil {
		return nil, err
	}
	deployments, err := delegate.GenerateMachineDeployments(context.Background())
	for _, d := range deployments {
		names = append(names, d.ClassName)
	}
	return names, err
}

// userData is a client that returns one secret with user data for every pool.
type userData struct{ client.Client }

func (userData) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	secret, ok := into.(*corev1.Secret)
	if !ok {
		return fmt.Errorf("asked for a %T", into)
	}
	secret.Data = map[string][]byte{"userData": []byte("data"), "data": []byte("data")}
	return nil
}

// coreWorker returns the pool in the form that a Shoot has.
func coreWorker(a asked) core.Worker {
	w := core.Worker{
		Name: a.Name, Zones: a.Zones, ProviderConfig: a.ProviderConfig, Minimum: a.Minimum, Maximum: a.Maximum,
		Machine: core.Machine{Type: a.MachineType, Architecture: a.Architecture},
	}
	if a.UpdateStrategy != nil {
		w.UpdateStrategy = ptrTo(core.MachineUpdateStrategy(*a.UpdateStrategy))
	}
	if v := a.Volume; v != nil {
		w.Volume = &core.Volume{Name: v.Name, Type: v.Type, VolumeSize: v.Size, Encrypted: v.Encrypted}
	}
	for _, v := range a.DataVolumes {
		w.DataVolumes = append(
			w.DataVolumes,
			core.DataVolume{Name: v.Name, Type: v.Type, VolumeSize: v.Size, Encrypted: v.Encrypted},
		)
	}
	return w
}

// images returns the images of a CloudProfile's config. Every version exists for every
// architecture.
func images(version string) string {
	var all []string
	for _, name := range []string{"os", "suse"} {
		var versions []string
		for _, number := range []string{"1.0.0", "1.1.0"} {
			for _, architecture := range []string{"amd64", "arm64"} {
				versions = append(
					versions,
					strings.NewReplacer("VERSION", number, "ARCH", architecture).Replace(version),
				)
			}
		}
		all = append(all, `{"name":"`+name+`","versions":[`+strings.Join(versions, ",")+`]}`)
	}
	return strings.Join(all, ",")
}
