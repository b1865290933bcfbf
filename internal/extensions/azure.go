package extensions

import "github.com/hotupdate/providerconfig/internal/provider"

// Azure is gardener-extension-provider-azure. It sorts the data volumes by name before it hashes size
// and type, so the order of names counts, although the names are not hashed. It leaves out whether they
// are encrypted: all disks of Azure are. From Kubernetes 1.35 on its list has no names of values, and
// the order of data volumes counts.
func Azure() *Extension {
	return &Extension{
		Name: "azure", Own: azureOwn, List: azureList, ListFrom: "1.35", traits: provider.Traits{
			HashesState: true, HashedInfrastructure: []string{"identity", "networks.zones"}, FallsBack: true,
		},
	}
}

type azureConfig struct {
	NodeTemplate *nodeTemplate `json:"nodeTemplate"`
	Volume       *struct {
		Caching *string `json:"caching"`
	} `json:"volume"`
	DataVolumes []struct {
		Name     string `json:"name"`
		ImageRef *struct {
			URN                     *string `json:"urn"`
			ID                      *string `json:"id"`
			CommunityGalleryImageID *string `json:"communityGalleryImageID"`
			SharedGalleryImageID    *string `json:"sharedGalleryImageID"`
		} `json:"imageRef"`
	} `json:"dataVolumes"`
	DiagnosticsProfile *struct {
		Enabled    bool    `json:"enabled"`
		StorageURI *string `json:"storageURI"`
	} `json:"diagnosticsProfile"`
	CapacityReservation *struct {
		GroupID *string `json:"capacityReservationGroupID"`
	} `json:"capacityReservation"`
}

func azureOwn(pool Pool) (data []string) {
	for _, v := range pool.byName() {
		data = appendSet(append(data, v.Size), v.Type)
	}
	return appendSet(data, pool.State.IdentityID, pool.State.AvailabilitySet, pool.State.Subnet)
}

func azureList(pool Pool) ([]string, error) {
	c, err := decode[azureConfig](pool)
	if err != nil {
		return nil, err
	}
	data := c.NodeTemplate.capacity()
	if v := c.Volume; v != nil {
		data = appendSet(data, v.Caching)
	}
	for _, v := range c.DataVolumes {
		data = append(data, v.Name)
		if i := v.ImageRef; i != nil {
			data = appendSet(data, i.URN, i.ID, i.CommunityGalleryImageID, i.SharedGalleryImageID)
		}
	}
	if p := c.DiagnosticsProfile; p != nil {
		data = appendSet(appendSet(data, &p.Enabled), p.StorageURI)
	}
	if r := c.CapacityReservation; r != nil {
		data = appendSet(data, r.GroupID)
	}
	return data, nil
}
