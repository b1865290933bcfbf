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
	changes, err := schema.DiffRaw([]byte(`{"cpuOptions":{"coreCount":2}}`), []byte(`{"cpuOptions":{"coreCount":4},"tags":{"vm":{"team":"x"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	web := pool.Planned{Name: "web", Comparison: pool.Comparison{Verdict: pool.Roll}}
	for _, c := range changes {
		verdict := pool.HotUpdate
		if c.Class == hotupdate.Immutable {
			verdict = pool.Roll
		}
		web.Changes = append(web.Changes, pool.Judged{Change: c, Verdict: verdict, Decides: verdict == pool.Roll})
	}
	r := report.New([]*pool.Plan{{Kind: pool.Shoot, Name: "dev", Pools: []pool.Planned{web, {Name: "db", State: pool.Added}}}}, nil)
	fmt.Print(report.Text(r, report.Style{}))
	// Output:
	// roll: Shoot dev: 2 pools: 1 roll, 1 added
	//
	// pool web: roll: every machine is replaced
	//   roll: by Gardener's rules for worker pools
	//   > ~ cpuOptions.coreCount  2 -> 4
	//   hot update: by Gardener's rules for worker pools
	//     + tags.vm[team]         "x"
	//
	// pool db: added: its machines are created
}
