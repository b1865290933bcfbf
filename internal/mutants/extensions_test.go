package mutants_test

const (
	recorded        = "internal/extensions ^TestRecords$"
	recordedChanges = "hotupdate/cmd/hotupdate/internal/pool ^TestRecordedChanges$"
	pools           = "internal/extensions ^TestPoolsWithoutSecret$"
	refusedInPlace  = "internal/extensions ^TestRefusedInPlace$"
	aliCloudFile    = "internal/extensions/alicloud.go"
	gcpFile         = "internal/extensions/gcp.go"
	openstackFile   = "internal/extensions/openstack.go"
	awsFile         = "internal/extensions/aws.go"
	azureFile       = "internal/extensions/azure.go"
	extensionFile   = "internal/extensions/extensions.go"
	hashedPool      = "internal/extensions/pool.go"
)

// extensionMutants exchange two neighbours of each list that a released extension hashes, or leave one out.
var extensionMutants = []mutant{
	{"azure hashes data volumes by their names", azureFile, "range pool.byName() {", "range pool.DataVolumes {", recorded},
	{
		"plan rolls where azure's volumes exchange their sizes", azureFile, "range pool.byName() {", "range pool.DataVolumes[:0] {",
		recordedChanges,
	},
	{
		"azure hashes the size before the type", azureFile, "data = appendSet(append(data, v.Size), v.Type)",
		"data = append(appendSet(data, v.Type), v.Size)", recorded,
	},
	{
		"azure hashes the identity before the set", azureFile, "pool.State.IdentityID, pool.State.AvailabilitySet,",
		"pool.State.AvailabilitySet, pool.State.IdentityID,", recorded,
	},
	{
		"azure hashes the identity before the subnet", azureFile, "pool.State.IdentityID, pool.State.AvailabilitySet, pool.State.Subnet",
		"pool.State.Subnet, pool.State.IdentityID, pool.State.AvailabilitySet", recorded,
	},
	{
		"azure's list begins with the capacity", azureFile, "\t\tdata = appendSet(data, v.Caching)\n",
		"\t\tdata = append(appendSet(nil, v.Caching), data...)\n", recorded,
	},
	{
		"azure lists caching before data volumes", azureFile, "\t\tdata = append(data, v.Name)\n",
		"\t\tdata = append([]string{v.Name}, data...)\n", recorded,
	},
	{"azure lists the URN before the ID", azureFile, "i.URN, i.ID,", "i.ID, i.URN,", recorded},
	{
		"azure lists the ID before the community's", azureFile, "i.ID, i.CommunityGalleryImageID,", "i.CommunityGalleryImageID, i.ID,",
		recorded,
	},
	{
		"azure lists the community's image before the shared one", azureFile, "i.CommunityGalleryImageID, i.SharedGalleryImageID",
		"i.SharedGalleryImageID, i.CommunityGalleryImageID", recorded,
	},
	{
		"azure lists data volumes before the profile", azureFile, "appendSet(appendSet(data, &p.Enabled), p.StorageURI)",
		"append(appendSet(appendSet(nil, &p.Enabled), p.StorageURI), data...)", recorded,
	},
	{
		"azure lists enabled before the storage", azureFile, "appendSet(appendSet(data, &p.Enabled), p.StorageURI)",
		"appendSet(appendSet(data, p.StorageURI), &p.Enabled)", recorded,
	},
	{
		"azure lists the profile before the reservation", azureFile, "\t\tdata = appendSet(data, r.GroupID)\n",
		"\t\tdata = append(appendSet(nil, r.GroupID), data...)\n", recorded,
	},
	{"azure's list begins with Kubernetes 1.35", azureFile, "ListFrom: \"1.35\"", "ListFrom: \"1.34\"", recorded},
	{
		"aws lists IOPS before throughput", awsFile, "appendSet(data, v.IOPS, v.Throughput)\n\t}\n\tfor",
		"appendSet(data, v.Throughput, v.IOPS)\n\t}\n\tfor", recorded,
	},
	{
		"aws lists the volume", awsFile, "\tif v := c.Volume; v != nil {\n\t\tdata = appendSet(data, v.IOPS, v.Throughput)\n\t}\n\tfor",
		"\tif v := c.Volume; v != nil {\n\t\tdefer func() { _ = v }()\n\t}\n\tfor", recorded,
	},
	{
		"aws lists a data volume's IOPS before its throughput", awsFile, "append(data, v.Name), v.IOPS, v.Throughput)",
		"append(data, v.Name), v.Throughput, v.IOPS)", recorded,
	},
	{
		"aws lists a data volume's snapshot last", awsFile,
		"\t\tdata = appendSet(append(data, v.Name), v.IOPS, v.Throughput)\n\t\tdata = appendSet(data, v.SnapshotID)\n",
		"\t\tdata = appendSet(append(data, v.Name), v.SnapshotID)\n\t\tdata = appendSet(data, v.IOPS, v.Throughput)\n", recorded,
	},
	{"aws lists the profile's name before its ARN", awsFile, "p.Name, p.ARN", "p.ARN, p.Name", recorded},
	{
		"aws lists tokens before the hop limit", awsFile, "appendSet(appendSet(data, o.HTTPTokens), o.HTTPPutResponseHopLimit)",
		"appendSet(appendSet(data, o.HTTPPutResponseHopLimit), o.HTTPTokens)", recorded,
	},
	{"aws lists cores before threads", awsFile, "o.CoreCount, o.ThreadsPerCore", "o.ThreadsPerCore, o.CoreCount", recorded},
	{"aws lists the preference before the ID", awsFile, "r.Preference, r.ID,", "r.ID, r.Preference,", recorded},
	{"aws lists the ID before the group", awsFile, "r.ID, r.ResourceGroupARN", "r.ResourceGroupARN, r.ID", recorded},
	{"aws lists network interfaces", awsFile, "\t\tdata = append(data, n.data()...)\n", "\t\tdefer n.data()\n", recorded},
	{
		"aws lists the type before the device", awsFile, "appendSet(appendSet(appendSet(nil, kind), &n.DeviceIndex), n.NetworkCardIndex)",
		"appendSet(appendSet(appendSet(nil, &n.DeviceIndex), kind), n.NetworkCardIndex)", recorded,
	},
	{
		"aws lists the device before the card", awsFile, "appendSet(appendSet(appendSet(nil, kind), &n.DeviceIndex), n.NetworkCardIndex)",
		"appendSet(appendSet(appendSet(nil, kind), n.NetworkCardIndex), &n.DeviceIndex)", recorded,
	},
	{"aws lists the range's ends in order", awsFile, "&r.From, &r.To", "&r.To, &r.From", recorded},
	{"aws lists the group before the tenancy", awsFile, "p.GroupID, p.Tenancy,", "p.Tenancy, p.GroupID,", recorded},
	{"aws lists the tenancy before the host", awsFile, "p.Tenancy, p.HostID", "p.HostID, p.Tenancy", recorded},
	{
		"aws lists the partition before the affinity", awsFile, "appendSet(appendSet(data, p.PartitionNumber), p.Affinity)",
		"appendSet(appendSet(data, p.Affinity), p.PartitionNumber)", recorded,
	},
	{"an empty type of an interface is the default", awsFile, "kind == nil || *kind == \"\"", "kind == nil", recorded},
	{"aws's list begins with Kubernetes 1.34", awsFile, "ListFrom: \"1.34\"", "ListFrom: \"1.35\"", recorded},
	{
		"a data volume's type stands before its encryption", hashedPool, "appendSet(appendSet(append(data, v.Size), v.Type), v.Encrypted)",
		"appendSet(appendSet(append(data, v.Size), v.Encrypted), v.Type)", recorded,
	},
	{
		"a data volume's size stands before its type", hashedPool, "appendSet(append(data, v.Size), v.Type), v.Encrypted)",
		"append(appendSet(data, v.Type), v.Size), v.Encrypted)", recorded,
	},
	{"openstack sorts labels", openstackFile, "\tslices.Sort(labels)\n", "", recorded},
	{
		"openstack sorts security groups", openstackFile, "slices.Sorted(slices.Values(c.AdditionalSecurityGroups))",
		"c.AdditionalSecurityGroups", recorded,
	},
	{
		"openstack lists labels before security groups", openstackFile,
		"append(labels, slices.Sorted(slices.Values(c.AdditionalSecurityGroups))...)",
		"append(slices.Sorted(slices.Values(c.AdditionalSecurityGroups)), labels...)", recorded,
	},
	{"openstack lists only labels that trigger a rolling update", openstackFile, "if l.TriggerRollingOnUpdate {", "if true {", recorded},
	{"openstack hashes its server group", openstackFile, "appendSet(nil, pool.State.ServerGroupID)", "appendSet[string](nil)", recorded},
	{
		"the capacity is sorted", hashedPool, "range slices.Sorted(maps.Keys(t.Capacity)) {",
		"range slices.Collect(maps.Keys(t.Capacity)) {", recorded,
	},
	{"quantities are whole numbers", hashedPool, "name, quantity.Value()))", "name, quantity.MilliValue()))", recorded},
	{
		"own strings stand before the list", extensionFile, "append(e.Own(pool), data...), err", "append(data, e.Own(pool)...), err",
		recorded,
	},
	{
		"own strings stand before raw bytes", extensionFile, "append(e.Own(pool), string(cut)), nil",
		"append([]string{string(cut)}, e.Own(pool)...), nil", recorded,
	},
	{"gcp hashes data volumes by their names", gcpFile, "range pool.byName() {", "range pool.DataVolumes {", recorded},
	{
		"gcp hashes a volume's name before its size", gcpFile, "data = appendSet(append(data, v.Name, v.Size), v.Type)",
		"data = appendSet(append(data, v.Size, v.Name), v.Type)", recorded,
	},
	{
		"gcp hashes a volume's size before its type", gcpFile, "data = appendSet(append(data, v.Name, v.Size), v.Type)",
		"data = append(appendSet(append(data, v.Name), v.Type), v.Size)", recorded,
	},
	{
		"gcp's list begins with the capacity", gcpFile, "data = appendSet(append(data, g.AcceleratorType), &g.Count)",
		"data = append(appendSet([]string{g.AcceleratorType}, &g.Count), data...)", recorded,
	},
	{
		"gcp lists the accelerator's type before the count", gcpFile, "data = appendSet(append(data, g.AcceleratorType), &g.Count)",
		"data = append(appendSet(data, &g.Count), g.AcceleratorType)", recorded,
	},
	{
		"gcp lists the accelerator before the volume", gcpFile, "\t\tdata = append(data, v.Interface)\n",
		"\t\tdata = append([]string{v.Interface}, data...)\n", recorded,
	},
	{
		"gcp lists the interface before the key", gcpFile,
		"\t\tdata = append(data, v.Interface)\n\t\tif e := v.Encryption; e != nil {\n\t\t\tdata = append(data, e.KMSKeyName, e.KMSKeyServiceAccount)\n\t\t}\n",
		"\t\tif e := v.Encryption; e != nil {\n\t\t\tdata = append(data, e.KMSKeyName, e.KMSKeyServiceAccount)\n\t\t}\n\t\tdata = append(data, v.Interface)\n",
		recorded,
	},
	{
		"gcp lists the key before its account", gcpFile, "append(data, e.KMSKeyName, e.KMSKeyServiceAccount)",
		"append(data, e.KMSKeyServiceAccount, e.KMSKeyName)", recorded,
	},
	{
		"gcp lists the volume before the boot volume", gcpFile,
		"data = append(appendSet(data, v.ProvisionedIOPS, v.ProvisionedThroughput), v.StoragePool)",
		"data = append(append(appendSet(nil, v.ProvisionedIOPS, v.ProvisionedThroughput), v.StoragePool), data...)", recorded,
	},
	{
		"gcp lists the boot volume's IOPS before its throughput", gcpFile,
		"data = append(appendSet(data, v.ProvisionedIOPS, v.ProvisionedThroughput), v.StoragePool)",
		"data = append(appendSet(data, v.ProvisionedThroughput, v.ProvisionedIOPS), v.StoragePool)", recorded,
	},
	{
		"gcp lists the boot volume's throughput before its pool", gcpFile,
		"data = append(appendSet(data, v.ProvisionedIOPS, v.ProvisionedThroughput), v.StoragePool)",
		"data = appendSet(append(appendSet(data, v.ProvisionedIOPS), v.StoragePool), v.ProvisionedThroughput)", recorded,
	},
	{
		"gcp lists the boot volume before data volumes", gcpFile,
		"data = appendSet(append(data, v.Name), v.ProvisionedIOPS, v.ProvisionedThroughput)",
		"data = append(appendSet([]string{v.Name}, v.ProvisionedIOPS, v.ProvisionedThroughput), data...)", recorded,
	},
	{
		"gcp lists a data volume's name before its IOPS", gcpFile,
		"data = appendSet(append(data, v.Name), v.ProvisionedIOPS, v.ProvisionedThroughput)",
		"data = appendSet(append(appendSet(data, v.ProvisionedIOPS), v.Name), v.ProvisionedThroughput)", recorded,
	},
	{
		"gcp lists a data volume's IOPS before its throughput", gcpFile,
		"data = appendSet(append(data, v.Name), v.ProvisionedIOPS, v.ProvisionedThroughput)",
		"data = appendSet(append(data, v.Name), v.ProvisionedThroughput, v.ProvisionedIOPS)", recorded,
	},
	{
		"gcp lists a data volume's image last", gcpFile,
		"\t\tdata = appendSet(append(data, v.Name), v.ProvisionedIOPS, v.ProvisionedThroughput)\n\t\tdata = appendSet(data, v.SourceImage)\n",
		"\t\tdata = appendSet(append(data, v.Name), v.ProvisionedIOPS)\n\t\tdata = appendSet(appendSet(data, v.SourceImage), v.ProvisionedThroughput)\n",
		recorded,
	},
	{
		"gcp lists data volumes before the platform", gcpFile, "data = appendSet(data, c.MinCPUPlatform)",
		"data = append(appendSet(nil, c.MinCPUPlatform), data...)", recorded,
	},
	{
		"gcp lists the platform before the account", gcpFile, "data = append(append(data, a.Email), a.Scopes...)",
		"data = append(append([]string{a.Email}, a.Scopes...), data...)", recorded,
	},
	{
		"gcp lists the account's email before its scopes", gcpFile, "data = append(append(data, a.Email), a.Scopes...)",
		"data = append(append(data, a.Scopes...), a.Email)", recorded,
	},
	{"gcp's list begins with Kubernetes 1.35", gcpFile, "ListFrom: \"1.35\"", "ListFrom: \"1.34\"", recorded},
	{"gcp has its list since v1.50", gcpFile, "ListSince: \"1.50\"", "ListSince: \"1.45\"", recorded},
	{"azure has its list since v1.60", azureFile, "ListSince: \"1.60\"", "ListSince: \"1.53\"", recorded},
	{"aws has its list since v1.67", awsFile, "ListSince: \"1.67\"", "ListSince: \"1.63\"", recorded},
	{"gcp names pools without a secret before v1.54", gcpFile, "FallsBackBefore: \"1.54\"", "FallsBackBefore: \"1.45\"", pools},
	{
		"azure may lack rules for updates in place before v1.62", azureFile, "InPlaceSince: \"1.62\"", "InPlaceSince: \"1.53\"",
		refusedInPlace,
	},
	{"aws names pools without a secret", awsFile, "FallsBack: true", "FallsBack: false", pools},
	{"openstack names pools without a secret", openstackFile, "FallsBack: true", "FallsBack: false", pools},
	{
		"aws lists the capacity before the volume", awsFile, "data = appendSet(data, v.IOPS, v.Throughput)\n\t}\n\tfor",
		"data = append(appendSet(nil, v.IOPS, v.Throughput), data...)\n\t}\n\tfor", recorded,
	},
	{
		"aws lists the volume before data volumes", awsFile, "data = appendSet(append(data, v.Name), v.IOPS, v.Throughput)\n",
		"data = append(appendSet([]string{v.Name}, v.IOPS, v.Throughput), data...)\n", recorded,
	},
	{
		"aws lists a data volume's name before its IOPS", awsFile, "data = appendSet(append(data, v.Name), v.IOPS, v.Throughput)\n",
		"data = appendSet(append(appendSet(data, v.IOPS), v.Name), v.Throughput)\n", recorded,
	},
	{
		"aws lists data volumes before the profile", awsFile, "data = appendSet(data, p.Name, p.ARN)",
		"data = append(appendSet(nil, p.Name, p.ARN), data...)", recorded,
	},
	{
		"aws lists the processors before the reservation", awsFile, "data = appendSet(data, r.Preference, r.ID, r.ResourceGroupARN)",
		"data = append(appendSet(nil, r.Preference, r.ID, r.ResourceGroupARN), data...)", recorded,
	},
	{
		"aws lists the metadata's options before the processors", awsFile, "data = appendSet(data, o.CoreCount, o.ThreadsPerCore)",
		"data = append(appendSet(nil, o.CoreCount, o.ThreadsPerCore), data...)", recorded,
	},
	{
		"aws lists interfaces before the placement", awsFile, "data = appendSet(data, p.GroupID, p.Tenancy, p.HostID)",
		"data = append(appendSet(nil, p.GroupID, p.Tenancy, p.HostID), data...)", recorded,
	},
	{
		"aws lists the profile before the metadata's options", awsFile,
		"data = appendSet(appendSet(data, o.HTTPTokens), o.HTTPPutResponseHopLimit)",
		"data = append(appendSet(appendSet(nil, o.HTTPTokens), o.HTTPPutResponseHopLimit), data...)", recorded,
	},
	{
		"aws lists the reservation before the market", awsFile, "data = append(data, o.MarketType)",
		"data = append([]string{o.MarketType}, data...)", recorded,
	},
	{"aws lists the market before interfaces", awsFile, "data = append(data, n.data()...)", "data = append(n.data(), data...)", recorded},
	{
		"aws lists the card before the range", awsFile, "data = appendSet(data, &r.From, &r.To)",
		"data = append(appendSet(nil, &r.From, &r.To), data...)", recorded,
	},
	{
		"aws lists the range before the subnet", awsFile, "return appendSet(data, n.SubnetID)",
		"return append(appendSet(nil, n.SubnetID), data...)", recorded,
	},
	{
		"aws lists the host before the partition", awsFile,
		"data = appendSet(data, p.GroupID, p.Tenancy, p.HostID)\n\t\tdata = appendSet(appendSet(data, p.PartitionNumber), p.Affinity)",
		"data = appendSet(data, p.GroupID, p.Tenancy)\n\t\tdata = appendSet(appendSet(appendSet(data, p.PartitionNumber), p.HostID), p.Affinity)",
		recorded,
	},
	{"aws hashes only the root volume's encryption in place", awsFile, "InPlace: rootEncryption", "InPlace: encryptedVolumes", recorded},
	{
		"the root volume stands before data volumes", hashedPool,
		"\tdata := rootEncryption(p)\n\tfor _, v := range p.DataVolumes {\n\t\tdata = appendSet(appendSet(append(data, v.Size), v.Type), v.Encrypted)\n\t}\n\treturn data\n",
		"\tvar data []string\n\tfor _, v := range p.DataVolumes {\n\t\tdata = appendSet(appendSet(append(data, v.Size), v.Type), v.Encrypted)\n\t}\n\treturn append(data, rootEncryption(p)...)\n",
		recorded,
	},
	{
		"data volumes count in their order", hashedPool, "\tdata := rootEncryption(p)\n\tfor _, v := range p.DataVolumes {",
		"\tdata := rootEncryption(p)\n\tfor _, v := range p.byName() {", recorded,
	},
	{"alicloud hashes data volumes", aliCloudFile, "Own: encryptedVolumes", "Own: rootEncryption", recorded},
	{"alicloud ignores configs", aliCloudFile, "Ignores: true", "Ignores: false", recorded},
	{"alicloud's eras begin with one that ignores configs", extensionFile, "{{Name: \"pool only\", Data: e.poolOnly}}", "{raw}", recorded},
	{
		"the example for alicloud renames no pool", "examples/alicloud/hash.go",
		"func(_ []byte, pool Pool) ([]string, error) { return volumes(pool), nil }", "extension.Today[Pool](today().RawBytes(schema))",
		"examples/alicloud ^TestRecordedPools$",
	},
	{
		"the example for alicloud reads hot fields only", "examples/alicloud/pool.go", "_, hot, err := hotupdate.Split",
		"hot, _, err := hotupdate.Split", "examples/alicloud ^TestIgnoredFieldsHaveNoEffect$",
	},
	{
		"the example for alicloud admits no change that it ignores", "examples/alicloud/admission.go", "changes.Of(hotupdate.Immutable)",
		"changes.Of(hotupdate.InPlace)", "examples/alicloud ^TestAdmittedChangesAreSeen$",
	},
	{
		"plan refuses fields that are not read yet", "hotupdate/cmd/hotupdate/internal/pool/judge/config.go",
		"\t\t\tfound.Verdict = verdict.Forbidden\n\t\t\tfound.Rule = verdict.NotYetRead\n", "",
		"hotupdate/cmd/hotupdate/internal/pool ^TestPairs$",
	},
}
