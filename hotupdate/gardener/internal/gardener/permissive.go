package gardener

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	v1beta1helper "github.com/gardener/gardener/pkg/api/core/v1beta1/helper"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"github.com/gardener/gardener/pkg/client/kubernetes"
	gardenerutils "github.com/gardener/gardener/pkg/utils/gardener"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The placeholders of values that only the real CloudProfile has.
const (
	unknownImage = "unknown-default-image"
	unknownPart  = "999999999" // of a version, greater than all others
)

// permitted are facts of the objects that were given, which those that were not have to agree with.
type permitted struct {
	// parent is the CloudProfile above all others: Gardener admits only another profile within a
	// hierarchy.
	parent string
	// account is the Secret of the account: Gardener admits only another binding to the same one.
	account corev1.SecretReference
}

// objects returns for each object that Shoots refer to one that permits all that is in the Shoots.
// Where Gardener takes a default from the CloudProfile, it takes one that [isUnknown] reports.
func (p permitted) objects(shoots ...*gardencorev1beta1.Shoot) (list []runtime.Object) {
	for _, shoot := range shoots {
		list = append(list, p.profile(shoot, shoots), permissiveSeed(shoot, shoots))
		list = append(list, p.bindings(shoot)...)
		list = append(list, permissiveSecrets(shoot)...)
	}
	return slices.DeleteFunc(list, func(object runtime.Object) bool { return object == nil })
}

// isUnknown reports whether an image or its version is one of an object by [permissive].
func isUnknown(image *gardencorev1beta1.ShootMachineImage) bool {
	if image == nil {
		return false
	}
	return image.Name == unknownImage || image.Version != nil && strings.Contains(*image.Version, unknownPart)
}

func (p permitted) profile(of *gardencorev1beta1.Shoot, shoots []*gardencorev1beta1.Shoot) runtime.Object {
	reference := gardenerutils.BuildV1beta1CloudProfileReference(of)
	if reference == nil {
		return nil
	}
	spec := permissiveProfileSpec(of.Spec.Provider.Type, shoots)
	if reference.Kind == v1beta1constants.CloudProfileReferenceKindNamespacedCloudProfile {
		above := gardencorev1beta1.CloudProfileReference{
			Kind: v1beta1constants.CloudProfileReferenceKindCloudProfile, Name: p.parent,
		}
		return &gardencorev1beta1.NamespacedCloudProfile{
			ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: reference.Name},
			Spec:       gardencorev1beta1.NamespacedCloudProfileSpec{Parent: above},
			Status:     gardencorev1beta1.NamespacedCloudProfileStatus{CloudProfileSpec: spec},
		}
	}
	return &gardencorev1beta1.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: reference.Name}, Spec: spec}
}

func permissiveProfileSpec(provider string, shoots []*gardencorev1beta1.Shoot) gardencorev1beta1.CloudProfileSpec {
	offered := offers{images: map[string][]string{unknownImage: {"0.0." + unknownPart}}}
	for _, shoot := range shoots {
		offered.add(shoot)
	}
	spec := gardencorev1beta1.CloudProfileSpec{
		Type:          provider,
		Kubernetes:    gardencorev1beta1.KubernetesSettings{Versions: offered.versions()},
		MachineImages: offered.machineImages(),
		MachineTypes:  offered.machineTypes,
		VolumeTypes:   offered.volumeTypes,
		Regions:       offered.regions,
	}
	// By its JSON name, since Gardener below v1.150 does not have the field.
	_ = json.Unmarshal([]byte(`{"controlPlane":{"allowZonePinning":true}}`), &spec)
	return spec
}

// offers are what a permissive CloudProfile offers.
type offers struct {
	kubernetes    []string
	images        map[string][]string // the versions by name
	architectures []string
	runtimes      []gardencorev1beta1.ContainerRuntime
	criNames      []gardencorev1beta1.CRIName
	machineTypes  []gardencorev1beta1.MachineType
	volumeTypes   []gardencorev1beta1.VolumeType
	regions       []gardencorev1beta1.Region
}

