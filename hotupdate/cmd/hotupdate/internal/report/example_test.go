package report_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

func Example() {
	schema, err := hotupdate.SchemaOf[aws.WorkerConfig]()
	if err != nil {
		fmt.Println(err)
		return
	}
	changes, err := schema.DiffRaw([]byte(`{"volume":{"iops":3000}}`), []byte(`{"volume":{"iops":4000},"tags":{"vm":{"team":"x"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	web := pool.Planned{Name: "web", Comparison: pool.Comparison{Verdict: pool.Roll}}
	for _, c := range changes {
		web.Changes = append(web.Changes, pool.Change{Change: c, Decides: c.Class == hotupdate.Immutable})
	}
	fmt.Print(report.Text(&pool.Plan{Pools: []pool.Planned{web, {Name: "db", State: pool.Added}}}, report.Plain))
	// Output:
	// roll: 2 pools: 1 roll, 1 added
	//
	// pool web: roll: every machine of the pool is replaced; cause: volume.iops
	// + tags.vm[team]  "x"           hot        inherited from aws.WorkerConfig.Tags
	// ~ volume.iops    3000 -> 4000  immutable  default, no struct tag                <- roll
	//
	// pool db: added: its machines are created
}
