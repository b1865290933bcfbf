// Command machinecontroller shows how a machine controller updates infrastructure tags on running
// machines, and what can go wrong:
//
//	go run -C examples/machinecontroller .
//
// The story really happens, in real time with short settings: on a Kubernetes API server over etcd,
// two replicas of a controller with the flows of machine-controller-manager, a driver on Amazon's
// SDK, and a simulated cloud with the protocol of Amazon EC2. The command fails if a record or a
// resource of the cloud is not as expected. README.md shows where the calls belong in
// machine-controller-manager.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := tell(ctx, os.Stdout, controller.KeepClass)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "machinecontroller: "+err.Error())
		os.Exit(1)
	}
}
