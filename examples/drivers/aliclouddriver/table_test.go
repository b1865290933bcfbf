package aliclouddriver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
)

func TestTable(t *testing.T) {
	schema, err := alicloud.ProviderSpecSchema()
	require.NoError(t, err)
	cloudtable.Check(t, "../../DRIVER.md", &cloudtable.Row{
		Cloud: "Alibaba Cloud", SDK: "github.com/alibabacloud-go/ecs-20140526/v7", GoMod: "go.mod", Schema: schema,
		Calls:  func(n int) (reads, writes int) { return calls(t, n) },
		Cannot: "remove a tag on condition of its value; read the disks of several VMs but by a tag",
	})
}
