package hash_test

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// WorkerConfig is an extension's provider config.
type WorkerConfig struct {
	Volume *WorkerVolume     `json:"volume,omitempty"`
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

// WorkerVolume is a part of it.
type WorkerVolume struct {
	IOPS int32 `json:"iops,omitempty"`
}

// WorkerPool stands in for Gardener's type of this name.
type WorkerPool struct {
	KubernetesVersion   *string
	NodeAgentSecretName *string
	ProviderConfig      []byte
	Encrypted           bool
}

func poolData(pool WorkerPool) []string { return []string{strconv.FormatBool(pool.Encrypted)} }

// An extension's generateWorkerPoolHash before adoption: the raw config is hashed, so a tag replaces machines.
func ExampleWorkerPool_before() {
	generateWorkerPoolHash := func(pool WorkerPool) (string, error) {
		data := poolData(pool)
		if pool.ProviderConfig != nil {
			data = append(data, string(pool.ProviderConfig))
		}
		name, err := hash.WorkerPool(pool.NodeAgentSecretName, data...) // Gardener's worker.WorkerPoolHash returns the same text
		return name.Text, err
	}

	pool := WorkerPool{KubernetesVersion: new("1.36.4"), NodeAgentSecretName: new("gardener-node-agent-pool-b1b1b1b1b1b1b1b1")}
	pool.ProviderConfig = []byte(`{"volume":{"iops":3000}}`)
	fmt.Println(generateWorkerPoolHash(pool))
	pool.ProviderConfig = []byte(`{"volume":{"iops":3000},"tags":{"team":"a"}}`)
	fmt.Println(generateWorkerPoolHash(pool))
	// Output:
	// 67cd8 <nil>
	// f9886 <nil>
}

// The same after adoption: pools below 1.37 keep their names, and from 1.37 on a tag replaces nothing.
func ExampleEras() {
	schema, err := hotupdate.SchemaOf[WorkerConfig]()
	fmt.Println(err)
	rawBytes := func(raw []byte, pool WorkerPool) ([]string, error) { // what generateWorkerPoolHash did, unchanged
		data := poolData(pool)
		if raw != nil {
			data = append(data, string(raw))
		}
		return data, nil
	}
	eras, err := hash.NewEras([]hash.Era[WorkerPool]{
		{Name: "raw", Data: rawBytes},
		{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, poolData)},
	}, hash.InPlaceEras[WorkerPool](nil, "1.37", schema))
	fmt.Println(err)

	generateWorkerPoolHash := func(pool WorkerPool) (string, error) {
		lists, err := eras.AdditionalData(hotupdate.AutoRollingUpdate, pool.KubernetesVersion, pool.ProviderConfig, pool)
		if err != nil {
			return "", err
		}
		name, err := hash.WorkerPool(pool.NodeAgentSecretName, lists.Rolling...)
		return name.Text, err
	}

	pool := WorkerPool{KubernetesVersion: new("1.36.4"), NodeAgentSecretName: new("gardener-node-agent-pool-b1b1b1b1b1b1b1b1")}
	pool.ProviderConfig = []byte(`{"volume":{"iops":3000}}`)
	fmt.Println(generateWorkerPoolHash(pool))

	pool.KubernetesVersion = new("1.37.0")
	pool.NodeAgentSecretName = new("gardener-node-agent-pool-c2c2c2c2c2c2c2c2")
	fmt.Println(generateWorkerPoolHash(pool))
	pool.ProviderConfig = []byte(`{"volume":{"iops":3000},"tags":{"team":"a"}}`)
	fmt.Println(generateWorkerPoolHash(pool))
	// Output:
	// <nil>
	// <nil>
	// 67cd8 <nil>
	// a260b <nil>
	// a260b <nil>
}

func ExampleEras_Explain() {
	function := func(raw []byte, _ WorkerPool) ([]string, error) { return []string{string(raw)}, nil }
	eras, err := hash.NewEras([]hash.Era[WorkerPool]{
		{Name: "raw", Data: function},
		{Name: "list", From: "1.34", Data: function},
		{Name: "canonical", From: "1.37", Data: function},
	}, []hash.Era[WorkerPool]{{Name: "in place", Data: function}})
	fmt.Println(err)
	fmt.Println(eras.Explain(hotupdate.AutoRollingUpdate, new("1.34.0-rc.1")))
	fmt.Println(eras.Explain(hotupdate.AutoRollingUpdate, nil))
	fmt.Println(eras.Explain(hotupdate.AutoInPlaceUpdate, new("1.37.0")))
	fmt.Println(eras.Explain(hotupdate.AutoRollingUpdate, new("latest")))
	// Output:
	// <nil>
	// list era "list" is in force: Kubernetes 1.34 is at least 1.34 and below 1.37 <nil>
	// raw era "raw" is in force: the pool has no Kubernetes version <nil>
	// in place era "in place" is in force: it is the only era <nil>
	//   hotupdate: Kubernetes version: is "latest", which is not a version; write it as MAJOR.MINOR.PATCH, such as 1.34.2
}

// All mistakes of the eras come back at once.
func ExampleNewEras() {
	_, err := hash.NewEras([]hash.Era[WorkerPool]{
		{Name: "raw", From: "1.30"},
		{Name: "canonical", From: "1.37.0", Data: hash.CanonicalData(nil, poolData)},
	}, nil)
	fmt.Println(err)
	// Output:
	// pools that roll: hotupdate: era 0 "raw": has no function; set Data; hash.CanonicalData returns none for a Schema or function that is nil
	// hotupdate: era 0 "raw": begins at "1.30", so older pools have no era; leave out From of the first era
	// hotupdate: era 1 "canonical": has no function; set Data; hash.CanonicalData returns none for a Schema or function that is nil
	// hotupdate: era 1 "canonical": begins at "1.37.0"; write MAJOR.MINOR, such as 1.34
	// pools that are updated in place: hotupdate: eras: there is none; give NewEras at least the function in use today
}

// Which input gave a pool its new name?
func ExampleName_Changed() {
	worker := hash.Worker{
		Name: "pool", KubernetesVersion: "1.34.2", MachineType: "m5.large",
		Image:   &hash.Image{Name: "gardenlinux", Version: "1592.1.0"},
		Kubelet: &hash.Kubelet{KubeReserved: &hash.Reserved{CPU: new(resource.MustParse("80m"))}},
	}
	old, err := hash.NodeAgentSecretName(worker)
	fmt.Println(old, err)
	worker.KubernetesVersion = "1.34.5"
	worker.Image.Version = "1592.2.0"
	now, err := hash.NodeAgentSecretName(worker)
	fmt.Println(now, err)
	fmt.Println(now.Changed(old))
	// Output:
	// gardener-node-agent-pool-5875cdda7647893e <nil>
	// gardener-node-agent-pool-056821fb0794ae3d <nil>
	// [machine image]
}

// Five characters were not enough: another configuration of the pool has the name of the class that is in use.
func ExampleCheckCollision() {
	secret := new("gardener-node-agent-pool-b1b1b1b1b1b1b1b1")
	recorded, err := hash.WorkerPool(secret, "iops 619")
	fmt.Println(recorded, err)
	wanted, err := hash.WorkerPool(secret, "iops 757")
	fmt.Println(wanted, err)
	for _, problem := range fault.All(hash.CheckCollision(recorded.Digest.String(), wanted.Digest)) {
		fmt.Println(problem.Code, problem.Where)
	}
	// Output:
	// 45ad2 <nil>
	// 45ad2 <nil>
	// name-collision worker pool hash 45ad2
}
