package pool

import (
	"encoding/json"
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// TypeMeta is the type of a manifest or provider config.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// TypeMetaOf returns the type of an object, or nothing if it cannot be read.
func TypeMetaOf(raw []byte) TypeMeta {
	meta, _ := part[TypeMeta](raw)
	return *meta
}

// object has the fields that are read of every object. The type of the spec depends on the kind.
type object[S any] struct {
	Metadata struct {
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
		UID         string `json:"uid"`
		Annotations struct {
			Operation            string `json:"gardener.cloud/operation"`
			MaintenanceOperation string `json:"maintenance.gardener.cloud/operation"`
		} `json:"annotations"`
	} `json:"metadata"`
	Spec S `json:"spec"`
}

// shoot has the fields that are read of a Shoot.
type shoot struct {
	object[shootSpec]

	Status *status `json:"status"`
}

// status has the fields that are read of the status of a Shoot.
type status struct {
	Credentials struct {
		Rotation struct {
			CertificateAuthorities rotation `json:"certificateAuthorities"`
			ServiceAccountKey      rotation `json:"serviceAccountKey"`
		} `json:"rotation"`
	} `json:"credentials"`
	InPlaceUpdates struct {
		PendingWorkerUpdates inplace.PendingUpdates `json:"pendingWorkerUpdates"`
	} `json:"inPlaceUpdates"`
}

// waiting returns the pools that have to follow a rotation of credentials, and nil if no phase of a
// rotation is known.
func (s status) waiting() map[string]bool {
	var names map[string]bool
	for _, r := range []rotation{
		s.Credentials.Rotation.CertificateAuthorities, s.Credentials.Rotation.ServiceAccountKey,
	} {
		if r.Phase != "" && names == nil {
			names = map[string]bool{}
		}
		for _, p := range r.PendingWorkersRollouts {
			if names != nil {
				names[p.Name] = true
			}
		}
	}
	return names
}

// rotation is a rotation of credentials in the status.
type rotation struct {
	hash.Rotation

	Phase string `json:"phase"`
}

// workerSpec has the fields that are read of the spec of a Worker.
type workerSpec struct {
	Type  string `json:"type"`
	Pools []struct {
		poolSpec

		MachineType         string        `json:"machineType"`
		MachineImage        *hash.Image   `json:"machineImage"`
		Architecture        *string       `json:"architecture"`
		KubernetesVersion   string        `json:"kubernetesVersion"`
		KubeletConfig       *hash.Kubelet `json:"kubeletConfig"`
		NodeAgentSecretName *string       `json:"nodeAgentSecretName"`
	} `json:"pools"`
}

// shootSpec has the fields that are read of the spec of a Shoot.
type shootSpec struct {
	Provider struct {
		Type    string `json:"type"`
		Workers []struct {
			poolSpec

			Machine struct {
				Type         string      `json:"type"`
				Image        *hash.Image `json:"image"`
				Architecture *string     `json:"architecture"`
			} `json:"machine"`
			CRI struct {
				Name *string `json:"name"`
			} `json:"cri"`
			Kubernetes struct {
				Version string        `json:"version"`
				Kubelet *hash.Kubelet `json:"kubelet"`
			} `json:"kubernetes"`
		} `json:"workers"`
	} `json:"provider"`
	Kubernetes struct {
		Version   string        `json:"version"`
		Kubelet   *hash.Kubelet `json:"kubelet"`
		KubeProxy struct {
			Enabled *bool  `json:"enabled"`
			Mode    string `json:"mode"`
		} `json:"kubeProxy"`
	} `json:"kubernetes"`
	SystemComponents struct {
		NodeLocalDNS *struct {
			Enabled bool `json:"enabled"`
		} `json:"nodeLocalDNS"`
	} `json:"systemComponents"`
	Hibernation struct {
		Enabled bool `json:"enabled"`
	} `json:"hibernation"`
	Maintenance struct {
		ConfineSpecUpdateRollout bool `json:"confineSpecUpdateRollout"`
	} `json:"maintenance"`
}

// poolSpec has the fields that pools have in both kinds.
type poolSpec struct {
	Name           string              `json:"name"`
	UpdateStrategy string              `json:"updateStrategy"`
	ProviderConfig json.RawMessage     `json:"providerConfig"`
	Volume         *DataVolume         `json:"volume"`
	DataVolumes    []DataVolume        `json:"dataVolumes"`
	Minimum        *int                `json:"minimum"`
	Maximum        *int                `json:"maximum"`
	Zones          []string            `json:"zones"`
	MaxSurge       *intstr.IntOrString `json:"maxSurge"`
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable"`
}

// cloudProfileSpec has the fields that are read of the spec of a CloudProfile.
type cloudProfileSpec struct {
	Kubernetes struct {
		Versions []expirable `json:"versions"`
	} `json:"kubernetes"`
	MachineImages []struct {
		Name     string         `json:"name"`
		Versions []imageVersion `json:"versions"`
	} `json:"machineImages"`
	MachineTypes []machineType `json:"machineTypes"`
	// MachineCapabilities are defined if images and machine types have capabilities.
	MachineCapabilities []struct{}   `json:"machineCapabilities"`
	VolumeTypes         []volumeType `json:"volumeTypes"`
	Regions             []struct {
		Name  string     `json:"name"`
		Zones []zoneSpec `json:"zones"`
	} `json:"regions"`
	Limits struct {
		MaxNodesTotal *int `json:"maxNodesTotal"`
	} `json:"limits"`
	ControlPlane *struct {
		AllowZonePinning bool `json:"allowZonePinning"`
	} `json:"controlPlane"`
}

type expirable struct {
	Version        string       `json:"version"`
	ExpirationDate *metav1.Time `json:"expirationDate"`
	Lifecycle      []stage      `json:"lifecycle"`
}

type stage struct {
	Classification string       `json:"classification"`
	StartTime      *metav1.Time `json:"startTime"`
}

type imageVersion struct {
	expirable

	Architectures  []string              `json:"architectures"`
	CRI            []cri                 `json:"cri"`
	Flavors        []map[string][]string `json:"capabilityFlavors"`
	InPlaceUpdates struct {
		Supported           bool   `json:"supported"`
		MinVersionForUpdate string `json:"minVersionForUpdate"`
	} `json:"inPlaceUpdates"`
}

type cri struct {
	Name              string  `json:"name"`
	ContainerRuntimes []named `json:"containerRuntimes"`
}

type named struct {
	Name string `json:"type"`
}

// amd64 is the default architecture of machine types and images.
const amd64 = "amd64"

type machineType struct {
	Name         string              `json:"name"`
	Architecture string              `json:"architecture"`
	Capabilities map[string][]string `json:"capabilities"`
	Usable       *bool               `json:"usable"`
	CPU          *resource.Quantity  `json:"cpu"`
	Memory       *resource.Quantity  `json:"memory"`
	Storage      *struct {
		Type    string             `json:"type"`
		MinSize *resource.Quantity `json:"minSize"`
	} `json:"storage"`
}

type volumeType struct {
	Name    string             `json:"name"`
	Usable  *bool              `json:"usable"`
	MinSize *resource.Quantity `json:"minSize"`
}

type zoneSpec struct {
	Name                    string   `json:"name"`
	UnavailableMachineTypes []string `json:"unavailableMachineTypes"`
	UnavailableVolumeTypes  []string `json:"unavailableVolumeTypes"`
}

// part reads the fields of a manifest that T has.
func part[T any](raw []byte) (*T, error) {
	plan, err := fieldplan.Compile(reflect.TypeFor[T](), nil)
	if err != nil {
		return new(T), err
	}
	read, err := rawjson.Part(plan, raw)
	return read.Interface().(*T), located("", "", err)
}

// located adds a pool and a path to problems, or only a path in the manifest if the pool is empty.
func located(pool, path string, err error) error {
	all := fault.All(err)
	if err != nil && len(all) == 0 {
		all.Add(&fault.Error{Kind: fault.Failed, Code: "config-failed", What: "cannot be hashed", Cause: err})
	}
	for i := range all {
		problem := *all[i]
		if problem.Field == "Worker.KubernetesVersion" {
			problem.Field, problem.Path = "", versionPath
		}
		problem.Path = joinPaths(path, problem.Path)
		switch {
		case pool != "":
			problem.Where = "pool " + strconv.Quote(pool)
		case problem.Path == "":
			problem.Where = "manifest"
		}
		all[i] = &problem
	}
	return all.Err()
}

// joinPaths joins a path and a path below it.
func joinPaths(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}
