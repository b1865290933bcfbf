package extensions

// GCP is gardener-extension-provider-gcp. It hashes name, size and type of the data volumes, by
// name. It does not hash whether they are encrypted: all disks of GCP are. From Kubernetes 1.35 on,
// it hashes a list. The list has values without their names, and no storage pool of data volumes.
// The order of data volumes and of scopes counts.
func GCP() *Extension {
	return &Extension{
		Name: "gcp", Release: "v1.54.1", Earlier: "v1.45.1", FallsBackBefore: "1.54",
		Own: gcpOwn, List: gcpList, ListFrom: "1.35", ListSince: "1.50",
	}
}

type (
	gcpConfig struct {
		NodeTemplate *nodeTemplate `json:"nodeTemplate"`
		GPU          *struct {
			AcceleratorType string `json:"acceleratorType"`
			Count           int32  `json:"count"`
		} `json:"gpu"`
		Volume *struct {
			Interface  string `json:"interface"`
			Encryption *struct {
				KMSKeyName           string `json:"kmsKeyName"`
				KMSKeyServiceAccount string `json:"kmsKeyServiceAccount"`
			} `json:"encryption"`
		} `json:"volume"`
		BootVolume *struct {
			gcpDisk

			StoragePool string `json:"storagePool"`
		} `json:"bootVolume"`
		DataVolumes []struct {
			gcpDisk

			Name        string  `json:"name"`
			SourceImage *string `json:"sourceImage"`
		} `json:"dataVolumes"`
		MinCPUPlatform *string `json:"minCpuPlatform"`
		ServiceAccount *struct {
			Email  string   `json:"email"`
			Scopes []string `json:"scopes"`
		} `json:"serviceAccount"`
	}
	gcpDisk struct {
		ProvisionedIOPS       *int64 `json:"provisionedIops"`
		ProvisionedThroughput *int64 `json:"provisionedThroughput"`
	}
)

func gcpOwn(pool Pool) (data []string) {
	for _, v := range pool.byName() {
		data = appendSet(append(data, v.Name, v.Size), v.Type)
	}
	return data
}

func gcpList(pool Pool) ([]string, error) {
	c, err := decode[gcpConfig](pool)
	if err != nil {
		return nil, err
	}
	data := c.NodeTemplate.capacity()
	if g := c.GPU; g != nil {
		data = appendSet(append(data, g.AcceleratorType), &g.Count)
	}
	if v := c.Volume; v != nil { // an absent text counts as an empty text here
		data = append(data, v.Interface)
		if e := v.Encryption; e != nil {
			data = append(data, e.KMSKeyName, e.KMSKeyServiceAccount)
		}
	}
	if v := c.BootVolume; v != nil {
		data = append(appendSet(data, v.ProvisionedIOPS, v.ProvisionedThroughput), v.StoragePool)
	}
	for _, v := range c.DataVolumes {
		data = appendSet(append(data, v.Name), v.ProvisionedIOPS, v.ProvisionedThroughput)
		data = appendSet(data, v.SourceImage)
	}
	data = appendSet(data, c.MinCPUPlatform)
	if a := c.ServiceAccount; a != nil {
		data = append(append(data, a.Email), a.Scopes...)
	}
	return data, nil
}
