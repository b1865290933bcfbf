// Command machinecontroller tells how a machine controller updates infrastructure tags on running machines, and what can go wrong on the way:
//
//	go run -C examples/machinecontroller .
//
// Everything in the story happens, while it is told, in real time with short settings: a Kubernetes API server over etcd, two replicas of a
// controller with the flows of machine-controller-manager, a driver on Amazon's SDK, and a cloud that speaks the protocol of Amazon EC2. The
// command fails if a record or a resource of the cloud is not as expected. README.md shows where the calls belong in
// machine-controller-manager.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := tell(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "machinecontroller: "+err.Error())
		os.Exit(1)
	}
}