func (o *offers) add(shoot *gardencorev1beta1.Shoot) {
	o.kubernetes = append(o.kubernetes, fullVersion(shoot.Spec.Kubernetes.Version))
	region := gardencorev1beta1.Region{Name: shoot.Spec.Region}
	for _, r := range shoot.Spec.AccessRestrictions {
		region.AccessRestrictions = append(region.AccessRestrictions, r.AccessRestriction)
	}
	for _, worker := range shoot.Spec.Provider.Workers {
		o.addWorker(worker)
		for _, zone := range worker.Zones {
			region.Zones = append(region.Zones, gardencorev1beta1.AvailabilityZone{Name: zone})
		}
	}
	i := slices.IndexFunc(o.regions, func(r gardencorev1beta1.Region) bool { return r.Name == region.Name })
	if i < 0 {
		o.regions = append(o.regions, region)
		return
	}
	o.regions[i].Zones = append(o.regions[i].Zones, region.Zones...)
	o.regions[i].AccessRestrictions = append(o.regions[i].AccessRestrictions, region.AccessRestrictions...)
}

func (o *offers) addWorker(worker gardencorev1beta1.Worker) {
	if worker.Kubernetes != nil && worker.Kubernetes.Version != nil {
		o.kubernetes = append(o.kubernetes, fullVersion(*worker.Kubernetes.Version))
	}
	architecture := v1beta1constants.ArchitectureAMD64
	if worker.Machine.Architecture != nil {
		architecture = *worker.Machine.Architecture
	}
	o.architectures = append(o.architectures, architecture)
	o.machineTypes = append(o.machineTypes, gardencorev1beta1.MachineType{
		Name: worker.Machine.Type, Architecture: &architecture, Usable: new(true),
		CPU: assumedCPU, Memory: assumedMemory,
	})
	if image := worker.Machine.Image; image != nil && image.Name != "" {
		version := ""
		if image.Version != nil {
			version = *image.Version
		}
		o.images[image.Name] = append(o.images[image.Name], fullVersion(version))
	}
	if worker.Volume != nil && worker.Volume.Type != nil {
		o.volumeTypes = append(o.volumeTypes, gardencorev1beta1.VolumeType{
			Name: *worker.Volume.Type, Usable: new(true),
		})
	}
	if worker.CRI != nil {
		o.criNames = append(o.criNames, worker.CRI.Name)
		o.runtimes = append(o.runtimes, worker.CRI.ContainerRuntimes...)
	}
}

// fullVersion completes a version of which parts are missing.
func fullVersion(version string) string {
	parts := strings.Split(version, ".")
	if version == "" {
		parts = nil
	}
	for len(parts) < 3 {
		parts = append(parts, unknownPart)
	}
	return strings.Join(parts, ".")
}

func (o *offers) versions() (expirable []gardencorev1beta1.ExpirableVersion) {
	for _, version := range slices.Compact(slices.Sorted(slices.Values(o.kubernetes))) {
		if _, err := semver.NewVersion(version); err == nil { // a CloudProfile has no others
			expirable = append(expirable, gardencorev1beta1.ExpirableVersion{Version: version})
		}
	}
	return expirable
}

