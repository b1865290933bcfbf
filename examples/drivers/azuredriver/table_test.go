package azuredriver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
)

func TestTable(t *testing.T) {
	schema, err := azure.ProviderSpecSchema()
	require.NoError(t, err)
	cloudtable.Check(t, "../../DRIVER.md", &cloudtable.Row{
		Cloud: "Azure", SDK: "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5", GoMod: "go.mod", Schema: schema,
		Calls:  func(n int) (reads, writes int) { return calls(t, n) },
		Cannot: "tag several resources in one call; take more than ten writes a second of a subscription and principal",
	})
}
