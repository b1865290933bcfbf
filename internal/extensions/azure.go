package extensions

import "github.com/hotupdate/providerconfig/internal/provider"

// Azure is gardener-extension-provider-azure. It sorts the data volumes by name before it hashes
// size and type, so the order of names counts, although the names are not hashed. It does not hash
// whether they are encrypted: all disks of Azure are. From Kubernetes 1.35 on, it hashes a list.
// The list has values without their names, and the order of data volumes counts.
func Azure() *Extension {
	return &Extension{
		Name: "azure", Release: "v1.62.1", Earlier: "v1.53.0", InPlaceSince: "1.62",
		Own: azureOwn, List: azureList, ListFrom: "1.35", ListSince: "1.60",
		traits: provider.Traits{
			HashesState: true, State: azureState, HashedInfrastructure: []string{"identity", "networks.zones"},
			FixedInfrastructure: []string{"zoned"},
			FallsBack:           true, HashedStatus: []string{"identity.id", "networks", "zoned"},
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

type azureInfrastructure struct {
	Identity *struct {
		ID string `json:"id"`
	} `json:"identity"`
	Zoned    bool `json:"zoned"`
	Networks struct {
		Layout  string `json:"layout"`
		Subnets []struct {
			Name     string  `json:"name"`
			Purpose  string  `json:"purpose"`
			Zone     *string `json:"zone"`
			Migrated bool    `json:"migrated"`
		} `json:"subnets"`
	} `json:"networks"`
}

// azureState returns the identity, the set of virtual machines of a pool without zones, and the
// subnet of each zone. The subnet of a zone is nil if the zones share one subnet, or if the subnet
// was the shared one before.
func azureState(pool *provider.WorkerPool) []provider.Part {
	const infrastructure = "spec.infrastructureProviderStatus."
	status, isKnown := decodeState[azureInfrastructure](pool.Infrastructure)
	identity := provider.Part{Name: identityPart, Path: infrastructure + "identity.id", IsKnown: isKnown}
	if status.Identity != nil {
		identity.Value = &status.Identity.ID
	}
	set := provider.Part{Name: setPart, Path: setPath, IsKnown: true} // a pool with zones has no set
	if !isKnown || !status.Zoned {
		set = azureSet(pool)
	}
	all := []provider.Part{identity, set}
	if set.Value != nil {
		return all // machines in a set are in no zone
	}
	for _, zone := range pool.Zones {
		part := provider.Part{
			Name: subnetPart + zone, Path: infrastructure + "networks.subnets", Zone: zone,
			IsKnown: isKnown && status.Networks.Layout != "MultipleSubnet",
		}
		for _, subnet := range status.Networks.Subnets {
			isOfNodes := subnet.Purpose == "nodes" && subnet.Zone != nil && *subnet.Zone == zone
			if part.IsKnown || !isOfNodes {
				continue
			}
			part.IsKnown = true
			if !subnet.Migrated {
				part.Value = &subnet.Name
			}
		}
		all = append(all, part)
	}
	return all
}

const setPath = "status.providerStatus.vmoDependencies"

// azureSet returns the set of virtual machines of a pool without zones.
func azureSet(pool *provider.WorkerPool) provider.Part {
	set := provider.Part{Name: setPart, Path: setPath}
	type dependency struct {
		PoolName string `json:"poolName"`
		Name     string `json:"name"`
	}
	status, _ := decodeState[struct {
		VMODependencies []dependency `json:"vmoDependencies"`
	}](pool.Status)
	for _, one := range status.VMODependencies {
		if one.PoolName == pool.Name {
			set.IsKnown = true
			set.Value = &one.Name
		}
	}
	return set
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
