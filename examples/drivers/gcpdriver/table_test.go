package gcpdriver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
)

func TestTable(t *testing.T) {
	schema, err := gcp.ProviderSpecSchema()
	require.NoError(t, err)
	cloudtable.Check(t, "../../DRIVER.md", &cloudtable.Row{
		Cloud: "GCP", SDK: "google.golang.org/api", GoMod: "go.mod", Schema: schema,
		Calls: func(n int) (reads, writes int) { return calls(t, n) },
		Cannot: "label network interfaces; label several VMs in one call; change the service account of a VM that runs, " +
			"or that has local SSDs",
	})
}