// machineImages returns the images, first the default image.
func (o *offers) machineImages() (images []gardencorev1beta1.MachineImage) {
	for name, versions := range o.images {
		image := gardencorev1beta1.MachineImage{Name: name}
		for _, version := range slices.Compact(slices.Sorted(slices.Values(versions))) {
			if _, err := semver.NewVersion(version); err != nil {
				continue
			}
			image.Versions = append(image.Versions, gardencorev1beta1.MachineImageVersion{
				ExpirableVersion: gardencorev1beta1.ExpirableVersion{Version: version},
				Architectures:    o.architectures,
				CRI:              o.cris(),
				InPlaceUpdates: &gardencorev1beta1.InPlaceUpdates{
					Supported: true, MinVersionForUpdate: new("0.0.0"),
				},
			})
		}
		images = append(images, image)
	}
	slices.SortFunc(images, func(a, b gardencorev1beta1.MachineImage) int {
		switch {
		case a.Name == unknownImage:
			return -1
		case b.Name == unknownImage:
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return images
}

func (o *offers) cris() (runtimes []gardencorev1beta1.CRI) {
	for _, name := range o.criNames {
		runtimes = append(runtimes, gardencorev1beta1.CRI{Name: name, ContainerRuntimes: o.runtimes})
	}
	return runtimes
}

// permissiveSeed returns nil for a Shoot without a seed.
func permissiveSeed(of *gardencorev1beta1.Shoot, shoots []*gardencorev1beta1.Shoot) runtime.Object {
	if of.Spec.SeedName == nil {
		return nil
	}
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: *of.Spec.SeedName}}
	seed.Spec.Provider.Type = of.Spec.Provider.Type
	seed.Spec.Provider.Zones = []string{"zone-1", "zone-2", "zone-3"}
	seed.Spec.Networks.ShootDefaults = networksOf(shoots[0])
	for _, shoot := range shoots {
		seed.Spec.Provider.Zones = append(seed.Spec.Provider.Zones, controlPlaneZones(shoot)...)
		for _, r := range shoot.Spec.AccessRestrictions {
			seed.Spec.AccessRestrictions = append(seed.Spec.AccessRestrictions, r.AccessRestriction)
		}
	}
	return seed
}

// controlPlaneZones returns the zones that a Shoot names for its control plane, by their JSON name:
// Gardener below v1.150 does not have the field.
func controlPlaneZones(shoot *gardencorev1beta1.Shoot) []string {
	var controlPlane struct {
		Zones []string `json:"zones"`
	}
	text, err := json.Marshal(shoot.Spec.ControlPlane)
	if err == nil {
		_ = json.Unmarshal(text, &controlPlane)
	}
	return controlPlane.Zones
}

// networksOf returns the networks of a Shoot, which a seed could have as defaults.
func networksOf(shoot *gardencorev1beta1.Shoot) *gardencorev1beta1.ShootNetworks {
	networks := &gardencorev1beta1.ShootNetworks{Pods: new("100.96.0.0/11"), Services: new("100.64.0.0/13")}
	if shoot.Spec.Networking == nil {
		return networks
	}
	if shoot.Spec.Networking.Pods != nil {
		networks.Pods = shoot.Spec.Networking.Pods
	}
	if shoot.Spec.Networking.Services != nil {
		networks.Services = shoot.Spec.Networking.Services
	}
	return networks
}

// bindings returns the bindings to the account.
//
//nolint:staticcheck // Shoots still have a SecretBinding
func (p permitted) bindings(of *gardencorev1beta1.Shoot) (list []runtime.Object) {
	if name := of.Spec.SecretBindingName; name != nil {
		list = append(list, &gardencorev1beta1.SecretBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: *name},
			Provider:   &gardencorev1beta1.SecretBindingProvider{Type: of.Spec.Provider.Type},
			SecretRef:  p.account,
		})
	}
	if name := of.Spec.CredentialsBindingName; name != nil {
		list = append(list, &securityv1alpha1.CredentialsBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: *name},
			Provider:   securityv1alpha1.CredentialsBindingProvider{Type: of.Spec.Provider.Type},
			CredentialsRef: corev1.ObjectReference{
				APIVersion: "v1", Kind: "Secret", Namespace: p.account.Namespace, Name: p.account.Name,
			},
		})
	}
	return list
}

// permissiveSecrets returns the Secrets of the kubeconfigs of admission plugins, and the one by which a
// landscape offers to manage the issuer of service accounts.
func permissiveSecrets(of *gardencorev1beta1.Shoot) (secrets []runtime.Object) {
	if v1beta1helper.HasManagedIssuer(of) {
		secrets = append(secrets, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: v1beta1constants.GardenNamespace, Name: "service-account-issuer",
			Labels: map[string]string{
				v1beta1constants.GardenRole: v1beta1constants.GardenRoleShootServiceAccountIssuer,
			},
		}})
	}
	if of.Spec.Kubernetes.KubeAPIServer == nil {
		return secrets
	}
	for _, plugin := range of.Spec.Kubernetes.KubeAPIServer.AdmissionPlugins {
		if plugin.KubeconfigSecretName == nil {
			continue
		}
		secrets = append(secrets, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: *plugin.KubeconfigSecretName},
			Data:       map[string][]byte{kubernetes.KubeConfig: nil},
		})
	}
	return secrets
}

// projectOf returns the project of a namespace. Its name is short, since it counts for the length of
// a Shoot's name.
func projectOf(namespace string) *gardencorev1beta1.Project {
	return &gardencorev1beta1.Project{
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: gardencorev1beta1.ProjectSpec{Namespace: &namespace},
	}
}
