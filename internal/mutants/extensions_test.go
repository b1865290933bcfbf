package mutants_test

const (
	recorded        = "internal/extensions ^TestRecords$"
	recordedChanges = "hotupdate/cmd/hotupdate/internal/pool ^TestRecordedChanges$"
	openstackFile   = "internal/extensions/openstack.go"
	awsFile         = "internal/extensions/aws.go"
	azureFile       = "internal/extensions/azure.go"
	extensionFile   = "internal/extensions/extensions.go"
	hashedPool      = "internal/extensions/pool.go"
)

// extensionMutants exchange two neighbours of each list that a released extension hashes, or leave one out.
var extensionMutants = []mutant{
	{"azure hashes data volumes by their names", azureFile, "range pool.byName() {", "range pool.DataVolumes {", recorded},
	{"plan rolls where azure's volumes exchange their sizes", azureFile, "range pool.byName() {", "range pool.DataVolumes[:0] {", recordedChanges},
	{"azure hashes the size before the type", azureFile, "data = appendSet(append(data, v.Size), v.Type)", "data = append(appendSet(data, v.Type), v.Size)", recorded},
	{"azure hashes the identity before the set", azureFile, "pool.State.IdentityID, pool.State.AvailabilitySet,", "pool.State.AvailabilitySet, pool.State.IdentityID,", recorded},
	{"azure hashes the identity before the subnet", azureFile, "pool.State.IdentityID, pool.State.AvailabilitySet, pool.State.Subnet", "pool.State.Subnet, pool.State.IdentityID, pool.State.AvailabilitySet", recorded},
	{"azure's list begins with the capacity", azureFile, "\t\tdata = appendSet(data, v.Caching)\n", "\t\tdata = append(appendSet(nil, v.Caching), data...)\n", recorded},
	{"azure lists caching before data volumes", azureFile, "\t\tdata = append(data, v.Name)\n", "\t\tdata = append([]string{v.Name}, data...)\n", recorded},
	{"azure lists the URN before the ID", azureFile, "i.URN, i.ID,", "i.ID, i.URN,", recorded},
	{"azure lists the ID before the community's", azureFile, "i.ID, i.CommunityGalleryImageID,", "i.CommunityGalleryImageID, i.ID,", recorded},
	{"azure lists the community's image before the shared one", azureFile, "i.CommunityGalleryImageID, i.SharedGalleryImageID", "i.SharedGalleryImageID, i.CommunityGalleryImageID", recorded},
	{"azure lists data volumes before the profile", azureFile, "appendSet(appendSet(data, &p.Enabled), p.StorageURI)", "append(appendSet(appendSet(nil, &p.Enabled), p.StorageURI), data...)", recorded},
	{"azure lists enabled before the storage", azureFile, "appendSet(appendSet(data, &p.Enabled), p.StorageURI)", "appendSet(appendSet(data, p.StorageURI), &p.Enabled)", recorded},
	{"azure lists the profile before the reservation", azureFile, "\t\tdata = appendSet(data, r.GroupID)\n", "\t\tdata = append(appendSet(nil, r.GroupID), data...)\n", recorded},
	{"azure's list begins with Kubernetes 1.35", azureFile, "ListFrom: \"1.35\"", "ListFrom: \"1.34\"", recorded},
	{"aws lists IOPS before throughput", awsFile, "appendSet(data, v.IOPS, v.Throughput)\n\t}\n\tfor", "appendSet(data, v.Throughput, v.IOPS)\n\t}\n\tfor", recorded},
	{"aws lists the volume", awsFile, "\tif v := c.Volume; v != nil {\n\t\tdata = appendSet(data, v.IOPS, v.Throughput)\n\t}\n\tfor", "\tif v := c.Volume; v != nil {\n\t\tdefer func() { _ = v }()\n\t}\n\tfor", recorded},
	{"aws lists a data volume's IOPS before its throughput", awsFile, "append(data, v.Name), v.IOPS, v.Throughput)", "append(data, v.Name), v.Throughput, v.IOPS)", recorded},
	{"aws lists a data volume's snapshot last", awsFile, "\t\tdata = appendSet(append(data, v.Name), v.IOPS, v.Throughput)\n\t\tdata = appendSet(data, v.SnapshotID)\n", "\t\tdata = appendSet(append(data, v.Name), v.SnapshotID)\n\t\tdata = appendSet(data, v.IOPS, v.Throughput)\n", recorded},
	{"aws lists the profile's name before its ARN", awsFile, "p.Name, p.ARN", "p.ARN, p.Name", recorded},
	{"aws lists tokens before the hop limit", awsFile, "appendSet(appendSet(data, o.HTTPTokens), o.HTTPPutResponseHopLimit)", "appendSet(appendSet(data, o.HTTPPutResponseHopLimit), o.HTTPTokens)", recorded},
	{"aws lists cores before threads", awsFile, "o.CoreCount, o.ThreadsPerCore", "o.ThreadsPerCore, o.CoreCount", recorded},
	{"aws lists the preference before the ID", awsFile, "r.Preference, r.ID,", "r.ID, r.Preference,", recorded},
	{"aws lists the ID before the group", awsFile, "r.ID, r.ResourceGroupARN", "r.ResourceGroupARN, r.ID", recorded},
	{"aws lists network interfaces", awsFile, "\t\tdata = append(data, n.data()...)\n", "\t\tdefer n.data()\n", recorded},
	{"aws lists the type before the device", awsFile, "appendSet(appendSet(appendSet(nil, kind), &n.DeviceIndex), n.NetworkCardIndex)", "appendSet(appendSet(appendSet(nil, &n.DeviceIndex), kind), n.NetworkCardIndex)", recorded},
	{"aws lists the device before the card", awsFile, "appendSet(appendSet(appendSet(nil, kind), &n.DeviceIndex), n.NetworkCardIndex)", "appendSet(appendSet(appendSet(nil, kind), n.NetworkCardIndex), &n.DeviceIndex)", recorded},
	{"aws lists the range's ends in order", awsFile, "&r.From, &r.To", "&r.To, &r.From", recorded},
	{"aws lists the group before the tenancy", awsFile, "p.GroupID, p.Tenancy,", "p.Tenancy, p.GroupID,", recorded},
	{"aws lists the tenancy before the host", awsFile, "p.Tenancy, p.HostID", "p.HostID, p.Tenancy", recorded},
	{"aws lists the partition before the affinity", awsFile, "appendSet(appendSet(data, p.PartitionNumber), p.Affinity)", "appendSet(appendSet(data, p.Affinity), p.PartitionNumber)", recorded},
	{"an empty type of an interface is the default", awsFile, "kind == nil || *kind == \"\"", "kind == nil", recorded},
	{"aws's list begins with Kubernetes 1.34", awsFile, "ListFrom: \"1.34\"", "ListFrom: \"1.35\"", recorded},
	{"a data volume's type stands before its encryption", hashedPool, "appendSet(appendSet(append(data, v.Size), v.Type), v.Encrypted)", "appendSet(appendSet(append(data, v.Size), v.Encrypted), v.Type)", recorded},
	{"a data volume's size stands before its type", hashedPool, "appendSet(append(data, v.Size), v.Type), v.Encrypted)", "append(appendSet(data, v.Type), v.Size), v.Encrypted)", recorded},
	{"openstack sorts labels", openstackFile, "\tslices.Sort(labels)\n", "", recorded},
	{"openstack sorts security groups", openstackFile, "slices.Sorted(slices.Values(c.AdditionalSecurityGroups))", "c.AdditionalSecurityGroups", recorded},
	{"openstack lists labels before security groups", openstackFile, "append(labels, slices.Sorted(slices.Values(c.AdditionalSecurityGroups))...)", "append(slices.Sorted(slices.Values(c.AdditionalSecurityGroups)), labels...)", recorded},
	{"openstack lists only labels that trigger a rolling update", openstackFile, "if l.TriggerRollingOnUpdate {", "if true {", recorded},
	{"openstack hashes its server group", openstackFile, "appendSet(nil, pool.State.ServerGroupID)", "appendSet[string](nil)", recorded},
	{"the capacity is sorted", hashedPool, "range slices.Sorted(maps.Keys(t.Capacity)) {", "range slices.Collect(maps.Keys(t.Capacity)) {", recorded},
	{"quantities are whole numbers", hashedPool, "name, quantity.Value()))", "name, quantity.MilliValue()))", recorded},
	{"own strings stand before the list", extensionFile, "append(e.Own(pool), data...), err", "append(data, e.Own(pool)...), err", recorded},
	{"own strings stand before raw bytes", extensionFile, "append(e.Own(pool), string(cut)), nil", "append([]string{string(cut)}, e.Own(pool)...), nil", recorded},
}
