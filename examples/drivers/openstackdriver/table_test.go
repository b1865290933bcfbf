package openstackdriver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
)

func TestTable(t *testing.T) {
	schema, err := openstackdriver.Schema()
	require.NoError(t, err)
	cloudtable.Check(t, "../../DRIVER.md", &cloudtable.Row{
		Cloud: "OpenStack", SDK: "github.com/gophercloud/gophercloud/v2", GoMod: "go.mod", Schema: schema,
		Calls:  func(n int) (reads, writes int) { return calls(t, n) },
		Cannot: "put values on ports; remove several keys of a server in one call, or one on condition of its value",
	})
}
